//! The HTTP server: time-outs, TLS, and its end.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use axum::Router;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use tokio_util::sync::CancellationToken;

use super::slow::Patience;

/// Longest time until the head of a request has arrived.
const HEAD: Duration = Duration::from_secs(15);
/// Longest time of requests after the service was told to end.
const DRAIN: Duration = Duration::from_secs(5);

/// Serves until `shutdown`; then requests have a few seconds to end. A client that takes nothing for `stall` is cut.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    (tls, stall): (Option<RustlsConfig>, Duration),
    shutdown: CancellationToken,
) -> io::Result<()> {
    let handle = Handle::<SocketAddr>::new();
    tokio::spawn(end(handle.clone(), shutdown));
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let mut server = axum_server::from_tcp(listener)?.http1_only().first_request_timeout(HEAD).handle(handle);
    server.http_builder().http1().header_read_timeout(HEAD);
    let patience = Patience(stall);
    match tls {
        Some(config) => {
            let tls = axum_server::tls_rustls::RustlsAcceptor::new(config).acceptor(patience);
            server.acceptor(tls).serve(app).await
        }
        None => server.acceptor(patience).serve(app).await,
    }
}

async fn end(handle: Handle<SocketAddr>, shutdown: CancellationToken) {
    // A call before the server listens would have no effect.
    handle.listening().await;
    shutdown.cancelled().await;
    handle.graceful_shutdown(Some(DRAIN));
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::sync::Arc;

    use super::*;

    /// Starts a server, and returns its address.
    fn start(tls: Option<RustlsConfig>) -> (SocketAddr, CancellationToken) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (address, shutdown) = (listener.local_addr().unwrap(), CancellationToken::new());
        let app = Router::new()
            .route("/", axum::routing::get(async || "here"))
            .route("/large", axum::routing::get(async || "x".repeat(64 << 20)));
        tokio::spawn(serve(listener, app, (tls, Duration::from_secs(1)), shutdown.clone()));
        (address, shutdown)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_sends_no_head_is_cut_off() {
        let (address, shutdown) = start(None);
        let cut = tokio::task::spawn_blocking(move || {
            // One sends nothing, one half a head, one a byte now and then.
            let mut clients: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(address).unwrap()).collect();
            clients[1].write_all(b"GET / HTTP/1.1\r\nHost: a\r\n").unwrap();
            let began = std::time::Instant::now();
            while began.elapsed() < HEAD + Duration::from_secs(1) {
                let _ = clients[2].write_all(b"G");
                std::thread::sleep(Duration::from_millis(500));
            }
            clients.iter_mut().all(|client| {
                client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                let mut answer = String::new();
                // The end of the stream, or a reset; a client that waits still is an error.
                match client.read_to_string(&mut answer) {
                    Ok(_) => !answer.contains("200"),
                    Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
                }
            })
        });
        assert!(cut.await.unwrap());
        shutdown.cancel();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_reads_nothing_is_cut_off_and_a_slow_reader_is_served() {
        let (address, shutdown) = start(None);
        let ask = move || {
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
            client
        };
        let read = tokio::task::spawn_blocking(move || {
            let mut idle = ask();
            std::thread::sleep(Duration::from_secs(4));
            // What the kernel had taken by then is there; the rest never comes.
            let mut got = Vec::new();
            let _ = idle.read_to_end(&mut got);
            let mut slow = ask();
            let (mut all, mut part) = (0, vec![0; 16 << 20]);
            loop {
                std::thread::sleep(Duration::from_millis(20));
                match slow.read(&mut part).unwrap() {
                    0 => return (got.len(), all),
                    n => all += n,
                }
            }
        });
        let (idle, slow) = read.await.unwrap();
        assert!(idle < 64 << 20 && 64 << 20 <= slow, "{idle} and {slow} bytes");
        shutdown.cancel();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn tls_serves_those_who_know_the_certificate() {
        let dir = tempfile::tempdir().unwrap();
        let config = crate::web::tls::settings(&crate::web::tls::Certificate::SelfSigned, dir.path(), &[]).await.unwrap();
        let (address, shutdown) = start(Some(config));
        let pem = std::fs::read(dir.path().join("tls-certificate.pem")).unwrap();
        let answer = tokio::task::spawn_blocking(move || {
            use rustls::pki_types::pem::PemObject;
            let ask = |roots: rustls::RootCertStore| -> io::Result<String> {
                let mut config = rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
                // As browsers offer them. The service speaks the second alone.
                config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
                let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
                let mut session = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
                let mut stream = TcpStream::connect(address)?;
                let mut tls = rustls::Stream::new(&mut session, &mut stream);
                tls.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
                let mut answer = String::new();
                tls.read_to_string(&mut answer)?;
                assert_eq!(session.alpn_protocol(), Some(b"http/1.1".as_slice()));
                Ok(answer)
            };
            let mut roots = rustls::RootCertStore::empty();
            roots.add(rustls::pki_types::CertificateDer::from_pem_slice(&pem).unwrap()).unwrap();
            let stranger = ask(rustls::RootCertStore::empty());
            assert!(stranger.unwrap_err().to_string().contains("certificate"), "a certificate that is not known is refused");
            ask(roots).unwrap()
        });
        let answer = answer.await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("here"), "{answer}");
        shutdown.cancel();
    }
}

//! HTTP client of `scanproof remote` and of webhooks: one request, one answer.
//!
//! **Invariant:** it follows no redirect, uses no proxy, keeps no cookie, and connects only to the addresses that its caller gives.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Longest time until a connection is made.
const CONNECT: Duration = Duration::from_secs(10);

/// Place that requests go to: scheme, host and port of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) is_tls: bool,
    /// Name or digits, as in the address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Path and query.
    pub(crate) path: String,
}

/// Answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Limits of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerLimits {
    /// Longest time of request and answer together.
    pub(crate) time: Duration,
    /// Most bytes of its body.
    pub(crate) bytes: usize,
}

impl Target {
    /// Reads an address that begins with http:// or https://. The error is one sentence.
    pub(crate) fn parse(text: &str) -> Result<Target, String> {
        let uri: Uri = text.trim().parse().map_err(|error| format!("`{text}` is no address: {error}"))?;
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) | None => return Err(format!("`{text}`: an address begins with http:// or https://")),
        };
        let authority = uri.authority().ok_or_else(|| format!("`{text}` names no host"))?;
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(format!("`{text}`: write the host alone, without a user name"));
        }
        Ok(Target {
            is_tls,
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 }),
            path: uri.path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string),
        })
    }

    /// Returns the addresses that the host has now.
    pub(crate) async fn addresses(&self) -> std::io::Result<Vec<SocketAddr>> {
        let host = self.host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(tokio::net::lookup_host((host, self.port)).await?.collect())
    }

    /// Returns host and port as a request names them.
    fn authority(&self) -> String {
        let usual = if self.is_tls { 443 } else { 80 };
        if self.port == usual { self.host.clone() } else { format!("{}:{}", self.host, self.port) }
    }
}

/// Certificates of systems.
const SYSTEM_CERTIFICATES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// Returns the file of the certificates that this system trusts.
pub(crate) fn system_certificates() -> Option<PathBuf> {
    SYSTEM_CERTIFICATES.iter().map(PathBuf::from).find(|file| file.is_file())
}

/// Returns settings for TLS that trust the certificates of a PEM file. The error is one sentence.
pub(crate) fn trusting(file: &std::path::Path) -> Result<Arc<rustls::ClientConfig>, String> {
    // Only the first call has an effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let mut known = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))? {
        // A bundle of a system has certificates that no longer count.
        let _ = known.add(certificate.map_err(|error| failed(&error))?);
    }
    if known.is_empty() {
        return Err(failed(&"there is no certificate in it"));
    }
    Ok(Arc::new(rustls::ClientConfig::builder().with_root_certificates(known).with_no_client_auth()))
}

/// Sends a request to the first of these addresses that takes it. The error is one sentence.
pub(crate) async fn send(
    target: &Target,
    addresses: &[SocketAddr],
    tls: Option<&Arc<rustls::ClientConfig>>,
    (method, headers, body): (Method, HeaderMap, Bytes),
    limits: AnswerLimits,
) -> Result<Answer, String> {
    let mut request = Request::builder().method(method).uri(&target.path).body(Full::new(body)).map_err(|e| e.to_string())?;
    *request.headers_mut() = headers;
    let host = HeaderValue::from_str(&target.authority()).map_err(|e| e.to_string())?;
    request.headers_mut().insert(header::HOST, host);
    request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    let work = async {
        let stream = connect(addresses).await?;
        if !target.is_tls {
            return exchange(stream, request, limits.bytes).await;
        }
        let tls = tls.ok_or("no certificate is known that it could be trusted by; give one as a PEM file")?;
        let bare = target.host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(bare).map_err(|error| error.to_string())?;
        let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await.map_err(|error| tls_error(&error))?;
        exchange(stream, request, limits.bytes).await
    };
    let late = |_| format!("no answer within {} s", limits.time.as_secs());
    tokio::time::timeout(limits.time, work).await.map_err(late)?
}

/// Begin of the error for a certificate that no later try will trust.
pub(crate) const UNTRUSTED: &str = "TLS: its certificate is not trusted";

fn tls_error(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let is_certificate = inner.is_some_and(|inner| matches!(inner, rustls::Error::InvalidCertificate(_)));
    if is_certificate { format!("{UNTRUSTED}: {error}") } else { format!("TLS: {error}") }
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, String> {
    let mut last = "the host has no address".to_owned();
    for address in addresses {
        match tokio::time::timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = format!("{address}: {error}"),
            Err(_) => last = format!("{address}: no connection within {} s", CONNECT.as_secs()),
        }
    }
    Err(last)
}

async fn exchange<S>(stream: S, request: Request<Full<Bytes>>, most_bytes: usize) -> Result<Answer, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let failed = |error: hyper::Error| format!("the connection failed: {error}");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(failed)?;
    // It ends with the answer, or when its sender is dropped.
    let driver = tokio::spawn(connection);
    let answer = async {
        let response = sender.send_request(request).await.map_err(failed)?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, most_bytes).collect().await.map_err(|error| format!("the answer broke off: {error}"))?;
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body: body.to_bytes() })
    };
    let answer = answer.await;
    driver.abort();
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused() {
        let check = |text: &str, expected: Result<(bool, &str, u16, &str), &str>| match (Target::parse(text), expected) {
            (Ok(got), Ok((is_tls, host, port, path))) => {
                assert_eq!((got.is_tls, got.host.as_str(), got.port, got.path.as_str()), (is_tls, host, port, path));
            }
            (Err(error), Err(words)) => assert!(error.contains(words), "{text}: {error}"),
            (got, wanted) => panic!("{text}: {got:?} instead of {wanted:?}"),
        };
        check("http://plc-check.local:8080", Ok((false, "plc-check.local", 8080, "/")));
        check("https://Host/hooks?a=b", Ok((true, "host", 443, "/hooks?a=b")));
        check("http://[::1]:80/", Ok((false, "[::1]", 80, "/")));
        check("ftp://host/", Err("begins with http://"));
        check("host:80", Err("begins with http://"));
        check("http://anna@host/", Err("without a user name"));
        check("", Err("is no address"));
    }

    #[tokio::test]
    async fn an_answer_is_read_and_a_redirect_is_not_followed() {
        use axum::response::Redirect;
        use axum::routing::get;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = axum::Router::new()
            .route("/", get(async || "here"))
            .route("/away", get(async || Redirect::to("/")))
            .route("/large", get(async || "x".repeat(5000)))
            .route("/slow", get(async || tokio::time::sleep(Duration::from_secs(60)).await));
        tokio::spawn(async move { axum::serve(listener, app).await });
        let ask = async |path: &str| {
            let target = Target::parse(&format!("http://{address}{path}")).unwrap();
            let limits = AnswerLimits { time: Duration::from_secs(2), bytes: 1000 };
            let addresses = target.addresses().await.unwrap();
            send(&target, &addresses, None, (Method::GET, HeaderMap::new(), Bytes::new()), limits).await
        };
        let here = ask("/").await.unwrap();
        assert_eq!((here.status, &here.body[..]), (200, &b"here"[..]));
        let away = ask("/away").await.unwrap();
        assert_eq!((away.status, away.headers[header::LOCATION].to_str().unwrap()), (303, "/"));
        assert!(ask("/large").await.unwrap_err().contains("broke off"));
        assert!(ask("/slow").await.unwrap_err().contains("within 2 s"));
    }
}

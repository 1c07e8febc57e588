//! `scanproof healthcheck`: asks a running service whether it is ready; an image without a shell has no other means.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};

use super::print::{complain, out};
use super::{Failure, INTERNAL};

/// Arguments of `healthcheck`.
#[derive(Args)]
pub struct HealthcheckArgs {
    /// Address that the service listens at
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", env = "SCANPROOF_LISTEN")]
    pub(super) listen: SocketAddr,
    /// Certificate of a service with TLS, a PEM file; of one that signs its own, tls-certificate.pem of its data folder
    #[arg(long, value_name = "FILE", env = "SCANPROOF_TLS_CERT")]
    pub(super) tls_cert: Option<PathBuf>,
    /// Name in that certificate
    #[arg(long, value_name = "NAME", default_value = "localhost")]
    pub(super) name: String,
}

/// Longest time of the answer.
const TIME: Duration = Duration::from_secs(5);

/// Exits with 0 if the service is ready, else with 1.
pub(super) fn run(args: &HealthcheckArgs) -> Result<u8, Failure> {
    let address = reachable(args.listen);
    let asked = match &args.tls_cert {
        Some(file) => ask_by_tls(address, &session(file, &args.name)?),
        None => connect(address).and_then(|stream| ask(stream, address)),
    };
    let answer = match asked {
        Ok(answer) => answer,
        Err(error) => {
            complain(&format!("not ready: no answer from {address}: {error}"));
            return Ok(INTERNAL);
        }
    };
    if answer.starts_with("HTTP/1.1 200 ") {
        out("ready");
        return Ok(0);
    }
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let problem: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    complain(&format!("not ready: {}", problem["detail"].as_str().unwrap_or("the answer cannot be read")));
    Ok(INTERNAL)
}

/// Returns an address to ask at: a service that listens everywhere is asked on this machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// Settings of a TLS connection, and the name that is expected.
type Session = (Arc<rustls::ClientConfig>, ServerName<'static>);

/// Returns the settings of a connection to a service with a certificate of this file.
fn session(file: &Path, name: &str) -> Result<Session, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::bad_input(format!("{}: {error}", file.display()));
    // Only the first call has an effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut known = rustls::RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))? {
        known.add(certificate.map_err(|error| failed(&error))?).map_err(|error| failed(&error))?;
    }
    let config = rustls::ClientConfig::builder().with_root_certificates(known).with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).map_err(|error| Failure::usage(format!("--name {name}: {error}")))?;
    Ok((Arc::new(config), name))
}

fn ask_by_tls(address: SocketAddr, (config, name): &Session) -> std::io::Result<String> {
    let session = rustls::ClientConnection::new(Arc::clone(config), name.clone()).map_err(std::io::Error::other)?;
    ask(rustls::StreamOwned::new(session, connect(address)?), address)
}

fn connect(address: SocketAddr) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, TIME)?;
    stream.set_read_timeout(Some(TIME))?;
    stream.set_write_timeout(Some(TIME))?;
    Ok(stream)
}

fn ask(mut stream: impl Read + Write, address: SocketAddr) -> std::io::Result<String> {
    stream.write_all(format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.take(64 << 10).read_to_string(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_listens_everywhere_is_asked_here() {
        for (listen, expected) in
            [("0.0.0.0:8080", "127.0.0.1:8080"), ("[::]:80", "[::1]:80"), ("192.168.7.4:8080", "192.168.7.4:8080")]
        {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), expected);
        }
    }
}

//! `scanproof healthcheck`: asks a running service whether it is ready; an image without a shell has no other means.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use clap::Args;

use super::print::{complain, out};
use super::{Failure, INTERNAL};

/// Arguments of `healthcheck`.
#[derive(Args)]
pub struct HealthcheckArgs {
    /// Address that the service listens at
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", env = "SCANPROOF_LISTEN")]
    pub(super) listen: SocketAddr,
}

/// Longest time of the answer.
const TIME: Duration = Duration::from_secs(5);

/// Exits with 0 if the service is ready, else with 1.
pub(super) fn run(args: &HealthcheckArgs) -> Result<u8, Failure> {
    let address = reachable(args.listen);
    let answer = match ask(address) {
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

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIME)?;
    stream.set_read_timeout(Some(TIME))?;
    stream.set_write_timeout(Some(TIME))?;
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

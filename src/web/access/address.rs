//! The address that a request comes from.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};

/// Returns the address of the client. X-Forwarded-For counts only if the peer is a trusted proxy, and only what that proxy added.
pub(crate) fn client(extensions: &Extensions, headers: &HeaderMap, proxies: &[IpAddr]) -> Option<IpAddr> {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical())?;
    if !proxies.contains(&peer) {
        return Some(peer);
    }
    let values = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let chain: Vec<IpAddr> = values.flat_map(|value| value.split(',')).filter_map(|part| part.trim().parse().ok()).collect();
    Some(chain.into_iter().rev().find(|address| !proxies.contains(address)).unwrap_or(peer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarded_addresses_count_from_trusted_proxies_alone() {
        let proxy: IpAddr = "10.0.0.2".parse().unwrap();
        let check = |peer: &str, forwarded: &str, expected: &str| {
            let mut extensions = Extensions::new();
            extensions.insert(ConnectInfo(SocketAddr::new(peer.parse().unwrap(), 4000)));
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            assert_eq!(client(&extensions, &headers, &[proxy]), Some(expected.parse().unwrap()), "{peer} {forwarded}");
        };
        check("192.168.1.9", "1.2.3.4", "192.168.1.9");
        check("10.0.0.2", "1.2.3.4", "1.2.3.4");
        // The client wrote the first one itself.
        check("10.0.0.2", "6.6.6.6, 1.2.3.4", "1.2.3.4");
        check("10.0.0.2", "1.2.3.4, 10.0.0.2", "1.2.3.4");
        check("10.0.0.2", "nonsense", "10.0.0.2");
    }
}

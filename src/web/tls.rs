//! TLS: the certificate of the service, its own or one that it signs itself.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum_server::tls_rustls::RustlsConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use sha2::{Digest, Sha256};

/// Certificate of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Files in PEM form: the certificate with its chain, and its key.
    Files {
        /// The certificate, then those that signed it.
        chain: PathBuf,
        /// The key.
        key: PathBuf,
    },
    /// The service signs one itself, and keeps it in its data folder.
    SelfSigned,
}

/// Protocols that a handshake offers: the ones that the service speaks. With `h2` among them browsers would choose it.
const PROTOCOLS: [&[u8]; 1] = [b"http/1.1"];
/// Names of the files in the data folder.
const FILES: [&str; 2] = ["tls-certificate.pem", "tls-key.pem"];
/// Life of a certificate that the service signs itself.
const DAYS: u64 = 800;
/// A new one is made at a start this many days before the end.
const RENEW_DAYS: u64 = 60;

/// Returns the settings of TLS. The error is a sentence that names the file.
pub(super) async fn settings(certificate: &Certificate, data: &Path, hosts: &[String]) -> Result<RustlsConfig, String> {
    // Only the first call has an effect.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (chain, key) = match certificate {
        Certificate::Files { chain, key } => (chain.clone(), key.clone()),
        Certificate::SelfSigned => self_signed(data, hosts)?,
    };
    let read = |file: &Path| std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()));
    let (chain_bytes, key_bytes) = (read(&chain)?, read(&key)?);
    let first =
        CertificateDer::from_pem_slice(&chain_bytes).map_err(|error| format!("{}: no certificate: {error}", chain.display()))?;
    tracing::info!("TLS certificate {}, SHA-256 {}", chain.display(), fingerprint(&first));
    let made = RustlsConfig::from_pem(chain_bytes, key_bytes)
        .await
        .map_err(|error| format!("{} and {} do not work together: {error}", chain.display(), key.display()))?;
    let mut config = rustls::ServerConfig::clone(&made.get_inner());
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    Ok(RustlsConfig::from_config(Arc::new(config)))
}

/// Returns the hash of a certificate as browsers show it.
fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    let bytes: Vec<String> = Sha256::digest(certificate.as_ref()).iter().map(|byte| format!("{byte:02X}")).collect();
    bytes.join(":")
}

/// Returns the files of the certificate in the data folder, and makes them if they are absent or nearly at their end.
fn self_signed(data: &Path, hosts: &[String]) -> Result<(PathBuf, PathBuf), String> {
    let [chain, key] = FILES.map(|name| data.join(name));
    let age = chain.metadata().and_then(|file| file.modified()).ok().and_then(|made| SystemTime::now().duration_since(made).ok());
    let is_fresh = age.is_some_and(|age| age < Duration::from_secs((DAYS - RENEW_DAYS) * 86_400));
    if is_fresh && key.is_file() {
        return Ok((chain, key));
    }
    let failed = |error: rcgen::Error| format!("a certificate cannot be made: {error}");
    let mut names: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    names.extend(hosts.iter().filter(|host| *host != "localhost").cloned());
    let mut parameters = rcgen::CertificateParams::new(names).map_err(failed)?;
    let day = |days: i64| {
        let date =
            (jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * days)).to_zoned(jiff::tz::TimeZone::UTC).date();
        rcgen::date_time_ymd(date.year().into(), date.month() as u8, date.day() as u8)
    };
    (parameters.not_before, parameters.not_after) = (day(-1), day(DAYS as i64));
    parameters.distinguished_name = rcgen::DistinguishedName::new();
    parameters.distinguished_name.push(rcgen::DnType::CommonName, "Scanproof");
    let pair = rcgen::KeyPair::generate().map_err(failed)?;
    let made = parameters.self_signed(&pair).map_err(failed)?;
    // The key first: a certificate without its key is made anew.
    write_private(&key, &pair.serialize_pem())?;
    write_private(&chain, &made.pem())?;
    Ok((chain, key))
}

fn write_private(file: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let _ = std::fs::remove_file(file);
    let mut opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(failed)?;
    opened.write_all(text.as_bytes()).and_then(|()| opened.sync_all()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn a_self_signed_certificate_is_kept_private_and_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let hosts = ["localhost".to_owned(), "plc-check.plant.local".to_owned()];
        settings(&Certificate::SelfSigned, dir.path(), &hosts).await.unwrap();
        let [chain, key] = FILES.map(|name| dir.path().join(name));
        for file in [&chain, &key] {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        let first = std::fs::read(&chain).unwrap();
        settings(&Certificate::SelfSigned, dir.path(), &hosts).await.unwrap();
        assert_eq!(std::fs::read(&chain).unwrap(), first);
        // Nearly at its end, or without its key, it is made anew.
        let old = SystemTime::now() - Duration::from_secs((DAYS - RENEW_DAYS) * 86_400);
        std::fs::File::options().write(true).open(&chain).unwrap().set_modified(old).unwrap();
        settings(&Certificate::SelfSigned, dir.path(), &hosts).await.unwrap();
        let second = std::fs::read(&chain).unwrap();
        assert_ne!(second, first);
        std::fs::remove_file(&key).unwrap();
        settings(&Certificate::SelfSigned, dir.path(), &hosts).await.unwrap();
        assert_ne!(std::fs::read(&chain).unwrap(), second);
    }

    #[tokio::test]
    async fn files_that_are_no_certificate_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let [chain, key] = ["chain.pem", "key.pem"].map(|name| dir.path().join(name));
        let certificate = Certificate::Files { chain: chain.clone(), key: key.clone() };
        let defect = async || settings(&certificate, dir.path(), &[]).await.map(|_| ()).unwrap_err();
        assert!(defect().await.contains("chain.pem"), "{}", defect().await);
        std::fs::write(&chain, "nonsense").unwrap();
        std::fs::write(&key, "nonsense").unwrap();
        assert!(defect().await.contains("chain.pem: no certificate"), "{}", defect().await);
        let made = self_signed(dir.path(), &[]).unwrap();
        std::fs::copy(made.0, &chain).unwrap();
        assert!(defect().await.contains("do not work together"), "{}", defect().await);
        // A key of another certificate.
        std::fs::write(&key, rcgen::KeyPair::generate().unwrap().serialize_pem()).unwrap();
        assert!(defect().await.contains("do not work together"), "{}", defect().await);
    }
}

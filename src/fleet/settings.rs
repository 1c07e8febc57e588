//! Settings of the connection to the broker, the same for server and agents.

use std::path::PathBuf;
use std::time::Duration;

use async_nats::{Client, ConnectOptions};

use super::link::Faults;
use super::seal::Seal;

/// Fewest characters of the fleet's token.
pub const LEAST_TOKEN_CHARS: usize = 24;

/// Address of the broker, and rights there.
#[derive(Clone, Debug)]
pub struct BrokerSettings {
    /// `nats://host:4222` or `tls://host:4222`.
    pub url: String,
    /// File with the credentials of a user of the broker.
    pub credentials: Option<PathBuf>,
    /// Certificates that the broker is trusted by, a PEM file.
    pub ca: Option<PathBuf>,
    /// Keys of the fleet.
    pub(super) seal: Seal,
    /// Time without a sign of life after which another agent takes a run.
    pub ack_wait: Duration,
}

/// Credentials of a user of the broker.
#[derive(Debug, PartialEq, Eq)]
enum Credentials {
    /// Seed of an nkey.
    Nkey(String),
    /// File of the tool `nsc`: a JWT and a seed.
    Jwt(String),
    /// Name and password.
    Password(String, String),
}

impl BrokerSettings {
    /// Returns settings; the error is one sentence.
    pub fn new(url: &str, token: &str, ack_wait: Duration) -> Result<BrokerSettings, String> {
        if token.chars().count() < LEAST_TOKEN_CHARS {
            return Err(format!("the token of the fleet has at least {LEAST_TOKEN_CHARS} characters"));
        }
        let host = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
        if host.is_none_or(|host| host.trim_matches(['/', ':']).is_empty()) {
            return Err(format!("broker `{url}`: an address is nats://HOST:4222 or tls://HOST:4222"));
        }
        let address: async_nats::ServerAddr = url.parse().map_err(|error| format!("broker `{url}`: {error}"))?;
        if address.username().is_some() || address.password().is_some() {
            return Err("credentials of the broker stand in a file, not in its address".to_owned());
        }
        let seal = Seal::new(token).ok_or("the token of the fleet makes no key")?;
        Ok(BrokerSettings { url: url.to_owned(), credentials: None, ca: None, seal, ack_wait })
    }

    /// Checks that files can be read, before anything connects. The error is one sentence.
    pub fn check(&self) -> Result<(), String> {
        self.read_credentials()?;
        if let Some(ca) = &self.ca {
            let text = std::fs::read_to_string(ca).map_err(|error| format!("{}: {error}", ca.display()))?;
            if !text.contains("-----BEGIN") {
                return Err(format!("{}: no certificate in PEM form", ca.display()));
            }
        }
        Ok(())
    }

    fn read_credentials(&self) -> Result<Option<Credentials>, String> {
        let Some(file) = &self.credentials else { return Ok(None) };
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        credentials(&text)
            .map(Some)
            .ok_or_else(|| format!("{}: neither an nkey seed, nor name:password, nor a .creds file", file.display()))
    }

    /// Connects. A broker that is absent is tried again for ever; `faults` hear why.
    pub(super) async fn connect(&self, name: &str, faults: Faults) -> Result<Client, String> {
        // Only the first call has an effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut options = match self.read_credentials()? {
            None => ConnectOptions::new(),
            Some(Credentials::Nkey(seed)) => ConnectOptions::with_nkey(seed),
            Some(Credentials::Password(user, password)) => ConnectOptions::with_user_and_password(user, password),
            Some(Credentials::Jwt(text)) => ConnectOptions::with_credentials(&text).map_err(|error| error.to_string())?,
        };
        if let Some(ca) = &self.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        let delay = |attempts: usize| Duration::from_millis(100 * (1 << attempts.min(5)) as u64);
        options
            .name(name)
            .event_callback(move |event| {
                let faults = faults.clone();
                async move { faults.hear(event).await }
            })
            // Answers to requests arrive below this name: permissions name it.
            .custom_inbox_prefix("_INBOX.scanproof")
            .retry_on_initial_connect()
            .reconnect_delay_callback(delay)
            .ping_interval(Duration::from_secs(10))
            .request_timeout(Some(Duration::from_secs(5)))
            .connect(&self.url)
            .await
            .map_err(|error| error.to_string())
    }
}

/// Reads the text of a file with credentials.
fn credentials(text: &str) -> Option<Credentials> {
    if text.contains("BEGIN NATS USER JWT") {
        return Some(Credentials::Jwt(text.to_owned()));
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    match line.split_once(':') {
        Some((user, password)) if !user.is_empty() => Some(Credentials::Password(user.to_owned(), password.to_owned())),
        None if line.starts_with("SU") => Some(Credentials::Nkey(line.to_owned())),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_read_or_refused() {
        let password = |user: &str, word: &str| Some(Credentials::Password(user.into(), word.into()));
        assert_eq!(credentials("# of agent 1\nagent:a:b\n"), password("agent", "a:b"));
        assert_eq!(credentials("SUAB\n"), Some(Credentials::Nkey("SUAB".into())));
        assert!(matches!(credentials("-----BEGIN NATS USER JWT-----\nx"), Some(Credentials::Jwt(_))));
        for text in ["", "word", ":x", "# only a comment"] {
            assert_eq!(credentials(text), None, "{text}");
        }
    }

    #[test]
    fn short_tokens_and_credentials_in_addresses_are_refused() {
        let new = |url: &str, token: &str| BrokerSettings::new(url, token, Duration::from_secs(30)).map(|_| ());
        let long = "x".repeat(LEAST_TOKEN_CHARS);
        assert!(new("nats://127.0.0.1:4222", &long).is_ok());
        assert!(new("tls://broker.plant.local:4222", &long).is_ok());
        assert!(new("nats://127.0.0.1:4222", "short").unwrap_err().contains("24 characters"));
        assert!(new("nats://a:b@127.0.0.1:4222", &long).unwrap_err().contains("in a file"));
        for url in ["", "foo", "broker:4222", "http://broker", "nats://"] {
            let error = new(url, &long).unwrap_err();
            assert!(error.contains(&format!("broker `{url}`")), "{error}");
        }
    }
}

//! State of the connection to the broker, in words of its settings.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::{Client, Event};

use super::settings::BrokerSettings;

/// Time for which a refused right counts.
const RECENT: Duration = Duration::from_secs(15);
/// Longest time in which a machine takes a connection.
const PROBE: Duration = Duration::from_secs(1);

/// Last thing that kept a connection from being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Nothing answers.
    Silent,
    /// The broker refuses the user.
    Refused,
    /// The machine answers, and does not speak TLS as it should, or not with a certificate that is trusted.
    Tls,
    /// The name of the machine is not known.
    Name,
}

/// Faults of one connection; clones share them.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    last: Arc<Mutex<Option<Fault>>>,
    /// Last right that was refused.
    lacking: Arc<Mutex<Option<(Instant, String)>>>,
    url: String,
    credentials: Option<PathBuf>,
    ca: Option<PathBuf>,
}

impl Faults {
    pub(super) fn new(settings: &BrokerSettings) -> Faults {
        Faults {
            last: Arc::default(),
            lacking: Arc::default(),
            url: settings.url.clone(),
            credentials: settings.credentials.clone(),
            ca: settings.ca.clone(),
        }
    }

    /// Takes note of an event of the connection.
    pub(super) async fn hear(&self, event: Event) {
        let lost = matches!(event, Event::Disconnected).then_some(Fault::Silent);
        let text = event.to_string();
        if let Some((_, right)) = text.split_once("Permissions Violation for ") {
            *self.lacking.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), right.to_owned()));
        }
        let Some(mut fault) = lost.or_else(|| fault(&text)) else { return };
        // A handshake that fails counts as silence for the library.
        if lost.is_none() && fault == Fault::Silent && answers(&self.url).await {
            fault = Fault::Tls;
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    /// Returns a right that the user lacks at the broker, if it was refused now.
    pub(super) fn lacks_right(&self) -> Option<String> {
        let lacking = self.lacking.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, right) = lacking.as_ref().filter(|(at, _)| at.elapsed() < RECENT)?;
        Some(format!("the user of the setting `broker-credentials` lacks a right at the broker: {right}"))
    }

    /// Returns why there is no connection, in one sentence without files: everybody may read it. `None` if there is one.
    pub(super) fn absence(&self, client: &Client) -> Option<String> {
        (client.connection_state() != State::Connected).then(|| self.words())
    }

    fn words(&self) -> String {
        match *self.last.lock().unwrap_or_else(PoisonError::into_inner) {
            None => "the broker was not reached yet".to_owned(),
            Some(Fault::Silent) => format!("no broker answers at {}", self.url),
            Some(Fault::Refused) if self.credentials.is_none() => {
                "the broker asks for a user: the setting `broker-credentials` names the file of one".to_owned()
            }
            Some(Fault::Refused) => "the broker refuses the user or the password of the setting `broker-credentials`".to_owned(),
            Some(Fault::Tls) => {
                format!(
                    "{} answers, and there is no connection: the setting `broker-ca` names the certificates that the broker is \
                     trusted by, and a broker with TLS has an address tls://HOST:4222",
                    self.url
                )
            }
            Some(Fault::Name) => format!("the machine of the broker is not known by its name: {}", self.url),
        }
    }

    /// Returns whether a connection has failed.
    pub(super) fn is_known(&self) -> bool {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Returns the file that the last fault is about, for the log of this machine.
    pub(super) fn file(&self) -> Option<&PathBuf> {
        match *self.last.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(Fault::Refused) => self.credentials.as_ref(),
            Some(Fault::Tls) => self.ca.as_ref(),
            Some(Fault::Silent | Fault::Name) | None => None,
        }
    }
}

/// Returns whether something takes connections at an address.
async fn answers(url: &str) -> bool {
    let Ok(address) = url.parse::<async_nats::ServerAddr>() else { return false };
    let connect = tokio::net::TcpStream::connect((address.host(), address.port()));
    matches!(tokio::time::timeout(PROBE, connect).await, Ok(Ok(_)))
}

/// Reads an event of the connection: its library gives the kind of an error as text only.
fn fault(event: &str) -> Option<Fault> {
    let has = |words: &str| event.to_ascii_lowercase().contains(words);
    match () {
        () if has("authorization violation") || has("authentication") || has("signing nonce") => Some(Fault::Refused),
        () if has("tls error") => Some(Fault::Tls),
        () if has("dns error") => Some(Fault::Name),
        () if has("io error") || has("timed out") => Some(Fault::Silent),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use async_nats::ConnectErrorKind;

    use super::*;

    fn settings(url: &str) -> BrokerSettings {
        BrokerSettings::new(url, &"x".repeat(24), Duration::from_secs(30)).unwrap()
    }

    fn other(text: &str) -> Event {
        Event::ClientError(async_nats::ClientError::Other(text.to_owned()))
    }

    #[tokio::test]
    async fn faults_are_told_with_the_setting_that_mends_them() {
        // Nothing listens there.
        let url = "nats://127.0.0.1:1";
        let settings = BrokerSettings { credentials: Some("user.txt".into()), ca: Some("ca.pem".into()), ..settings(url) };
        let faults = Faults::new(&settings);
        assert!(!faults.is_known());
        let cases = [
            (ConnectErrorKind::AuthorizationViolation, "password of the setting `broker-credentials`", Some("user.txt")),
            (ConnectErrorKind::Authentication, "password of the setting `broker-credentials`", Some("user.txt")),
            (ConnectErrorKind::Tls, "`broker-ca`", Some("ca.pem")),
            (ConnectErrorKind::Dns, "not known by its name: nats://127.0.0.1:1", None),
            (ConnectErrorKind::Io, "no broker answers at nats://127.0.0.1:1", None),
            (ConnectErrorKind::TimedOut, "no broker answers", None),
        ];
        for (kind, words, file) in cases {
            faults.hear(other(&kind.to_string())).await;
            assert!(faults.words().contains(words), "{kind}: {}", faults.words());
            assert_eq!(faults.file().map(|file| file.display().to_string()).as_deref(), file, "{kind}");
        }
        let faults = Faults::new(&BrokerSettings { credentials: None, ..settings });
        faults.hear(other("authorization violation")).await;
        assert!(faults.words().contains("asks for a user"));
        // An event that is no fault changes nothing; a connection that was there is lost.
        faults.hear(Event::LameDuckMode).await;
        assert!(faults.words().contains("asks for a user"));
        faults.hear(Event::Disconnected).await;
        assert!(faults.words().contains("no broker answers"));
    }

    #[tokio::test]
    async fn a_machine_that_answers_without_a_handshake_is_no_silent_one() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let faults = Faults::new(&settings(&format!("tls://{}", listener.local_addr().unwrap())));
        faults.hear(other("IO error")).await;
        assert!(faults.words().contains("`broker-ca` names the certificates"), "{}", faults.words());
    }

    #[tokio::test]
    async fn a_right_that_is_refused_is_told() {
        let faults = Faults::new(&settings("nats://127.0.0.1:1"));
        assert_eq!(faults.lacks_right(), None);
        let refused = "Permissions Violation for Publish to \"$JS.API.STREAM.CREATE.x\"";
        faults.hear(Event::ServerError(async_nats::ServerError::Other(refused.to_owned()))).await;
        let words = faults.lacks_right().unwrap();
        assert!(words.contains("lacks a right at the broker: Publish to \"$JS.API.STREAM.CREATE.x\""), "{words}");
        assert!(!faults.is_known());
    }
}

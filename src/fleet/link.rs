//! State of the connection to the broker, in words of its settings.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_nats::connection::State;
use async_nats::{Client, Event};

use super::settings::BrokerSettings;

/// Last thing that kept a connection from being made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Nothing answers.
    Silent,
    /// The broker refuses the user.
    Refused,
    /// The broker, or its certificate, does not speak TLS as it should.
    Tls,
    /// The name of the machine is not known.
    Name,
}

/// Faults of one connection; clones share them.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    last: Arc<Mutex<Option<Fault>>>,
    url: String,
    credentials: Option<PathBuf>,
    ca: Option<PathBuf>,
}

impl Faults {
    pub(super) fn new(settings: &BrokerSettings) -> Faults {
        Faults {
            last: Arc::default(),
            url: settings.url.clone(),
            credentials: settings.credentials.clone(),
            ca: settings.ca.clone(),
        }
    }

    /// Takes note of an event of the connection.
    pub(super) fn hear(&self, event: &Event) {
        let lost = matches!(event, Event::Disconnected).then_some(Fault::Silent);
        if let Some(fault) = lost.or_else(|| fault(&event.to_string())) {
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
        }
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
                "no TLS connection to the broker: the setting `broker-ca` names the certificates that it is trusted by".to_owned()
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

    #[test]
    fn faults_are_told_with_the_setting_that_mends_them() {
        let mut settings = BrokerSettings::new("nats://broker:4222", &"x".repeat(24), Duration::from_secs(30)).unwrap();
        settings.credentials = Some("user.txt".into());
        let faults = Faults::new(&settings);
        assert!(!faults.is_known());
        let cases = [
            (ConnectErrorKind::AuthorizationViolation, "password of the setting `broker-credentials`", Some("user.txt")),
            (ConnectErrorKind::Authentication, "password of the setting `broker-credentials`", Some("user.txt")),
            (ConnectErrorKind::Tls, "`broker-ca`", None),
            (ConnectErrorKind::Dns, "not known by its name: nats://broker:4222", None),
            (ConnectErrorKind::Io, "no broker answers at nats://broker:4222", None),
            (ConnectErrorKind::TimedOut, "no broker answers", None),
        ];
        for (kind, words, file) in cases {
            faults.hear(&Event::ClientError(async_nats::ClientError::Other(kind.to_string())));
            assert!(faults.words().contains(words), "{kind}: {}", faults.words());
            assert_eq!(faults.file().map(|file| file.display().to_string()).as_deref(), file, "{kind}");
        }
        let faults = Faults::new(&BrokerSettings { credentials: None, ..settings });
        faults.hear(&Event::ClientError(async_nats::ClientError::Other("authorization violation".into())));
        assert!(faults.words().contains("asks for a user"));
        // An event that is no fault changes nothing; a connection that was there is lost.
        faults.hear(&Event::LameDuckMode);
        assert!(faults.words().contains("asks for a user"));
        faults.hear(&Event::Disconnected);
        assert!(faults.words().contains("no broker answers"));
    }
}

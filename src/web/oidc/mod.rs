//! Log-in by OpenID Connect: a service of the plant names a person and the groups of that person.
//!
//! In reading order: [`settings`]: what the administrator of the machine says. [`flow`]: state, nonce and PKCE of a log-in in one browser.
//! [`provider`]: discovery, exchange of the code, check of the token. [`claims`]: name and role. The pages are in [`super::pages::oidc`].
//!
//! **Invariant:** a role comes from a claim that a setting names; without one there is no log-in. A token counts only with a signature of
//! the issuer by an asymmetric key, for this client, with the nonce of this browser.

mod claims;
mod flow;
mod provider;
mod settings;

pub use settings::{OidcSettings, OidcSettingsInput};

pub(super) use claims::Person;
pub(super) use flow::Flow;
pub(super) use settings::CALLBACK;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use openidconnect::core::CoreProviderMetadata;
use ring::hmac;

/// Failure of a log-in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OidcError {
    /// The log-in service cannot be reached, or is not set up as the standard says.
    #[error("{0}")]
    Unreachable(String),
    /// The log-in service, or the check of its token, says no.
    #[error("{0}")]
    Refused(String),
}

/// Result of discovery: addresses and keys of the log-in service.
type Discovery = Result<Box<CoreProviderMetadata>, OidcError>;

/// Log-in service with what is known about it.
#[derive(Debug)]
pub struct Oidc {
    settings: OidcSettings,
    /// Key of the states of this process.
    key: hmac::Key,
    /// Times of flows count from here: a clock that is stepped changes nothing.
    started: Instant,
    /// States that came back, with the time.
    used: Mutex<BTreeMap<String, Instant>>,
    /// Last result of discovery, with its time.
    known: tokio::sync::Mutex<Option<(Instant, Discovery)>>,
}

impl Oidc {
    /// Returns the log-in service of these settings. Nothing is asked before the first log-in.
    pub fn new(settings: OidcSettings) -> Result<Oidc, String> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &ring::rand::SystemRandom::new());
        let key = key.map_err(|_| "the system gives no random numbers".to_owned())?;
        let (used, known) = (Mutex::default(), tokio::sync::Mutex::new(None));
        Ok(Oidc { settings, key, started: Instant::now(), used, known })
    }

    /// Returns the name of the log-in service for people.
    pub(super) fn title(&self) -> &str {
        &self.settings.title
    }

    /// Returns whether passwords are switched off.
    pub(super) fn is_only_way(&self) -> bool {
        self.settings.is_only_way
    }

    /// Returns the address that browsers come back to.
    pub fn own_address(&self) -> &str {
        self.settings.callback.as_str()
    }

    /// Returns the name of this service for browsers.
    pub fn own_host(&self) -> &str {
        self.settings.callback.url().host_str().unwrap_or_default()
    }

    /// Returns the address of the issuer.
    pub(super) fn issuer(&self) -> &str {
        self.settings.issuer.as_str()
    }
}

//! A log-in that is on its way in one browser.
//!
//! The browser keeps the only copy, in a cookie; the service stores nothing, so that strangers cannot fill it. State, nonce and PKCE
//! verifier are made from the cookie with a key of this process. **Invariant:** a state fits one cookie, for ten minutes, once.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use ring::hmac;

use super::Oidc;
use crate::web::pages::percent;

/// Longest time between the begin of a log-in and its end.
pub(in crate::web) const LIFE: Duration = Duration::from_secs(600);
/// Longest address that a log-in leads to.
const MOST_NEXT: usize = 1000;
/// Most used states that are kept. Each of them stands for a log-in that the log-in service answered.
const MOST_USED: usize = 10_000;

/// A log-in that is on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::web) struct Flow {
    /// Value of the cookie.
    pub(in crate::web) cookie: String,
    /// Address of this service to go to after the log-in.
    pub(in crate::web) next: String,
    /// Start, in seconds of this process.
    begun_s: u64,
}

impl Flow {
    fn read(cookie: &str) -> Option<Flow> {
        let (seed, rest) = cookie.split_once('.')?;
        let (begun, next) = rest.split_once('.')?;
        let next = percent_encoding::percent_decode_str(next).decode_utf8().ok()?.into_owned();
        (!seed.is_empty()).then_some(Flow { cookie: cookie.to_owned(), next, begun_s: begun.parse().ok()? })
    }
}

impl Oidc {
    /// Begins a log-in that leads to an address of this service.
    pub(in crate::web) fn flow(&self, seed: &str, next: &str) -> Flow {
        let next = if MOST_NEXT < next.len() { "/" } else { next };
        let begun_s = self.started.elapsed().as_secs();
        Flow { cookie: format!("{seed}.{begun_s}.{}", percent(next)), next: next.to_owned(), begun_s }
    }

    /// Returns the log-in of a cookie and a state that came back, and uses the state up.
    pub(in crate::web) fn take(&self, cookie: &str, state: &str) -> Option<Flow> {
        let flow = Flow::read(cookie)?;
        // Compared in constant time.
        let expected = hmac::verify(&self.key, format!("state\n{cookie}").as_bytes(), &bytes(state)?);
        let age = self.started.elapsed().as_secs().checked_sub(flow.begun_s)?;
        (expected.is_ok() && age <= LIFE.as_secs() && self.is_first_use(state)).then_some(flow)
    }

    fn is_first_use(&self, state: &str) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, at| at.elapsed() <= LIFE);
        while MOST_USED <= used.len() {
            let Some(oldest) = oldest(&used) else { break };
            used.remove(&oldest);
        }
        used.insert(state.to_ascii_lowercase(), Instant::now()).is_none()
    }

    /// Returns the state of a log-in.
    pub(super) fn state(&self, flow: &Flow) -> String {
        self.derived("state", flow)
    }

    /// Returns the nonce of a log-in.
    pub(super) fn nonce(&self, flow: &Flow) -> String {
        self.derived("nonce", flow)
    }

    /// Returns the PKCE verifier of a log-in.
    pub(super) fn verifier(&self, flow: &Flow) -> String {
        self.derived("verifier", flow)
    }

    fn derived(&self, purpose: &str, flow: &Flow) -> String {
        let tag = hmac::sign(&self.key, format!("{purpose}\n{}", flow.cookie).as_bytes());
        tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn oldest(used: &BTreeMap<String, Instant>) -> Option<String> {
    used.iter().min_by_key(|(_, at)| **at).map(|(state, _)| state.clone())
}

/// Returns the bytes of hexadecimal digits.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::oidc::{OidcSettings, OidcSettingsInput};

    fn oidc() -> Oidc {
        let input = OidcSettingsInput {
            issuer: "http://127.0.0.1:1".into(),
            client_id: "scanproof".into(),
            address: "http://127.0.0.1:2".into(),
            roles: vec!["a=viewer".into()],
            ..OidcSettingsInput::default()
        };
        Oidc::new(OidcSettings::new(input).unwrap()).unwrap()
    }

    #[test]
    fn a_state_fits_its_cookie_once() {
        let oidc = oidc();
        let (mine, other) = (oidc.flow("aa", "/runs/1?x=1.2"), oidc.flow("bb", "/"));
        let state = oidc.state(&mine);
        assert_eq!(oidc.take(&other.cookie, &state), None);
        assert_eq!(oidc.take(&mine.cookie, &oidc.nonce(&mine)), None);
        for wrong in ["", "zz", "0", &state[1..]] {
            assert_eq!(oidc.take(&mine.cookie, wrong), None, "{wrong:?}");
        }
        // The address to go to is part of what the state vouches for.
        assert_eq!(oidc.take(&mine.cookie.replace("runs", "evil"), &state), None);
        assert_eq!(oidc.take(&mine.cookie, &state), Some(mine.clone()));
        assert_eq!(oidc.take(&mine.cookie, &state), None);
        assert_eq!(oidc.take(&mine.cookie, &state.to_ascii_uppercase()), None);
        assert_eq!(mine.next, "/runs/1?x=1.2");
        let another_process = self::oidc();
        assert_eq!(another_process.take(&other.cookie, &oidc.state(&other)), None);
    }

    #[test]
    fn a_log_in_ends_after_ten_minutes_and_long_addresses_are_left_out() {
        let mut oidc = oidc();
        let flow = oidc.flow("aa", &format!("/{}", "x".repeat(MOST_NEXT)));
        assert_eq!(flow.next, "/");
        let state = oidc.state(&flow);
        oidc.started -= LIFE + Duration::from_secs(2);
        assert_eq!(oidc.take(&flow.cookie, &state), None);
    }
}

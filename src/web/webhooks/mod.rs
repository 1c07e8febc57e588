//! Webhooks: other programs of the plant are told when a run has ended.
//!
//! An administrator of the machine names the hosts, an administrator of the service the addresses. **Invariant:** nothing leaves for
//! another host, no redirect is followed, and nothing is told beyond the state of the run and its counted verdicts.

pub(super) mod delivery;

use std::path::PathBuf;
use std::sync::Arc;

use super::client::{Target, system_certificates, trusting};
use super::error::WebError;
use super::state::AppState;

/// Longest address.
const MAX_URL: usize = 1000;

/// Hosts that webhooks may reach, and the way to them.
#[derive(Clone, Debug, Default)]
pub struct WebhookHosts {
    /// Hosts as the administrator wrote them, `name` or `name:port`, in lower case.
    hosts: Vec<String>,
    /// Settings of TLS; without them only http:// is reached.
    tls: Option<Arc<rustls::ClientConfig>>,
}

impl WebhookHosts {
    /// Returns the hosts of the settings. `ca`: certificates that they are trusted by; those of the system without it.
    pub fn new(hosts: &[String], ca: Option<PathBuf>) -> Result<WebhookHosts, String> {
        let hosts: Vec<String> = hosts.iter().map(|host| host.trim().to_ascii_lowercase()).filter(|h| !h.is_empty()).collect();
        let file = if hosts.is_empty() { None } else { ca.or_else(system_certificates) };
        let tls = file.map(|file| trusting(&file)).transpose()?;
        Ok(WebhookHosts { hosts, tls })
    }

    /// Returns whether no host is allowed.
    pub(super) fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Returns the allowed hosts in words.
    pub(super) fn words(&self) -> String {
        self.hosts.join(", ")
    }

    /// Reads an address, and refuses one of a host that is not allowed. The error is one sentence.
    pub(super) fn target(&self, url: &str) -> Result<Target, String> {
        if MAX_URL < url.len() {
            return Err(format!("An address has at most {MAX_URL} characters."));
        }
        let target = Target::parse(url)?;
        let with_port = format!("{}:{}", target.host, target.port);
        let usual = if target.is_tls { 443 } else { 80 };
        let is_allowed = |host: &String| *host == with_port || *host == target.host && target.port == usual;
        if self.hosts.iter().any(is_allowed) {
            return Ok(target);
        }
        let allowed = if self.is_empty() { "none".to_owned() } else { self.words() };
        Err(format!("{with_port} is not a host that webhooks may reach. Allowed by the setting webhook-host: {allowed}."))
    }
}

/// A webhook that was made.
#[derive(Debug)]
pub(super) struct MadeWebhook {
    pub(super) id: i64,
    pub(super) url: String,
    /// Secret of its signatures; it is shown once.
    pub(super) secret: String,
}

/// Adds a webhook.
pub(super) async fn add(state: &AppState, url: &str) -> Result<MadeWebhook, WebError> {
    let url = url.trim().to_owned();
    state.config.webhooks.target(&url).map_err(WebError::Parameter)?;
    let secret = format!("whsec_{}", super::access::random_id()?);
    let added = state.store.add_webhook(url.clone(), secret.clone(), super::actor::name()).await?;
    let id = added.ok_or_else(|| WebError::Parameter("There are 20 webhooks already: remove one first.".into()))?;
    Ok(MadeWebhook { id, url, secret })
}

/// Removes a webhook.
pub(super) async fn remove(state: &AppState, id: i64) -> Result<(), WebError> {
    let is_removed = state.store.remove_webhook(id).await?;
    if is_removed { Ok(()) } else { Err(WebError::NotFound(format!("webhook {id}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_hosts_are_reached() {
        let hosts = WebhookHosts::new(&["mes.plant.local".into(), " Build:8443 ".into()], None).unwrap();
        let check = |url: &str, expected: bool| assert_eq!(hosts.target(url).is_ok(), expected, "{url}");
        check("https://mes.plant.local/hook", true);
        check("http://mes.plant.local/hook", true);
        check("https://MES.plant.local", true);
        check("https://mes.plant.local:8443/", false);
        check("https://build:8443/a", true);
        check("http://build:8443/a", true);
        check("https://build/", false);
        check("https://mes.plant.local.evil.example/", false);
        check("https://evil.example/mes.plant.local", false);
        check("http://mes.plant.local@evil.example/", false);
        check("http://127.0.0.1/", false);
        check("file:///etc/passwd", false);
        assert!(WebhookHosts::default().target("http://mes.plant.local/").unwrap_err().contains("none"));
    }
}

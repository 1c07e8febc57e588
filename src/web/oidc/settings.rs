//! Settings of the log-in by OpenID Connect.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openidconnect::{ClientId, ClientSecret, IssuerUrl, RedirectUrl};

use crate::store::access::users::Role;
use crate::web::client::{Target, system_certificates, trusting};

/// Path that the log-in service leads browsers back to.
pub(in crate::web) const CALLBACK: &str = "/login/oidc/callback";

/// Settings as they were written.
#[derive(Clone, Debug, Default)]
pub struct OidcSettingsInput {
    /// Address of the issuer.
    pub issuer: String,
    /// Id of this service at the issuer.
    pub client_id: String,
    /// Secret of this service at the issuer; a public client has none.
    pub client_secret: Option<String>,
    /// Address of this service as browsers reach it.
    pub address: String,
    /// Name of the log-in service for people.
    pub title: String,
    /// Claim with the name.
    pub name_claim: String,
    /// Claim with the groups or roles.
    pub roles_claim: String,
    /// Rows `VALUE=ROLE`; the first that fits counts.
    pub roles: Vec<String>,
    /// Scopes to ask for, beside `openid`.
    pub scopes: Vec<String>,
    /// Certificates that the issuer is trusted by; those of the system without it.
    pub ca: Option<PathBuf>,
    /// Passwords are switched off.
    pub is_only_way: bool,
}

/// Settings that were checked.
#[derive(Clone, Debug)]
pub struct OidcSettings {
    pub(super) issuer: IssuerUrl,
    pub(super) client_id: ClientId,
    pub(super) client_secret: Option<ClientSecret>,
    pub(super) callback: RedirectUrl,
    pub(super) title: String,
    pub(super) name_claim: String,
    pub(super) roles_claim: String,
    pub(super) roles: Vec<(String, Role)>,
    pub(super) scopes: Vec<String>,
    pub(super) tls: Option<Arc<rustls::ClientConfig>>,
    pub(super) is_only_way: bool,
}

impl OidcSettings {
    /// Checks settings. The error is one sentence that begins with the name of the setting.
    pub fn new(input: OidcSettingsInput) -> Result<OidcSettings, String> {
        for (key, value) in [("oidc-client-id", &input.client_id), ("oidc-address", &input.address)] {
            if value.trim().is_empty() {
                return Err(format!("{key}: oidc-issuer needs it, too"));
            }
        }
        if input.roles.is_empty() {
            return Err("oidc-role: oidc-issuer needs at least one, or no one would get in".into());
        }
        let issuer = safe_address("oidc-issuer", &input.issuer)?;
        let address = safe_address("oidc-address", &input.address)?;
        let issuer = IssuerUrl::new(issuer).map_err(|error| format!("oidc-issuer: {error}"))?;
        let callback = format!("{}{CALLBACK}", address.trim_end_matches('/'));
        let roles = input.roles.iter().map(|row| role(row)).collect::<Result<_, _>>()?;
        Ok(OidcSettings {
            issuer,
            client_id: ClientId::new(input.client_id.trim().to_owned()),
            client_secret: input.client_secret.map(ClientSecret::new),
            callback: RedirectUrl::new(callback).map_err(|error| format!("oidc-address: {error}"))?,
            title: input.title,
            name_claim: input.name_claim,
            roles_claim: input.roles_claim,
            roles,
            scopes: input.scopes,
            tls: tls(input.ca.as_deref())?,
            is_only_way: input.is_only_way,
        })
    }
}

/// Returns an address whose traffic no one else reads: TLS, or this machine.
fn safe_address(key: &str, text: &str) -> Result<String, String> {
    let target = Target::parse(text).map_err(|error| format!("{key}: {error}"))?;
    if text.contains(['?', '#']) {
        return Err(format!("{key}: `{text}` has a query, or a part behind `#`"));
    }
    if !is_safe(&target) {
        return Err(format!("{key}: `{text}` has to begin with https://; http:// is for this machine alone"));
    }
    Ok(text.trim().to_owned())
}

/// Returns whether no one else reads what goes there.
pub(super) fn is_safe(target: &Target) -> bool {
    let host = target.host.trim_start_matches('[').trim_end_matches(']');
    target.is_tls || host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn role(row: &str) -> Result<(String, Role), String> {
    let known = || Role::ALL.map(Role::word).join(", ");
    // A group may be a distinguished name: it has `=` in it.
    let (value, word) = row.rsplit_once('=').ok_or_else(|| format!("oidc-role: `{row}` is not VALUE=ROLE"))?;
    let role = Role::from_word(word.trim()).ok_or_else(|| format!("oidc-role: `{word}` is not a role: {}", known()))?;
    if value.trim().is_empty() {
        return Err(format!("oidc-role: `{row}` names no value of the claim"));
    }
    Ok((value.trim().to_owned(), role))
}

fn tls(ca: Option<&Path>) -> Result<Option<Arc<rustls::ClientConfig>>, String> {
    let file = ca.map(Path::to_path_buf).or_else(system_certificates);
    file.map(|file| trusting(&file)).transpose().map_err(|error| format!("oidc-ca: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(change: impl FnOnce(&mut OidcSettingsInput)) -> Result<OidcSettings, String> {
        let mut input = OidcSettingsInput {
            issuer: "https://login.plant.local/realms/plant".into(),
            client_id: "scanproof".into(),
            address: "https://plc-check.plant.local/".into(),
            roles: vec!["cn=plc,ou=groups=engineer".into()],
            ..OidcSettingsInput::default()
        };
        change(&mut input);
        OidcSettings::new(input)
    }

    #[test]
    fn settings_are_whole_or_refused_with_the_name_of_the_setting() {
        let good = input(|_| {}).unwrap();
        assert_eq!(good.callback.as_str(), "https://plc-check.plant.local/login/oidc/callback");
        assert_eq!(good.roles, [("cn=plc,ou=groups".to_owned(), Role::Engineer)]);
        input(|input| input.issuer = "http://127.0.0.1:5556".into()).unwrap();
        let check = |change: fn(&mut OidcSettingsInput), words: &str| {
            let error = input(change).unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        check(|input| input.issuer = "http://login.plant.local".into(), "oidc-issuer: `http://login.plant.local` has to begin");
        check(|input| input.issuer = "https://login.plant.local/?a=b".into(), "has a query");
        check(|input| input.address = "http://plc-check".into(), "oidc-address: ");
        check(|input| input.client_id = " ".into(), "oidc-client-id: ");
        check(|input| input.roles = Vec::new(), "oidc-role: ");
        check(|input| input.roles = vec!["engineers".into()], "is not VALUE=ROLE");
        check(|input| input.roles = vec!["a=root".into()], "`root` is not a role: viewer, engineer, admin, auditor");
        check(|input| input.roles = vec!["=admin".into()], "names no value");
        check(|input| input.ca = Some("/nonexistent".into()), "oidc-ca: /nonexistent");
    }

    #[test]
    fn the_secret_is_in_no_log() {
        let settings = input(|input| input.client_secret = Some("in-clear".into())).unwrap();
        assert!(!format!("{settings:?}").contains("in-clear"));
    }
}

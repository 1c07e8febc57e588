//! Settings of `serve` about the log-in by OpenID Connect.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::Failure;
use crate::web::oidc::{Oidc, OidcSettings, OidcSettingsInput};

/// Arguments of `serve` about the log-in by OpenID Connect.
#[derive(Args, Clone, Debug)]
pub(super) struct OidcArgs {
    /// Address of the log-in service (OpenID Connect), such as https://login.plant.local/realms/plant; needs --accounts
    #[arg(long, value_name = "URL", env = "SCANPROOF_OIDC_ISSUER")]
    oidc_issuer: Option<String>,
    /// Id of this service at the log-in service
    #[arg(long, value_name = "ID", env = "SCANPROOF_OIDC_CLIENT_ID")]
    oidc_client_id: Option<String>,
    /// Secret of this service at the log-in service. Better from a file: SCANPROOF_OIDC_CLIENT_SECRET_FILE
    #[arg(long, value_name = "SECRET", env = "SCANPROOF_OIDC_CLIENT_SECRET", hide_env_values = true)]
    oidc_client_secret: Option<String>,
    /// Address of this service as browsers reach it, such as https://plc-check.plant.local
    #[arg(long, value_name = "URL", env = "SCANPROOF_OIDC_ADDRESS")]
    oidc_address: Option<String>,
    /// Role of those who have this value in the claim of roles, such as plc-engineers=engineer. The first that fits counts; without one no
    /// one gets in
    #[arg(long, value_name = "VALUE=ROLE", env = "SCANPROOF_OIDC_ROLE", value_delimiter = ';')]
    oidc_role: Vec<String>,
    /// Claim of the ID token with groups or roles; a dot leads into an object
    #[arg(long, value_name = "CLAIM", default_value = "roles", env = "SCANPROOF_OIDC_ROLES_CLAIM")]
    oidc_roles_claim: String,
    /// Claim of the ID token with the name for log-in
    #[arg(long, value_name = "CLAIM", default_value = "preferred_username", env = "SCANPROOF_OIDC_NAME_CLAIM")]
    oidc_name_claim: String,
    /// Scope to ask for, beside openid
    #[arg(long, value_name = "SCOPE", default_value = "profile", env = "SCANPROOF_OIDC_SCOPE", value_delimiter = ',')]
    oidc_scope: Vec<String>,
    /// Name of the log-in service on the page to log in
    #[arg(long, value_name = "NAME", default_value = "single sign-on", env = "SCANPROOF_OIDC_TITLE")]
    oidc_title: String,
    /// Certificates that the log-in service is trusted by, a PEM file; default: those of the system
    #[arg(long, value_name = "FILE", env = "SCANPROOF_OIDC_CA")]
    oidc_ca: Option<PathBuf>,
    /// Passwords and one-time codes are switched off
    #[arg(long, env = "SCANPROOF_OIDC_ONLY", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    oidc_only: bool,
}

impl OidcArgs {
    /// Returns the log-in service of these settings, if there is one.
    pub(super) fn service(&self, has_accounts: bool) -> Result<Option<Arc<Oidc>>, Failure> {
        let Some(issuer) = self.oidc_issuer.clone() else {
            let first = [("oidc-client-id", self.oidc_client_id.is_some()), ("oidc-only", self.oidc_only)];
            let rest = [("oidc-role", !self.oidc_role.is_empty()), ("oidc-address", self.oidc_address.is_some())];
            let lonely = first.into_iter().chain(rest).find(|(_, is_given)| *is_given);
            return lonely.map_or(Ok(None), |(key, _)| Err(Failure::usage(format!("{key} needs oidc-issuer"))));
        };
        if !has_accounts {
            return Err(Failure::usage("oidc-issuer needs --accounts: without it there are no users"));
        }
        let settings = OidcSettings::new(OidcSettingsInput {
            issuer,
            client_id: self.oidc_client_id.clone().unwrap_or_default(),
            client_secret: self.oidc_client_secret.clone(),
            address: self.oidc_address.clone().unwrap_or_default(),
            title: self.oidc_title.clone(),
            name_claim: self.oidc_name_claim.clone(),
            roles_claim: self.oidc_roles_claim.clone(),
            roles: self.oidc_role.clone(),
            scopes: self.oidc_scope.clone(),
            ca: self.oidc_ca.clone(),
            is_only_way: self.oidc_only,
        });
        let oidc = settings.and_then(Oidc::new).map_err(Failure::usage)?;
        Ok(Some(Arc::new(oidc)))
    }
}

//! Flags of the connection to the broker of a fleet, the same for `serve`, `agent` and `bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Failure;
use crate::fleet::settings::BrokerSettings;

/// Lines of the log without a setting. The library of the broker repeats its errors for ever; they are told once, in other words.
pub(super) const LOG: &str = "info,async_nats=off";

/// Connection to the broker.
#[derive(Args, Clone, Debug)]
pub struct BrokerArgs {
    /// Broker of a fleet, as nats://broker:4222 or tls://broker:4222 (NATS with JetStream)
    #[arg(long, value_name = "ADDRESS", env = "SCANPROOF_BROKER")]
    pub(super) broker: Option<String>,
    /// Token that server and agents of a fleet share; it encrypts what goes through the broker. Better from a file: SCANPROOF_FLEET_TOKEN_FILE
    #[arg(long, value_name = "TOKEN", env = "SCANPROOF_FLEET_TOKEN", hide_env_values = true)]
    pub(super) fleet_token: Option<String>,
    /// File with the credentials of a user of the broker: an nkey seed, name:password, or a .creds file
    #[arg(long, value_name = "FILE", env = "SCANPROOF_BROKER_CREDENTIALS")]
    pub(super) broker_credentials: Option<PathBuf>,
    /// Certificates that the broker is trusted by, a PEM file; default: those of the system
    #[arg(long, value_name = "FILE", env = "SCANPROOF_BROKER_CA")]
    pub(super) broker_ca: Option<PathBuf>,
    /// Seconds without a sign of life of an agent after which another one takes its run
    #[arg(long, value_name = "S", default_value_t = 30, env = "SCANPROOF_BROKER_PATIENCE_S", value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub(super) broker_patience_s: u32,
}

impl BrokerArgs {
    /// Returns the flags with the token from the file that the environment names.
    pub(super) fn with_secret(&self) -> Result<BrokerArgs, Failure> {
        let Some(file) = std::env::var_os("SCANPROOF_FLEET_TOKEN_FILE") else { return Ok(self.clone()) };
        if self.fleet_token.is_some() {
            return Err(Failure::usage("the token of the fleet and SCANPROOF_FLEET_TOKEN_FILE are both set: choose one"));
        }
        let path = PathBuf::from(file);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Failure::usage(format!("SCANPROOF_FLEET_TOKEN_FILE: {}: {error}", path.display())))?;
        Ok(BrokerArgs { fleet_token: Some(text.trim_end_matches(['\r', '\n']).to_owned()), ..self.clone() })
    }

    /// Returns the settings; `None` where no broker is named.
    pub(super) fn settings(&self) -> Result<Option<BrokerSettings>, Failure> {
        let Some(url) = &self.broker else { return Ok(None) };
        let token =
            self.fleet_token.as_deref().ok_or_else(|| Failure::usage("--broker needs the token of the fleet: --fleet-token"))?;
        let patience = Duration::from_secs(u64::from(self.broker_patience_s));
        let mut settings = BrokerSettings::new(url, token, patience).map_err(Failure::usage)?;
        (settings.credentials, settings.ca) = (self.broker_credentials.clone(), self.broker_ca.clone());
        settings.check().map_err(Failure::usage)?;
        Ok(Some(settings))
    }
}

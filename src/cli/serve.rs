//! `scanproof serve`: pages and REST API.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::Failure;
use super::broker::{BrokerArgs, LOG};
use super::configuration::{Origin, effective};
use super::oidc::OidcArgs;
use super::print::out;
use super::session::this_program;
use crate::store::shares::UploadQuota;
use crate::web::access::Access;
use crate::web::state::SiteConfig;
use crate::web::tls::Certificate;
use crate::web::webhooks::WebhookHosts;
use crate::web::{ServeConfig, serve};

/// Arguments of `serve`. Each is also a key of the configuration file, under the same name.
#[derive(Args, Clone, Debug)]
pub struct ServeArgs {
    /// Configuration file; default: /etc/scanproof/scanproof.toml, if there is one
    #[arg(long, value_name = "FILE", env = "SCANPROOF_CONFIG")]
    pub(super) config: Option<PathBuf>,
    /// Address and port; port 0 takes a free one. An address that other machines reach needs --accounts or --open
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", env = "SCANPROOF_LISTEN")]
    pub(super) listen: SocketAddr,
    /// Folder of the database; made if it does not exist
    #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
    pub(super) data: PathBuf,
    /// Another name of this service in the addresses of its users, such as plc-check.plant.local. Its IP addresses, localhost and the
    /// name of the machine are always allowed
    #[arg(long, value_name = "NAME", env = "SCANPROOF_HOST", value_delimiter = ',')]
    pub(super) host: Vec<String>,
    /// Users log in, programs send a token
    #[arg(long, env = "SCANPROOF_ACCOUNTS", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    pub(super) accounts: bool,
    /// Without accounts, serve other machines, too: all who reach the address read all programs, upload, run and delete
    #[arg(long, env = "SCANPROOF_OPEN", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    pub(super) open: bool,
    /// Try the service without log-in on this machine. Its data folder is thrown away at the end
    #[arg(long, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    pub(super) demo: bool,
    /// Browsers reach this service by TLS, through a proxy: session cookies are sent by TLS only
    #[arg(long, env = "SCANPROOF_BEHIND_TLS", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    pub(super) behind_tls: bool,
    /// Certificate for TLS with its chain, a PEM file; with --tls-key
    #[arg(long, value_name = "FILE", env = "SCANPROOF_TLS_CERT")]
    pub(super) tls_cert: Option<PathBuf>,
    /// Key of the certificate, a PEM file
    #[arg(long, value_name = "FILE", env = "SCANPROOF_TLS_KEY")]
    pub(super) tls_key: Option<PathBuf>,
    /// TLS with a certificate that the service signs itself and keeps in its data folder
    #[arg(long, env = "SCANPROOF_TLS_SELF_SIGNED", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    pub(super) tls_self_signed: bool,
    /// Token that /metrics asks for; without one there are no metrics. Better from a file: SCANPROOF_METRICS_TOKEN_FILE
    #[arg(long, value_name = "TOKEN", env = "SCANPROOF_METRICS_TOKEN", hide_env_values = true)]
    pub(super) metrics_token: Option<String>,
    /// Address of a proxy whose header X-Forwarded-For is believed
    #[arg(long, value_name = "ADDRESS", env = "SCANPROOF_PROXY", value_delimiter = ',')]
    pub(super) proxy: Vec<std::net::IpAddr>,
    /// Runs at the same time; default: one for each two cores
    #[arg(long, value_name = "N", env = "SCANPROOF_WORKERS", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) workers: Option<u32>,
    /// Megabytes that the runs may take together: a run waits until its limit fits. Default: three quarters of the memory of the machine
    #[arg(long, value_name = "MB", env = "SCANPROOF_MEMORY_BUDGET_MB", value_parser = clap::value_parser!(u32).range(256..=16_777_216))]
    pub(super) memory_budget_mb: Option<u32>,
    /// Runs of one user that may wait
    #[arg(long, value_name = "N", default_value_t = 100, env = "SCANPROOF_QUEUED_PER_USER", value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(super) queued_per_user: u32,
    /// Megabytes of new programs that one user may upload within 24 hours
    #[arg(long, value_name = "MB", default_value_t = 500, env = "SCANPROOF_UPLOAD_MB_PER_DAY", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) upload_mb_per_day: u32,
    /// Megabytes of programs that one user may keep
    #[arg(long, value_name = "MB", default_value_t = 2000, env = "SCANPROOF_KEPT_MB", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) kept_mb: u32,
    /// Days after which ended runs, and programs that nothing needs, are deleted; what a project holds stays. Without it all is kept
    #[arg(long, value_name = "DAYS", env = "SCANPROOF_RUN_DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(super) run_days: Option<u32>,
    /// Days after which rows of the audit log are removed. Without it all are kept
    #[arg(long, value_name = "DAYS", env = "SCANPROOF_AUDIT_DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(super) audit_days: Option<u32>,
    /// Host that webhooks may reach, as mes.plant.local or mes.plant.local:8443; without one there are no webhooks
    #[arg(long, value_name = "HOST", env = "SCANPROOF_WEBHOOK_HOST", value_delimiter = ',')]
    pub(super) webhook_host: Vec<String>,
    /// Certificates that those hosts are trusted by, a PEM file; default: those of the system
    #[arg(long, value_name = "FILE", env = "SCANPROOF_WEBHOOK_CA")]
    pub(super) webhook_ca: Option<PathBuf>,
    #[command(flatten)]
    pub(super) broker: BrokerArgs,
    #[command(flatten)]
    pub(super) oidc: OidcArgs,
    /// Log as JSON lines
    #[arg(long, env = "SCANPROOF_LOG_JSON", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true")]
    pub(super) log_json: bool,
}

/// Serves until SIGTERM or Ctrl-C.
pub(super) fn run() -> Result<u8, Failure> {
    let (args, settings) = effective(std::env::args_os().skip(2))?;
    check_reach(&args)?;
    if args.demo && settings.iter().any(|setting| setting.key == "data" && setting.origin != Origin::Default) {
        return Err(Failure::usage("--demo keeps nothing: leave out the data folder, or leave out --demo"));
    }
    let filter = EnvFilter::try_from_env("SCANPROOF_LOG").unwrap_or_else(|_| EnvFilter::new(LOG));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if args.log_json {
        log.json().init()
    } else {
        log.init()
    }
    // Removed with everything in it when the service ends.
    let throw_away = args.demo.then(|| tempfile::Builder::new().prefix("scanproof-demo-").tempdir());
    let throw_away = throw_away.transpose().map_err(Failure::internal)?;
    let data_dir = throw_away.as_ref().map_or_else(|| args.data.clone(), |folder| folder.path().join("data"));
    let certificate = certificate(&args)?;
    let scheme = if certificate.is_some() { "https" } else { "http" };
    crate::run::process::work_in_background();
    let config = ServeConfig { listen: args.listen, data_dir, certificate, site: site(&args)? };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads()).enable_all().build().map_err(Failure::internal)?;
    let ready = |address| out(&format!("Scanproof serves {scheme}://{address}"));
    runtime.block_on(serve(config, CancellationToken::new(), ready)).map_err(Failure::outside)?;
    Ok(0)
}

/// Returns the number of threads for requests. There are more than cores: one that reads a large body must not stop the others.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2) * 4
}

/// Returns the settings of the service.
fn site(args: &ServeArgs) -> Result<SiteConfig, Failure> {
    let mut site = SiteConfig::new(this_program()?);
    if let Some(workers) = args.workers {
        site.workers = workers as usize;
    }
    if let Some(mb) = args.memory_budget_mb {
        site.memory_budget_mb = mb;
    }
    if args.accounts {
        site.access = Access::Accounts;
    }
    (site.open, site.demo) = (args.open, args.demo);
    let is_own = args.tls_cert.is_some();
    site.tls = args.behind_tls || is_own || args.tls_self_signed;
    site.hsts = args.behind_tls || is_own;
    site.metrics_token = metrics_token(args)?;
    (site.run_days, site.audit_days) = (args.run_days, args.audit_days);
    site.max_queued_per_owner = args.queued_per_user;
    let bytes = |mb: u32| i64::from(mb) << 20;
    site.upload_quota = UploadQuota { day_bytes: bytes(args.upload_mb_per_day), kept_bytes: bytes(args.kept_mb) };
    let hosts = WebhookHosts::new(&args.webhook_host, args.webhook_ca.clone());
    site.webhooks = hosts.map_err(|error| Failure::usage(format!("--webhook-ca: {error}")))?;
    site.broker = args.broker.settings()?;
    site.oidc = args.oidc.service(args.accounts)?;
    if let Some(oidc) = site.oidc.clone() {
        if oidc.own_address().starts_with("https:") && !site.tls {
            return Err(Failure::usage("oidc-address begins with https: this service needs a certificate, or --behind-tls"));
        }
        // Browsers come back to this name.
        site.allow_host(oidc.own_host());
    }
    site.proxies.clone_from(&args.proxy);
    args.host.iter().for_each(|name| site.allow_host(name));
    Ok(site)
}

/// Fewest characters of the token for metrics.
const LEAST_TOKEN_CHARS: usize = 16;

fn metrics_token(args: &ServeArgs) -> Result<Option<String>, Failure> {
    if args.metrics_token.as_ref().is_some_and(|token| token.chars().count() < LEAST_TOKEN_CHARS) {
        return Err(Failure::usage(format!("the token for metrics has at least {LEAST_TOKEN_CHARS} characters")));
    }
    Ok(args.metrics_token.clone())
}

/// Returns the certificate for TLS.
fn certificate(args: &ServeArgs) -> Result<Option<Certificate>, Failure> {
    if args.behind_tls && (args.tls_cert.is_some() || args.tls_self_signed) {
        return Err(Failure::usage("--behind-tls is for a proxy that has the certificate: leave it out"));
    }
    match (&args.tls_cert, &args.tls_key, args.tls_self_signed) {
        (None, None, false) => Ok(None),
        (None, None, true) => Ok(Some(Certificate::SelfSigned)),
        (Some(chain), Some(key), false) => Ok(Some(Certificate::Files { chain: chain.clone(), key: key.clone() })),
        (Some(_), Some(_), true) => Err(Failure::usage("choose one of --tls-cert and --tls-self-signed")),
        (Some(_), None, _) => Err(Failure::usage("--tls-cert needs --tls-key")),
        (None, Some(_), _) => Err(Failure::usage("--tls-key needs --tls-cert")),
    }
}

/// Refuses a service that would be open to other machines unless that is meant.
fn check_reach(args: &ServeArgs) -> Result<(), Failure> {
    let is_loopback = args.listen.ip().to_canonical().is_loopback();
    let address = args.listen;
    if args.demo && (args.accounts || args.open) {
        return Err(Failure::usage("--demo is without accounts, and for this machine alone: leave out --accounts and --open"));
    }
    if args.demo && !is_loopback {
        return Err(Failure::usage(format!("--demo serves this machine alone: {address} is reached by others; use 127.0.0.1")));
    }
    if args.accounts && args.open {
        return Err(Failure::usage("--open is for a service without accounts: choose one of --accounts and --open"));
    }
    if is_loopback || args.accounts || args.open {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "other machines can reach {address}, and there would be no log-in. Choose one:\n  \
         --accounts                 users log in, programs send tokens (docs/access.md)\n  \
         --listen 127.0.0.1:{}    this machine alone\n  \
         --open                     all who reach the address read all programs, upload, run and delete",
        address.port()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_and_tokens_are_whole_or_refused() {
        let args = |line: &str| effective(line.split_whitespace().map(std::ffi::OsString::from)).unwrap().0;
        assert_eq!(certificate(&args("")).unwrap(), None);
        assert_eq!(certificate(&args("--tls-self-signed")).unwrap(), Some(Certificate::SelfSigned));
        assert!(matches!(certificate(&args("--tls-cert a --tls-key b")).unwrap(), Some(Certificate::Files { .. })));
        for line in
            ["--tls-cert a", "--tls-key b", "--tls-cert a --tls-key b --tls-self-signed", "--behind-tls --tls-self-signed"]
        {
            assert!(certificate(&args(line)).is_err(), "{line}");
        }
        // A browser that was told to use TLS alone lets no one past a certificate that it does not know.
        let flags = |line: &str| site(&args(line)).map(|site| (site.tls, site.hsts)).unwrap();
        assert_eq!([flags(""), flags("--tls-self-signed"), flags("--behind-tls")], [(false, false), (true, false), (true, true)]);
        assert_eq!(flags("--tls-cert a --tls-key b"), (true, true));
        assert!(site(&args("--metrics-token short")).is_err());
    }

    #[test]
    fn the_log_in_service_leads_back_to_a_name_of_this_service_with_its_tls() {
        let args = |line: &str| effective(line.split_whitespace().map(std::ffi::OsString::from)).unwrap().0;
        let oidc = "--accounts --oidc-issuer https://login.local --oidc-client-id a --oidc-role a=admin --oidc-address";
        let tried = |rest: &str| site(&args(&format!("{oidc} {rest}"))).map_err(|failure| failure.message);
        assert!(tried("https://plc-check.local").unwrap_err().contains("--behind-tls"));
        let site = tried("https://Plc-check.local:8443/ --behind-tls").unwrap();
        assert!(site.hosts.contains(&"plc-check.local".to_owned()), "{:?}", site.hosts);
        tried("http://localhost:8080").unwrap();
        let lonely = super::site(&args("--oidc-issuer https://login.local")).map(|_| ()).map_err(|failure| failure.message);
        assert!(lonely.unwrap_err().contains("needs --accounts"));
    }

    #[test]
    fn other_machines_are_served_only_if_that_is_meant() {
        let check = |line: &str, expected: Option<&str>| {
            let words = line.split_whitespace().map(std::ffi::OsString::from);
            let (args, _) = effective(words).unwrap_or_else(|failure| panic!("{line}: {}", failure.message));
            let answer = check_reach(&args);
            match (answer, expected) {
                (Ok(()), None) => {}
                (Err(failure), Some(words)) => assert!(failure.message.contains(words), "{line}: {}", failure.message),
                (answer, _) => panic!("{line}: {}", answer.is_ok()),
            }
        };
        check("", None);
        check("--listen [::1]:80", None);
        check("--listen [::ffff:127.0.0.1]:80", None);
        check("--listen 0.0.0.0:8080", Some("--accounts"));
        check("--listen [::]:8080", Some("--open"));
        check("--listen 192.168.7.4:8080", Some("--listen 127.0.0.1:8080"));
        check("--listen 0.0.0.0:8080 --accounts", None);
        check("--listen 0.0.0.0:8080 --open", None);
        check("--listen 0.0.0.0:8080 --accounts=false", Some("there would be no log-in"));
        check("--demo", None);
        check("--demo --listen 0.0.0.0:80", Some("this machine alone"));
        check("--demo --open", Some("leave out"));
        check("--accounts --open", Some("choose one"));
    }
}

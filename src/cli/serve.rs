//! `scanproof serve`: pages and REST API.

use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::Failure;
use super::print::out;
use super::session::this_program;
use crate::web::access::Access;
use crate::web::state::SiteConfig;
use crate::web::{ServeConfig, serve};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `serve`.
#[derive(Args)]
pub struct ServeArgs {
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", env = "SCANPROOF_LISTEN")]
    pub(super) listen: std::net::SocketAddr,
    /// Folder of the database; made if it does not exist
    #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
    pub(super) data: PathBuf,
    /// Another name of this service in the addresses of its users, such as plc-check.plant.local. Its IP addresses, localhost and the
    /// name of the machine are always allowed
    #[arg(long = "host", value_name = "NAME", env = "SCANPROOF_HOST", value_delimiter = ',')]
    pub(super) hosts: Vec<String>,
    /// Users log in, programs send a token; without it every visitor may read and run
    #[arg(long, env = "SCANPROOF_ACCOUNTS")]
    pub(super) accounts: bool,
    /// Browsers reach this service by TLS, through a proxy: session cookies are sent by TLS only
    #[arg(long, env = "SCANPROOF_BEHIND_TLS")]
    pub(super) behind_tls: bool,
    /// Address of a proxy whose header X-Forwarded-For is believed
    #[arg(long = "proxy", value_name = "ADDRESS", env = "SCANPROOF_PROXY", value_delimiter = ',')]
    pub(super) proxies: Vec<std::net::IpAddr>,
    /// Runs at the same time; default: one for each two cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) workers: Option<u32>,
    /// Log as JSON lines
    #[arg(long)]
    pub(super) log_json: bool,
}

/// Serves until SIGTERM or Ctrl-C.
pub(super) fn run(args: &ServeArgs) -> Result<u8, Failure> {
    let filter = EnvFilter::try_from_env("SCANPROOF_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if args.log_json {
        log.json().init()
    } else {
        log.init()
    }
    let mut site = SiteConfig::new(this_program()?);
    if let Some(workers) = args.workers {
        site.workers = workers as usize;
    }
    if args.accounts {
        site.access = Access::Accounts;
    }
    site.tls = args.behind_tls;
    site.proxies.clone_from(&args.proxies);
    args.hosts.iter().for_each(|name| site.allow_host(name));
    let config = ServeConfig { listen: args.listen, data_dir: args.data.clone(), site };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::internal)?;
    let ready = |address| out(&format!("Scanproof serves http://{address}"));
    runtime.block_on(serve(config, CancellationToken::new(), ready)).map_err(Failure::internal)?;
    Ok(0)
}

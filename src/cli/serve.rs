//! `scanproof serve`: pages and REST API.

use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::print::out;
use super::session::this_program;
use super::{Failure, ServeArgs};
use crate::web::state::SiteConfig;
use crate::web::{ServeConfig, serve};

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
    let config = ServeConfig { listen: args.listen, data_dir: args.data.clone(), site };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::internal)?;
    let ready = |address| out(&format!("Scanproof serves http://{address}"));
    runtime.block_on(serve(config, CancellationToken::new(), ready)).map_err(Failure::internal)?;
    Ok(0)
}

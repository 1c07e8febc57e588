//! `scanproof serve`: pages and REST API.

use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::print::{complain, out};
use super::{INTERNAL, ServeArgs};
use crate::web::state::SiteConfig;
use crate::web::{ServeConfig, serve};

/// Serves until SIGTERM or Ctrl-C.
pub(super) fn run(args: &ServeArgs) -> u8 {
    let filter = EnvFilter::try_from_env("SCANPROOF_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match args.log_json {
        true => log.json().init(),
        false => log.init(),
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(e) => {
            complain(&format!("error: this binary cannot be found again: {e}"));
            return INTERNAL;
        }
    };
    let mut site = SiteConfig::new(program);
    if let Some(workers) = args.workers {
        site.workers = workers as usize;
    }
    let config = ServeConfig { listen: args.listen, data_dir: args.data.clone(), site };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            complain(&format!("internal error: {e}"));
            return INTERNAL;
        }
    };
    let ready = |address| out(&format!("Scanproof serves http://{address}"));
    match runtime.block_on(serve(config, CancellationToken::new(), ready)) {
        Ok(()) => 0,
        Err(e) => {
            complain(&format!("error: {e}"));
            INTERNAL
        }
    }
}

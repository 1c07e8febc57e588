//! The service: pages for people, a REST API for programs, and the queue of runs.
//!
//! In reading order: [`state`]: shared state. [`router`]: addresses and layers. [`access`]: users and what they may do. [`pages`]: one file per page. [`api`]: one
//! file per resource. [`queue`]: jobs and their workers. [`stream`]: live events. [`error`] and [`problem`]: errors. Every page works without JavaScript; every address can be bookmarked.
//!
//! **Invariant:** only workers read a user's program; in this process texts are data.

pub mod access;
mod actor;
mod agents;
pub mod api;
pub mod assets;
mod backend;
pub(crate) mod client;
mod conditional;
pub mod error;
mod file_name;
mod form;
mod hosts;
mod imports;
pub mod job;
mod kept;
mod layers;
mod memory;
mod merge;
mod metrics;
pub mod oidc;
mod once;
mod outcome_cache;
pub mod pages;
mod permits;
pub mod problem;
mod project;
mod queue;
mod quota;
mod read;
mod result;
pub mod router;
mod serving;
mod slow;
mod so_far;
pub mod state;
mod stream;
mod strict;
pub mod tls;
mod upkeep;
pub(crate) mod upload;
mod waiting;
pub mod webhooks;

#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::info;

use crate::store::{self, Store, StoreError};
use state::{AppState, SiteConfig};

/// Set once this process serves a demo.
static IS_DEMO: AtomicBool = AtomicBool::new(false);

/// Returns whether pages say that the data is thrown away.
pub(crate) fn is_demo() -> bool {
    IS_DEMO.load(Ordering::Relaxed)
}

/// Set once this process has a broker.
static HAS_BROKER: AtomicBool = AtomicBool::new(false);

/// Returns whether pages lead to the agents.
pub(crate) fn has_broker() -> bool {
    HAS_BROKER.load(Ordering::Relaxed)
}

/// Options of the service.
#[derive(Clone, Debug)]
pub struct ServeConfig {
    /// Address to listen at; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Directory of the database.
    pub data_dir: PathBuf,
    /// Certificate for TLS; plain HTTP without one.
    pub certificate: Option<tls::Certificate>,
    /// Everything else.
    pub site: SiteConfig,
}

/// Error that ends the service.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address cannot be used.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        error: std::io::Error,
    },
    /// A data folder with users would be open to every request.
    #[error("the data folder {} has users, and without --accounts every request reads and changes everything in it: \
        add --accounts, or --open if that is meant", path.display())]
    HasUsers {
        /// The data folder.
        path: PathBuf,
    },
    /// The certificate cannot be used.
    #[error("TLS: {0}")]
    Certificate(String),
    /// The first start cannot be prepared.
    #[error("the first start cannot be prepared: {0}")]
    FirstStart(String),
    /// The network failed while serving.
    #[error("serving failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Serves until SIGTERM, SIGINT or `shutdown`. `on_ready` is told the address once requests are taken.
///
/// At the end streams are closed and workers stopped; runs that were at work are queued again by the next start.
pub async fn serve(
    config: ServeConfig,
    shutdown: CancellationToken,
    on_ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let store = Store::open(&config.data_dir)?;
    store.free_keys().await?;
    // Runs that are with agents go on there.
    let at_agents = config.site.broker.is_some().then_some(config.site.quick_s);
    let recovered = store.recover_jobs(at_agents).await?;
    if 0 < recovered.requeued + recovered.interrupted {
        let (again, ended) = (recovered.requeued, recovered.interrupted);
        info!("after a restart: {again} runs queued again, {ended} ended as interrupted");
    }
    for what in crate::run::sandbox::missing() {
        tracing::warn!("workers keep {what}: this kernel cannot take that from them (Landlock, seccomp)");
    }
    let listening = |error| ServeError::Listen { address: config.listen, error };
    let listener = std::net::TcpListener::bind(config.listen).map_err(listening)?;
    listener.set_nonblocking(true).map_err(listening)?;
    let address = listener.local_addr().map_err(listening)?;
    let certificate = match &config.certificate {
        Some(certificate) => {
            Some(tls::settings(certificate, &config.data_dir, &config.site.hosts).await.map_err(ServeError::Certificate)?)
        }
        None => None,
    };
    if config.site.access == access::Access::Demo && !config.site.open && store.has_users().await? {
        return Err(ServeError::HasUsers { path: config.data_dir });
    }
    IS_DEMO.store(config.site.demo, Ordering::Relaxed);
    HAS_BROKER.store(config.site.broker.is_some(), Ordering::Relaxed);
    let state = AppState::new(store, config.site, shutdown.clone());
    if state.config.access == access::Access::Accounts {
        tokio::task::spawn_blocking(access::password::prepare);
    }
    access::first_start::prepare(&state).await.map_err(|error| ServeError::FirstStart(error.to_string()))?;
    let jobs = tokio::spawn(run_queue(state.clone()));
    tokio::spawn(look_for_damage(state.clone()));
    upkeep::record(&state, "service started", format!("version {}", env!("CARGO_PKG_VERSION"))).await?;
    tokio::spawn(upkeep::run(state.clone()));
    tokio::spawn(webhooks::delivery::run(state.clone()));
    tokio::spawn(end_on_signal(shutdown.clone()));
    on_ready(address);
    serving::serve(listener, router::router(state), (certificate, slow::STALL), shutdown.clone()).await?;
    shutdown.cancel();
    // It has said so itself if it ended badly.
    let _ = jobs.await;
    Ok(())
}

/// Runs the queue, and remembers its end: a service without one must not say that it is ready.
async fn run_queue(state: AppState) {
    if tokio::spawn(queue::run(state.clone())).await.is_err() {
        tracing::error!("the queue ended unexpectedly");
    }
    state.end_queue();
}

/// Time between two looks at all pages of the database.
const LOOK: Duration = Duration::from_secs(3600);

/// Looks at all pages of the database now and every hour, on a connection of its own.
async fn look_for_damage(state: AppState) {
    while !state.shutdown.is_cancelled() {
        let directory = state.store.directory().to_owned();
        match tokio::task::spawn_blocking(move || store::backup::damage(&directory)).await {
            Ok(Ok(damage)) => {
                if let Some(damage) = &damage {
                    tracing::error!("the database is damaged: {damage}");
                }
                state.set_damage(damage);
            }
            // Nothing is known: what the last look found stays.
            Ok(Err(error)) => tracing::warn!("the pages of the database could not be looked at: {error}"),
            Err(error) => tracing::error!("the look at the pages of the database ended unexpectedly: {error}"),
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = state.shutdown.cancelled() => {}
        }
    }
}

async fn end_on_signal(shutdown: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        tracing::error!("signals cannot be received; end the service by killing it");
        return;
    };
    tokio::select! {
        _ = term.recv() => info!("SIGTERM: shutting down"),
        _ = int.recv() => info!("SIGINT: shutting down"),
        () = shutdown.cancelled() => return,
    }
    shutdown.cancel();
}

//! State that all handlers share.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::access::{Access, AccessState};
use super::memory::{self, MemoryBudget};
use super::metrics::Metrics;
use super::oidc::Oidc;
use super::outcome_cache::OutcomeCache;
use super::permits::Permits;
use super::so_far::RunsSoFar;
use super::webhooks::WebhookHosts;
use crate::fleet::dispatcher::Fleet;
use crate::fleet::settings::BrokerSettings;
use crate::run::limits::Limits;
use crate::store::Store;
use crate::store::shares::UploadQuota;

/// Limits of the service and places of its files.
#[derive(Clone, Debug)]
pub struct SiteConfig {
    /// The binary that is started as `<program> worker`: this one.
    pub program: PathBuf,
    /// Names of this service in requests, in lower case; addresses made of digits need no row.
    pub hosts: Vec<String>,
    /// Access: with accounts, or open to every request.
    pub access: Access,
    /// Without accounts, other machines are served, too: that is meant.
    pub open: bool,
    /// The data is thrown away at the end; pages say so.
    pub demo: bool,
    /// Browsers reach this service by TLS, its own or that of a proxy.
    pub tls: bool,
    /// Browsers are told to use TLS alone from now on. Not with a certificate that they do not know: their users could not go on.
    pub hsts: bool,
    /// Token for the metrics; there are none without it.
    pub metrics_token: Option<String>,
    /// Proxies whose header X-Forwarded-For is believed.
    pub proxies: Vec<IpAddr>,
    /// Free bytes on the disk below which the service is not ready.
    pub least_free_bytes: u64,
    /// Jobs that run at the same time.
    pub workers: usize,
    /// Jobs that may wait.
    pub max_queued: u32,
    /// Jobs of one owner that may wait.
    pub max_queued_per_owner: u32,
    /// Jobs with a time limit of at most these seconds have a worker of their own.
    pub quick_s: u32,
    /// Days after which runs and programs that no project holds are deleted; never without it.
    pub run_days: Option<u32>,
    /// Days after which rows of the audit log are removed; never without it.
    pub audit_days: Option<u32>,
    /// Uploads of one owner.
    pub upload_quota: UploadQuota,
    /// Broker of a fleet that does the runs; without one this machine does them.
    pub broker: Option<BrokerSettings>,
    /// Hosts that webhooks may reach.
    pub webhooks: WebhookHosts,
    /// Service that users may log in by.
    pub oidc: Option<Arc<Oidc>>,
    /// Limits of a job that asks for none.
    pub default_limits: Limits,
    /// The most that a job may ask for.
    pub max_limits: Limits,
    /// Memory of all runs together, in MiB.
    pub memory_budget_mb: u32,
    /// Limits of reading a program for its page or for the check of requirements.
    pub import_limits: Limits,
}

impl SiteConfig {
    /// Defaults for a service whose workers are `program`.
    pub fn new(program: PathBuf) -> SiteConfig {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        SiteConfig {
            program,
            hosts: super::hosts::own_names(),
            access: Access::default(),
            open: false,
            demo: false,
            tls: false,
            hsts: false,
            metrics_token: None,
            proxies: Vec::new(),
            least_free_bytes: 64 << 20,
            // A run keeps about two cores busy: one looks for a violation, one for a proof.
            workers: (cores / 2).max(1),
            max_queued: 500,
            max_queued_per_owner: 100,
            quick_s: 10,
            run_days: None,
            audit_days: None,
            upload_quota: UploadQuota { day_bytes: 500 << 20, kept_bytes: 2000 << 20 },
            broker: None,
            webhooks: WebhookHosts::default(),
            oidc: None,
            default_limits: Limits::default(),
            max_limits: Limits { wall_s: 12 * 3600, memory_mb: 16384 },
            memory_budget_mb: memory::default_mb(),
            import_limits: Limits { wall_s: 60, memory_mb: 2048 },
        }
    }
}

impl SiteConfig {
    /// Returns the log-in service if it is the only way to log in.
    pub(super) fn only_way(&self) -> Option<&Oidc> {
        self.oidc.as_deref().filter(|oidc| oidc.is_only_way())
    }

    /// Adds a name of this service. A port behind it counts for nothing, as in requests.
    pub fn allow_host(&mut self, host: &str) {
        let name = super::hosts::name(host.trim()).to_ascii_lowercase();
        self.hosts.extend(Some(name).filter(|name| !name.is_empty()));
    }
}

/// State that all handlers share, clones too.
#[derive(Clone, Debug)]
pub struct AppState(Arc<Shared>);

/// See [`AppState`].
#[derive(Debug)]
pub struct Shared {
    /// The database.
    pub store: Store,
    /// Settings.
    pub config: SiteConfig,
    /// Counters for the metrics.
    pub(super) metrics: Metrics,
    /// Memory of all runs together.
    pub(super) memory: Arc<MemoryBudget>,
    /// Agents that do the runs, if there is a broker.
    pub(super) fleet: Option<Fleet>,
    /// Log-ins and the first start.
    pub(super) access: AccessState,
    /// Changes whenever a job was queued; each lane of the queue waits on it.
    pub(super) wake: watch::Sender<u64>,
    /// Changes whenever events were stored; streams wait on it.
    pub(super) news: watch::Sender<u64>,
    /// Set once the service is to end.
    pub shutdown: CancellationToken,
    /// Bounds the memory that uploads take.
    pub(super) uploads: Permits,
    /// Bounds the open event streams.
    pub(super) streams: Permits,
    /// Bounds the children that only read programs.
    pub(super) readers: Permits,
    /// Results of runs that go on.
    pub(super) so_far: RunsSoFar,
    /// Outcomes of ended runs.
    pub(super) outcomes: OutcomeCache,
    running: Mutex<BTreeMap<String, CancellationToken>>,
    /// Damage of the database that was found.
    damage: Mutex<Option<String>>,
    queue_has_ended: AtomicBool,
}

impl AppState {
    /// Returns the state of a service on this database.
    pub fn new(store: Store, config: SiteConfig, shutdown: CancellationToken) -> AppState {
        AppState(Arc::new(Shared {
            store,
            fleet: config.broker.clone().map(|settings| Fleet::start(settings, shutdown.clone())),
            memory: Arc::new(MemoryBudget::new(config.memory_budget_mb)),
            config,
            metrics: Metrics::default(),
            access: AccessState::default(),
            wake: watch::Sender::new(0),
            news: watch::Sender::new(0),
            shutdown,
            uploads: Permits::new(8, 3),
            streams: Permits::new(300, 50),
            readers: Permits::new(2, 1),
            so_far: RunsSoFar::default(),
            outcomes: OutcomeCache::default(),
            running: Mutex::new(BTreeMap::new()),
            damage: Mutex::new(None),
            queue_has_ended: AtomicBool::new(false),
        }))
    }

    /// Tells streams that there is something new.
    pub(super) fn announce(&self) {
        self.news.send_modify(|n| *n = n.wrapping_add(1));
    }

    /// Returns the damage of the database, if some was found.
    pub(super) fn damage(&self) -> Option<String> {
        self.damage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes note of the last look at the database.
    pub(super) fn set_damage(&self, damage: Option<String>) {
        *self.damage.lock().unwrap_or_else(PoisonError::into_inner) = damage;
    }

    /// Returns whether no run begins any more.
    pub(super) fn queue_has_ended(&self) -> bool {
        self.queue_has_ended.load(Ordering::Relaxed)
    }

    /// Takes note of the end of the queue.
    pub(super) fn end_queue(&self) {
        self.queue_has_ended.store(true, Ordering::Relaxed);
    }

    /// Returns the tokens that stop running jobs, by job.
    pub(super) fn running(&self) -> MutexGuard<'_, BTreeMap<String, CancellationToken>> {
        // The map is whole after every single operation, whatever its holder did afterwards.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::ops::Deref for AppState {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// Longest time in which a body arrives.
pub(super) const BODY_TIME: Duration = Duration::from_secs(60);

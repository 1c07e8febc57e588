//! `scanproof agent`: does runs of a server on this machine.

use std::path::PathBuf;

use clap::Args;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::Failure;
use super::broker::{BrokerArgs, LOG};
use super::print::out;
use super::session::{machine_name, this_program};
use crate::fleet::agent::{AgentSettings, run as run_agent};
use crate::fleet::binary::fingerprint;
use crate::fleet::message::Build;
use crate::run::agent_needs::read_label;

/// Arguments of `agent`.
#[derive(Args, Clone, Debug)]
pub struct AgentArgs {
    #[command(flatten)]
    broker: BrokerArgs,
    /// Runs at the same time; default: one for each two cores
    #[arg(long, value_name = "N", env = "SCANPROOF_SLOTS", value_parser = clap::value_parser!(u32).range(1..=256))]
    slots: Option<u32>,
    /// Name of this agent, unlike those of all others; default: the name of the machine
    #[arg(long, value_name = "NAME", env = "SCANPROOF_AGENT_NAME")]
    name: Option<String>,
    /// Megabytes that one run may take here; runs with a larger limit go to other agents
    #[arg(long, value_name = "MB", default_value_t = 16_384, env = "SCANPROOF_SLOT_MEMORY_MB", value_parser = clap::value_parser!(u32).range(256..=16_777_216))]
    slot_memory_mb: u32,
    /// Label that runs may ask for; may be repeated
    #[arg(long = "label", value_name = "NAME", env = "SCANPROOF_AGENT_LABELS", value_delimiter = ',', value_parser = read_label)]
    labels: Vec<String>,
    /// Folder of the sources that it keeps, encrypted
    #[arg(long, value_name = "DIR", default_value = "scanproof-agent", env = "SCANPROOF_AGENT_CACHE")]
    cache: PathBuf,
    /// Most megabytes of that folder
    #[arg(long, value_name = "MB", default_value_t = 1000, env = "SCANPROOF_AGENT_CACHE_MB", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    cache_mb: u32,
}

/// Works until SIGTERM or Ctrl-C; then runs at work end, and no others begin. A second signal ends at once.
pub(super) fn run(args: &AgentArgs) -> Result<u8, Failure> {
    let args = AgentArgs { broker: args.broker.with_secret()?, ..args.clone() };
    let broker = args.broker.settings()?.ok_or_else(|| Failure::usage("--broker names the broker of the fleet"))?;
    let name = match args.name {
        Some(name) => name,
        None => machine_name(),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || 64 < name.len() || !name.chars().all(is_plain) {
        return Err(Failure::usage(format!("--name `{name}`: letters, digits, - and _, at most 64")));
    }
    let filter = EnvFilter::try_from_env("SCANPROOF_LOG").unwrap_or_else(|_| EnvFilter::new(LOG));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let program = this_program()?;
    let settings = AgentSettings {
        name,
        broker,
        binary: fingerprint(&program).map_err(|e| Failure::internal(format!("{}: {e}", program.display())))?,
        program,
        slots: args.slots.unwrap_or(u32::try_from((cores / 2).max(1)).unwrap_or(1)),
        memory_mb: args.slot_memory_mb,
        labels: args.labels,
        cache: args.cache,
        cache_bytes: u64::from(args.cache_mb) << 20,
        build: Build::own(),
    };
    // It says signs of life while they compute.
    crate::run::process::work_in_background();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::internal)?;
    let drain = CancellationToken::new();
    runtime.block_on(async {
        tokio::spawn(drain_on_signal(drain.clone()));
        out(&format!("Scanproof agent {} serves {}", settings.name, settings.broker.url));
        run_agent(settings, drain).await.map_err(Failure::internal)
    })?;
    Ok(0)
}

async fn drain_on_signal(drain: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) else {
        tracing::error!("signals cannot be received; end the agent by killing it");
        return;
    };
    for n in 0..2 {
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        if n == 1 {
            // Runs at work go to other agents.
            std::process::exit(1);
        }
        tracing::info!("no further run is taken; a second signal ends at once");
        drain.cancel();
    }
}

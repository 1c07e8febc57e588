//! Numbers about the service, in the text format of Prometheus.
//!
//! Counters begin with the process; gauges are read when they are asked for. Units are those of the names: seconds and bytes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::state::AppState;
use crate::fleet::dispatcher::Fleet;
use crate::fleet::registry::AgentState;
use crate::report::tally::Tally;
use crate::store::jobs::JobState;
use crate::store::{StoreError, now_ms};

/// Upper bounds of the durations of runs, in seconds.
const JOB_SECONDS: &[f64] = &[1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0];
/// Upper bounds of the durations of requests, in seconds.
const REQUEST_SECONDS: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0];

/// Counted durations.
#[derive(Debug)]
struct Histogram {
    bounds: &'static [f64],
    /// Durations up to each bound, those of smaller bounds included.
    counts: Vec<u64>,
    count: u64,
    sum_s: f64,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Histogram {
        Histogram { bounds, counts: vec![0; bounds.len()], count: 0, sum_s: 0.0 }
    }

    fn add(&mut self, seconds: f64) {
        for (bound, count) in self.bounds.iter().zip(&mut self.counts) {
            *count += u64::from(seconds <= *bound);
        }
        self.count += 1;
        self.sum_s += seconds;
    }
}

/// Counters of a process.
#[derive(Debug)]
struct Counters {
    requests: BTreeMap<(String, u16), u64>,
    request_seconds: Histogram,
    jobs: BTreeMap<&'static str, u64>,
    job_seconds: Histogram,
    verdicts: BTreeMap<String, u64>,
    log_ins: BTreeMap<&'static str, u64>,
}

/// Counters that all requests share.
#[derive(Debug)]
pub(crate) struct Metrics {
    started: Instant,
    counters: Mutex<Counters>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let counters = Counters {
            requests: BTreeMap::new(),
            request_seconds: Histogram::new(REQUEST_SECONDS),
            // A counter that is there from the beginning shows its first step.
            jobs: JobState::ALL.into_iter().filter(|state| state.is_final()).map(|state| (state.name(), 0)).collect(),
            job_seconds: Histogram::new(JOB_SECONDS),
            verdicts: BTreeMap::new(),
            log_ins: BTreeMap::from([("done", 0), ("refused", 0)]),
        };
        Metrics { started: Instant::now(), counters: Mutex::new(counters) }
    }
}

impl Metrics {
    fn change(&self, change: impl FnOnce(&mut Counters)) {
        // Each counter is whole after every step, whatever its holder did afterwards.
        change(&mut self.counters.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Counts a request. Methods that are not known have one name, so that a sender cannot make up many.
    pub(super) fn request(&self, method: &str, status: u16, took: Duration) {
        let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
        let method = if known.contains(&method) { method } else { "other" };
        self.change(|counters| {
            *counters.requests.entry((method.to_owned(), status)).or_default() += 1;
            counters.request_seconds.add(took.as_secs_f64());
        });
    }

    /// Counts a run that has ended, with its verdicts.
    pub(super) fn job(&self, state: JobState, took_ms: Option<i64>, tally: Option<Tally>) {
        self.change(|counters| {
            *counters.jobs.entry(state.name()).or_default() += 1;
            if let Some(ms) = took_ms {
                counters.job_seconds.add(ms.max(0) as f64 / 1000.0);
            }
            for (class, n) in tally.into_iter().flat_map(Tally::present) {
                *counters.verdicts.entry(class.name()).or_default() += n as u64;
            }
        });
    }

    /// Counts a log-in.
    pub(super) fn log_in(&self, is_done: bool) {
        self.change(|counters| *counters.log_ins.entry(if is_done { "done" } else { "refused" }).or_default() += 1);
    }
}

/// Text of the metrics, put together.
struct Page(String);

impl Page {
    fn begin(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text never fails.
        let _ = write!(self.0, "# HELP scanproof_{name} {help}\n# TYPE scanproof_{name} {kind}\n");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = labels.iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "scanproof_{name}{labels} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.begin(name, "gauge", help);
        self.line(name, &[], value);
    }

    fn counter<W: AsRef<str>>(&mut self, name: &str, help: &str, label: &str, rows: &BTreeMap<W, u64>) {
        self.begin(name, "counter", help);
        rows.iter().for_each(|(word, n)| self.line(name, &[(label, word.as_ref())], *n as f64));
    }

    fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.begin(name, "histogram", help);
        let bucket = format!("{name}_bucket");
        for (bound, count) in histogram.bounds.iter().zip(&histogram.counts) {
            self.line(&bucket, &[("le", &bound.to_string())], *count as f64);
        }
        self.line(&bucket, &[("le", "+Inf")], histogram.count as f64);
        self.line(&format!("{name}_sum"), &[], histogram.sum_s);
        self.line(&format!("{name}_count"), &[], histogram.count as f64);
    }
}

/// Adds the numbers of a fleet.
fn of_fleet(page: &mut Page, fleet: &Fleet) {
    let (counts, agents) = (fleet.counts(), fleet.agents());
    page.gauge("fleet_broker_up", "1 if the broker takes runs.", f64::from(u8::from(fleet.trouble().is_none())));
    page.gauge("fleet_runs_at_agents", "Runs at the broker and its agents.", fleet.n_out() as f64);
    page.gauge("fleet_helpers", "Agents that help with a run of another.", fleet.n_helpers() as f64);
    page.begin("fleet_agents", "gauge", "Agents, by state.");
    for (word, state) in AgentState::ALL {
        let n = agents.iter().filter(|agent| agent.state == state).count();
        page.line("fleet_agents", &[("state", word)], n as f64);
    }
    let slots: u32 = agents.iter().filter(|agent| agent.state == AgentState::Ready).map(|agent| agent.sign.slots).sum();
    page.gauge("fleet_slots", "Slots of agents that take runs.", f64::from(slots));
    for (name, help, n) in [
        ("fleet_redeliveries_total", "Starts of runs at agents beyond the first.", counts.redeliveries),
        ("fleet_late_reports_total", "Reports that no run waited for: late, twice, or of an earlier start.", counts.late),
        ("fleet_unreadable_messages_total", "Messages that were not made with the token of the fleet.", counts.unreadable),
        ("fleet_refuted_claims_total", "Claims of agents that their evidence did not show.", counts.refuted),
    ] {
        page.begin(name, "counter", help);
        page.line(name, &[], n as f64);
    }
}

/// Returns all numbers as text.
pub(super) async fn text(state: &AppState) -> Result<String, StoreError> {
    let waiting = state.store.waiting().await?;
    let mut page = Page(String::new());
    page.begin("build_info", "gauge", "Version of the service; always 1.");
    page.line("build_info", &[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    page.gauge("uptime_seconds", "Time since the start of the process.", state.metrics.started.elapsed().as_secs_f64());
    page.gauge("jobs_queued", "Runs that wait.", f64::from(waiting.jobs));
    page.gauge("jobs_running", "Runs at work.", state.running().len() as f64);
    let bytes = |mb: u64| (mb << 20) as f64;
    page.gauge("memory_budget_bytes", "Memory that all runs may take together.", bytes(u64::from(state.memory.all_mb())));
    page.gauge("memory_taken_bytes", "Limits of the runs at work, added up.", bytes(state.memory.taken_mb()));
    page.gauge("queue_owners", "Users who have runs that wait.", f64::from(waiting.owners));
    let age_ms = waiting.oldest_ms.map_or(0, |oldest| (now_ms() - oldest).max(0));
    page.gauge("queue_oldest_age_seconds", "Age of the oldest run that waits; 0 if there is none.", age_ms as f64 / 1000.0);
    if let Some(fleet) = &state.fleet {
        of_fleet(&mut page, fleet);
    }
    page.gauge("database_bytes", "Size of the database on the disk, with its write-ahead log.", state.store.size_bytes() as f64);
    if let Ok(disk) = rustix::fs::statvfs(state.store.directory()) {
        page.gauge("disk_free_bytes", "Free bytes on the disk of the database.", (disk.f_bavail * disk.f_frsize) as f64);
    }
    let is_damaged = f64::from(u8::from(state.damage().is_some()));
    page.gauge("database_damaged", "1 if the last look at all pages of the database found damage.", is_damaged);
    state.metrics.change(|counters| {
        page.counter("jobs_ended_total", "Runs that ended, by state.", "state", &counters.jobs);
        page.histogram("job_duration_seconds", "Time of the work on runs, without waiting.", &counters.job_seconds);
        page.counter("verdicts_total", "Verdicts of runs that ended, by class.", "class", &counters.verdicts);
        page.counter("log_ins_total", "Log-ins, by result.", "result", &counters.log_ins);
        page.begin("http_requests_total", "counter", "Requests, by method and status.");
        for ((method, status), n) in &counters.requests {
            page.line("http_requests_total", &[("method", method), ("status", &status.to_string())], *n as f64);
        }
        page.histogram("http_request_duration_seconds", "Time until the head of an answer.", &counters.request_seconds);
    });
    Ok(page.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_up_to_each_bound() {
        let mut histogram = Histogram::new(JOB_SECONDS);
        [0.5, 1.0, 1.1, 4000.0].into_iter().for_each(|seconds| histogram.add(seconds));
        let mut page = Page(String::new());
        page.histogram("x_seconds", "Words.", &histogram);
        assert!(page.0.starts_with("# HELP scanproof_x_seconds Words.\n# TYPE scanproof_x_seconds histogram\n"), "{}", page.0);
        for line in [
            "bucket{le=\"1\"} 2",
            "bucket{le=\"5\"} 3",
            "bucket{le=\"3600\"} 3",
            "bucket{le=\"+Inf\"} 4",
            "sum 4002.6",
            "count 4",
        ] {
            assert!(page.0.contains(&format!("scanproof_x_seconds_{line}\n")), "{line}: {}", page.0);
        }
    }
}

//! Memory of all runs together: a run begins once its limit fits into the budget.
//!
//! A worker never takes more than its limit, so all of them never take more than the budget. Workers that only read programs have
//! limits of their own, at most two at the same time, and do not count.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::job::agent_needs;
use crate::store::jobs::StoredJob;
use crate::store::queue::{Candidate, Fit};
use crate::store::{Store, StoreError};

/// Least budget: a run needs this much to do anything.
pub(super) const LEAST_MB: u32 = 256;

/// Budget, and the part of it that running jobs have.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    all_mb: u32,
    taken_mb: Mutex<u64>,
    /// One lane of the queue looks for a job at a time.
    turn: tokio::sync::Mutex<()>,
}

/// Memory of a job, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Reservation {
    budget: Arc<MemoryBudget>,
    mb: u64,
}

impl MemoryBudget {
    /// Returns a budget of which nothing is taken.
    pub(super) fn new(all_mb: u32) -> MemoryBudget {
        MemoryBudget { all_mb, taken_mb: Mutex::new(0), turn: tokio::sync::Mutex::new(()) }
    }

    /// Returns all of it, in MiB.
    pub(super) fn all_mb(&self) -> u32 {
        self.all_mb
    }

    /// Returns the part that running jobs have, in MiB.
    pub(super) fn taken_mb(&self) -> u64 {
        *self.taken_mb.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the limit that fits now. A job that is larger than the budget runs alone: the budget may have been larger once.
    pub(super) fn free_mb(&self) -> u32 {
        match self.taken_mb() {
            0 => u32::MAX,
            taken => u32::try_from(u64::from(self.all_mb).saturating_sub(taken)).unwrap_or(u32::MAX),
        }
    }

    /// Claims the next job that fits, with its memory.
    pub(super) async fn claim(
        self: &Arc<Self>,
        store: &Store,
        most_wall_s: u32,
    ) -> Result<Option<(StoredJob, Reservation)>, StoreError> {
        let _turn = self.turn.lock().await;
        let free_mb = self.free_mb();
        let fit = move |job: &Candidate| match () {
            // A run that asks for an agent is for agents alone.
            () if !agent_needs(&job.strategy).is_empty() => Fit::Elsewhere,
            () if job.memory_mb <= free_mb => Fit::Now,
            () => Fit::Later,
        };
        let Some(job) = store.claim_job_that(most_wall_s, fit).await? else { return Ok(None) };
        let memory = self.take(job.memory_mb);
        Ok(Some((job, memory)))
    }

    fn take(self: &Arc<Self>, mb: u32) -> Reservation {
        let mb = u64::from(mb);
        *self.taken_mb.lock().unwrap_or_else(PoisonError::into_inner) += mb;
        Reservation { budget: Arc::clone(self), mb }
    }

    /// Waits until so much memory is free, and takes it.
    pub(super) async fn reserve(self: &Arc<Self>, mb: u32) -> Reservation {
        loop {
            {
                let _turn = self.turn.lock().await;
                if mb <= self.free_mb() {
                    return self.take(mb);
                }
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut taken = self.budget.taken_mb.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.mb);
    }
}

/// Returns three quarters of the memory of this machine, or of its control group if that is less, in MiB.
pub(super) fn default_mb() -> u32 {
    let machine = rustix::system::sysinfo();
    let of_machine = (machine.totalram as u64).saturating_mul(u64::from(machine.mem_unit));
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let bytes = group_bytes(Path::new("/sys/fs/cgroup"), &own).map_or(of_machine, |group| group.min(of_machine));
    u32::try_from((bytes >> 20) / 4 * 3).unwrap_or(u32::MAX).max(LEAST_MB)
}

/// Returns the least memory limit of a control group and those around it; `own` is the text of `/proc/self/cgroup`.
fn group_bytes(root: &Path, own: &str) -> Option<u64> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let group = root.join(path);
    let groups = group.ancestors().take_while(|group| group.starts_with(root));
    groups.filter_map(|group| std::fs::read_to_string(group.join("memory.max")).ok()?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::jobs::NewJob;
    use crate::store::programs::Source;
    use crate::store::queue::testing::add;

    async fn queue(store: &Store, memory_mb: u32) -> String {
        let sources = vec![Source { name: "a.st".into(), text: "x".into(), note: None }];
        let (program, _) = store.add_program("a".into(), sources).await.unwrap();
        let specification = store.add_specification("{}".into()).await.unwrap();
        let (strategy, planned) = ("{}".to_owned(), "[]".to_owned());
        let owner = String::new();
        let job = NewJob { owner, program: program.id, specification, strategy, wall_s: 60, memory_mb, planned, project: None };
        add(store, job).await
    }

    #[tokio::test]
    async fn a_job_waits_until_its_limit_fits_and_smaller_ones_pass_it() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let budget = Arc::new(MemoryBudget::new(4096));
        let claim = async || budget.claim(&store, u32::MAX).await.unwrap().map(|(job, room)| (job.id, room));
        let (first, second, third) = (queue(&store, 3000).await, queue(&store, 2000).await, queue(&store, 1000).await);
        let (id, room) = claim().await.unwrap();
        assert_eq!((id, budget.taken_mb(), budget.free_mb()), (first, 3000, 1096));
        let (id, small) = claim().await.unwrap();
        assert_eq!((id, budget.taken_mb()), (third, 4000));
        assert!(claim().await.is_none());
        drop(small);
        assert!(claim().await.is_none());
        drop(room);
        let (id, _room) = claim().await.unwrap();
        assert_eq!((id, budget.taken_mb()), (second, 2000));
    }

    #[tokio::test]
    async fn a_job_beyond_the_whole_budget_runs_alone() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let budget = Arc::new(MemoryBudget::new(1024));
        let large = queue(&store, 9000).await;
        let (job, _room) = budget.claim(&store, u32::MAX).await.unwrap().unwrap();
        assert_eq!((job.id, budget.free_mb()), (large, 0));
        queue(&store, 256).await;
        assert!(budget.claim(&store, u32::MAX).await.unwrap().is_none());
    }

    #[test]
    fn the_least_limit_of_nested_groups_counts() {
        let dir = tempfile::tempdir().unwrap();
        let group = dir.path().join("system.slice/scanproof.service");
        std::fs::create_dir_all(&group).unwrap();
        let own = "0::/system.slice/scanproof.service\n";
        assert_eq!(group_bytes(dir.path(), own), None);
        std::fs::write(group.join("memory.max"), "max\n").unwrap();
        assert_eq!(group_bytes(dir.path(), own), None);
        std::fs::write(dir.path().join("system.slice/memory.max"), "2147483648\n").unwrap();
        assert_eq!(group_bytes(dir.path(), own), Some(2 << 30));
        std::fs::write(group.join("memory.max"), "1073741824\n").unwrap();
        assert_eq!(group_bytes(dir.path(), own), Some(1 << 30));
        assert!(LEAST_MB <= default_mb());
    }
}

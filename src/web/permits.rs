//! Permits for what lasts: uploads, event streams, readers of programs. Each owner has a share, so that none holds all of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::WebError;

/// Permits of one kind.
#[derive(Debug)]
pub(super) struct Permits {
    all: Arc<Semaphore>,
    per_owner: usize,
    /// Shares of the owners that hold or want a permit.
    owners: Mutex<BTreeMap<String, Weak<Semaphore>>>,
}

/// A permit; it is given back when it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    // Fields are dropped in this order: a place of the service is free before that of its owner.
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Permits {
    /// Returns this many permits, of which one owner may hold some.
    pub(super) fn new(all: usize, per_owner: usize) -> Permits {
        Permits { all: Arc::new(Semaphore::new(all)), per_owner, owners: Mutex::default() }
    }

    /// Returns a permit if there is one now.
    pub(super) fn try_acquire(&self, owner: &str) -> Result<Permit, WebError> {
        let own = self.share(owner).try_acquire_owned().map_err(|_| WebError::TooManyAtOnce(self.per_owner))?;
        let all = Arc::clone(&self.all).try_acquire_owned().map_err(|_| WebError::Busy)?;
        Ok(Permit { _all: all, _own: own })
    }

    /// Returns a permit once there is one. It waits in the line of its owner first, then in that of all.
    pub(super) async fn acquire(&self, owner: &str) -> Result<Permit, WebError> {
        let own = self.share(owner).acquire_owned().await.map_err(|_| WebError::Draining)?;
        let all = Arc::clone(&self.all).acquire_owned().await.map_err(|_| WebError::Draining)?;
        Ok(Permit { _all: all, _own: own })
    }

    /// Returns a permit, at the latest after this time.
    pub(super) async fn acquire_within(&self, owner: &str, wait: Duration) -> Result<Permit, WebError> {
        // The reason of a refusal is the state at its end.
        match tokio::time::timeout(wait, self.acquire(owner)).await {
            Ok(permit) => permit,
            Err(_) => self.try_acquire(owner),
        }
    }

    /// Returns the share of an owner.
    fn share(&self, owner: &str) -> Arc<Semaphore> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = owners.get(owner).and_then(Weak::upgrade) {
            return share;
        }
        // Permits keep their share alive.
        owners.retain(|_, share| share.strong_count() != 0);
        let share = Arc::new(Semaphore::new(self.per_owner));
        owners.insert(owner.to_owned(), Arc::downgrade(&share));
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_owner_has_a_share_and_leaves_the_rest_to_others() {
        let permits = Permits::new(3, 2);
        let mut held: Vec<Permit> = (0..2).map(|_| permits.try_acquire("anna").unwrap()).collect();
        assert!(matches!(permits.try_acquire("anna"), Err(WebError::TooManyAtOnce(2))));
        held.push(permits.try_acquire("bert").unwrap());
        assert!(matches!(permits.try_acquire("bert"), Err(WebError::Busy)));
        // One who waits in the own line takes no place of others.
        let moment = Duration::from_millis(50);
        let (waiting, other) = tokio::join!(permits.acquire_within("anna", moment), async {
            held.pop();
            permits.acquire_within("carl", moment).await
        });
        assert!(matches!(waiting, Err(WebError::TooManyAtOnce(2))) && other.is_ok());
        drop(held);
        assert!(permits.acquire_within("anna", moment).await.is_ok());
        drop(other);
        let _one = permits.try_acquire("dora").unwrap();
        assert_eq!(permits.owners.lock().unwrap().len(), 1, "shares that nobody uses are forgotten");
    }
}

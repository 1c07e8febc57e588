//! Registry of the agents: what they have said of themselves, and what the server has seen of them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::message::{Build, SignOfLife, Work};
use crate::run::agent_needs::AgentNeeds;

/// Time between two signs of life.
pub(super) const SIGN_EVERY: Duration = Duration::from_secs(1);
/// An agent that was silent for so long is away.
const AWAY: Duration = Duration::from_secs(6);
/// An agent that was silent for so long is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(3600);
/// Most agents that are known: names come from outside.
const MOST: usize = 10_000;
/// Most slots of an agent that count.
const MOST_SLOTS: u32 = 1024;

/// State of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// It takes runs.
    Ready,
    /// It ends its runs and takes no others.
    Draining,
    /// It has another build and takes no runs of this server.
    OtherBuild,
    /// It has been silent for some time.
    Away,
}

impl AgentState {
    /// All states with their words.
    pub const ALL: [(&'static str, AgentState); 4] = [
        ("ready", AgentState::Ready),
        ("draining", AgentState::Draining),
        ("other_build", AgentState::OtherBuild),
        ("away", AgentState::Away),
    ];

    /// Returns the word that is sent.
    pub fn word(self) -> &'static str {
        AgentState::ALL.iter().find(|(_, state)| *state == self).map_or("", |(word, _)| word)
    }
}

/// An agent, as its server knows it.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its last sign of life.
    pub sign: SignOfLife,
    /// Time since that sign.
    pub silent: Duration,
    /// Its state.
    pub state: AgentState,
}

/// Agents by name. Times are those of this machine: clocks of agents do not matter.
#[derive(Debug)]
pub(super) struct Registry {
    own: Build,
    rows: BTreeMap<String, (SignOfLife, Instant)>,
}

impl Registry {
    pub(super) fn new(own: Build) -> Registry {
        Registry { own, rows: BTreeMap::new() }
    }

    /// Takes note of a sign of life.
    pub(super) fn hear(&mut self, sign: SignOfLife) {
        self.rows.retain(|_, (_, at)| at.elapsed() < FORGOTTEN);
        if self.rows.len() < MOST || self.rows.contains_key(&sign.agent) {
            self.rows.insert(sign.agent.clone(), (sign, Instant::now()));
        }
    }

    fn state(&self, sign: &SignOfLife, silent: Duration) -> AgentState {
        if AWAY < silent {
            AgentState::Away
        } else if sign.build != self.own {
            AgentState::OtherBuild
        } else if sign.is_draining {
            AgentState::Draining
        } else {
            AgentState::Ready
        }
    }

    /// Returns all agents by name.
    pub(super) fn agents(&self) -> Vec<Agent> {
        let agent = |(sign, at): &(SignOfLife, Instant)| {
            let silent = at.elapsed();
            Agent { sign: sign.clone(), silent, state: self.state(sign, silent) }
        };
        self.rows.values().map(agent).collect()
    }

    fn ready(&self) -> impl Iterator<Item = &SignOfLife> {
        let is_ready = |(sign, at): &&(SignOfLife, Instant)| self.state(sign, at.elapsed()) == AgentState::Ready;
        self.rows.values().filter(is_ready).map(|(sign, _)| sign)
    }

    /// Returns the number of runs that may be at the broker: one for each slot of agents that fit, and one that waits for each agent.
    pub(super) fn window(&self, fits: impl Fn(&SignOfLife) -> bool) -> usize {
        self.ready().filter(|sign| fits(sign)).map(|sign| sign.slots.min(MOST_SLOTS) as usize + 1).sum()
    }

    /// Returns the number of slots for runs with this memory limit and these needs, without those that measure cells of a bench.
    pub(super) fn slots(&self, memory_mb: u32, needs: &AgentNeeds) -> usize {
        let n_cells = |sign: &SignOfLife| sign.jobs.iter().filter(|work| work.is_cell()).count();
        let free = |sign: &SignOfLife| (sign.slots.min(MOST_SLOTS) as usize).saturating_sub(n_cells(sign));
        self.ready().filter(|sign| sign.meets(memory_mb, needs)).map(free).sum()
    }

    /// Returns whether an agent works on this part of a run.
    pub(super) fn works_on(&self, work: &Work) -> bool {
        let lives = |at: &Instant| at.elapsed() <= AWAY;
        self.rows.values().any(|(sign, at)| lives(at) && sign.jobs.contains(work))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(job: &str, attempt: u32) -> Work {
        Work { job: job.to_owned(), attempt, part: 0 }
    }

    fn sign(agent: &str, build: &Build) -> SignOfLife {
        SignOfLife {
            agent: agent.into(),
            build: build.clone(),
            slots: 2,
            jobs: vec![work("job", 1)],
            cores: 4,
            memory_mb: 4096,
            is_draining: false,
            n_ended: 0,
            worked_ms: 0,
            binary: "b1".into(),
            labels: vec!["press-shop".into()],
        }
    }

    #[test]
    fn only_agents_of_the_same_build_that_take_runs_count() {
        let own = Build { protocol: 1, version: "1".into(), solvers: "cvc5 1".into() };
        let mut registry = Registry::new(own.clone());
        assert_eq!(registry.window(|_| true), 0);
        registry.hear(sign("a", &own));
        registry.hear(sign("b", &Build { version: "2".into(), ..own.clone() }));
        registry.hear(SignOfLife { is_draining: true, memory_mb: 9000, ..sign("c", &own) });
        let states: Vec<AgentState> = registry.agents().iter().map(|agent| agent.state).collect();
        assert_eq!(states, [AgentState::Ready, AgentState::OtherBuild, AgentState::Draining]);
        assert_eq!(registry.window(|_| true), 3);
        let other_part = Work { part: 1, ..work("job", 1) };
        assert!(registry.works_on(&work("job", 1)) && !registry.works_on(&work("job", 2)));
        assert!(!registry.works_on(&work("other", 1)) && !registry.works_on(&other_part));
        let slots = |registry: &Registry, memory_mb| registry.slots(memory_mb, &AgentNeeds::default());
        // Memory is a label: a run that needs more than an agent offers has no slot there.
        assert_eq!((slots(&registry, 4096), slots(&registry, 4097)), (2, 0));
        let labelled = |label: &str| AgentNeeds { label: Some(label.to_owned()), cores: Some(4) };
        assert_eq!(registry.slots(4096, &labelled("press-shop")), 2);
        assert_eq!(registry.slots(4096, &labelled("paint-shop")), 0);
        // Cells of a bench take slots, and go to agents of the same program only.
        registry.hear(SignOfLife { jobs: vec![work("bench-1", 1)], ..sign("d", &own) });
        assert_eq!((slots(&registry, 4096), registry.window(|sign| sign.binary == "b2")), (3, 0));
    }
}

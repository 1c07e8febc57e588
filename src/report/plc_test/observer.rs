//! Watch over a requirement in a test: its claim as statements around the call of the program.

use plc_frontend::hir::{Expr, Leaf, Project};

use super::paths::Paths;
use super::visibility::{Use, is_visible};
use kernel::property::claim::Claim;
use kernel::property::formula::Formula;
use kernel::property::mentions;

/// Watch over a requirement.
#[derive(Default)]
pub(super) struct Observer {
    /// Its variables with their types.
    pub(super) declarations: Vec<(String, String)>,
    /// Statements at the beginning of a cycle, when the inputs are new.
    pub(super) before: Vec<String>,
    /// Statements at the end of a cycle.
    pub(super) after: Vec<String>,
    /// Condition at the end of a cycle that shows what the run is about; `None` for requirements about places in the code.
    pub(super) shown: Option<String>,
    /// Statements that keep the cycle's conditions for the next one.
    pub(super) last: Vec<String>,
    /// Variable with the milliseconds of the cycle, if the requirement has durations.
    pub(super) elapsed: Option<String>,
    /// Sentence about variables of the requirement that a test does not see; then there is no watch.
    pub(super) not_seen: Option<String>,
}

/// Returns the watch over a claim. The error says why there is none.
pub(super) fn observer(claim: &Claim, project: &Project, paths: &mut Paths) -> Result<Observer, String> {
    let mut observer = Observer::default();
    let spoken = mentions::leaves(&claim.conditions(), project);
    let is_hidden = |leaf: &Leaf| spoken.contains(&leaf.name) && !is_visible(project, leaf, Use::Read);
    let hidden: Vec<String> = project.leaves().into_iter().filter(is_hidden).map(|leaf| leaf.name).collect();
    if !hidden.is_empty() {
        let names = hidden.join(", ");
        observer.not_seen = Some(format!("the requirement, since inner variables of blocks are not seen from outside: {names}"));
        return Ok(observer);
    }
    let not = |text: String| format!("NOT ({text})");
    observer.shown = match claim {
        Claim::Implication { when, then } => Some(format!("({}) AND NOT ({})", paths.condition(when), paths.condition(then))),
        Claim::Invariant(always) => Some(not(paths.condition(always))),
        Claim::Forbidden(never) => Some(paths.condition(never)),
        Claim::DuringCycle { at_start, then } => {
            let began = observer.began(at_start, paths);
            Some(format!("{began} AND NOT ({})", paths.condition(then)))
        }
        Claim::BetweenCycles { after, when, then } => {
            let was = observer.variable("WasTrue", "BOOL", paths);
            observer.last.push(format!("{was} := {};", paths.condition(after)));
            Some(format!("{was} AND ({}) AND NOT ({})", paths.condition(when), paths.condition(then)))
        }
        Claim::Temporal { when, then } => {
            let when = when.as_ref().map(|when| observer.formula(when, paths));
            let then = not(observer.formula(then, paths));
            Some(when.map_or(then.clone(), |when| format!("{when} AND {then}")))
        }
        Claim::Reachable(goal) => Some(observer.formula(goal, paths)),
        Claim::Assert(_) | Claim::Executed(_) | Claim::Unreached(_) | Claim::Never(_) => None,
        Claim::Repeatable(_) => return Err("no single run shows this requirement".to_owned()),
    };
    Ok(observer)
}

impl Observer {
    fn variable(&mut self, name: &str, ty: &str, paths: &mut Paths) -> String {
        let name = paths.free(name);
        self.declarations.push((name.clone(), ty.to_owned()));
        name
    }

    /// Returns the variable that keeps a condition of the cycle's beginning.
    fn began(&mut self, condition: &Expr, paths: &mut Paths) -> String {
        let began = self.variable("AtStart", "BOOL", paths);
        self.before.push(format!("{began} := {};", paths.condition(condition)));
        began
    }

    /// Returns a formula as an expression in parentheses; its memories become statements.
    fn formula(&mut self, formula: &Formula, paths: &mut Paths) -> String {
        match formula {
            Formula::Now(condition) => format!("({})", paths.condition(condition)),
            Formula::Began(condition) => self.began(condition, paths),
            Formula::Not(inner) => format!("(NOT {})", self.formula(inner, paths)),
            Formula::And(a, b) => format!("({} AND {})", self.formula(a, paths), self.formula(b, paths)),
            Formula::Or(a, b) => format!("({} OR {})", self.formula(a, paths), self.formula(b, paths)),
            Formula::Previous(inner) => {
                let inner = self.formula(inner, paths);
                let (was, now) = (self.variable("Before", "BOOL", paths), self.variable("AtEnd", "BOOL", paths));
                self.after.push(format!("{was} := {now};"));
                self.after.push(format!("{now} := {inner};"));
                was
            }
            Formula::Once(inner) => {
                let inner = self.formula(inner, paths);
                let once = self.variable("Once", "BOOL", paths);
                self.after.push(format!("{once} := {once} OR {inner};"));
                once
            }
            Formula::Since(a, b) => {
                let (a, b) = (self.formula(a, paths), self.formula(b, paths));
                let since = self.variable("Since", "BOOL", paths);
                self.after.push(format!("{since} := {b} OR ({a} AND {since});"));
                since
            }
            Formula::Held(inner, ms) => {
                let inner = self.formula(inner, paths);
                self.held(&inner, *ms, paths)
            }
        }
    }

    /// Returns the variable that is TRUE once an expression has been TRUE for a duration.
    fn held(&mut self, inner: &str, ms: u32, paths: &mut Paths) -> String {
        let elapsed = match &self.elapsed {
            Some(elapsed) => elapsed.clone(),
            None => {
                let elapsed = self.variable("CycleMs", "DINT", paths);
                self.elapsed.insert(elapsed).clone()
            }
        };
        let (held, is_true) = (self.variable("HeldMs", "DINT", paths), self.variable("Holds", "BOOL", paths));
        self.after.push(format!("IF {inner} AND {is_true} THEN"));
        self.after.push(format!("    {held} := {held} + {elapsed};"));
        self.after.push("ELSE".to_owned());
        self.after.push(format!("    {held} := 0;"));
        self.after.push("END_IF;".to_owned());
        self.after.push(format!("{is_true} := {inner};"));
        format!("({is_true} AND {held} >= {ms})")
    }
}

//! Advice about a requirement that was not decided: difficulties of the program, each with a step to take.
//!
//! Looks only at the cone of influence: everything else cannot matter for the requirement.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::Loaded;
use plc_frontend::hir::{Expr as HirExpr, ExprKind, Leaf, LoopBounds, Stmt, StmtKind, Value as IecValue, walk};
use plc_frontend::source::{Origin, Span};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::names::Names;
use super::outcome::Place;
use super::place::place;
use kernel::cfa::pass::Dependencies;
use kernel::cfa::{Model, Op};
use kernel::expr::{BvBin, Expr, ExprId, ExprPool, Sort, VarId};

/// A difficulty of the program, and the step that removes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Advice {
    /// The difficulty: a noun phrase with its numbers.
    pub text: String,
    /// The step to take.
    pub step: String,
    /// Its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// An engine that took part without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EngineProgress {
    /// Its name.
    pub engine: String,
    /// Its last message.
    pub text: String,
    /// Time of that, in milliseconds since the start.
    pub at_ms: u64,
}

/// Most advice of one kind.
const MOST: usize = 3;
/// Fewer cycles, rounds or elements are no difficulty.
const LONG: u128 = 20;

/// Returns difficulties in the cone of influence; `assumed` names the leaves that the assumptions speak of.
///
/// Cost:      linear in the automaton.
pub fn advice(loaded: &Loaded, model: &Model, depends: &Dependencies, assumed: &BTreeSet<String>) -> Vec<Advice> {
    let names = Names::new(&loaded.project);
    let cone = Cone { loaded, model, depends };
    let mut all = products(&cone);
    all.extend(indices(&cone));
    all.extend(loops(&cone));
    all.extend(floats(&cone));
    all.extend(strings(&cone, &names));
    all.extend(waits(&cone, &names));
    all.extend(inputs(&cone, &names, assumed));
    all
}

/// Cone of influence of one requirement.
struct Cone<'a> {
    loaded: &'a Loaded,
    model: &'a Model,
    depends: &'a Dependencies,
}

impl Cone<'_> {
    fn about(&self, span: Span, text: String, step: &str) -> Advice {
        Advice { text, step: step.to_owned(), place: Some(place(&self.loaded.sources, span)) }
    }

    fn line_words(&self, span: Span) -> String {
        self.loaded.sources.line_words(span)
    }

    fn line(&self, span: Span) -> u32 {
        self.loaded.sources.line_col(span).line
    }

    fn is_user(&self, span: Span) -> bool {
        self.loaded.sources.files.get(span.file).is_some_and(|f| f.origin == Origin::User)
    }

    /// Formulas of the user's statements in the cone.
    fn formulas(&self) -> impl Iterator<Item = (Span, ExprId)> {
        self.model.cfa.edges.iter().filter_map(|edge| {
            let span = edge.span.filter(|span| self.depends.spans.contains(span) && self.is_user(*span))?;
            match edge.op {
                Op::Assume(root) => Some((span, root)),
                Op::Assign(var, root) => self.depends.vars.contains(&var).then_some((span, root)),
                Op::Skip | Op::Havoc(_) | Op::Block(_) => None,
            }
        })
    }

    /// Returns the statements whose formulas have a part of this kind, one for each line.
    fn spans(&self, is_hard: impl Fn(&Expr) -> bool) -> Vec<Span> {
        let mut found: BTreeMap<(u32, u32), Span> = BTreeMap::new();
        for (span, root) in self.formulas() {
            let mut has_part = false;
            self.model.pool.visit(&[root], |e| {
                has_part |= is_hard(&self.model.pool.expr(e));
                !has_part
            });
            if has_part {
                found.entry((span.file.0, self.line(span))).or_insert(span);
            }
        }
        found.into_values().collect()
    }
}

/// Returns advice about products and quotients of two variables.
fn products(cone: &Cone<'_>) -> Vec<Advice> {
    let spans = cone.spans(|e| {
        let is_known = |of: ExprId| matches!(cone.model.pool.expr(of), Expr::Const(_));
        let is_hard = |op: &BvBin| matches!(op, BvBin::Mul | BvBin::Udiv | BvBin::Urem | BvBin::Sdiv | BvBin::Srem);
        matches!(e, Expr::BvBin(op, a, b) if is_hard(op) && !is_known(*a) && !is_known(*b))
    });
    let one = |span: &Span| {
        let text = format!("the product or quotient of two variables on {}", cone.line_words(*span));
        cone.about(*span, text, "State the range of its operands, or make one of them a constant.")
    };
    spans.iter().take(MOST).map(one).collect()
}

/// Choices of one line, by the expression that they compare with constants.
type Choices = BTreeMap<ExprId, BTreeSet<ExprId>>;

/// Returns advice about elements of long arrays at a variable index: each is a choice between all elements.
fn indices(cone: &Cone<'_>) -> Vec<Advice> {
    let mut lines: BTreeMap<(u32, u32), (Span, Choices)> = BTreeMap::new();
    let pool = &cone.model.pool;
    for (span, root) in cone.formulas() {
        let (_, choices) = lines.entry((span.file.0, cone.line(span))).or_insert((span, BTreeMap::new()));
        pool.visit(&[root], |e| {
            if let Expr::Ite(condition, ..) = pool.expr(e)
                && let Some(index) = compared(pool, condition)
            {
                choices.entry(index).or_default().insert(e);
            }
            true
        });
    }
    let mut all: Vec<(usize, Advice)> = Vec::new();
    for (span, choices) in lines.into_values() {
        let n = choices.values().map(BTreeSet::len).max().unwrap_or_default();
        if LONG <= n as u128 {
            let text = format!("the variable index on {}, a choice between many elements", cone.line_words(span));
            all.push((n, cone.about(span, text, "Check with a shorter array: make its upper bound a constant and lower it.")));
        }
    }
    all.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    all.into_iter().take(MOST).map(|(_, advice)| advice).collect()
}

/// Returns the expression that a condition compares with a constant, as a whole or bit by bit.
fn compared(pool: &ExprPool, condition: ExprId) -> Option<ExprId> {
    let is_const = |e: ExprId| matches!(pool.expr(e), Expr::Const(_));
    let Expr::Eq(a, b) = pool.expr(condition) else { return None };
    let index = match (is_const(a), is_const(b)) {
        (false, true) => a,
        (true, false) => b,
        (true, true) | (false, false) => return None,
    };
    Some(if let Expr::Extract { of: whole, .. } = pool.expr(index) { whole } else { index })
}

/// Returns advice about loops within a cycle whose number of rounds is large or not constant.
fn loops(cone: &Cone<'_>) -> Vec<Advice> {
    let lines: BTreeSet<(u32, u32)> = cone.depends.spans.iter().map(|span| (span.file.0, cone.line(*span))).collect();
    let mut found = Vec::new();
    for pou in cone.loaded.project.pous.iter() {
        walk::stmts(&pou.body, |stmt| found.extend(rounds(stmt).map(|n| (stmt.span, n))));
    }
    let is_here = |span: &Span| cone.is_user(*span) && lines.contains(&(span.file.0, cone.line(*span)));
    let mut found: Vec<(Span, Option<u128>)> = found.into_iter().filter(|(span, _)| is_here(span)).collect();
    found.retain(|(_, rounds)| rounds.is_none_or(|n| LONG <= n));
    // Inherited bodies are resolved again for each heir.
    found.sort_unstable();
    found.dedup();
    let one = |(span, rounds): &(Span, Option<u128>)| {
        let rounds = rounds.map_or("as many rounds as its condition allows".to_owned(), |n| format!("{n} rounds"));
        let text = format!("the loop on {}, with {rounds} in each cycle", cone.line_words(*span));
        cone.about(*span, text, "Check with fewer rounds: make its upper bound a constant and lower it.")
    };
    found.iter().take(MOST).map(one).collect()
}

/// Returns the number of rounds of a loop, `None` inside if it is not constant; `None` for other statements.
fn rounds(stmt: &Stmt) -> Option<Option<u128>> {
    let StmtKind::For { bounds, .. } = &stmt.kind else {
        return matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Repeat { .. }).then_some(None);
    };
    let LoopBounds { from, to, by } = &**bounds;
    let number = |e: &HirExpr| if let ExprKind::Literal(value) = &e.kind { value.as_int() } else { None };
    let by = by.as_ref().map_or(Some(1), number);
    let (Some(from), Some(to), Some(by @ (1.. | ..=-1))) = (number(from), number(to), by) else { return Some(None) };
    let way = if 0 < by { to - from } else { from - to };
    Some(Some(if way < 0 { 0 } else { way.unsigned_abs() / by.unsigned_abs() + 1 }))
}

/// Returns advice about REAL arithmetic.
fn floats(cone: &Cone<'_>) -> Option<Advice> {
    let spans = cone.spans(|e| matches!(e, Expr::FpBin(..)));
    let first = spans.first()?;
    let text = match spans.len() {
        1 => format!("REAL arithmetic on {}", cone.line_words(*first)),
        n => format!("REAL arithmetic on {n} lines, first on {}", cone.line_words(*first)),
    };
    Some(cone.about(*first, text, "State the range of the REAL inputs, or compute in scaled integers."))
}

/// Strings shorter than this are no difficulty.
const LONG_STRING: usize = 40;

/// Returns advice about long strings: each character is a variable.
fn strings(cone: &Cone<'_>, names: &Names) -> Option<Advice> {
    let vars: BTreeMap<&str, VarId> = cone.model.leaves.iter().map(|(leaf, var)| (leaf.name.as_str(), *var)).collect();
    let leaves = cone.loaded.project.leaves();
    let matters = |leaf: &Leaf| vars.get(leaf.name.as_str()).is_some_and(|var| cone.depends.vars.contains(var));
    let rows = cone.loaded.project.shown(&leaves).into_iter().filter(|row| {
        let chars = &leaves[row.leaves.clone()];
        row.text.is_some() && LONG_STRING <= chars.len() && chars.iter().any(|leaf| !leaf.hidden && matters(leaf))
    });
    let found: Vec<(String, usize)> = rows.map(|row| (names.show(&row.name), row.leaves.len())).collect();
    let (first, length) = found.iter().max_by_key(|(_, length)| *length)?;
    let text = match found.len() {
        1 => format!("the string {first} of {length} characters"),
        n => format!("{n} strings of up to {length} characters, for instance {first}"),
    };
    let step = "Declare strings no longer than their texts, for instance `STRING[20]`: each character is a variable.".to_owned();
    Some(Advice { text, step, place: None })
}

/// Returns advice about inputs of wide types without a range.
fn inputs(cone: &Cone<'_>, names: &Names, assumed: &BTreeSet<String>) -> Vec<Advice> {
    let width = |var: &VarId| match cone.model.pool.var_decl(*var).sort {
        Sort::BitVec(width) => (u32::from(width), "0..100"),
        Sort::Float(_) => (32, "0.0..100.0"),
        Sort::Bool | Sort::Int | Sort::Array(..) => (0, ""),
    };
    let wide = cone.model.leaves.iter().filter(|(leaf, var)| {
        let is_input = leaf.is_given(1) && !leaf.hidden && cone.depends.vars.contains(var);
        16 <= width(var).0 && is_input && !assumed.contains(&leaf.name)
    });
    let one = |(leaf, var): &(Leaf, VarId)| {
        let (name, (_, range)) = (names.show(&leaf.name), width(var));
        let text = format!("the input {name}, which may have any value of its type");
        // A value that calls of a stub give has no row of its own.
        let step = match (name.strip_suffix(" (at call)"), range.split_once("..")) {
            (Some(name), Some((low, high))) => {
                format!("State what you know of it under `assumptions`, for instance `{name} >= {low} AND {name} <= {high}`.")
            }
            (_, _) => format!("State its range in the requirement file, for instance `inputs: [{name}: {range}]`."),
        };
        Advice { text, step, place: None }
    };
    wide.take(MOST).map(one).collect()
}

/// Kinds of blocks that wait: the member with the constant, and the words.
const WAITING: [(&str, &str); 2] = [(".PT", "timer"), (".PV", "counter")];

/// Returns advice about timers and counters whose constant takes many cycles.
fn waits(cone: &Cone<'_>, names: &Names) -> Vec<Advice> {
    let dt = u128::from(cone.model.options.dt_max_ms.max(1));
    let mut all: Vec<(u128, Advice)> = Vec::new();
    for (leaf, var) in cone.model.leaves.iter().filter(|(_, var)| cone.depends.vars.contains(var)) {
        let Some((member, kind)) = WAITING.iter().find(|(member, _)| leaf.name.ends_with(member)) else { continue };
        let assigned = cone.model.cfa.edges.iter().filter_map(|edge| match edge.op {
            Op::Assign(v, e) if v == *var => Some((edge.span, e)),
            Op::Assign(..) | Op::Assume(_) | Op::Skip | Op::Havoc(_) | Op::Block(_) => None,
        });
        let constants = assigned.filter_map(|(span, e)| {
            let n = cone.model.pool.as_const(e)?.as_unsigned()?;
            Some((span.filter(|s| cone.is_user(*s)), n))
        });
        let declared = leaf.init.and_then(IecValue::as_int).and_then(|n| u128::try_from(n).ok()).map(|n| (None, n));
        let Some((span, value)) = constants.chain(declared).max_by_key(|(_, n)| *n) else { continue };
        let name = names.show(leaf.name.trim_end_matches(member));
        let (n, text, step) = match *kind {
            "timer" => {
                let step =
                    format!("Check with a shorter time, for instance T#{}ms: a proof has to go through fewer cycles.", dt * 5);
                (value / dt, format!("the timer {name}, whose {value} ms are {} cycles", value / dt), step)
            }
            _ => {
                let step = "Check with a smaller PV, for instance 5: a proof has to go through fewer cycles.".to_owned();
                (value, format!("the counter {name}, which counts to {value}"), step)
            }
        };
        // The member of that name of another block need not be a number of cycles.
        if LONG <= n && n < 1 << 31 {
            all.push((n, Advice { text, step, place: span.map(|span| place(&cone.loaded.sources, span)) }));
        }
    }
    all.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    all.into_iter().take(MOST).map(|(_, advice)| advice).collect()
}

//! Answers that depend on the bits of NaN.
//!
//! If NaN becomes bits, the model allows any bits, because controllers differ. The interpreter has usual bits, so it may refuse a
//! violation. Such a violation is neither a mistake of an engine nor an answer. Two restricted models are then searched: in one,
//! NaN has the usual bits; in the other, no NaN becomes bits. A violation counts if it replays. A proof about a restricted model
//! is only reported and decides nothing.

use super::{Decision, Request, Search, once, schedule};
use crate::VerdictWord;
use crate::replay::NanBits;
use kernel::cfa::{Cfa, Edge, Loc, LocId, LocKind, Op};
use kernel::context::Progress;
use kernel::expr::{FloatSort, FpTest, Sort, Value};
use kernel::property::instrument::Instrumented;

/// Restriction of a model on a NaN that becomes bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restriction {
    /// It has the usual bits, those of operations' results.
    Usual,
    /// There is none.
    Never,
}

/// Decides a question whose violation needs other bits of NaN, at the places `met`.
///
/// Soundness: never `holds`; `violated` is certified like every answer.
pub(super) fn without_other_bits(request: &Request<'_>, question: &Instrumented, cfa: &Cfa, met: NanBits) -> Decision {
    let mut met = met;
    // Facts about a restricted model are about some runs only.
    let events = |progress: Progress| (request.search.events)(progress.about_some_runs());
    let request = &Request { search: Search { events: &events, ..request.search.clone() }, ..request.clone() };
    for only in [Restriction::Usual, Restriction::Never] {
        let Ok(strategy) = schedule::chosen(&request.search) else { break };
        let smaller = smaller(question, cfa, only);
        let (decision, again) = once(request, &smaller, &smaller.cfa, strategy);
        match decision.word {
            VerdictWord::Holds => return open(request, &met, Some(only), decision),
            VerdictWord::Violated | VerdictWord::Error | VerdictWord::Cancelled | VerdictWord::NotChecked => return decision,
            VerdictWord::HoldsBounded | VerdictWord::Vacuous | VerdictWord::Unknown => {}
        }
        if again.is_empty() {
            return open(request, &met, None, decision);
        }
        met.add(again);
    }
    open(request, &met, None, Decision::without_answer(VerdictWord::Unknown, String::new()))
}

/// Returns the question with a restricted model.
fn smaller(question: &Instrumented, cfa: &Cfa, only: Restriction) -> Instrumented {
    let mut smaller = Instrumented { cfa: cfa.clone(), ..question.clone() };
    let (pool, cfa) = (&mut smaller.pool, &mut smaller.cfa);
    let mut edges: Vec<Edge> = cfa.edges.iter().cloned().collect();
    let mut more = Vec::new();
    for edge in &mut edges {
        let Op::Havoc(bits) = edge.op else { continue };
        let sort = match pool.var_decl(bits).sort {
            Sort::BitVec(32) => FloatSort::F32,
            Sort::BitVec(64) => FloatSort::F64,
            Sort::Bool | Sort::BitVec(_) | Sort::Float(_) | Sort::Int | Sort::Array(..) => continue,
        };
        if !question.float_bits.contains(&bits) {
            continue;
        }
        let now = pool.var(bits);
        let meant = pool.bits_to_fp(sort, now);
        let is_nan = pool.fp_test(FpTest::IsNan, meant);
        let allowed = match only {
            Restriction::Never => pool.not(is_nan),
            Restriction::Usual => {
                let usual = pool.constant(Value::bv(sort.width(), sort.nan()));
                let is_usual = pool.eq(now, usual);
                pool.implies(is_nan, is_usual)
            }
        };
        let origin = LocId(cfa.locs.len() as u32);
        let between = cfa.locs.push(Loc { kind: LocKind::Inner, origin });
        more.push(Edge { source: between, target: edge.target, op: Op::Assume(allowed), span: edge.span });
        edge.target = between;
    }
    cfa.edges = edges.into_iter().chain(more).collect();
    smaller
}

/// Returns an undecided answer, with the proof about a restricted model as a remark.
fn open(request: &Request<'_>, met: &NanBits, shown: Option<Restriction>, like: Decision) -> Decision {
    let holds = if request.claim.is_possibility() { "it is impossible" } else { "it holds" };
    let at = places(request, met);
    let reason = match shown {
        Some(Restriction::Usual) => format!(
            "{holds} as long as a value that is not a number (NaN) has its usual bits ({}) where it becomes bits, {at}; \
             controllers may have others there, and with some of them a run breaks that",
            usual_bits(met)
        ),
        Some(Restriction::Never) => format!(
            "{holds} as long as no value that is not a number (NaN) becomes bits {at}; which bits it has there is left to \
             the controller, and with some of them a run breaks that"
        ),
        None => format!(
            "a run was found that needs certain bits of a value that is not a number (NaN), which becomes bits {at}; which \
             bits it has there is left to the controller"
        ),
    };
    let reason = like.reason.into_iter().fold(reason, |all, more| if more.is_empty() { all } else { format!("{all}; {more}") });
    Decision { explored: like.explored, spent: like.spent, ..Decision::without_answer(VerdictWord::Unknown, reason) }
}

/// Writes the usual bits of NaN as programs do, for the formats of the run.
fn usual_bits(met: &NanBits) -> String {
    let text = |format: &FloatSort| format!("16#{:X}", format.nan());
    let all = [FloatSort::F32, FloatSort::F64].iter().filter(|format| met.widths.contains(&format.width()));
    all.map(text).collect::<Vec<_>>().join(" or ")
}

fn places(request: &Request<'_>, met: &NanBits) -> String {
    /// Most places that are named.
    const MOST: usize = 5;
    let mut lines: Vec<String> = met.stmts.iter().map(|stmt| request.loaded.sources.line_words(*stmt)).collect();
    lines.dedup();
    let more = if MOST < lines.len() { " and others" } else { "" };
    let told: Vec<&str> = lines.iter().take(MOST).map(|line| line.strip_prefix("line ").unwrap_or(line)).collect();
    let are_lines = lines.iter().all(|line| line.starts_with("line "));
    let stmts = match told.as_slice() {
        [] => return "in the requirement".to_owned(),
        _ if !are_lines => format!("on {}{more}", lines.get(..MOST).unwrap_or(&lines).join(", ")),
        [one] => format!("on line {one}{more}"),
        _ => format!("on lines {}{more}", told.join(", ")),
    };
    if met.in_conditions { format!("{stmts} and in the requirement") } else { stmts }
}

#[cfg(test)]
mod tests;

//! Witnesses as SV-COMP's validators read them (YAML, format 2.0), about the C file that [`super::c`] writes.
//!
//! A violation becomes the values that the calls of `__VERIFIER_nondet_*` return, in the order of the calls, and the call of
//! `reach_error`. A walk through the automaton with the run's inputs finds them. A proof becomes invariants at the labels of its
//! cut points. The loops of the file are jumps, so these are invariants of locations, not of loops. **Invariant:** a value or
//! formula that C cannot express is left out by name or refused, never written as another one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::c::{Ask, Marks, choices, condition, marked};
use super::{Question, Refused};
use kernel::cfa::{LocId, Op};
use kernel::expr::{Evaluator, ExprId, Value, VarId};

/// Evidence in a witness.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    /// Run: the given values of variables in each cycle.
    Run(&'a [BTreeMap<VarId, Value>]),
    /// A run: the values of the automaton's havocs, in their order.
    Havocs(&'a [(VarId, Value)]),
    /// Invariants at cut points.
    Invariants(&'a BTreeMap<LocId, ExprId>),
}

/// Names, time and gaps of a witness.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// Name of the C file in the witness.
    pub file: &'a str,
    /// Time of creation (RFC 3339).
    pub created: &'a str,
    /// Gaps of the witness in a sentence; may be empty.
    pub left_out: &'a str,
}

/// Text of a C file, and of the witness about it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Witness {
    /// C.
    pub c: String,
    /// YAML.
    pub yaml: String,
}

/// Waypoint of a witness: a place, and a constraint on the value there.
struct Waypoint {
    kind: &'static str,
    at: (usize, usize),
    constraint: Option<String>,
}

/// Maximum number of steps of a run through the automaton.
const MOST_STEPS: usize = 2_000_000;
/// Maximum number of values of a witness.
const MOST_WAYPOINTS: usize = 100_000;

/// Writes the C file and its witness. Grows the question's pool.
///
/// Stops:     [`Refused`]: C cannot express the program, a value of the run or any part of an invariant. Also if the run does
///            not end in the error location of the automaton.
pub fn witness(question: &mut Question, shown: Shown<'_>, naming: Naming<'_>) -> Result<Witness, Refused> {
    let (c, marks) = marked(question)?;
    let mut notes: Vec<String> = vec![naming.left_out.to_owned()];
    let content = match shown {
        Shown::Run(cycles) => {
            let given = |var, cycle: usize, _| cycle.checked_sub(1).and_then(|n| cycles.get(n)?.get(&var)).copied();
            segments(naming.file, &walk(question, &marks, given)?)
        }
        Shown::Havocs(values) => {
            let given = |var, _, n: usize| values.get(n).filter(|(of, _)| *of == var).map(|(_, value)| *value);
            segments(naming.file, &walk(question, &marks, given)?)
        }
        Shown::Invariants(invariants) => {
            let (content, n_left_out) = set(question, &marks, naming.file, invariants)?;
            if 0 < n_left_out {
                notes.push(format!("{n_left_out} parts of the invariants have no C expression and are left out"));
            }
            content
        }
    };
    notes.retain(|note| !note.is_empty());
    let kind = match shown {
        Shown::Run(_) | Shown::Havocs(_) => "violation_sequence",
        Shown::Invariants(_) => "invariant_set",
    };
    let yaml = format!("- entry_type: {kind}\n{}  content:\n{content}", metadata(&c, naming, &notes.join("; ")));
    Ok(Witness { c, yaml })
}

/// Returns a scalar that YAML reads as this text.
fn quoted(text: &str) -> String {
    let inside: String = text.chars().map(|c| if c == '"' || c == '\\' { format!("\\{c}") } else { c.to_string() }).collect();
    format!("\"{}\"", inside.replace(|c: char| c.is_control(), " "))
}

fn metadata(c: &str, naming: Naming<'_>, notes: &str) -> String {
    let digest = Sha256::digest(c.as_bytes());
    let hash: String = digest.iter().map(|b| format!("{b:02x}")).collect();
    let of_both = Sha256::digest(format!("{hash}{}{notes}", naming.created).as_bytes());
    // Version 8: the maker chooses the rule for the number. Here it is computed from the contents.
    let id: String = of_both.iter().take(16).map(|b| format!("{b:02x}")).collect();
    let uuid = format!("{}-{}-8{}-a{}-{}", &id[..8], &id[8..12], &id[13..16], &id[17..20], &id[20..32]);
    let mut out = String::from("  metadata:\n    format_version: \"2.0\"\n");
    let _ = writeln!(out, "    uuid: {}\n    creation_time: {}", quoted(&uuid), quoted(naming.created));
    let _ = writeln!(out, "    producer:\n      name: \"scanproof\"\n      version: {}", quoted(env!("CARGO_PKG_VERSION")));
    if !notes.is_empty() {
        let _ = writeln!(out, "      description: {}", quoted(notes));
    }
    let file = quoted(naming.file);
    let _ = writeln!(
        out,
        "    task:\n      input_files:\n        - {file}\n      input_file_hashes:\n        {file}: {}",
        quoted(&hash)
    );
    out.push_str("      specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n");
    out.push_str("      data_model: \"LP64\"\n      language: \"C\"\n");
    out
}

fn location(out: &mut String, indent: &str, file: &str, (line, column): (usize, usize)) {
    let _ = writeln!(out, "{indent}location:\n{indent}  file_name: {}\n{indent}  line: {line}", quoted(file));
    let _ = writeln!(out, "{indent}  column: {column}\n{indent}  function: \"main\"");
}

fn segments(file: &str, waypoints: &[Waypoint]) -> String {
    let mut out = String::new();
    for Waypoint { kind, at, constraint } in waypoints {
        let _ =
            writeln!(out, "    - segment:\n        - waypoint:\n            type: \"{kind}\"\n            action: \"follow\"");
        location(&mut out, "            ", file, *at);
        if let Some(constraint) = constraint {
            let value = quoted(constraint);
            let _ =
                writeln!(out, "            constraint:\n              value: {value}\n              format: \"acsl_expression\"");
        }
    }
    out
}

/// Returns the values that the C program reads until the error. `given` returns the value of a variable's havoc, by the number of
/// the cycle and the number of havocs before it.
fn walk(
    question: &mut Question,
    marks: &Marks,
    given: impl Fn(VarId, usize, usize) -> Option<Value>,
) -> Result<Vec<Waypoint>, Refused> {
    let refused = |why: &str| Refused(format!("no witness: {why}"));
    let chosen_at = choices(question);
    let (pool, cfa) = (&question.pool, &question.cfa);
    let returns = |ask: Ask, value: Value| -> Result<Waypoint, Refused> {
        let at = marks.asks.get(&ask).ok_or_else(|| refused("a value needs more than one call"))?;
        let constraint =
            equals(value).ok_or_else(|| refused("no comparison with a constant tells a value (-0.0, NaN) from others"))?;
        Ok(Waypoint { kind: "function_return", at: *at, constraint: Some(constraint) })
    };
    let mut waypoints = Vec::new();
    let mut state = cfa.initial.clone();
    for var in cfa.vars.iter().filter(|var| !cfa.initial.contains_key(var)) {
        let start = given(*var, 1, 0).unwrap_or_else(|| Value::zero(pool.var_decl(*var).sort));
        waypoints.push(returns(Ask::Start(*var), start)?);
        state.insert(*var, start);
    }
    let successors = cfa.successors();
    let (mut at, mut cycle, mut n_havocs) = (cfa.init, 0_usize, 0_usize);
    for _ in 0..MOST_STEPS {
        if at == cfa.error {
            let error = marks.error.ok_or_else(|| refused("the file calls no error"))?;
            waypoints.push(Waypoint { kind: "target", at: error, constraint: None });
            return Ok(waypoints);
        }
        if at == cfa.head {
            cycle += 1;
        }
        if MOST_WAYPOINTS < waypoints.len() {
            return Err(refused("the run is too long"));
        }
        let value = |e: ExprId, state: &BTreeMap<VarId, Value>| Evaluator::new().eval(pool, e, &|var| state.get(&var).copied());
        let may = |op: &Op| match op {
            Op::Assume(e) => value(*e, &state) == Some(Value::Bool(true)),
            Op::Skip | Op::Assign(..) | Op::Havoc(_) | Op::Block(_) => true,
        };
        let feasible: Vec<usize> =
            successors[at].iter().enumerate().filter(|(_, edge)| may(&cfa.edges[**edge].op)).map(|(i, _)| i).take(2).collect();
        let edge = match (feasible.as_slice(), chosen_at.contains(&at)) {
            ([i], true) => {
                let width = 32;
                waypoints.push(returns(Ask::Choice(at), Value::bv(width, *i as u128))?);
                successors[at][*i]
            }
            ([i], false) => successors[at][*i],
            ([], _) => return Err(refused("the run ends elsewhere in the model")),
            ([..], _) => return Err(refused("the model may go on in several ways")),
        };
        match &cfa.edges[edge].op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign(var, e) => {
                let value = value(*e, &state).ok_or_else(|| refused("a value is not known"))?;
                state.insert(*var, value);
            }
            Op::Havoc(var) => {
                let given = given(*var, cycle, n_havocs);
                n_havocs += 1;
                let given = given.ok_or_else(|| refused("the model leaves a value open that is no input"))?;
                waypoints.push(returns(Ask::Havoc(edge), given)?);
                state.insert(*var, given);
            }
            Op::Block(_) => return Err(refused("it is about single operations")),
        }
        at = cfa.edges[edge].target;
    }
    Err(refused("the run is too long"))
}

/// Returns a condition on `\result` that only this value satisfies. The format allows a comparison with a constant.
fn equals(value: Value) -> Option<String> {
    match value {
        Value::Bool(b) => Some(format!("\\result == {}", u8::from(b))),
        Value::BitVec { bits, .. } => Some(format!("\\result == {bits}u{}", if u128::from(u32::MAX) < bits { "ll" } else { "" })),
        Value::F32(bits) => float(f64::from(f32::from_bits(bits)), "f"),
        Value::F64(bits) => float(f64::from_bits(bits), ""),
        Value::Float(..) | Value::Int(_) | Value::Array(_) => None,
    }
}

fn float(v: f64, suffix: &str) -> Option<String> {
    match v {
        // No comparison distinguishes the zeros, and none is true for NaN only. Infinity is a macro.
        _ if v.is_nan() || v.is_infinite() || v == 0.0 && v.is_sign_negative() => None,
        // Decimal, with enough digits to be read back exactly.
        _ => Some(format!("\\result == {v:.17e}{suffix}")),
    }
}

/// Invariants at labels, and how many parts of them have no C expression.
fn set(
    question: &mut Question,
    marks: &Marks,
    file: &str,
    invariants: &BTreeMap<LocId, ExprId>,
) -> Result<(String, usize), Refused> {
    let (mut out, mut n_left_out, mut said) = (String::new(), 0, BTreeSet::new());
    for (loc, invariant) in invariants {
        let Some(at) = marks.labels.get(loc) else {
            n_left_out += usize::from(!question.pool.is_true(*invariant));
            continue;
        };
        for part in question.pool.conjuncts(*invariant) {
            match condition(question, part) {
                Some(text) if question.pool.is_true(part) || !said.insert((*loc, part)) => drop(text),
                Some(text) => {
                    out.push_str("    - invariant:\n        type: \"location_invariant\"\n");
                    location(&mut out, "        ", file, *at);
                    let _ = writeln!(out, "        value: {}\n        format: \"c_expression\"", quoted(&text));
                }
                None => n_left_out += 1,
            }
        }
    }
    match (out.is_empty(), n_left_out) {
        (true, 1..) => Err(Refused("no witness: no part of the invariant has a C expression".into())),
        (true, 0) => Ok(("    []\n".to_owned(), 0)),
        (false, n) => Ok((out, n)),
    }
}

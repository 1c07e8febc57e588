//! C as SV-COMP's tools read it: `__VERIFIER_nondet_*` for inputs, `reach_error()` for the violation. Integers are unsigned
//! and masked to their width, so no operation is undefined; locations are labels.

mod helpers;
mod marks;
mod node;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

use plc_frontend::ids::IndexVec;

use super::names::Names;
use super::terms::Terms;
use super::{Feature, Format, Question, Refused};
use helpers::Helpers;
use kernel::cfa::pass::exclude_each_other;
use kernel::cfa::{EdgeId, LocId, Op};
use kernel::expr::{Expr, ExprId, Sort};
pub(super) use marks::{Ask, Marks};
use marks::{mark, unmark};

pub(super) const FORMAT: Format = Format {
    name: "c",
    title: "C (as for SV-COMP)",
    ending: "c",
    reading: "If reach_error() can be called: {reached}. If it cannot: {never}.",
    lacks: &[Feature::OtherFloat, Feature::Rounding, Feature::Integer, Feature::Array],
    write,
};

struct Writer<'q> {
    question: &'q Question,
    names: Names,
    successors: IndexVec<LocId, Vec<EdgeId>>,
    /// Locations whose branches exclude each other: the values decide, not a choice.
    exclusive: BTreeSet<LocId>,
    helpers: Helpers,
    terms: Terms,
    body: String,
    /// Arbitrary values that the file asks for, by the numbers of their marks.
    asks: Vec<Ask>,
}

fn write(question: &mut Question) -> Result<String, Refused> {
    marked(question).map(|(text, _)| text)
}

/// Returns the file, and the places in it that a witness refers to.
pub(super) fn marked(question: &mut Question) -> Result<(String, Marks), Refused> {
    FORMAT.can_say(question)?;
    let exclusive = exclusive(question);
    let question = &*question;
    let cfa = &question.cfa;
    let mut names = Names::default();
    cfa.vars.iter().for_each(|var| names.add(&question.pool, *var, "v"));
    let mut writer = Writer {
        question,
        names,
        successors: cfa.successors(),
        exclusive,
        helpers: Helpers::default(),
        terms: Terms::default(),
        body: String::new(),
        asks: Vec::new(),
    };
    let order = forward_order(question, &writer.successors);
    for (at, loc) in order.iter().enumerate() {
        writer.location(*loc, order.get(at + 1).copied())?;
    }
    let mut out = question.header(
        "//",
        &[
            FORMAT.reading,
            "CBMC 6: cbmc --unwind 20 --no-unwinding-assertions --no-standard-checks FILE",
            "  VERIFICATION FAILED: {reached}. VERIFICATION SUCCESSFUL speaks of 20 rounds of every loop only.",
            "ESBMC: esbmc --k-induction --no-bounds-check --no-pointer-check --no-div-by-zero-check FILE",
            "  VERIFICATION FAILED: {reached}. VERIFICATION SUCCESSFUL: {never}.",
            "CPAchecker: cpachecker --preprocess --spec unreach-call.prp FILE",
            "  FALSE: {reached}. TRUE: {never}.",
            "A compiler: cc -std=c11 -ffp-contract=off FILE INPUTS.c -lm, with functions of yours for the inputs. The program ends",
            "  by abort() where reach_error() is called.",
            "A path that returns from main is of no interest.",
            "Nothing in here is undefined behaviour: integers are unsigned and masked to their width.",
            "Floats need IEEE 754 evaluation as written: compile with -std=c11 -ffp-contract=off, link with -lm.",
        ],
    );
    out.push_str(helpers::PRELUDE);
    out.push_str(&writer.helpers.text());
    for var in &cfa.vars {
        let sort = question.pool.var_decl(*var).sort;
        let value = cfa.initial.get(var).map(|value| format!(" = {}", node::literal(*value))).unwrap_or_default();
        let _ = writeln!(out, "{} {}{value};", node::type_of(sort), writer.names.of(*var));
    }
    out.push_str("\nint main(void) {\n");
    for var in cfa.vars.iter().filter(|var| !cfa.initial.contains_key(var)) {
        let sort = question.pool.var_decl(*var).sort;
        let value = mark(&mut writer.asks, Ask::Start(*var), helpers::nondet(sort));
        let _ = writeln!(out, "    {} = {value};", writer.names.of(*var));
    }
    out.push_str(&writer.labelled());
    out.push_str("}\n");
    Ok(unmark(&out, &writer.asks, cfa))
}

/// Returns the locations that a run may come to, each before its successors; only jumps of loops lead back.
///
/// CBMC takes every jump back for a loop of its own, and misses runs where these overlap.
fn forward_order(question: &Question, successors: &IndexVec<LocId, Vec<EdgeId>>) -> Vec<LocId> {
    let cfa = &question.cfa;
    let mut order = Vec::new();
    let mut seen = BTreeSet::from([cfa.init]);
    // Locations on the way, each with the number of branches that are still to be followed.
    let mut way = vec![(cfa.init, successors[cfa.init].len())];
    while let Some((loc, left)) = way.last_mut() {
        let loc = *loc;
        if let Some(branch) = left.checked_sub(1) {
            // The last branch first: so the first one stands first in the text.
            *left = branch;
            let target = cfa.edges[successors[loc][branch]].target;
            if loc != cfa.error && seen.insert(target) {
                way.push((target, successors[target].len()));
            }
        } else {
            order.push(loc);
            way.pop();
        }
    }
    order.reverse();
    order
}

/// Returns locations whose branches are conditions of which at most one holds.
fn exclusive(question: &mut Question) -> BTreeSet<LocId> {
    let mut found = BTreeSet::new();
    for (loc, edges) in question.cfa.successors().iter_enumerated() {
        let conditions: Option<Vec<ExprId>> = edges
            .iter()
            .map(|edge| match &question.cfa.edges[*edge].op {
                Op::Assume(e) => Some(*e),
                Op::Skip | Op::Assign(..) | Op::Havoc(_) | Op::Block(_) => None,
            })
            .collect();
        if let Some(conditions) = conditions
            && 1 < conditions.len()
            && exclude_each_other(&mut question.pool, &conditions)
        {
            found.insert(loc);
        }
    }
    found
}

impl Writer<'_> {
    /// Writes a location and the way to its successors; `next` is the location that is written behind it.
    fn location(&mut self, loc: LocId, next: Option<LocId>) -> Result<(), Refused> {
        let cfa = &self.question.cfa;
        let _ = writeln!(self.body, "{loc}:;");
        if loc == cfa.error {
            self.body.push_str("    reach_error();\n    return 0;\n");
            return Ok(());
        }
        let edges = self.successors[loc].clone();
        match edges.as_slice() {
            [] => self.body.push_str("    return 0;\n"),
            [edge] => {
                let steps = self.steps(*edge, "    ")?;
                self.body.push_str(&steps);
                let target = cfa.edges[*edge].target;
                if next != Some(target) {
                    let _ = writeln!(self.body, "    goto {target};");
                }
            }
            several if self.exclusive.contains(&loc) => self.branches(several)?,
            several => self.choice(loc, several)?,
        }
        Ok(())
    }
    /// Returns the body with those labels only that a jump names.
    fn labelled(&self) -> String {
        let jump = |line: &str| line.split_once("goto ").map(|(_, target)| target.trim_end_matches(';').to_owned());
        let jumps: BTreeSet<String> = self.body.lines().filter_map(jump).collect();
        let is_idle = |line: &&str| line.strip_suffix(":;").is_some_and(|label| !jumps.contains(label));
        self.body.lines().filter(|line| !is_idle(line)).map(|line| format!("{line}\n")).collect()
    }
    /// Branches that exclude each other.
    fn branches(&mut self, edges: &[EdgeId]) -> Result<(), Refused> {
        for edge in edges {
            let edge = &self.question.cfa.edges[*edge];
            if let Op::Assume(condition) = &edge.op {
                let mut before = String::new();
                let texts = self.texts(&[*condition], &mut before, "    ")?;
                let jump = format!("    if ({}) goto {};\n", texts[0], edge.target);
                if before.is_empty() {
                    self.body.push_str(&jump)
                } else {
                    self.body.push_str(&format!("    {{\n{before}{jump}    }}\n"))
                }
            }
        }
        self.body.push_str("    return 0;\n");
        Ok(())
    }
    /// Branches that do not: any one may be tried, and the run ends where it is not possible.
    fn choice(&mut self, loc: LocId, edges: &[EdgeId]) -> Result<(), Refused> {
        let choice = mark(&mut self.asks, Ask::Choice(loc), "__VERIFIER_nondet_uint()".to_owned());
        let _ = writeln!(self.body, "    switch ({choice}) {{");
        for (i, edge) in edges.iter().enumerate() {
            let steps = self.steps(*edge, "        ")?;
            let target = self.question.cfa.edges[*edge].target;
            let _ = writeln!(self.body, "    case {i}:\n{steps}        goto {target};");
        }
        self.body.push_str("    default:\n        return 0;\n    }\n");
        Ok(())
    }
    /// Returns the statements of an edge, in braces.
    fn steps(&mut self, id: EdgeId, indent: &str) -> Result<String, Refused> {
        let edge = &self.question.cfa.edges[id];
        let mut out = String::new();
        if let Some(place) = self.question.place(edge.span) {
            let _ = writeln!(out, "{indent}// {place}");
        }
        let pool = &self.question.pool;
        let mut inside = String::new();
        match &edge.op {
            Op::Skip => return Ok(out),
            Op::Havoc(var) => {
                let value = mark(&mut self.asks, Ask::Havoc(id), helpers::nondet(pool.var_decl(*var).sort));
                let _ = writeln!(inside, "{indent}{} = {value};", self.names.of(*var));
            }
            Op::Assume(e) => {
                let texts = self.texts(&[*e], &mut inside, indent)?;
                let _ = writeln!(inside, "{indent}if (!{}) return 0;", texts[0]);
            }
            Op::Assign(var, e) => {
                let texts = self.texts(&[*e], &mut inside, indent)?;
                let _ = writeln!(inside, "{indent}{} = {};", self.names.of(*var), texts[0]);
            }
            Op::Block(block) => {
                for input in &block.inputs {
                    self.names.add(pool, input.var, "in");
                    let (sort, name) = (pool.var_decl(input.var).sort, self.names.of(input.var));
                    let _ = writeln!(inside, "{indent}{} {name} = {};", constant(sort), helpers::nondet(sort));
                }
                let roots: Vec<ExprId> = [block.guard].into_iter().chain(block.updates.iter().map(|(_, e)| *e)).collect();
                let texts = self.texts(&roots, &mut inside, indent)?;
                let _ = writeln!(inside, "{indent}if (!{}) return 0;", texts[0]);
                // All updates happen at once: the new values are computed before any is assigned.
                for ((var, _), text) in block.updates.iter().zip(&texts[1..]) {
                    let _ =
                        writeln!(inside, "{indent}{} new_{} = {text};", constant(pool.var_decl(*var).sort), self.names.of(*var));
                }
                for (var, _) in &block.updates {
                    let name = self.names.of(*var);
                    let _ = writeln!(inside, "{indent}{name} = new_{name};");
                }
            }
        }
        // Names of parts live in braces of their own: a jump must not pass a declaration that is used after it.
        match inside.lines().count() {
            0 | 1 => out.push_str(&inside),
            _ => {
                let _ = write!(out, "{indent}{{\n{inside}{indent}}}\n");
            }
        }
        Ok(out)
    }
    /// Returns texts of expressions; shared parts are declared before.
    fn texts(&mut self, roots: &[ExprId], out: &mut String, indent: &str) -> Result<Vec<Rc<str>>, Refused> {
        let (pool, names, helpers) = (&self.question.pool, &self.names, &mut self.helpers);
        // A value of another edge may have been computed from other values of the variables.
        self.terms.forget();
        let mut write = |e: ExprId, operands: &[Rc<str>]| Ok(node::node(pool, names, helpers, e, operands));
        let (definitions, texts) = self.terms.texts(pool, roots, &mut write)?;
        for definition in definitions {
            let _ = writeln!(out, "{indent}{} {} = {};", constant(pool.sort(definition.of)), definition.name, definition.text);
        }
        Ok(texts)
    }
}

fn constant(sort: Sort) -> String {
    format!("const {}", node::type_of(sort))
}

/// Returns the text of a Bool over the variables of a file, without calls; `None` if C cannot say it so.
pub(super) fn condition(question: &Question, e: ExprId) -> Option<String> {
    let pool = &question.pool;
    let mut speaks_of_others = false;
    pool.visit(&[e], |e| {
        let is_sayable = match pool.expr(e) {
            Expr::Var(var) => question.cfa.vars.binary_search(&var).is_ok(),
            Expr::FpUn(..) | Expr::FpTest(..) | Expr::FpBin(..) | Expr::FpToFp(..) | Expr::BvToFp { .. } => false,
            Expr::FpToBv { .. } | Expr::BitsToFp(..) | Expr::IntNeg(_) | Expr::IntBin(..) | Expr::IntCmp(..) => false,
            Expr::Select(..) | Expr::Store(..) => false,
            Expr::Const(value) => match value.as_float() {
                Some((sort, bits)) => !sort.is_nan(bits) && !sort.is_infinite(bits),
                None => value.sort().is_bits(),
            },
            Expr::Not(_) | Expr::And(..) | Expr::Or(..) | Expr::Eq(..) | Expr::Ite(..) | Expr::BvUn(..) | Expr::BvBin(..) => true,
            Expr::BvCmp(..) | Expr::Extract { .. } | Expr::Concat(..) | Expr::ZeroExtend(..) | Expr::SignExtend(..) => true,
            Expr::FpCmp(..) => true,
        };
        speaks_of_others |= !is_sayable;
        !speaks_of_others
    });
    if speaks_of_others {
        return None;
    }
    /// Longer conditions are nothing that a reader or a tool wants.
    const MOST: usize = 2_000;
    let mut names = Names::default();
    question.cfa.vars.iter().for_each(|var| names.add(pool, *var, "v"));
    let mut helpers = Helpers::default();
    let mut write = |e: ExprId, operands: &[Rc<str>]| Ok(node::node(pool, &names, &mut helpers, e, operands));
    let (definitions, texts) = Terms::writing_out(MOST).texts(pool, &[e], &mut write).ok()?;
    let text = texts.first()?.to_string();
    // Helpers are functions.
    (definitions.is_empty() && helpers.text().is_empty()).then_some(text)
}

/// Returns the locations at which a choice decides, not the values.
pub(super) fn choices(question: &mut Question) -> BTreeSet<LocId> {
    let exclusive = exclusive(question);
    let successors = question.cfa.successors();
    successors.iter_enumerated().filter(|(loc, edges)| 1 < edges.len() && !exclusive.contains(loc)).map(|(loc, _)| loc).collect()
}

//! Calls before the first cycle: `FB_init` of every instance that persists, with the arguments of its declaration.
//!
//! The state at cold start depends on no input, so the interpreter computes it once. The values that it leaves in memory are the
//! initial values ([`Project::cold_start`]). Members of an instance come before the instance, and an ancestor's method comes
//! before the heir's method. If a program depends on an order that is not declared, answers name that order as an assumption.
//!
//! [`Project::cold_start`]: crate::hir::Project::cold_start

use crate::ast::{self, Arg};
use crate::hir::walk::exprs_of;
use crate::hir::{Expr, ExprKind, PouId, Section, Type, TypeId, Value, Var};
use crate::interp::{Limits, Machine, Recorder};
use crate::resolve::classes::member_table::{FoundMember, MemberDecl, Part};
use crate::resolve::findings::Res;
use crate::resolve::names::tables::{Key, VarRef, key};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::resolve::startup::call_after_init::AFTER;
use crate::resolve::startup::instances::Walk;
use crate::resolve::startup::uncertain::{Uncertain, Unknown};
use crate::text::{Gap, GapId, Span, Treatment};
use std::collections::{BTreeMap, BTreeSet};

/// Limits of one call.
const LIMITS: Limits = Limits { loop_rounds: 10_000, steps: 1_000_000 };

/// Methods called before the first cycle.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    /// Methods of the instances of a block, in the order of the calls.
    pub(crate) methods: BTreeMap<PouId, Vec<PouId>>,
    /// Arguments of declarations by parameter; in terms of the variables of the POU around the declaration.
    pub(crate) args: BTreeMap<VarRef, BTreeMap<Key, Expr>>,
    /// Declarations whose arguments are not understood.
    pub(crate) refused: BTreeSet<VarRef>,
    /// Method of a block's instances that is called after all `methods` (`call_after_init`).
    pub(crate) after: BTreeMap<PouId, PouId>,
}

/// Call of a method before the first cycle.
pub(crate) struct Start {
    pub(crate) call: Expr,
    /// Canonical name of the instance.
    pub(crate) instance: String,
}

impl<'a> Resolver<'a> {
    /// Finds the methods, and resolves them for each block that has them.
    pub(crate) fn find_starts(&mut self, after_init: Vec<(Span, u32)>) -> Starts {
        let mut starts = Starts { after: self.find_after(after_init), ..Starts::default() };
        for index in 0..self.decls.pous.len() {
            let block = PouId(index as u32);
            let chain = self.names.chain(block).to_vec();
            for definer in chain.into_iter().rev() {
                let decl: &'a ast::Pou = self.decls.pous[definer.0 as usize];
                let named = |method: &&ast::Method| method.name.text.eq_ignore_ascii_case("FB_init");
                let does = |method: &&ast::Method| method.body.as_ref().is_some_and(|b| !b.stmts().is_empty());
                if let Some(method) = decl.methods.iter().filter(named).find(does) {
                    let found = FoundMember { definer, decl: MemberDecl::Method(method) };
                    starts.methods.entry(block).or_default().extend(self.member_pou(block, found, Part::Method));
                }
            }
        }
        self.member_bodies();
        for (var, args) in std::mem::take(&mut self.decls.args) {
            match self.constructor(&starts, var, args) {
                Some(values) => {
                    starts.args.insert(var, values);
                }
                None => {
                    let is_instance = matches!(self.project.types[self.project.var(var).ty].ty, Type::FunctionBlock(block)
                        if starts.methods.contains_key(&block));
                    if !is_instance {
                        // No call is noted for it.
                        let span = self.project.var(var).span;
                        self.findings.assume(span, "arguments of a declaration whose type has no FB_init");
                    }
                    starts.refused.insert(var);
                }
            }
        }
        starts
    }

    /// Returns the arguments of a declaration; `None` if no method takes them, or they are more than values of variables.
    fn constructor(&mut self, starts: &Starts, var: VarRef, args: &[Arg]) -> Option<BTreeMap<Key, Expr>> {
        let Type::FunctionBlock(block) = self.project.types[self.project.var(var).ty].ty else { return None };
        let method = *starts.methods.get(&block)?.last()?;
        let owner = self.decls.vars.get(&var).and_then(|site| site.owner);
        let mut values = BTreeMap::new();
        for (at, arg) in args.iter().enumerate() {
            let mut inputs = self.project.pous[method].vars.iter().filter(|v| v.section == Section::Input);
            let (input, e) = match arg {
                Arg::Input(name, e) => (inputs.find(|v| v.name.eq_ignore_ascii_case(&name.text))?, e),
                // Arguments without a name are those behind the two of the system.
                Arg::Positional(e) => (inputs.filter(|v| !is_of_system(v)).nth(at)?, e),
                Arg::Output { .. } => return None,
            };
            let (ty, input) = (input.ty, key(&input.name));
            let constant = self.attempt(|r| -> Res<Expr> {
                let value = r.expr_as(Scope { owner, uses: Uses::Constant }, e, ty, "the argument")?;
                if is_text(&value) {
                    return Ok(value);
                }
                let kind = ExprKind::Literal(r.fold(&value)?);
                Ok(Expr { kind, ..value })
            });
            let value = match constant {
                Some(value) => value,
                None => self.attempt(|r| r.expr_as(Scope { owner, uses: Uses::Code }, e, ty, "the argument")).filter(is_value)?,
            };
            values.insert(input, value);
        }
        Some(values)
    }

    /// Runs the calls. The project must have no errors.
    ///
    /// Soundness: what a call leaves that is not made, or reads what is not known, starts with any value ([`Uncertain`]).
    pub(crate) fn start(&mut self, starts: &Starts) {
        if starts.methods.is_empty() && starts.after.is_empty() && starts.refused.is_empty() {
            return;
        }
        let mut walk = Walk::new(self, starts);
        walk.project();
        let (calls, after, mut assumed, uncertain) = (walk.calls, walk.after, walk.assumed, walk.uncertain);
        let of_init = (
            "FB_init, which runs before the first cycle and cannot be computed",
            "order in which FB_init of several instances is called",
        );
        let of_after = (AFTER, "order in which methods of several instances are called before the first cycle (call_after_init)");
        let leaves = self.project.leaves();
        let mut unknown = Unknown::new(&self.project, &leaves);
        let known: BTreeSet<String> = leaves.iter().filter(|l| !l.constant).map(|l| l.name.clone()).collect();
        let mut machine = Machine::new(&self.project, LIMITS);
        let (late, early): (Vec<_>, Vec<_>) = uncertain.into_iter().partition(|call| call.construct == AFTER);
        for (calls, uncertain, (construct, of_order)) in [(calls, early, of_init), (after, late, of_after)] {
            for call in &uncertain {
                unknown.free(&self.project, call);
            }
            for Start { call, instance } in calls {
                let inside = format!("{instance}.");
                let mut watch = Watch { known: &known, unknown: &unknown, inside, outside: false, is_guessed: false };
                let is_computed = machine.perform(&call, &mut watch).is_ok() && !watch.is_guessed;
                if watch.outside {
                    assumed.insert((call.span, of_order));
                }
                if !is_computed {
                    let method = if let ExprKind::Call(method, _) = call.kind { Some(method) } else { None };
                    unknown.free(&self.project, &Uncertain { span: call.span, construct, instance, method });
                }
            }
        }
        let started = machine.leaves();
        let changed = leaves.iter().filter(|leaf| leaf.init.is_some()).zip(started);
        let changed = changed.filter(|(leaf, (_, value))| leaf.init != Some(*value)).map(|(_, row)| row);
        let changed: Vec<(String, Value)> = changed.collect();
        self.project.cold_start.extend(changed);
        self.project.not_computed = unknown.starts(&leaves);
        for (span, construct) in assumed.into_iter().chain(unknown.assumed) {
            self.findings.assume(span, construct);
        }
        for (span, construct) in unknown.modelled {
            let effect = "the variables that it may write have any value before the first cycle".to_owned();
            let treatment = Treatment::OverApproximated;
            self.findings.record(Gap { span, construct: construct.to_owned(), treatment, effect });
        }
    }
}

/// Recorder of a call that notices accesses outside of its instance, and values that are not known.
struct Watch<'a> {
    known: &'a BTreeSet<String>,
    unknown: &'a Unknown,
    inside: String,
    outside: bool,
    is_guessed: bool,
}

impl Watch<'_> {
    fn touch(&mut self, name: &str) {
        self.outside |= !name.starts_with(&self.inside) && self.known.contains(name);
    }
}

impl Recorder for Watch<'_> {
    fn wants_names(&self) -> bool {
        true
    }
    fn read(&mut self, name: &str, _span: Span, _value: Value) {
        self.touch(name);
        self.is_guessed |= self.unknown.holds(name);
    }
    fn chose(&mut self, gap: Option<GapId>, _ty: TypeId, _value: Value) {
        self.is_guessed |= gap.is_some_and(|gap| self.unknown.gaps.contains(&gap));
    }
    fn wrote(&mut self, name: &str, _span: Span, _value: Value) {
        self.touch(name);
    }
}

/// Returns whether each FB_init has an input.
fn is_of_system(input: &Var) -> bool {
    ["bInitRetains", "bInCopyCode"].iter().any(|name| input.name.eq_ignore_ascii_case(name))
}

/// Returns whether an expression only computes with values of variables.
fn is_value(e: &Expr) -> bool {
    let mut is_value = true;
    exprs_of(e, |e| is_value &= !matches!(e.kind, ExprKind::Call(..) | ExprKind::Arbitrary { .. }));
    is_value
}

/// Returns whether a value is a string as written.
fn is_text(value: &Expr) -> bool {
    let written = if let ExprKind::Convert(_, inner) = &value.kind { inner } else { value };
    matches!(written.kind, ExprKind::Text(_))
}

#[cfg(test)]
mod tests {
    use crate::hir::{Leaf, Start, value_to_st};
    use crate::text::SourceSet;
    use crate::{LoadOptions, load, load_isolated};

    /// Checks the state at cold start after FB_init, and the assumptions.
    #[track_caller]
    fn check(text: &str, expected: &[&str], assumed: &[&str]) {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let parsed = load(&sources, &LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let project = &parsed.value.project;
        let leaves = project.leaves().into_iter().filter(|leaf| project.cold_start.contains_key(&leaf.name));
        let found: Vec<String> =
            leaves.map(|leaf| format!("{}={}", leaf.name, value_to_st(project, leaf.ty, leaf.init.unwrap()))).collect();
        assert_eq!(found, expected, "{text}");
        let gaps: Vec<&str> = parsed.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(gaps.len(), assumed.len(), "{gaps:#?}\n{text}");
        for (gap, words) in gaps.iter().zip(assumed) {
            assert!(gap.contains(words), "{gap}\n{text}");
        }
    }

    const BASE: &str = r"VAR_GLOBAL
 g : INT;
END_VAR
FUNCTION_BLOCK B
VAR
 n : INT := 1; m : INT;
END_VAR
METHOD FB_Init : BOOL
VAR_INPUT
 bInitRetains, bInCopyCode : BOOL; start : INT;
END_VAR
IF bInitRetains AND NOT bInCopyCode THEN n := n + start; END_IF;
END_METHOD
m := n;
END_FUNCTION_BLOCK
";

    #[test]
    fn fb_init_sets_the_state_at_cold_start() {
        let main = |vars: &str| format!("{BASE}PROGRAM P\nVAR\n{vars}\nEND_VAR\nEND_PROGRAM\n");
        check(&main("b : B(start := 4); c : B(start := 2 * 5);"), &["P.b.n=5", "P.c.n=11"], &[]);
        check(&main("b : B;"), &[], &["without all of its arguments"]);
        check(&main("x : INT := 6; b : B(start := x + 1);"), &["P.b.n=8"], &["order in which"]);
        check(&main("b : B(other := 1);"), &[], &["does not take"]);
        check(&main("t : TON(PT := T#1s);"), &[], &["has no FB_init"]);
    }

    /// Checks which leaves start with any value because code before the first cycle is not computed.
    #[track_caller]
    fn check_free(text: &str, expected: &[&str]) {
        let mut sources = SourceSet::default();
        sources.add("a.st", text);
        let parsed = load_isolated(&sources, &LoadOptions::default());
        assert!(!parsed.has_errors(), "{:#?}\n{text}", parsed.diagnostics);
        let free = |leaf: &Leaf| leaf.start == Start::Any;
        let found: Vec<String> = parsed.value.project.leaves().into_iter().filter(free).map(|leaf| leaf.name).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_a_call_that_is_not_computed_may_write_starts_with_any_value() {
        let main = |vars: &str| format!("{BASE}PROGRAM P\nVAR\n{vars}\nEND_VAR\nEND_PROGRAM\n");
        check_free(&main("b : B(start := 4);"), &[]);
        check_free(&main("x : INT; b : B(start := x);"), &[]);
        check_free(&main("b : B; c : B(start := 4);"), &["P.b.n", "P.b.m"]);
        check_free(&main("b : B(other := 1);"), &["P.b.n", "P.b.m"]);
        // An input has no value yet; and so has all that is computed with it.
        let inputs = format!("{BASE}PROGRAM P\nVAR_INPUT\n x : INT;\nEND_VAR\nVAR\n b : B(start := x);\nEND_VAR\nEND_PROGRAM\n");
        check_free(&inputs, &["P.b.n", "P.b.m"]);
        let chain = main("b : B; k : INT; c : B(start := k + 1);").replace("k : INT", "k AT %IW2 : INT");
        check_free(&chain, &["P.b.n", "P.b.m", "P.c.n", "P.c.m"]);
        check_free(&main("b : B(start := MAX_N);"), &["P.b.n", "P.b.m"]);
        // Global variables that the body names, and those of blocks that it calls.
        let global = main("b : B;").replace("n := n + start;", "g := start;");
        check_free(&global, &["g", "P.b.n", "P.b.m"]);
    }

    #[test]
    fn a_later_call_that_reads_what_is_not_computed_is_not_computed_either() {
        let text = BASE.replace("m := n;", "")
            + r"FUNCTION_BLOCK C
VAR
 k : INT;
END_VAR
METHOD FB_init : BOOL
k := g;
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
 b : B; c : C;
END_VAR
END_PROGRAM
";
        check_free(&text, &["P.b.n", "P.b.m"]);
        check_free(&text.replace("n := n + start;", "g := start;"), &["g", "P.b.n", "P.b.m", "P.c.k"]);
    }

    #[test]
    fn arguments_are_those_of_the_instance_around_the_declaration() {
        let text = BASE.to_owned()
            + r"FUNCTION_BLOCK H
VAR
 x : INT := 3; b : B(start := x * 2);
END_VAR
END_FUNCTION_BLOCK
PROGRAM P
VAR
 one : H; two : H := (x := 10); more : ARRAY [1..2] OF H;
END_VAR
END_PROGRAM
";
        check(&text, &["P.one.b.n=7", "P.two.b.n=21", "P.more[1].b.n=7", "P.more[2].b.n=7"], &["order in which"]);
    }

    #[test]
    fn heirs_and_parts_are_started_in_their_order() {
        let text = r"FUNCTION_BLOCK B
VAR
 n : INT;
END_VAR
METHOD FB_init : BOOL
n := n * 10 + 1;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK D EXTENDS B
METHOD FB_init : BOOL
n := n * 10 + 2;
END_METHOD
END_FUNCTION_BLOCK
FUNCTION_BLOCK H
VAR
 a : ARRAY [1..2] OF D; sum : INT;
END_VAR
METHOD FB_init : BOOL
sum := a[1].n + a[2].n;
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
 h : H;
END_VAR
END_PROGRAM
";
        // `a[1].n` is read from outside: it must be an output.
        let text = text.replace("VAR\n n : INT;", "VAR_OUTPUT\n n : INT;");
        check(&text, &["P.h.a[1].n=12", "P.h.a[2].n=12", "P.h.sum=24"], &[]);
    }

    #[test]
    fn arguments_may_be_strings() {
        let text = r"FUNCTION_BLOCK B
VAR
 s : STRING[3]; n : INT;
END_VAR
METHOD FB_init : BOOL
VAR_INPUT
 t : STRING; w : TIME;
END_VAR
s := t; n := LEN(t) + TIME_TO_INT(w);
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
 b : B(t := 'ab', w := T#40ms);
END_VAR
END_PROGRAM
";
        check(text, &["P.b.s[1]=CHAR#'a'", "P.b.s[2]=CHAR#'b'", "P.b.n=42"], &[]);
    }

    #[test]
    fn a_function_block_that_runs_is_started() {
        let text = r"FUNCTION_BLOCK B
VAR_INPUT
 i : INT;
END_VAR
VAR
 n : INT;
END_VAR
METHOD FB_init : BOOL
n := 7;
END_METHOD
n := n + i;
END_FUNCTION_BLOCK
";
        check(text, &["B.n=7"], &[]);
    }

    #[test]
    fn what_is_not_known_is_taken_for_granted_by_name() {
        let block = |body: &str, vars: &str| {
            format!(
                r"VAR_GLOBAL
 g : INT;
END_VAR
FUNCTION_BLOCK B
VAR
 n : INT;
END_VAR
METHOD FB_init : BOOL
{body}
END_METHOD
END_FUNCTION_BLOCK
PROGRAM P
VAR
{vars}
END_VAR
END_PROGRAM
"
            )
        };
        check(&block("g := g + 1; n := g;", "b : B;"), &["g=1", "P.b.n=1"], &["order in which"]);
        check(&block("n := 1 / n;", "b : B;"), &[], &["cannot be computed"]);
        check(&block("WHILE n = 0 DO ; END_WHILE;", "b : B;"), &[], &["cannot be computed"]);
        check(&block("n := 0;", "b : ARRAY [1..9000] OF B;"), &[], &["more instances"]);
    }

    #[test]
    fn methods_behind_the_initialisation() {
        let block = |mark: &str, inside: &str| {
            format!(
                r"{mark}
FUNCTION_BLOCK B
VAR
 n : INT := 1; m : INT;
END_VAR
METHOD FB_Init : BOOL
VAR_INPUT
 bInitRetains, bInCopyCode : BOOL;
END_VAR
n := n + 1;
END_METHOD
{inside}
m := n;
END_FUNCTION_BLOCK
"
            )
        };
        let mark = "{attribute 'call_after_init'}";
        let after = format!("{mark}\n{{attribute 'hide'}} METHOD After : BOOL\nn := n * 10;\nEND_METHOD");
        let main = "PROGRAM Main\nVAR\n b : B := (n := 4); c : ARRAY [0..1] OF B;\nEND_VAR\nb();\nEND_PROGRAM\n";
        let expected = ["Main.b.n=50", "Main.c[0].n=20", "Main.c[1].n=20"];
        check(&format!("{}{main}", block(mark, &after)), &expected, &[]);
        // A method that only partly meets the conditions is named as an assumption.
        let init = ["Main.b.n=5", "Main.c[0].n=2", "Main.c[1].n=2"];
        check(&format!("{}{main}", block("", &after)), &init, &["call_after_init"]);
        check(&format!("{}{main}", block(mark, "")), &init, &["call_after_init"]);
        let heir = format!("FUNCTION_BLOCK D EXTENDS B\nEND_FUNCTION_BLOCK\n{main}");
        check(&format!("{}{heir}", block(mark, &after)), &init, &["call_after_init"]);
        let with_input = after.replace("BOOL\n", "BOOL\nVAR_INPUT\n i : INT;\nEND_VAR\n");
        check(&format!("{}{main}", block(mark, &with_input)), &init, &["call_after_init"]);
        // The order makes a difference.
        let counts = after.replace("n := n * 10;", "g := g + 1; n := g;");
        let text = format!("VAR_GLOBAL\n g : INT;\nEND_VAR\n{}{main}", block(mark, &counts));
        check(&text, &["g=3", "Main.b.n=1", "Main.c[0].n=2", "Main.c[1].n=3"], &["order in which methods of several instances"]);
    }
}

//! Calls of routines: JSR with parameters for SBR and RET, and FOR, which BRK ends.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::calls::{Scope, name_in, number_in, plain};
use super::ladder::{Ladder, OPERAND, Writer};
use super::program::ACTION;
use super::routines::language;
use super::rungs::{self, Part};
use super::{Reader, aliases, ident_of, key, prescan_of_routines};
use crate::ast::build::binary;
use crate::ast::{Arg, Expr, ExprKind, Ident, Literal, Stmt, StmtKind};
use crate::hir::{BinOp, UnOp};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;

/// Words for a JSR whose parameters are not modelled.
pub(super) const PARAMETERS: &str = "instruction JSR with parameters";

/// Words for a call of a routine that has not ended.
const CIRCLE: &str = "call of a routine that calls itself";

/// Name of the bit that BRK sets.
pub(super) const BREAK: &str = "Break__For";

/// Parameters of a routine.
#[derive(Clone, Debug, Default)]
pub(super) struct Subroutine {
    /// Tags of its SBR.
    inputs: Vec<Expr>,
    /// Operands of its RET.
    results: Vec<Expr>,
    /// Every end of the routine returns these results.
    returns: bool,
}

impl Reader {
    /// Returns the parameters of routines, by their names.
    pub(super) fn subroutines(&self, routines: &[Element<'_>]) -> BTreeMap<String, Subroutine> {
        let named = routines.iter().filter_map(|routine| Some((key(&ident_of(*routine)?.text), *routine)));
        named.map(|(name, routine)| (name, self.subroutine(routine))).collect()
    }

    fn subroutine(&self, routine: Element<'_>) -> Subroutine {
        let mut instructions = Vec::new();
        let mut ends_with = false;
        match language(routine).as_deref() {
            Some("RLL") => {
                for text in routine.descendants().filter(|e| e.name() == "Text").filter_map(Element::text_range) {
                    for rung in rungs::read(&self.plain, text).unwrap_or_default() {
                        ends_with = matches!(rung.as_slice(), [Part::Instruction { name, .. }] if name == "RET");
                        flat(&rung, &mut instructions);
                    }
                }
            }
            Some("ST") => {
                for content in routine.children_named("STContent") {
                    let lines: Vec<_> = content.children_named("Line").filter_map(Element::text_range).collect();
                    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
                    let piece = embedded::logix_statements(self.unit.file, &self.plain, first.start..last.end);
                    let mut stmts = piece.value;
                    ends_with = stmts.last().and_then(call_name).is_some_and(|name| name == "RET");
                    calls(&mut stmts, &mut instructions);
                }
            }
            _ => {}
        }
        let first = instructions.first().filter(|(name, _)| name == "SBR");
        let inputs = first.map(|(_, operands)| operands.clone()).unwrap_or_default();
        let all: Vec<_> = instructions.iter().filter(|(name, _)| name == "RET").map(|(_, operands)| operands).collect();
        let results = all.first().map(|operands| (*operands).clone()).unwrap_or_default();
        let texts = |operands: &Vec<Range<usize>>| operands.iter().map(|o| self.plain.get(o.clone())).collect::<Vec<_>>();
        // Other instructions end the routine without results.
        let ends = instructions.iter().any(|(name, _)| matches!(name.as_str(), "TND" | "MCR" | "BRK"));
        let returns = ends_with && !ends && all.iter().all(|operands| texts(operands) == texts(&results));
        Subroutine { inputs: self.parsed(&inputs), results: self.parsed(&results), returns }
    }

    /// Returns operands as expressions; one that cannot be read has no type.
    fn parsed(&self, places: &[Range<usize>]) -> Vec<Expr> {
        let parse = |place: &Range<usize>| {
            let span = Span::new(self.unit.file, place.start, place.end);
            let parsed = embedded::logix_expression(self.unit.file, &self.plain, place.clone());
            parsed.value.filter(|_| parsed.diagnostics.is_empty()).unwrap_or_else(|| Expr::error(span))
        };
        places.iter().map(parse).collect()
    }
}

/// Makes gaps of the calls of routines that have not ended. `actions` are the names of the routines here.
pub(super) fn without_circles(main: &str, ladders: &mut BTreeMap<String, Ladder>, actions: &BTreeMap<String, String>) {
    let called = |ladder: &Ladder| ladder.calls.iter().chain(&ladder.jumps_to).map(|callee| key(callee)).collect();
    let calls: BTreeMap<String, BTreeSet<String>> = ladders.iter().map(|(name, ladder)| (name.clone(), called(ladder))).collect();
    let mut back: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for root in calls.keys().filter(|name| *name == main).chain(calls.keys()) {
        // Routines that have not ended, each with the calls that are still to come.
        let mut open: Vec<(&str, Vec<&String>)> = Vec::new();
        let mut next = Some(root);
        loop {
            if let Some(routine) = next.take().filter(|routine| seen.insert(routine)) {
                open.push((routine, calls.get(routine).into_iter().flatten().collect()));
            }
            let Some((routine, rest)) = open.last_mut() else { break };
            let routine = *routine;
            match rest.pop() {
                None => drop(open.pop()),
                Some(callee) if open.iter().any(|(around, _)| around == callee) => {
                    let action = actions.get(callee).map(String::as_str);
                    back.entry(routine.to_owned()).or_default().extend(action);
                }
                Some(callee) => next = Some(callee),
            }
        }
    }
    for (name, actions) in &back {
        ladders.get_mut(name).into_iter().for_each(|ladder| leave_out(&mut ladder.stmts, actions));
    }
}

/// Makes gaps of the calls of some actions.
fn leave_out(stmts: &mut [Stmt], actions: &BTreeSet<&str>) {
    for stmt in stmts {
        if matches!(&stmt.kind, StmtKind::Call(name, _) if name.path.is_empty() && actions.contains(name.root.text.as_str())) {
            *stmt = Stmt::unsupported(CIRCLE, stmt.span);
        }
        stmt.lists_mut().into_iter().for_each(|list| leave_out(list, actions));
    }
}

/// Adds the instructions of a rung with their operands.
fn flat(parts: &[Part], instructions: &mut Vec<(String, Vec<Range<usize>>)>) {
    for part in parts {
        match part {
            Part::Instruction { name, operands, .. } => instructions.push((name.clone(), operands.clone())),
            Part::Branch(levels) => levels.iter().for_each(|level| flat(level, instructions)),
        }
    }
}

/// Adds the calls of statements with the places of their arguments.
fn calls(stmts: &mut [Stmt], instructions: &mut Vec<(String, Vec<Range<usize>>)>) {
    for stmt in stmts {
        if let StmtKind::Call(_, args) = &stmt.kind
            && let Some(name) = call_name(stmt)
        {
            let places = args.iter().filter_map(plain).map(|e| e.span.start as usize..e.span.end as usize).collect();
            instructions.push((name, places));
        } else if matches!(stmt.kind, StmtKind::Return) {
            instructions.push(("RET".to_owned(), Vec::new()));
        } else {
            instructions.push((String::new(), Vec::new()));
        }
        for list in stmt.lists_mut() {
            calls(list, instructions);
        }
    }
}

fn call_name(stmt: &Stmt) -> Option<String> {
    let StmtKind::Call(name, _) = &stmt.kind else { return None };
    name.path.is_empty().then(|| key(&name.root.text))
}

impl Scope<'_> {
    /// Returns the name of the action that a routine is here.
    pub(super) fn action_of(&self, routine: &str) -> String {
        self.routines.get(&key(routine)).cloned().unwrap_or_else(|| format!("{routine}{ACTION}"))
    }

    /// Returns the statements of JSR in Structured Text.
    pub(super) fn jump(&self, args: &[Arg], span: Span) -> Result<Vec<Stmt>, &'static str> {
        let values = args.iter().map(|arg| plain(arg).cloned()).collect::<Option<Vec<_>>>().ok_or(PARAMETERS)?;
        let (routine, rest) = values.split_first().ok_or(PARAMETERS)?;
        let routine = &name_in(routine).ok_or(PARAMETERS)?.root.text;
        self.call_with(routine, rest, span)
    }

    /// Returns the statements of a call of a routine with parameters: inputs are copied before it and results behind it.
    ///
    /// Soundness: copies between other types than equal ones are not known. Results are known where each end of the routine
    /// returns the same operands. A routine with more parameters than arguments is a major fault.
    pub(super) fn call_with(&self, routine: &str, args: &[Expr], span: Span) -> Result<Vec<Stmt>, &'static str> {
        let (n_inputs, args) = match args.split_first() {
            None => (0, args),
            Some((Expr { kind: ExprKind::Literal(None, Literal::Int(number)), .. }, rest)) => {
                (usize::try_from(*number).map_err(|_| PARAMETERS)?, rest)
            }
            Some(_) => return Err(PARAMETERS),
        };
        let call = self.call_of(routine, span).ok_or("instruction JSR of an unknown routine")?;
        let (inputs, results) = args.split_at_checked(n_inputs).ok_or(PARAMETERS)?;
        let unknown = Subroutine::default();
        let subroutine = self.shapes.subroutines.get(&key(routine)).unwrap_or(&unknown);
        let is_known = results.is_empty() || (subroutine.returns && results.len() <= subroutine.results.len());
        if inputs.len() < subroutine.inputs.len() || !is_known {
            return Err(PARAMETERS);
        }
        let (parameters, values) = (self.without_aliases(&subroutine.inputs), self.without_aliases(&subroutine.results));
        let mut stmts = self.copies("_input__", parameters.iter().zip(inputs), span)?;
        stmts.push(Stmt { kind: call, span });
        stmts.extend(self.copies("_result__", results.iter().zip(&values), span)?);
        Ok(stmts)
    }

    fn without_aliases(&self, operands: &[Expr]) -> Vec<Expr> {
        let mut stmts: Vec<Stmt> = operands.iter().map(|e| Stmt { span: e.span, kind: StmtKind::Value(e.clone()) }).collect();
        if let Some(first) = operands.first() {
            aliases::substitute(&self.aliases, &mut stmts, first.span);
            self.shapes.put_hosts(&self.variables, &mut stmts, first.span);
        }
        stmts.into_iter().filter_map(|stmt| if let StmtKind::Value(e) = stmt.kind { Some(e) } else { None }).collect()
    }

    /// Returns copies of values to targets, all of which are read before the first one is written.
    fn copies<'e>(
        &self,
        prefix: &str,
        pairs: impl Iterator<Item = (&'e Expr, &'e Expr)>,
        span: Span,
    ) -> Result<Vec<Stmt>, &'static str> {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (at, (target, value)) in pairs.enumerate() {
            let ty = self.shape(target).ok_or(PARAMETERS)?;
            let is_literal = matches!((&value.kind, ty.as_str()), (ExprKind::Literal(None, Literal::Int(_)), "DINT"))
                || matches!((&value.kind, ty.as_str()), (ExprKind::Literal(None, Literal::Real(_)), "REAL"));
            if !is_literal && self.shape(value).as_deref() != Some(ty.as_str()) {
                return Err(PARAMETERS);
            }
            if !matches!(ty.as_str(), "BOOL" | "SINT" | "INT" | "DINT" | "REAL") || self.is_status(target) {
                return Err(PARAMETERS);
            }
            if self.position(target).is_some() || self.position(value).is_some() {
                return Err(PARAMETERS);
            }
            let name = Ident::new(format!("{prefix}{at}_{ty}"), span);
            let value = if is_literal { self.as_type(&ty, value.clone()) } else { value.clone() };
            reads.push(Stmt { kind: StmtKind::Let(name.clone(), value), span });
            writes.push(Stmt::assign(target.clone(), Expr::variable(name), span));
        }
        reads.extend(writes);
        Ok(reads)
    }
}

impl Writer<'_> {
    /// Writes JSR.
    pub(super) fn jump(&mut self, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Expr, &'static str> {
        let (routine, rest) = texts.split_first().ok_or(PARAMETERS)?;
        let routine = self.text(routine);
        let args = rest.iter().map(|text| self.operand(text)).collect::<Result<Vec<_>, _>>()?;
        let call = self.scope.call_with(&routine, &args, span)?;
        self.when(state, call, span);
        self.ladder.prescan.push(prescan_of_routines::of_routine(&routine, span));
        self.ladder.jumps_to.push(routine.clone());
        self.ladder.calls.push(routine);
        Ok(state.clone())
    }

    /// Writes FOR: a routine is called while the index is within its limits.
    ///
    /// Soundness: limits that the routine may change, and a step of 0, are gaps.
    pub(super) fn repeat(&mut self, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Expr, &'static str> {
        let [routine, index, first, last, step] = texts else { return Err(OPERAND) };
        let routine = self.text(routine);
        let words = "instruction FOR";
        let call = self.scope.call_of(&routine, span).ok_or(words)?;
        let takes_none = self.scope.shapes.subroutines.get(&key(&routine)).is_none_or(|s| s.inputs.is_empty());
        let (index, first) = (self.target(index)?, self.integer(first)?);
        let (last, step) = (self.integer(last)?, self.integer(step)?);
        let direction = match number(&step) {
            Some(step) if 0 < step => BinOp::Le,
            Some(step) if step < 0 => BinOp::Ge,
            _ => return Err(words),
        };
        if !takes_none || number(&last).is_none() || self.scope.shape(&index).as_deref() != Some("DINT") {
            return Err(words);
        }
        let broken = Expr::variable(Ident::new(BREAK, span));
        let clear = Stmt::assign(broken.clone(), Expr::truth(false, span), span);
        let exit = Stmt::when(broken, vec![Stmt { kind: StmtKind::Exit, span }], span);
        let sum = binary(BinOp::Add, index.clone(), step, span);
        let next = Stmt::assign(index.clone(), sum, span);
        let body = vec![clear, Stmt { kind: call, span }, exit, next];
        let condition = binary(direction, index.clone(), last, span);
        let begin = Stmt::assign(index, first, span);
        // A BRK has ended this loop, and none around it.
        let ended = Stmt::assign(Expr::variable(Ident::new(BREAK, span)), Expr::truth(false, span), span);
        self.when(state, vec![begin, Stmt { kind: StmtKind::While(condition, body), span }, ended], span);
        self.ladder.prescan.extend(prescan_of_routines::of_loop(&routine, span));
        self.ladder.loops = true;
        self.ladder.calls.push(routine);
        Ok(state.clone())
    }

    /// Writes BRK: the routine ends, and so does the FOR that called it.
    pub(super) fn break_off(&mut self, state: &Expr, span: Span) {
        let set = Stmt::assign(Expr::variable(Ident::new(BREAK, span)), Expr::truth(true, span), span);
        self.when(state, vec![set, Stmt { kind: StmtKind::Return, span }], span);
        self.ladder.breaks = true;
    }
}

/// Returns the number that a literal is, with its sign.
pub(super) fn number(e: &Expr) -> Option<i128> {
    if let ExprKind::Unary(UnOp::Neg, operand) = &e.kind { number_in(operand).map(|number| -number) } else { number_in(e) }
}

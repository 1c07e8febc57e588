//! Statements of rungs: each instruction takes the state of its rung and gives one to the next instruction.
//!
//! A level of a branch begins with the state before the branch; the state behind a branch is the OR of its levels.
//! Instructions execute from left to right and from top to bottom, also where their rung is FALSE.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::calls::Scope;
use super::counters::member;
use super::rungs::{self, Part};
use super::{Reader, aliases, attribute, calls, expressions, flags, gaps, key, pictures, zones};
use crate::ast::build::joined;
use crate::ast::{Arg, Expr, ExprKind, Ident, Notation, Stmt, StmtKind};
use crate::hir::{BinOp, Carrier};
use crate::lang::common::clipped;
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::Span;

/// Statements of a routine in ladder.
#[derive(Default)]
pub(super) struct Ladder {
    pub(super) stmts: Vec<Stmt>,
    /// Statements of the prescan, before the first cycle.
    pub(super) prescan: Vec<Stmt>,
    /// Routines that it calls.
    pub(super) calls: Vec<String>,
    /// Routines that its JSR call.
    pub(super) jumps_to: Vec<String>,
    /// State with which rungs begin behind an MCR, if it may be FALSE; see [`zones`].
    pub(super) zone: Option<Expr>,
    /// The routine has jumps.
    pub(super) jumps: bool,
    /// The routine has a FOR.
    pub(super) loops: bool,
    /// The routine has a BRK.
    pub(super) breaks: bool,
    /// The routine is a chart.
    pub(super) is_chart: bool,
    /// Sources of the power behind instructions, by the places where they begin.
    pub(super) powers: BTreeMap<usize, Carrier>,
}

/// Instruction whose operands are not of a kind that is modelled.
pub(super) const OPERAND: &str = "operand of a rung that is not modelled";

impl Reader {
    /// Reads the rungs of a routine.
    pub(super) fn ladder(&mut self, routine: Element<'_>, scope: &Scope<'_>, plain: &str) -> Ladder {
        let mut ladder = Ladder::default();
        let texts = routine.descendants().filter(|e| e.name() == "Text").filter_map(Element::text_range);
        ladder.jumps = texts.into_iter().any(|range| plain.get(range).is_some_and(|text| text.contains("JMP(")));
        for rung in routine.children_named("RLLContent").flat_map(|content| content.children_named("Rung")) {
            let span = rung.tag_span();
            // Rungs that are being edited online stand twice.
            if attribute(rung, "Type").as_deref().is_some_and(|ty| ty != "N") {
                ladder.stmts.push(Stmt::unsupported("rung with pending edits", span));
                continue;
            }
            let range = rung.child("Text").and_then(Element::text_range);
            let Some(parts) = range.and_then(|range| rungs::read(plain, range)) else {
                ladder.stmts.push(Stmt::unsupported("rung that is not neutral text", span));
                continue;
            };
            for series in parts {
                if zones::is_misplaced(&series) {
                    ladder.stmts.push(Stmt::unsupported("MCR that is not the last instruction of its rung", span));
                    continue;
                }
                let refused = RefCell::default();
                let mut writer = Writer { file: self.unit.file, scope, plain, ladder: &mut ladder, refused };
                let begin = writer.ladder.zone.clone().unwrap_or_else(|| Expr::truth(true, span));
                let power = pictures::power(&begin);
                let n_before = writer.ladder.stmts.len();
                writer.series(&series, begin.clone(), span);
                writer.execute(n_before, &series, begin);
                let written = ladder.stmts.get(n_before..).unwrap_or_default();
                if written.iter().any(|stmt| matches!(stmt.kind, StmtKind::Unsupported(_))) {
                    continue;
                }
                let title = title(routine, rung);
                let (file, powers) = (self.unit.file, &ladder.powers);
                let (written, shapes, parts) = (self.written.as_str(), scope.shapes, series.as_slice());
                let drawn = pictures::Rung { file, text: plain, written, shapes, parts, title, powers, begin: power, span };
                let home = attribute(routine, "Name").map(|name| scope.action_of(&name));
                self.pictures.extend(home.and_then(|home| pictures::draw(&drawn, &home)));
            }
        }
        if ladder.zone.is_some() {
            scope.assume(zones::WITHOUT_END);
        }
        if scope.shapes.uses_flags {
            ladder.stmts.splice(0..0, flags::unknown(routine.tag_span()));
        }
        ladder
    }
}

/// Returns the routine of a rung, its number and its comment.
fn title(routine: Element<'_>, rung: Element<'_>) -> String {
    let name = attribute(routine, "Name").unwrap_or_default();
    let number = attribute(rung, "Number").unwrap_or_default();
    let comment = rung.child("Comment").map(|comment| comment.text().split_whitespace().collect::<Vec<_>>().join(" "));
    match comment.filter(|comment| !comment.is_empty()) {
        Some(comment) => clipped(format!("{name}, rung {number}: {comment}"), 120),
        None => format!("{name}, rung {number}"),
    }
}

pub(super) struct Writer<'w> {
    file: crate::text::FileId,
    pub(super) scope: &'w Scope<'w>,
    plain: &'w str,
    pub(super) ladder: &'w mut Ladder,
    /// Reason why an instruction is not modelled.
    pub(super) refused: RefCell<Option<String>>,
}

impl Writer<'_> {
    fn series(&mut self, parts: &[Part], mut state: Expr, span: Span) -> Expr {
        for part in parts {
            state = match part {
                Part::Instruction { name, operands, all } => {
                    let span = Span::new(self.file, all.start, all.end);
                    let at = self.ladder.stmts.len();
                    self.scope.shapes.assumed.at(Some(span));
                    let next = self.instruction(name, operands, &state, span);
                    self.divisors(at, &state, span);
                    if self.scope.shapes.uses_flags && self.changes_flags(name, operands) {
                        self.ladder.stmts.extend(flags::unknown(start_of(span)));
                    }
                    let next = next.unwrap_or_else(|words| {
                        let words = self.gap(name, words);
                        self.unmodelled(name, operands, &state, (&words, span)).unwrap_or_else(|| {
                            self.ladder.stmts.push(Stmt::unsupported(words, span));
                            state
                        })
                    });
                    self.scope.shapes.assumed.at(None);
                    self.ladder.powers.insert(all.start, pictures::power(&next));
                    next
                }
                Part::Branch(levels) => {
                    let states = levels.iter().map(|level| self.series(level, state.clone(), span)).collect();
                    let any = joined(BinOp::Or, states, |_| span).unwrap_or(state);
                    self.keep(any, span)
                }
            };
        }
        state
    }

    /// Lets a rung execute whose instructions all wait for power: drawings show it as executed, without power.
    fn execute(&mut self, n_before: usize, series: &[Part], begin: Expr) {
        let own = self.ladder.stmts.get(n_before..).unwrap_or_default();
        let Some(first) = pictures::not_shown(series, own) else { return };
        self.keep(begin, Span::new(self.file, first.start, first.end));
        // It comes before the other statements of its rung.
        if let Some(stmts) = self.ladder.stmts.get_mut(n_before..) {
            stmts.rotate_right(1);
        }
    }

    /// Returns the words of a gap; of an operand with its instruction and the reason.
    fn gap(&self, instruction: &str, words: &'static str) -> Cow<'static, str> {
        match self.refused.take() {
            Some(refused) if words == OPERAND => format!("{instruction}: {refused}").into(),
            _ if words == OPERAND => format!("{instruction}: number or kind of its operands").into(),
            _ => words.into(),
        }
    }

    /// Adds assertions about the divisors of an instruction before its statements.
    fn divisors(&mut self, at: usize, state: &Expr, span: Span) {
        let divisors = std::mem::take(&mut *self.scope.shapes.divisors.borrow_mut());
        if !divisors.is_empty() {
            self.scope.shapes.divides.set(true);
            self.ladder.stmts.insert(at, guarded(state, calls::not_zero(divisors), span));
        }
        // Texts are compared whatever the state is: their hidden variables need values.
        let before = std::mem::take(&mut *self.scope.shapes.before.borrow_mut());
        self.ladder.stmts.splice(at..at, before);
    }

    /// Keeps a state in a hidden variable: later instructions do not change it. No tag has two underscores in a row.
    pub(super) fn keep(&mut self, state: Expr, span: Span) -> Expr {
        // Routines of one program share their hidden variables, and drawings show them.
        let n_states = self.scope.shapes.n_states.get() + 1;
        self.scope.shapes.n_states.set(n_states);
        let name = Ident::new(format!("_rung__{n_states}"), span);
        self.ladder.stmts.push(Stmt { kind: StmtKind::Let(name.clone(), state), span });
        Expr::variable(name)
    }

    pub(super) fn operand(&self, range: &Range<usize>) -> Result<Expr, &'static str> {
        let mut operand = self.written(range).ok_or_else(|| self.refuse(range, "is no expression that is read"))?;
        if let ExprKind::Name(name) = &mut operand.kind {
            expressions::of_path(name, &mut |e| self.scope.exact_operation(e));
        }
        Ok(operand)
    }

    /// Returns an operand as it is written, with the targets of aliases and the hosts of bits.
    pub(super) fn written(&self, range: &Range<usize>) -> Option<Expr> {
        let parsed = embedded::logix_expression(self.file, self.plain, range.clone());
        let operand = parsed.value.filter(|_| parsed.diagnostics.is_empty())?;
        let span = operand.span;
        let mut stmts = vec![Stmt { kind: StmtKind::Value(operand), span }];
        aliases::substitute(&self.scope.aliases, &mut stmts, span);
        self.scope.shapes.put_hosts(&self.scope.variables, &mut stmts, span);
        let Some(Stmt { kind: StmtKind::Value(operand), .. }) = stmts.pop() else { return None };
        Some(operand)
    }

    pub(super) fn when(&mut self, state: &Expr, stmts: Vec<Stmt>, span: Span) {
        self.ladder.stmts.push(guarded(state, stmts, span));
    }

    /// Adds a statement of the prescan.
    ///
    /// The prescan of an Add-On Instruction has the parameters of its call.
    pub(super) fn prescan(&mut self, target: &Expr, value: Expr, span: Span) -> Result<(), &'static str> {
        // No drawing of the rung shows it as an execution.
        let before = start_of(span);
        let clear = Stmt::assign(target.clone(), value, before);
        self.ladder.prescan.push(match self.scope.is_inside(target, before) {
            Some(is_inside) => Stmt::when(is_inside, vec![clear], before),
            None => clear,
        });
        Ok(())
    }

    /// Writes an instruction; returns the state behind it, or the words of the gap.
    fn instruction(&mut self, name: &str, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Expr, &'static str> {
        if self.scope.shapes.required(name).is_some() {
            return self.add_on(name, texts, state, span);
        }
        if let Some(next) = self.flow(name, texts, state, span)? {
            return Ok(next);
        }
        if let Some(next) = self.compared_texts(name, texts, state, span)? {
            return Ok(next);
        }
        let next = state.clone();
        match (name, texts) {
            ("NOP", _) => {}
            ("XIC" | "XIO", [bit]) => {
                let mut bit = self.bit(bit)?;
                self.scope.exact(&mut bit);
                return Ok(self.contact(bit, name == "XIO", next, span));
            }
            ("OTE", [bit]) => self.coil(bit, state, span)?,
            ("OTL" | "OTU", [bit]) => {
                let set = Stmt::assign(self.written_bit(bit)?, Expr::truth(name == "OTL", span), span);
                self.when(state, vec![set], span);
            }
            ("ONS" | "OSR" | "OSF", _) => return self.one_shot(name, texts, next, span),
            ("TON", [timer, ..]) => self.time("TON", timer, state, span)?,
            ("TOF", [timer, ..]) => self.time("TOF", timer, state, span)?,
            ("RTO", [timer, ..]) => self.time("RTO", timer, state, span)?,
            ("CTU" | "CTD", [counter, _, _]) => self.count(name, counter, state, span)?,
            ("RES", [structure]) => self.reset(structure, state, span)?,
            ("COP" | "CPS" | "FLL", [source, target, length]) => {
                let (source, target, length) = (self.operand(source)?, self.operand(target)?, self.operand(length)?);
                let copy = self.scope.copied(name, (&source, &target, &length), span);
                let copy = copy.ok_or_else(|| self.because(self.scope.why_not_copied(name, (&source, &target, &length))))?;
                self.when(state, copy, span);
            }
            ("CONCAT" | "MID" | "DELETE" | "DTOS" | "INSERT" | "FIND" | "STOD" | "UPPER" | "LOWER", _) => {
                let words = gaps::words_of(name).unwrap_or(OPERAND);
                let operands = texts.iter().map(|text| self.operand(text)).collect::<Result<Vec<_>, _>>()?;
                let stmts = self.scope.text_instruction(name, &operands, span).ok_or(words)?;
                self.when(state, stmts, span);
            }
            ("SIZE", [array, dimension, target]) => {
                let args = [array, dimension, target].map(|text| self.operand(text).map(Arg::Positional));
                let args = args.into_iter().collect::<Result<Vec<_>, _>>()?;
                let kind = self.scope.size(&args).ok_or_else(|| {
                    self.because(format!("`{}` is no array with a dimension `{}`", self.text(array), self.text(dimension)))
                })?;
                self.when(state, vec![Stmt { kind, span }], span);
            }
            ("SQI", _) => {
                if let Some(next) = self.input_step(name, texts, state, span)? {
                    return Ok(next);
                }
                return Err(OPERAND);
            }
            _ if self.computed(name, texts, state, span)?
                || self.register(name, texts, state, span)?
                || self.sequenced(name, texts, state, span)?
                || self.system(name, texts, state, span)? => {}
            _ => match self.compared(name, texts, span)? {
                Some(condition) => return Ok(self.tested(next, condition, span)),
                None if self.scope.shapes.protected.contains(&key(name)) => {
                    return Err("call of an Add-On Instruction whose source is protected");
                }
                None => return Err(gaps::words_of(name).unwrap_or("instruction that is not known")),
            },
        }
        Ok(next)
    }

    /// Writes an instruction that changes the order of rungs; `None` for other instructions.
    fn flow(&mut self, name: &str, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Option<Expr>, &'static str> {
        let label = |writer: &Self, range: &Range<usize>| Ident::new(writer.text(range), span);
        match (name, texts) {
            ("JSR", _) => return self.jump(texts, state, span).map(Some),
            ("FOR", _) => return self.repeat(texts, state, span).map(Some),
            ("BRK", []) => self.break_off(state, span),
            // Its callers copy the parameters.
            ("SBR", _) if self.ladder.stmts.is_empty() => {}
            ("AFI", _) => return Ok(Some(Expr::truth(false, span))),
            // A jump may lead around the beginning of a zone.
            ("MCR", _) if self.ladder.jumps => return Err("MCR in a routine with jumps"),
            ("MCR", _) => self.ladder.zone = zones::behind(self, state, span),
            ("TND" | "RET", _) => {
                let end = Stmt { kind: StmtKind::Return, span };
                self.when(state, vec![end], span);
            }
            ("JMP", [target]) => {
                let jump = Stmt { kind: StmtKind::Goto(label(self, target), Notation::Other), span };
                self.when(state, vec![jump], span);
            }
            ("LBL", [target]) => {
                if !is_true(state) {
                    return Err("LBL that does not begin its rung");
                }
                let kind = StmtKind::Label(label(self, target), Notation::Other);
                self.ladder.stmts.push(Stmt { kind, span });
            }
            _ => return Ok(None),
        }
        Ok(Some(state.clone()))
    }

    pub(super) fn text(&self, range: &Range<usize>) -> String {
        self.plain.get(range.clone()).unwrap_or("").trim().to_owned()
    }

    /// Writes the call of an Add-On Instruction: its logic where the rung is TRUE, else its routine EnableInFalse.
    fn add_on(&mut self, name: &str, texts: &[Range<usize>], state: &Expr, span: Span) -> Result<Expr, &'static str> {
        let args = texts.iter().map(|text| self.operand(text).map(Arg::Positional)).collect::<Result<Vec<_>, _>>()?;
        let required = self.scope.shapes.required(name).ok_or(OPERAND)?;
        let StmtKind::Call(instance, mut args) = self.scope.add_on(required, &args).ok_or(OPERAND)? else {
            return Err("call of an Add-On Instruction with missing arguments");
        };
        let tag = Expr { kind: ExprKind::Name(instance.clone()), span };
        let enable = member(&tag, "EnableOut", span);
        let not_enabled = self.scope.shapes.not_enabled(name, &tag, span);
        let is_always = is_true(state);
        self.ladder.prescan.extend(self.scope.prescan_of_call(name, &instance, &args, span));
        if self.scope.shapes.runs_disabled(name) {
            args.push(Arg::Input(Ident::new("EnableIn", span), state.clone()));
            self.ladder.stmts.extend(self.scope.call_and_outputs(instance, args, span));
        } else if is_always {
            self.ladder.stmts.extend(self.scope.call_and_outputs(instance, args, span));
        } else {
            if self.scope.shapes.aliased.contains(&key(name)) {
                self.scope.shapes.skips.set(true);
            }
            let mut rest = self.scope.passed_inputs(name, &instance, &args, span);
            let call = self.scope.call_and_outputs(instance, args, span);
            rest.extend(not_enabled);
            rest.push(Stmt::assign(enable.clone(), Expr::truth(false, span), span));
            self.ladder.stmts.push(Stmt { kind: StmtKind::If(vec![(state.clone(), call)], rest), span });
        }
        Ok(self.keep(enable, span))
    }
}

/// Returns statements that execute where a rung is TRUE. Their instruction is executed with them, not with their condition.
pub(super) fn guarded(state: &Expr, stmts: Vec<Stmt>, span: Span) -> Stmt {
    Stmt::when(state.clone(), stmts, start_of(span))
}

/// Returns the beginning of a place, which has no text.
pub(super) fn start_of(span: Span) -> Span {
    Span { end: span.start, ..span }
}

pub(super) fn is_true(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Literal(None, crate::ast::Literal::Bool(true)))
}

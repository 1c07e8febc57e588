//! Values that a program asks its controller for, and results that no manual states: each place reads an input of its own.
//!
//! A place that runs at most once in a cycle has a plain input, with one value for each cycle. Other places, in loops and in POUs that
//! run several times, have a new value at each execution ([`crate::hir::Project::at_call`]).
//!
//! Soundness: the values of all places are independent, so every behaviour of the controller is among them.

use crate::environment::{is_loop, repeated};
use crate::hir::{
    Address, AddressArea, AddressSize, Expr, ExprKind, GlobalId, Interface, Place, PouId, PouKind, Root, Section, Stmt, StmtKind,
    TypeId, Var, VisitMut,
};
use crate::resolve::resolver::Resolver;
use crate::text::{Gap, GapId, Origin, SourceSet, Span, Treatment, key};
use std::collections::{BTreeMap, BTreeSet};

/// Most characters of an instruction that the name of its input is taken from.
const LONGEST: u32 = 160;

impl Resolver<'_> {
    /// Returns whether a POU can ask the controller for a value: a function without parameters.
    pub(crate) fn can_be_asked(&self, id: PouId) -> bool {
        let pou = &self.project.pous[id];
        let is_function = matches!(pou.kind, PouKind::Function(Some(_))) && pou.member_of.is_none();
        is_function && pou.vars.iter().all(|var| var.section == Section::Result)
    }

    /// Replaces the calls of functions that give values of the controller by reads of inputs.
    pub(crate) fn give_system_values(&mut self, functions: &BTreeMap<PouId, Interface>, sources: &SourceSet) {
        let Some(first) = functions.keys().next() else { return };
        let gap = self.findings.record(Gap {
            span: self.project.pous[*first].span,
            construct: if functions.values().any(|interface| *interface == Interface::System) {
                "values of the controller, which the program asks for".to_owned()
            } else {
                "results that no manual states".to_owned()
            },
            treatment: Treatment::OverApproximated,
            effect: "each execution gives any value of its type, or of the range that the manual states".to_owned(),
        });
        let repeated = repeated(&self.project);
        let n_globals = self.project.globals.len();
        let mut asked = Vec::new();
        for id in self.project.pous.ids().collect::<Vec<_>>() {
            let mut body = std::mem::take(&mut self.project.pous[id].body);
            let mut asks = Asks { functions, gap, n_globals, repeats: repeated.contains(&id), asked: &mut asked };
            asks.body(&mut body);
            self.project.pous[id].body = body;
        }
        // Conditions of requirements may name it.
        for id in functions.keys() {
            let span = self.project.pous[*id].span;
            self.project.pous[*id].body = vec![Stmt { kind: StmtKind::Gap(gap), span }];
        }
        let mut told = BTreeSet::new();
        for Asked { ty, span, repeats, callee } in asked {
            let interface = functions.get(&callee).copied().unwrap_or(Interface::System);
            let cause = Cause::of(&self.project.pous[callee].name);
            let name = self.free_name(sources, span, interface, cause);
            // An instruction may give several values.
            if interface == Interface::Undefined && (cause == Cause::Value || told.insert(span)) {
                let (construct, why) = match cause {
                    Cause::Instruction => ("result of an instruction without a model", "it is not modelled"),
                    Cause::Value => ("value that its integer type cannot hold", "no manual states the result"),
                };
                self.findings.record(Gap {
                    span,
                    construct: construct.to_owned(),
                    treatment: Treatment::AssumedByRuns,
                    effect: format!("{why}; the run takes any value for it, shown as `{name}`"),
                });
            }
            let address = Some(Address { area: AddressArea::Input, size: AddressSize::Bit, path: Vec::new() });
            let global = self.project.globals.push(Var { address, ..Var::new(name.clone(), ty, Section::Global, span) });
            self.names.globals.insert(key(&name), global);
            if repeats {
                self.project.at_call.insert(global);
            }
        }
    }

    /// Returns the name of the input for an instruction: its words and its line. No tag has two underscores in a row. In a block of a
    /// library it is the name of the function.
    fn free_name(&self, sources: &SourceSet, span: Span, interface: Interface, cause: Cause) -> String {
        let text = sources.files.get(span.file).map_or(0, |file| file.text.len() as u32);
        let around = sources.text(Span { end: span.start.saturating_add(LONGEST).min(text), ..span });
        if interface == Interface::Undefined {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let word = around.split(|c: char| !is_part(c)).next().filter(|word| !word.is_empty()).unwrap_or("value");
            let cause = match cause {
                Cause::Instruction => "not_modelled",
                Cause::Value => "out_of_range",
            };
            return self.numbered(format!("{word}__{cause}_line_{}", sources.line_col(span).line));
        }
        let (word, rest) = around.split_once('(').unwrap_or(("", ""));
        let operands = rest.split(')').next().unwrap_or("").split(',').map(plain).filter(|operand| !operand.is_empty());
        let operands: Vec<String> = operands.collect();
        // The last operand is the tag that gets the value.
        let operands = operands.split_last().map_or(&[][..], |(_, asked)| asked);
        if sources.files.get(span.file).is_some_and(|file| file.origin == Origin::Library) {
            return self.numbered(word.to_owned());
        }
        let word = Some(plain(word)).filter(|word| !word.is_empty()).unwrap_or_else(|| "System".to_owned());
        self.numbered(format!("{word}__{}_line_{}", operands.join("_"), sources.line_col(span).line))
    }

    /// Returns a name, with a number behind it if a variable has the name already.
    fn numbered(&self, name: String) -> String {
        let numbered = (2_u32..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        names.find(|name| !self.names.globals.contains_key(&key(name))).unwrap_or_default()
    }
}

/// Returns the letters and digits of a word.
fn plain(word: &str) -> String {
    word.chars().filter(|c| c.is_ascii_alphanumeric()).collect()
}

/// Place that asks for a value.
struct Asked {
    ty: TypeId,
    span: Span,
    /// It may run several times in a cycle: each time it has a new value.
    repeats: bool,
    callee: PouId,
}

/// Cause of a value that no manual states.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The result of a conversion.
    Value,
    /// An instruction without a model.
    Instruction,
}

impl Cause {
    /// Returns the cause that a function of a library stands for.
    fn of(function: &str) -> Cause {
        if function.to_ascii_uppercase().starts_with("NOT_MODELLED__") { Cause::Instruction } else { Cause::Value }
    }
}

/// Replaces calls of functions.
struct Asks<'p> {
    functions: &'p BTreeMap<PouId, Interface>,
    gap: GapId,
    n_globals: usize,
    repeats: bool,
    asked: &'p mut Vec<Asked>,
}

impl<'h> VisitMut<'h> for Asks<'_> {
    fn stmt(&mut self, stmt: &'h mut Stmt) {
        let before = self.repeats;
        self.repeats |= is_loop(stmt);
        self.stmt_parts(stmt);
        self.repeats = before;
    }

    fn expr(&mut self, e: &'h mut Expr) {
        self.expr_parts(e);
        let ExprKind::Call(callee, _) = &e.kind else { return };
        if !self.functions.contains_key(callee) {
            return;
        }
        let (callee, ty, span) = (*callee, e.ty, e.span);
        let root = Root::Global(GlobalId((self.n_globals + self.asked.len()) as u32));
        self.asked.push(Asked { ty, span, repeats: self.repeats, callee });
        let read = Expr::read(Place::of(root, ty, span));
        *e = match self.repeats {
            true => Expr::new(ExprKind::Arbitrary { gap: self.gap, concrete: Some(Box::new(read)) }, ty, span),
            false => read,
        };
    }
}

//! Past operators in the text of a requirement: `PREVIOUS(x)`, `ONCE(x)`, `HISTORICALLY(x)`, `SINCE(x, y)`, `ROSE(x)`,
//! `FELL(x)` and `HELD(x, T#5s)` are read around the conditions of ST.
//!
//! They may stand wherever AND, OR, NOT and XOR combine conditions. A part without such operators goes to the resolver whole,
//! with the other parts blanked out, so that its findings keep their columns. A function of the program with such a name has
//! priority.

use plc_frontend::Loaded;
use plc_frontend::ast::{Arg, Expr, ExprKind, Literal, NameElem};
use plc_frontend::codes;
use plc_frontend::diagnostic::{Diagnostic, Parsed};
use plc_frontend::hir::{BinOp, UnOp};
use plc_frontend::ids::Id;
use plc_frontend::lang::parse_condition;
use plc_frontend::source::{FileId, Origin, SourceFile, Span};

use super::formula::Formula;

/// The operators, for messages and help.
pub const OPERATORS: &[(&str, &str)] = &[
    ("PREVIOUS(x)", "x at the end of the cycle before; FALSE in the first cycle"),
    ("ONCE(x)", "x at the end of this or some earlier cycle"),
    ("HISTORICALLY(x)", "x at the end of this and every earlier cycle"),
    ("SINCE(x, y)", "y at the end of this or some earlier cycle, and x at the end of every cycle after that one"),
    ("ROSE(x)", "x now and not at the end of the cycle before"),
    ("FELL(x)", "not x now, but at the end of the cycle before"),
    ("HELD(x, T#5s)", "x for at least so long, measured from the end of the cycle in which it became true"),
];

/// Reads a condition that may be about the past.
///
/// Cost: each condition inside is parsed twice.
pub fn formula(loaded: &mut Loaded, name: &str, text: &str) -> Parsed<Option<Formula>> {
    let file = SourceFile::new(name, text, Origin::Condition);
    let names = Names { own: own_functions(loaded) };
    // The text is parsed on its own first: most conditions are not about the past.
    let shape =
        parse_condition(FileId::new(loaded.sources.files.len()), text, loaded.dialect).value.filter(|e| names.looks_back(e));
    let Some(shape) = shape else {
        let parsed = plc_frontend::condition(loaded, name, text);
        return Parsed { value: parsed.value.map(Formula::Now), diagnostics: parsed.diagnostics };
    };
    loaded.sources.files.push(file);
    let mut reader = Reader { loaded, names, name, text, diagnostics: Vec::new() };
    let value = reader.read(&shape);
    let value = if reader.diagnostics.is_empty() { value } else { None };
    Parsed { value, diagnostics: reader.diagnostics }
}

/// Returns a TIME literal of whole milliseconds up to a day.
pub(super) fn milliseconds(e: &Expr) -> Option<u32> {
    const DAY: i128 = 86_400_000;
    let ExprKind::Literal(_, Literal::Duration { ns, .. }) = &e.kind else { return None };
    let is_whole = ns % 1_000_000 == 0 && (0..=DAY).contains(&(ns / 1_000_000));
    if is_whole { u32::try_from(ns / 1_000_000).ok() } else { None }
}

/// Returns the functions of the program with the name of an operator.
fn own_functions(loaded: &Loaded) -> Vec<String> {
    let is_operator = |name: &str| Operator::of(name).is_some();
    loaded.project.pous.iter().map(|pou| pou.name.to_ascii_uppercase()).filter(|name| is_operator(name)).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Previous,
    Once,
    Historically,
    Since,
    Rose,
    Fell,
    Held,
}

impl Operator {
    fn of(name: &str) -> Option<Operator> {
        Some(match name.to_ascii_uppercase().as_str() {
            "PREVIOUS" => Operator::Previous,
            "ONCE" => Operator::Once,
            "HISTORICALLY" => Operator::Historically,
            "SINCE" => Operator::Since,
            "ROSE" => Operator::Rose,
            "FELL" => Operator::Fell,
            "HELD" => Operator::Held,
            _ => return None,
        })
    }
    fn form(self) -> &'static str {
        let at = match self {
            Operator::Previous => 0,
            Operator::Once => 1,
            Operator::Historically => 2,
            Operator::Since => 3,
            Operator::Rose => 4,
            Operator::Fell => 5,
            Operator::Held => 6,
        };
        OPERATORS[at].0
    }
}

struct Names {
    own: Vec<String>,
}

impl Names {
    fn operator(&self, e: &Expr) -> Option<Operator> {
        let ExprKind::Call(name, _) = &e.kind else { return None };
        let is_own = self.own.contains(&name.root.text.to_ascii_uppercase());
        if name.path.is_empty() && !is_own { Operator::of(&name.root.text) } else { None }
    }
    /// Returns whether an operator stands anywhere in it.
    fn looks_back(&self, e: &Expr) -> bool {
        let args = |args: &[Arg]| args.iter().filter_map(argument).any(|a| self.looks_back(a));
        self.operator(e).is_some()
            || match &e.kind {
                ExprKind::Literal(..) | ExprKind::Address(_) | ExprKind::Error => false,
                ExprKind::Name(name) => self.in_path(&name.path),
                ExprKind::Call(name, given) => args(given) || self.in_path(&name.path),
                ExprKind::Unary(_, a) => self.looks_back(a),
                ExprKind::Binary(_, a, b) => self.looks_back(a) || self.looks_back(b),
            }
    }
    fn in_path(&self, path: &[NameElem]) -> bool {
        path.iter().any(|elem| match elem {
            NameElem::Index(indices, _) => indices.iter().any(|e| self.looks_back(e)),
            NameElem::Call(args, _) => args.iter().filter_map(argument).any(|e| self.looks_back(e)),
            NameElem::Field(_) | NameElem::Bits { .. } | NameElem::Deref(_) => false,
        })
    }
}

fn argument(arg: &Arg) -> Option<&Expr> {
    match arg {
        Arg::Positional(e) | Arg::Input(_, e) => Some(e),
        Arg::Output { target, .. } => target.as_ref(),
    }
}

struct Reader<'a> {
    loaded: &'a mut Loaded,
    names: Names,
    name: &'a str,
    text: &'a str,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn read(&mut self, e: &Expr) -> Option<Formula> {
        if !self.names.looks_back(e) {
            return self.condition(e.span);
        }
        if let Some(operator) = self.names.operator(e) {
            return self.operator(operator, e);
        }
        match &e.kind {
            ExprKind::Unary(UnOp::Not, a) => Some(self.read(a)?.negated()),
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::AndThen | BinOp::OrElse), a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                let (a, b) = (self.small(a?, e.span)?, self.small(b?, e.span)?);
                Some(if matches!(op, BinOp::Xor) {
                    a.clone().and(b.clone().negated()).or(a.negated().and(b))
                } else if matches!(op, BinOp::Or | BinOp::OrElse) {
                    a.or(b)
                } else {
                    a.and(b)
                })
            }
            ExprKind::Literal(..)
            | ExprKind::Name(_)
            | ExprKind::Address(_)
            | ExprKind::Call(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Error => {
                let message = "an operator that looks back stands inside something that is not a condition";
                self.refuse(e.span, message, "combine conditions with AND, OR, XOR and NOT around PREVIOUS, ONCE, SINCE …");
                None
            }
        }
    }

    fn operator(&mut self, operator: Operator, e: &Expr) -> Option<Formula> {
        let ExprKind::Call(_, args) = &e.kind else { return None };
        let given: Vec<&Expr> = args.iter().filter_map(|arg| if let Arg::Positional(e) = arg { Some(e) } else { None }).collect();
        let wanted = if matches!(operator, Operator::Since | Operator::Held) { 2 } else { 1 };
        if given.len() != wanted || args.len() != wanted {
            self.refuse(e.span, "this operator has other operands", &format!("it is written {}", operator.form()));
            return None;
        }
        let first = self.read(given[0]).and_then(|first| self.small(first, e.span));
        Some(match operator {
            Operator::Previous => first?.previous(),
            Operator::Once => first?.once(),
            Operator::Historically => first?.negated().once().negated(),
            Operator::Rose => {
                let x = first?;
                x.clone().and(x.previous().negated())
            }
            Operator::Fell => {
                let x = first?;
                x.clone().previous().and(x.negated())
            }
            Operator::Since => {
                let second = self.read(given[1]);
                Formula::Since(Box::new(first?), Box::new(second?))
            }
            Operator::Held => {
                let ms = self.duration(given[1]);
                Formula::Held(Box::new(first?), ms?)
            }
        })
    }

    /// Returns whole milliseconds up to a day.
    fn duration(&mut self, e: &Expr) -> Option<u32> {
        let found = milliseconds(e);
        if found.is_some() {
            return found;
        }
        self.refuse(e.span, "this is not a duration", "write a TIME literal of whole milliseconds, at most a day: T#500ms, T#5s");
        None
    }

    /// Returns a condition of the program: its text alone, at its place.
    fn condition(&mut self, span: Span) -> Option<Formula> {
        let (start, end) = (span.start as usize, span.end as usize);
        let blank =
            |part: &str| part.chars().map(|c| if c == '\n' { "\n".into() } else { " ".repeat(c.len_utf8()) }).collect::<String>();
        let alone = format!("{}{}{}", blank(self.text.get(..start)?), self.text.get(start..end)?, blank(self.text.get(end..)?));
        let parsed = plc_frontend::condition(self.loaded, self.name, &alone);
        self.diagnostics.extend(parsed.diagnostics);
        parsed.value.map(Formula::Now)
    }

    /// Refuses large formulas: XOR, ROSE and FELL repeat their operands, so nesting them grows exponentially.
    fn small(&mut self, formula: Formula, span: Span) -> Option<Formula> {
        /// Conditions in one formula.
        const MOST: usize = 512;
        if formula.conditions().len() <= MOST {
            return Some(formula);
        }
        self.refuse(span, "this requirement looks back in too many places", "state it as several requirements");
        None
    }

    fn refuse(&mut self, span: Span, message: &str, help: &str) {
        self.diagnostics.push(Diagnostic::error(codes::ARGUMENTS, span, message, "here").help(help));
    }
}

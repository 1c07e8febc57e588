//! Presets (PT) of timers: constant or not, zero or not.
//!
//! The moment at which a timer takes PT matters only if PT may change. The comparison in the first call matters only if PT may be
//! zero. A call with `IN := FALSE` and without PT starts no timer, so PT has its value before one runs. The analysis compares names, not variables. A PT that it cannot compute counts as one that may change and may be zero.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::walk::{self, Node};
use crate::ast::{
    Arg, Expr, ExprKind, Initializer, InitializerKind, Item, Literal, Name, NameElem, Section, StmtKind, TypeSpec, TypeSpecKind,
    Unit, VarBlock,
};
use crate::stdlib::preset_constants::{constants, is_global, literal};
use crate::text::{Span, key};

/// Timer whose PT may change or may be zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Timer {
    /// Last part of its name, as it is written.
    pub(crate) name: String,
    /// First place where PT may differ from the first one, or else the first place where it may be zero.
    pub(crate) span: Span,
    /// TRUE if PT may change.
    pub(crate) varies: bool,
    /// TRUE if PT may be zero.
    pub(crate) may_be_zero: bool,
}

/// Returns the timers whose PT may change or be zero, each once.
pub(crate) fn timers(units: &[&Unit]) -> Vec<Timer> {
    let mut collector = Collector { constants: constants(units), ..Collector::default() };
    for unit in units {
        walk::unit(unit, &mut |node| {
            if let Node::Item(Item::Pou(pou)) = node {
                collector.inherits |= pou.extends.is_some();
                collector.blocks.insert(key(&pou.name.text));
            }
            let vars = match node {
                Node::Block(block) => block.vars.as_slice(),
                Node::Type(TypeSpec { kind: TypeSpecKind::Struct(fields) | TypeSpecKind::Union(fields), .. }) => fields,
                Node::Item(_) | Node::Method(_) | Node::Type(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => &[],
            };
            collector.variables.extend(vars.iter().map(|var| key(&var.name.text)));
        });
    }
    for unit in units {
        walk::unit(unit, &mut |node| collector.visit(node));
    }
    collector.timers()
}

/// Returns whether the time of some timer may change.
pub(crate) fn varies(units: &[Unit]) -> bool {
    timers(&units.iter().collect::<Vec<_>>()).iter().any(|timer| timer.varies)
}

/// PT that one place gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GivenTime {
    /// No PT, and IN is FALSE: the timer does not run behind this call, and does not start in it.
    Idle,
    /// No PT.
    Nothing,
    /// A number of nanoseconds.
    Number(i128),
    /// PT without a known value.
    Unknown,
}

/// A place that may give a timer its PT.
struct Place {
    /// The declaration of the variable; 0 if other declarations may mean the same variable.
    owner: usize,
    /// Key of the last part of the timer's name.
    name: String,
    written: String,
    given: GivenTime,
    /// TRUE if the name may mean different timers in different calls.
    is_lent: bool,
    span: Span,
}

#[derive(Default)]
struct Collector {
    n_items: usize,
    /// Durations of CONSTANT variables, by the number of their declaration (0: global) and their name.
    constants: BTreeMap<(usize, String), Option<i128>>,
    locals: BTreeSet<String>,
    lent: BTreeSet<String>,
    /// POUs of the program. They are not standard timers.
    blocks: BTreeSet<String>,
    /// All variables and fields. A call of another name is one of a function or method.
    variables: BTreeSet<String>,
    /// Variables of a timer's type.
    declared: BTreeSet<String>,
    /// Instances of the program's own blocks.
    others: BTreeSet<String>,
    /// TRUE if a block inherits from another: a timer that one of them calls may belong to the other.
    inherits: bool,
    places: Vec<Place>,
}

/// Returns whether a standard block of this name takes a PT.
pub(crate) fn is_timer(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let base = name.strip_suffix("_LTIME").or(name.strip_suffix("_TIME")).unwrap_or(&name);
    ["TON", "TOF", "TP", "TONR", "LTON", "LTOF", "LTP"].contains(&base)
}

/// Returns the name of a type, or of the elements of an array of it.
#[expect(clippy::wildcard_enum_match_arm, reason = "only names and arrays of them can be timers")]
fn named(ty: &TypeSpec) -> Option<&str> {
    match &ty.kind {
        TypeSpecKind::Name(name) => Some(&name.text),
        TypeSpecKind::Array(_, elem) | TypeSpecKind::OpenArray(_, elem) => named(elem),
        _ => None,
    }
}

impl Collector {
    fn visit(&mut self, node: Node<'_>) {
        match node {
            Node::Item(_) => {
                self.n_items += 1;
                self.locals.clear();
                self.lent.clear();
            }
            Node::Block(block) => self.block(block),
            Node::Stmt(stmt) => {
                if let StmtKind::Call(name, args) = &stmt.kind {
                    self.call(name, args, stmt.span);
                } else if let StmtKind::Assign(target, value) = &stmt.kind {
                    self.assigned(target, value);
                }
            }
            Node::Method(_) | Node::Type(_) | Node::Expr(_) | Node::Name(_) => {}
        }
    }

    fn block(&mut self, block: &VarBlock) {
        let names = block.vars.iter().map(|var| key(&var.name.text));
        match block.section {
            Section::InOut => self.lent.extend(names),
            Section::External | Section::Global | Section::Config | Section::Access => {}
            Section::Var | Section::Input | Section::Output | Section::Temp | Section::Stat | Section::Inst => {
                self.locals.extend(names);
            }
        }
        for var in &block.vars {
            match named(&var.ty) {
                Some(ty) if self.blocks.contains(&key(ty)) => self.others.insert(key(&var.name.text)),
                Some(ty) if is_timer(ty) => self.declared.insert(key(&var.name.text)),
                Some(_) | None => false,
            };
            if let Some(Initializer { kind: InitializerKind::Struct(fields), .. }) = &var.init
                && let Some((_, pt)) = fields.iter().find(|(field, _)| field.text.eq_ignore_ascii_case("PT"))
            {
                let given = match &pt.kind {
                    InitializerKind::Expr(e) => self.time_of(e),
                    InitializerKind::Struct(_) | InitializerKind::Array(_) | InitializerKind::Elements(_) => GivenTime::Unknown,
                };
                let owner = if is_global(block) { 0 } else { self.n_items };
                let (written, name) = (var.name.text.clone(), key(&var.name.text));
                self.places.push(Place { owner, name, written, given, is_lent: false, span: pt.span });
            }
        }
    }

    fn call(&mut self, name: &Name, args: &[Arg], span: Span) {
        // Timers of charts do not belong to the program.
        if name.root.text.starts_with("__") {
            return;
        }
        let given = args.iter().find_map(|arg| match arg {
            Arg::Input(parameter, e) if parameter.text.eq_ignore_ascii_case("PT") => Some(self.time_of(e)),
            Arg::Input(..) | Arg::Positional(_) | Arg::Output { .. } => None,
        });
        // With arguments by position, the declaration of the block decides which one is PT.
        let by_position = 1 < args.iter().filter(|arg| matches!(arg, Arg::Positional(_))).count();
        let is_idle = args.iter().any(|arg| match arg {
            Arg::Input(parameter, e) => parameter.text.eq_ignore_ascii_case("IN") && is_false(e),
            Arg::Positional(_) | Arg::Output { .. } => false,
        });
        let nothing = if is_idle { GivenTime::Idle } else { GivenTime::Nothing };
        let given = if by_position { GivenTime::Unknown } else { given.unwrap_or(nothing) };
        let (written, plain) = last(name);
        let path = key(&written);
        if by_position && !self.variables.contains(&path) {
            return;
        }
        let is_lent = !plain || self.lent.contains(&key(&name.root.text));
        let is_own = name.path.iter().all(|elem| matches!(elem, NameElem::Index(..))) && self.locals.contains(&path);
        let owner = if is_own { self.n_items } else { 0 };
        self.places.push(Place { owner, name: path, written, given, is_lent, span });
    }

    fn assigned(&mut self, target: &Expr, value: &Expr) {
        let ExprKind::Name(name) = &target.kind else { return };
        let Some((NameElem::Field(field), front)) = name.path.split_last() else { return };
        if !field.text.eq_ignore_ascii_case("PT") {
            return;
        }
        let front = Name { root: name.root.clone(), path: front.to_vec(), span: name.span };
        let (written, plain) = last(&front);
        let (name, given) = (key(&written), self.time_of(value));
        self.places.push(Place { owner: 0, name, written, given, is_lent: !plain, span: target.span });
    }

    /// Returns the time of an expression.
    fn time_of(&self, e: &Expr) -> GivenTime {
        let number = if let ExprKind::Name(name) = &e.kind {
            let name = Some(&name.root.text).filter(|_| name.path.is_empty()).map(|text| key(text));
            // An inherited block may have a variable of this name, too.
            let is_inherited =
                |name: &str| self.inherits && self.constants.keys().any(|(owner, other)| *owner != 0 && other == name);
            name.and_then(|name| {
                let own = self.constants.get(&(self.n_items, name.clone()));
                own.or_else(|| self.constants.get(&(0, name.clone())).filter(|_| !is_inherited(&name))).copied().flatten()
            })
        } else {
            literal(e)
        };
        number.map_or(GivenTime::Unknown, GivenTime::Number)
    }

    fn timers(self) -> Vec<Timer> {
        let shared: BTreeSet<&str> = self.places.iter().filter(|p| p.owner == 0).map(|p| p.name.as_str()).collect();
        let mut rows: BTreeMap<(usize, &str), Vec<&Place>> = BTreeMap::new();
        for place in &self.places {
            let owner = if self.inherits || shared.contains(place.name.as_str()) { 0 } else { place.owner };
            rows.entry((owner, &place.name)).or_default().push(place);
        }
        let mut found = Vec::new();
        for ((_, name), places) in rows {
            // If no place gives a PT, the name is a timer only if it is declared as one.
            // A lent name may mean a timer that another call starts.
            let counts = |p: &&&Place| p.given != GivenTime::Idle || p.is_lent;
            let places: Vec<&Place> = places.iter().filter(counts).copied().collect();
            let gives = places.iter().any(|p| !matches!(p.given, GivenTime::Nothing | GivenTime::Idle));
            let is_other = self.others.contains(name) && !self.declared.contains(name) && !self.inherits;
            if is_other || !gives && !self.declared.contains(name) {
                continue;
            }
            let Some(first) = places.first() else { continue };
            let other = places.iter().find(|p| p.given == GivenTime::Unknown || p.given != first.given || (gives && p.is_lent));
            let zero = places.iter().find(|p| match p.given {
                // TIME counts milliseconds.
                GivenTime::Number(ns) => ns < 1_000_000,
                GivenTime::Unknown => true,
                GivenTime::Nothing | GivenTime::Idle => !gives || p.is_lent,
            });
            // A call without PT may run before the call with PT. Then PT has its initial value.
            let (varies, may_be_zero) = (gives && other.is_some(), zero.is_some() || (gives && other.is_some()));
            if let Some(place) = other.or(zero) {
                found.push(Timer { name: place.written.clone(), span: place.span, varies, may_be_zero });
            }
        }
        found
    }
}

/// Returns the last part of a name. The second result is TRUE if its path has only fields and indices.
fn last(name: &Name) -> (String, bool) {
    let mut text = name.root.text.clone();
    let mut plain = key(&text) != key("THIS") && key(&text) != key("SUPER");
    for elem in &name.path {
        match elem {
            NameElem::Field(field) => text = field.text.clone(),
            NameElem::Index(..) => {}
            NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => plain = false,
        }
    }
    (text, plain)
}

/// Returns whether an expression is FALSE, as a literal.
fn is_false(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Literal(_, Literal::Bool(false)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{FileId, Origin, SourceFile};

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let file = SourceFile::new("a.st", text, Origin::User);
        let parsed = crate::lang::parse(FileId(0), &file);
        assert!(parsed.diagnostics.is_empty(), "{text}: {:#?}", parsed.diagnostics);
        assert_eq!(timers(&[&parsed.value]).iter().any(|timer| timer.varies), expected, "{text}");
    }

    /// Checks timers: `name`, `name~` if PT varies, `name 0` if it may be zero.
    #[track_caller]
    fn check_timers(text: &str, expected: &[&str]) {
        let file = SourceFile::new("a.st", text, Origin::User);
        let parsed = crate::lang::parse(FileId(0), &file);
        assert!(parsed.diagnostics.is_empty(), "{text}: {:#?}", parsed.diagnostics);
        let word = |t: &Timer| format!("{}{}{}", t.name, if t.varies { "~" } else { "" }, if t.may_be_zero { " 0" } else { "" });
        assert_eq!(timers(&[&parsed.value]).iter().map(word).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn functions_and_methods_are_no_timers() {
        let program = |body: &str| format!("PROGRAM P VAR log : Trace; t : TON; s : STRING; END_VAR {body} END_PROGRAM\n");
        check_timers(&program("log.Error(s, 'stop'); MEMSET(s, 0, 4);"), &[]);
        check_timers(&program("t(TRUE, T#2s);"), &["t~ 0"]);
        let nested =
            "TYPE S : STRUCT inner : TON; END_STRUCT END_TYPE\nPROGRAM P VAR v : S; END_VAR v.inner(TRUE, T#2s); END_PROGRAM";
        check_timers(nested, &["inner~ 0"]);
    }

    #[test]
    fn a_constant_is_a_number() {
        let program = |vars: &str, body: &str| format!("PROGRAM P {vars} VAR Green, t : TON; END_VAR {body} END_PROGRAM\n");
        let constant = "VAR CONSTANT c : TIME := T#2s; END_VAR";
        check_timers(&program(constant, "Green(IN := TRUE, PT := c);"), &[]);
        check_timers(&program(constant, "Green(IN := TRUE, PT := c); Green(IN := FALSE, PT := T#2s);"), &[]);
        check_timers(&program(constant, "Green(IN := TRUE, PT := c); t(IN := TRUE, PT := c + c);"), &["t~ 0"]);
        check_timers(&program("VAR c : TIME := T#2s; END_VAR", "Green(IN := TRUE, PT := c);"), &["Green~ 0"]);
        check_timers(&program("VAR CONSTANT c : TIME; END_VAR", "Green(IN := TRUE, PT := c);"), &["Green~ 0"]);
        let global = "VAR_GLOBAL CONSTANT c : TIME := T#2s; END_VAR\n";
        let used = program("VAR_EXTERNAL CONSTANT c : TIME; END_VAR", "Green(IN := TRUE, PT := C);");
        check_timers(&format!("{global}{used}"), &[]);
        check_timers(&format!("{used}{global}"), &[]);
        check_timers(&format!("{used}{global}{global}"), &["Green~ 0"]);
        // A variable of the same name nearer by.
        let hidden = program("VAR c : TIME; END_VAR", "Green(IN := TRUE, PT := c);");
        check_timers(&format!("{global}{hidden}"), &["Green~ 0"]);
        let heir = format!(
            "FUNCTION_BLOCK B VAR c : TIME; t : TON; END_VAR END_FUNCTION_BLOCK {global} FUNCTION_BLOCK H EXTENDS B t(IN := TRUE, PT := c); END_FUNCTION_BLOCK"
        );
        check_timers(&heir, &["t~ 0"]);
    }

    #[test]
    fn a_time_of_zero() {
        let program = |vars: &str, body: &str| format!("PROGRAM P VAR t : TON; {vars} END_VAR {body} END_PROGRAM\n");
        check_timers(&program("", "t(IN := TRUE, PT := T#0s);"), &["t 0"]);
        check_timers(&program("", "t(IN := TRUE);"), &["t 0"]);
        check_timers(&program("", "t(IN := FALSE);"), &[]);
        check_timers(&program("", "t(IN := FALSE); t(IN := TRUE, PT := T#2s);"), &[]);
        check_timers(&program("", "t(IN := FALSE); t(IN := TRUE, PT := T#0s);"), &["t 0"]);
        check_timers(&program("", "t(IN := TRUE, PT := T#500us);"), &["t 0"]);
        check_timers(&program("", "t(IN := TRUE, PT := T#1ms);"), &[]);
        check_timers(&program("u : ARRAY [1..2] OF TOF;", "u[1](IN := TRUE, PT := T#0s);"), &["u 0"]);
        // A block of the program with such an input is no timer: its use of the input is analysed.
        let own =
            "FUNCTION_BLOCK Own VAR_INPUT PT : TIME; END_VAR VAR k : TP; END_VAR k(IN := TRUE, PT := PT); END_FUNCTION_BLOCK\n";
        check_timers(&format!("{own}{}", program("o : Own;", "o(PT := T#0s); t(IN := TRUE, PT := T#1s);")), &["k~ 0"]);
    }

    #[test]
    fn one_number_for_each_timer_does_not_vary() {
        let fb = |name: &str, rest: &str, body: &str| {
            format!("FUNCTION_BLOCK {name} {rest} VAR t : TON; u : ARRAY [1..2] OF TON; END_VAR {body} END_FUNCTION_BLOCK\n")
        };
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t(IN := FALSE, PT := T#1000ms);"), false);
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t(IN := FALSE, PT := T#2s);"), true);
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t(IN := FALSE);"), false);
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t();"), true);
        check(&fb("A", "VAR_INPUT go : BOOL; END_VAR", "t(IN := TRUE, PT := T#1s); t(IN := go);"), true);
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t(IN := FALSE); t(IN := TRUE, PT := T#2s);"), true);
        check(&fb("A", "", "t.IN := TRUE; t(IN := FALSE); t(IN := TRUE, PT := T#2s);"), false);
        check(&fb("A", "VAR_INPUT p : TIME; END_VAR", "t(IN := TRUE, PT := p);"), true);
        check(&fb("A", "", "t(TRUE, T#1s);"), true);
        check(&fb("A", "", "t.PT := T#1s; t(IN := TRUE);"), true);
        check(&fb("A", "", "u[1](IN := TRUE, PT := T#1s); u[2](IN := TRUE, PT := T#2s);"), true);
        // Two blocks may have timers of one name, unless one may be the other's.
        let one = fb("A", "", "t(IN := TRUE, PT := T#1s);");
        check(&format!("{one}{}", fb("B", "", "t(IN := TRUE, PT := T#2s);")), false);
        check(&format!("{one}{}", fb("B", "EXTENDS A", "t(IN := TRUE, PT := T#2s);")), true);
        let outside = "PROGRAM P VAR a : A; END_VAR a(); a.t(IN := TRUE, PT := T#2s); END_PROGRAM";
        check(&format!("{one}{outside}"), true);
        check("FUNCTION_BLOCK A VAR_IN_OUT t : TON; END_VAR t(IN := TRUE, PT := T#1s); END_FUNCTION_BLOCK", true);
        check("PROGRAM P VAR t : TON := (PT := T#3s); END_VAR t(IN := TRUE); END_PROGRAM", true);
    }
}

//! What manuals leave to the controller or do not say, where a program depends on it: each such thing is named once by every
//! answer. `docs/dialects.md` says what the public manuals say and what is modelled.

use super::resolver::Resolver;
use crate::ast;
use crate::ast::walk::{self, Node};
use crate::dialect::{Arithmetic, Blocks, Dialect, DialectId, FirstScan, Loops};
use crate::ledger::{Gap, Treatment};
use crate::source::{Origin, SourceSet, Span};

/// Something that a program depends on and that is not known of every controller of its dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Open {
    /// What F_TRIG says at its first call.
    FirstFall,
    /// Whether an up counter goes on at PV.
    Counter,
    /// What a timer does with a PT that changes while it runs.
    TimerTime,
    /// At how many bits arithmetic is done.
    Width,
    /// What a shift does with a large count, and with bits beyond its operand.
    Shift,
    /// What becomes of a large unsigned operand beside a signed one.
    Signs,
    /// When the last value and the step of a FOR are computed.
    LoopBound,
    /// What the control variable of a FOR is afterwards.
    LoopVariable,
    /// Whether AND and OR call what cannot change their result.
    ShortCircuit,
}

impl Open {
    /// What it is, and what is taken for granted.
    fn words(self, dialect: &Dialect) -> (&'static str, &'static str) {
        match (self, dialect.f_trig) {
            (Open::FirstFall, FirstScan::Silent) => (
                "falling edge at the first call",
                "that an input which is FALSE at the first call has not fallen is taken for granted; older versions of \
                 these systems see an edge there",
            ),
            (Open::FirstFall, FirstScan::Pulse) => (
                "falling edge at the first call",
                "that an input which is FALSE at the first call has fallen is taken for granted, as the standard writes it; \
                 some systems see no edge there",
            ),
            (Open::Counter, _) => (
                "counter at its PV",
                "that it goes on counting, up to the largest value of its type, is taken for granted; on some controllers it \
                 stops at PV",
            ),
            (Open::TimerTime, _) => (
                "time of a timer that changes",
                "that a PT which changes while the timer runs counts at once is taken for granted; on some controllers it \
                 counts from the next start on",
            ),
            (Open::Width, _) => (
                "arithmetic that may leave 32 bits, whose result is used uncut",
                "that it wraps at 32 bits is taken for granted; controllers with 64 bits may compute at 64",
            ),
            (Open::Shift, _) => (
                "shift whose count may be too large, or whose bits leave its operand",
                "that it is done at 32 bits, or 64 for LWORD and the like, by the lowest 5 or 6 bits of the count is taken for \
                 granted; controllers may shift everything out",
            ),
            (Open::Signs, _) => (
                "unsigned operand of 32 bits or more beside one with a sign",
                "that they are computed with a sign, at the wider of their widths, is taken for granted",
            ),
            (Open::LoopBound, _) => (
                "FOR whose last value or step may change in its body",
                match dialect.loops {
                    Loops::Once => "that both are computed once, before the first round, is taken for granted",
                    Loops::EachRound => "that both are computed before every round is taken for granted",
                },
            ),
            (Open::LoopVariable, _) => (
                "control variable of a FOR that is used outside of it",
                "that it is the first value beyond the last one after the loop is taken for granted",
            ),
            (Open::ShortCircuit, _) => (
                "AND or OR with a call on its right that changes variables",
                "that the call always happens is taken for granted; the standard lets a controller skip it",
            ),
        }
    }
}

impl Resolver<'_> {
    /// Enters into the ledger that the program depends on something that is not known, at the first place where it does.
    pub(crate) fn leave_open(&mut self, open: Open, span: Span) {
        if !self.opened.insert(open) {
            return;
        }
        let (construct, effect) = open.words(self.dialect);
        let (construct, effect) = (construct.to_owned(), effect.to_owned());
        self.record(Gap { span, construct, treatment: Treatment::Assumed, effect });
    }

    /// Notes standard blocks whose behaviour is not known of every controller.
    pub(crate) fn note_open_blocks(&mut self, units: &[ast::Unit], sources: &SourceSet) {
        let mut found = Vec::new();
        let users = units.iter().filter(|unit| sources.files.get(unit.file).is_some_and(|f| f.origin == Origin::User));
        for unit in users {
            walk::unit(unit, &mut |node| match node {
                Node::Type(ty) => {
                    if let ast::TypeSpecKind::Name(name) = &ty.kind {
                        found.extend(of_block(&name.text, self.dialect).into_iter().map(|open| (open, ty.span)));
                    }
                }
                Node::Block(block) => {
                    let falling = block.vars.iter().filter(|var| var.edge == Some(ast::Edge::Falling));
                    found.extend(falling.map(|var| (Open::FirstFall, var.span)));
                }
                Node::Item(_) | Node::Method(_) | Node::Stmt(_) | Node::Expr(_) | Node::Name(_) => {}
            });
        }
        for (open, span) in found {
            self.leave_open(open, span);
        }
        let follows = self.dialect.id != DialectId::SiemensTia;
        if let Some(span) = crate::stdlib::varies(units).filter(|_| follows && self.has_timers(units)) {
            self.leave_open(Open::TimerTime, span);
        }
    }

    /// Notes what statements depend on and is not known of every controller.
    pub(crate) fn note_open_bodies(&mut self) {
        let mut found = Vec::new();
        for pou in self.project.pous.iter().filter(|pou| pou.origin == Origin::User) {
            // What CODESYS and TwinCAT do is in their manuals, and their loops over changing values are none any more.
            if self.dialect.loops == Loops::Once {
                found.extend(super::round::open(&pou.body));
            }
            if self.dialect.arithmetic == Arithmetic::AtLeast32 {
                found.extend(super::width::matters(&self.project, &pou.body).map(|span| (Open::Width, span)));
            }
        }
        // CODESYS and Siemens say that AND and OR skip nothing; the standard leaves it open.
        if self.dialect.id == DialectId::Iec {
            found.extend(crate::rule::skippable(&self.project).map(|span| (Open::ShortCircuit, span)));
        }
        for (open, span) in found {
            self.leave_open(open, span);
        }
    }

    /// Whether the program has timers that take a PT.
    fn has_timers(&self, units: &[ast::Unit]) -> bool {
        units.iter().flat_map(|unit| &unit.items).any(|item| {
            matches!(item, ast::Item::Pou(pou) if is_timer(&pou.name.text) && self.names.pous.get(&super::key(&pou.name.text))
                .is_some_and(|pou| self.project.pous[*pou].origin == Origin::Stdlib))
        })
    }
}

/// What is open of a standard block.
fn of_block(name: &str, dialect: &Dialect) -> Vec<Open> {
    let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    let counts = is("CTU") && dialect.blocks == Blocks::Words;
    let rows = [(is("F_TRIG"), Open::FirstFall), (counts, Open::Counter)];
    rows.into_iter().filter(|(is_open, _)| *is_open).map(|(_, open)| open).collect()
}

fn is_timer(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let base = name.strip_suffix("_LTIME").or(name.strip_suffix("_TIME")).unwrap_or(&name);
    ["TON", "TOF", "TP", "TONR", "LTON", "LTOF", "LTP"].contains(&base)
}

#[cfg(test)]
mod tests {
    use crate::dialect::DialectId::{self, Codesys, Iec, SiemensTia};
    use crate::source::SourceSet;
    use crate::{LoadOptions, load};

    #[track_caller]
    fn check(dialect: DialectId, vars: &str, body: &str, expected: &[&str]) {
        let text = format!("PROGRAM Main VAR {vars} END_VAR {body} END_PROGRAM");
        let mut sources = SourceSet::default();
        sources.add("a.st", text.clone());
        let loaded = load(&sources, &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
        assert!(
            loaded.diagnostics.iter().all(|d| d.severity != crate::diagnostic::Severity::Error),
            "{text}: {:#?}",
            loaded.diagnostics
        );
        let found: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for words in expected {
            assert!(found.iter().any(|construct| construct.contains(words)), "{text}: {found:?}");
        }
    }

    #[test]
    fn calls_that_may_be_skipped() {
        let functions = "VAR_GLOBAL g : INT; END_VAR FUNCTION Pure : BOOL VAR_INPUT k : INT; END_VAR Pure := k > g; END_FUNCTION \
             FUNCTION Next : BOOL VAR_INPUT k : INT; END_VAR g := g + 1; Next := g > k; END_FUNCTION ";
        let check = |dialect: DialectId, body: &str, expected: bool| {
            let mut sources = SourceSet::default();
            let text = format!("{functions} PROGRAM Main VAR b : BOOL; x : INT; w : WORD; END_VAR {body} END_PROGRAM");
            sources.add("p.st", text);
            let loaded = crate::load(&sources, &crate::LoadOptions { dialect: Some(dialect), ..Default::default() });
            assert!(!loaded.has_errors(), "{body}: {:?}", loaded.diagnostics);
            let found = loaded.value.ledger.gaps.iter().any(|gap| gap.construct.starts_with("AND or OR"));
            assert_eq!(found, expected, "{body}");
        };
        check(Iec, "b := b AND Next(1);", true);
        check(Codesys, "b := b AND Next(1);", false);
        check(Iec, "b := Next(1) OR b;", false);
        check(Iec, "b := b AND Pure(1); w := w AND w;", false);
        check(Iec, "b := b OR (x > 1 AND NOT Next(x));", true);
    }

    #[test]
    fn blocks() {
        check(Iec, "f : F_TRIG; g : F_TRIG;", "f(CLK := TRUE);", &["falling edge"]);
        check(Iec, "c : CTU;", "c(CU := TRUE, PV := 3);", &[]);
        check(Codesys, "c : CTU;", "c(CU := TRUE, PV := 3);", &["counter"]);
        check(SiemensTia, "c : CTU;", "c(CU := TRUE, PV := 3);", &[]);
        check(Codesys, "t : TON;", "t(IN := TRUE, PT := T#3s);", &[]);
        check(Codesys, "t : TON; p : TIME;", "t(IN := TRUE, PT := p);", &["time of a timer"]);
        check(SiemensTia, "t : TON; p : TIME;", "t(IN := TRUE, PT := p);", &[]);
        check(Codesys, "t : TIME; p : TIME;", "t := p;", &[]);
    }

    #[test]
    fn arithmetic_that_a_wider_register_would_change() {
        let vars = "a, b : DINT; i, j : INT; u : UDINT; l : LINT; q : BOOL; w : WORD; t1, t2 : TIME; x : ARRAY [0..9] OF INT;";
        for (body, open) in [
            ("a := a + b;", false),
            ("a := -(a * b - 1);", false),
            ("q := i + j > 7;", false),
            ("q := i * j > 7;", false),
            ("q := a + b > 7;", true),
            ("q := a + 1 > 7;", true),
            ("l := a * b;", true),
            ("l := i * j;", false),
            ("a := a * b / 2;", true),
            ("q := DINT_TO_INT(a + b) > 7;", false),
            ("q := t1 - t2 > T#1s;", true),
            ("t1 := t1 - t2;", false),
            ("i := x[a + b];", true),
            ("i := x[i + 1];", false),
            ("u := (u + 1) AND 16#FF;", false),
            ("q := ((u + 1) AND 16#FF) = 3;", false),
        ] {
            check(Codesys, vars, body, if open { &["leave 32 bits"] } else { &[] });
            let of_iec = body.contains("l := ") || body.contains("x[");
            if !of_iec && !body.contains("16#FF") && !body.contains("DINT_TO_INT") {
                check(Iec, vars, body, &[]);
            }
        }
    }

    #[test]
    fn loops() {
        let vars = "i, n, s : INT; a : ARRAY [1..5] OF INT;";
        check(Iec, vars, "FOR i := 1 TO n DO s := s + i; END_FOR; i := 0;", &["control variable"]);
        check(Iec, vars, "FOR i := 1 TO n DO s := s + i; END_FOR;", &[]);
        check(Iec, vars, "FOR i := 1 TO n DO n := n - 1; END_FOR;", &["last value"]);
        check(Codesys, vars, "FOR i := 1 TO n DO n := n - 1; END_FOR;", &["last value"]);
        check(Codesys, vars, "FOR i := 1 TO n DO s := s + i; END_FOR; s := i;", &[]);
        check(Iec, vars, "FOR i := 1 TO a[n] DO a[i] := 2; END_FOR;", &["last value"]);
        check(Iec, vars, "FOR i := 1 TO 5 DO a[i] := 2; END_FOR; s := i;", &["control variable"]);
        check(Iec, vars, "FOR i := 1 TO 5 DO a[i] := 2; END_FOR; FOR i := 1 TO 3 DO s := s + i; END_FOR;", &[]);
    }

    #[test]
    fn shifts_and_signs() {
        let vars = "b : BYTE; w : WORD; d : DWORD; u : UDINT; i : DINT; l : LINT; n : INT; q : BOOL;";
        check(Codesys, vars, "b := SHL(b, 3); w := SHR(w, 15); d := SHL(d, 31);", &[]);
        check(Codesys, vars, "w := SHL(b, 3);", &["shift"]);
        check(Codesys, vars, "b := SHR(b, n);", &["shift"]);
        check(Codesys, vars, "q := u > i;", &["unsigned operand"]);
        check(Codesys, vars, "q := u > n;", &["unsigned operand"]);
        check(Codesys, vars, "q := l > u;", &[]);
        check(Codesys, vars, "q := i > w;", &[]);
    }
}

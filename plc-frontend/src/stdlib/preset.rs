//! Whether a program gives its timers one time for good.
//!
//! Only where PT may change does it matter when a timer takes it; where it does not, the plain block has less state. Names are
//! compared, not variables: what is not certain counts as a change.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::walk::{self, Node};
use crate::ast::{Arg, Expr, ExprKind, Initializer, InitializerKind, Item, Literal, Name, NameElem, Section, StmtKind, Unit};
use crate::resolve::key;
use crate::source::Span;

/// Where a timer's time is not one number: the first such place, if there is one.
pub(crate) fn varies(units: &[Unit]) -> Option<Span> {
    let mut seen = Seen::default();
    for unit in units {
        walk::unit(unit, &mut |node| seen.see(node));
    }
    seen.varies()
}

/// A call that may be one of a timer.
struct Call {
    /// The declaration whose variable it is; 0 where others may mean the same variable.
    owner: usize,
    /// The last part of its name.
    name: String,
    /// Its PT in nanoseconds, if it has one.
    time: Option<i128>,
    span: Span,
}

#[derive(Default)]
struct Seen {
    n_items: usize,
    locals: BTreeSet<String>,
    lent: BTreeSet<String>,
    /// Blocks are heirs of others: what one calls may be the other's.
    inherits: bool,
    calls: Vec<Call>,
    first: Option<Span>,
}

impl Seen {
    fn see(&mut self, node: Node<'_>) {
        match node {
            Node::Item(item) => {
                self.n_items += 1;
                self.locals.clear();
                self.lent.clear();
                self.inherits |= matches!(item, Item::Pou(pou) if pou.extends.is_some());
            }
            Node::Block(block) => {
                let names = block.vars.iter().map(|var| key(&var.name.text));
                match block.section {
                    Section::InOut => self.lent.extend(names),
                    Section::External | Section::Global | Section::Config | Section::Access => {}
                    Section::Var | Section::Input | Section::Output | Section::Temp | Section::Stat | Section::Inst => {
                        self.locals.extend(names);
                    }
                }
                for init in block.vars.iter().filter_map(|var| var.init.as_ref()) {
                    self.initial(init);
                }
            }
            Node::Stmt(stmt) => {
                if let StmtKind::Call(name, args) = &stmt.kind {
                    self.call(name, args, stmt.span);
                } else if let StmtKind::Assign(target, _) = &stmt.kind {
                    self.assigned(target);
                }
            }
            Node::Method(_) | Node::Type(_) | Node::Expr(_) | Node::Name(_) => {}
        }
    }

    fn call(&mut self, name: &Name, args: &[Arg], span: Span) {
        // Timers of charts are no timers of the program.
        if name.root.text.starts_with("__") {
            return;
        }
        // FB calls by position: which argument is PT depends on the block.
        if 1 < args.iter().filter(|arg| matches!(arg, Arg::Positional(_))).count() {
            self.first.get_or_insert(span);
        }
        let given = args.iter().find_map(|arg| match arg {
            Arg::Input(parameter, e) if parameter.text.eq_ignore_ascii_case("PT") => Some(e),
            Arg::Input(..) | Arg::Positional(_) | Arg::Output { .. } => None,
        });
        let time = given.map(time);
        let (path, plain) = last(name);
        if time == Some(None) || (time.is_some() && (!plain || self.lent.contains(&key(&name.root.text)))) {
            self.first.get_or_insert(span);
        }
        let is_own = name.path.iter().all(|elem| matches!(elem, NameElem::Index(..))) && self.locals.contains(&path);
        self.calls.push(Call { owner: if is_own { self.n_items } else { 0 }, name: path, time: time.flatten(), span });
    }

    fn assigned(&mut self, target: &Expr) {
        let ExprKind::Name(name) = &target.kind else { return };
        if matches!(name.path.last(), Some(NameElem::Field(field)) if field.text.eq_ignore_ascii_case("PT")) {
            self.first.get_or_insert(target.span);
        }
    }

    fn initial(&mut self, init: &Initializer) {
        let InitializerKind::Struct(fields) = &init.kind else { return };
        if fields.iter().any(|(field, _)| field.text.eq_ignore_ascii_case("PT")) {
            self.first.get_or_insert(init.span);
        }
    }

    fn varies(self) -> Option<Span> {
        if self.first.is_some() {
            return self.first;
        }
        let shared: BTreeSet<&str> = self.calls.iter().filter(|call| call.owner == 0).map(|call| call.name.as_str()).collect();
        let mut times: BTreeMap<(usize, &str), BTreeSet<Option<i128>>> = BTreeMap::new();
        for call in &self.calls {
            let owner = if self.inherits || shared.contains(call.name.as_str()) { 0 } else { call.owner };
            let times = times.entry((owner, &call.name)).or_default();
            times.insert(call.time);
            if 1 < times.len() && times.iter().any(Option::is_some) {
                return Some(call.span);
            }
        }
        None
    }
}

/// The last part of a name, and whether it is a path of fields and indices only.
fn last(name: &Name) -> (String, bool) {
    let mut text = key(&name.root.text);
    let mut plain = text != key("THIS") && text != key("SUPER");
    for elem in &name.path {
        match elem {
            NameElem::Field(field) => text = key(&field.text),
            NameElem::Index(..) => {}
            NameElem::Bits { .. } | NameElem::Deref(_) | NameElem::Call(..) => plain = false,
        }
    }
    (text, plain)
}

/// The value of a time that is written as a number.
fn time(e: &Expr) -> Option<i128> {
    match &e.kind {
        ExprKind::Literal(_, Literal::Duration { ns, .. }) => Some(*ns),
        ExprKind::Literal(..)
        | ExprKind::Name(_)
        | ExprKind::Address(_)
        | ExprKind::Call(..)
        | ExprKind::Unary(..)
        | ExprKind::Binary(..)
        | ExprKind::Error => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{FileId, Origin, SourceFile};

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let file = SourceFile { name: "a.st".to_owned(), text: text.to_owned(), origin: Origin::User };
        let parsed = crate::lang::parse(FileId(0), &file);
        assert!(parsed.diagnostics.is_empty(), "{text}: {:#?}", parsed.diagnostics);
        assert_eq!(varies(&[parsed.value]).is_some(), expected, "{text}");
    }

    #[test]
    fn one_number_for_each_timer_does_not_vary() {
        let fb = |name: &str, rest: &str, body: &str| {
            format!("FUNCTION_BLOCK {name} {rest} VAR t : TON; u : ARRAY [1..2] OF TON; END_VAR {body} END_FUNCTION_BLOCK\n")
        };
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t(IN := FALSE, PT := T#1000ms);"), false);
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t(IN := FALSE, PT := T#2s);"), true);
        check(&fb("A", "", "t(IN := TRUE, PT := T#1s); t(IN := FALSE);"), true);
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

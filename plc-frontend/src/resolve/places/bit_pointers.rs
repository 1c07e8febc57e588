//! Pointers of a FUNCTION to the bits of one of its own variables: `p := ADR(x); … p^ …`, where `p` is a POINTER TO DWORD and
//! `x` a REAL, or the other way round (and LWORD with LREAL).
//!
//! Such a pointer is `x` under another type if it has no other use. So it must be set at one place. Each `p^` must stand behind
//! that place in the same list of statements, without a jump around it. Every other use stays a gap.

use crate::ast::walk::{self, Node};
use crate::ast::{self, Arg, Body, NameElem, Section, StmtKind, TypeSpecKind};
use crate::hir::{self, Conversion, Expr, ExprKind, Place, PouId, Root, Stmt, VarId};
use crate::resolve::findings::{Bad, Res};
use crate::resolve::names::tables::{Key, Local, Names, VarRef, key};
use crate::resolve::resolver::{Bodies, Resolver};
use crate::resolve::scope::Scope;
use crate::text::Span;
use std::collections::BTreeMap;

/// Most pointers that are analysed in one function.
const MAX_POINTERS: usize = 16;

/// Types of the same width that exchange their bits.
const PAIRS: [(&str, &str); 2] = [("dword", "real"), ("lword", "lreal")];

impl Resolver<'_> {
    /// Returns `p^` as a value.
    pub(crate) fn read_bits(&mut self, scope: Scope, name: &ast::Name, variable: VarId) -> Res<Expr> {
        let (view, place) = self.behind(scope, name, variable)?;
        let (from, span) = (place.ty, name.span);
        let read = Expr::new(ExprKind::Read(place), from, span);
        Ok(Expr::new(ExprKind::Convert(Conversion::Convert, Box::new(read)), view, span))
    }

    /// Resolves `p := ADR(x)` and `p^ := …`; `None` for other statements.
    pub(crate) fn assign_bits(
        &mut self,
        scope: Scope,
        target: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Option<Res<Vec<Stmt>>> {
        let ast::ExprKind::Name(name) = &target.kind else { return None };
        let variable = self.bodies.bit_pointer(&self.names, scope, name)?;
        if name.path.is_empty() {
            return Some(Ok(Vec::new()));
        }
        Some(self.behind(scope, name, variable).and_then(|(view, target)| {
            let value = self.expr_as(scope, value, view, "what the pointer points to")?;
            let ty = target.ty;
            let value = value.converted(Conversion::Convert, ty);
            Ok(vec![Stmt { kind: hir::StmtKind::Assign { target, value }, span }])
        }))
    }

    /// Returns the type behind the pointer, and the place of the variable.
    fn behind(&mut self, scope: Scope, name: &ast::Name, variable: VarId) -> Res<(hir::TypeId, Place)> {
        let pointer = ast::Name { root: name.root.clone(), path: Vec::new(), span: name.span };
        let mut pointer = self.raw_place(scope, &pointer)?;
        self.dereference(&mut pointer, name.span)?;
        let ty = match scope.owner {
            Some(owner) => self.usable(VarRef::Local(owner, variable), name.span)?,
            None => return Err(Bad::Reported),
        };
        Ok((pointer.ty, Place::of(Root::Var(variable), ty, name.span)))
    }
}

impl Bodies {
    /// Finds the pointers of a function that stand for another of its variables.
    pub(crate) fn find_bit_pointers(&mut self, names: &Names, id: PouId, pou: &ast::Pou) {
        for (pointer, variable) in pointers_to_variables(pou) {
            let locals = &names.locals[id.0 as usize];
            if let (Some(&Local::Var(pointer)), Some(&Local::Var(variable))) = (locals.get(&pointer), locals.get(&variable)) {
                self.bit_pointers.insert((id, pointer), variable);
            }
        }
    }

    /// Returns the variable behind `p^`, if `p` is such a pointer.
    pub(crate) fn bit_pointer_target(&self, names: &Names, scope: Scope, name: &ast::Name) -> Option<VarId> {
        let [NameElem::Deref(_)] = name.path.as_slice() else { return None };
        self.bit_pointer(names, scope, name)
    }

    fn bit_pointer(&self, names: &Names, scope: Scope, name: &ast::Name) -> Option<VarId> {
        let owner = scope.owner.filter(|_| !self.bit_pointers.is_empty())?;
        match names.locals[owner.0 as usize].get(&key(&name.root.text)) {
            Some(Local::Var(pointer)) => self.bit_pointers.get(&(owner, *pointer)).copied(),
            Some(Local::Inherent(..) | Local::External(_) | Local::Broken) | None => None,
        }
    }
}

/// Returns the pointers with the variables they stand for.
fn pointers_to_variables(pou: &ast::Pou) -> Vec<(Key, Key)> {
    let Body::Statements(body) = &pou.body else { return Vec::new() };
    if pou.kind != ast::PouKind::Function {
        return Vec::new();
    }
    let mut pointers: BTreeMap<Key, &str> = BTreeMap::new();
    let mut variables: BTreeMap<Key, &str> = BTreeMap::new();
    for block in pou.vars.iter().filter(|block| !block.constant) {
        let is_own = matches!(block.section, Section::Var | Section::Temp);
        for var in block.vars.iter().filter(|var| var.address.is_none()) {
            let name = key(&var.name.text);
            if let TypeSpecKind::Pointer(to) = &var.ty.kind
                && let TypeSpecKind::Name(to) = &to.kind
                && is_own
                && var.init.is_none()
                && pointers.len() < MAX_POINTERS
            {
                pointers.insert(name, &to.text);
            } else if let TypeSpecKind::Name(ty) = &var.ty.kind
                && (is_own || matches!(block.section, Section::Input | Section::Output))
            {
                variables.insert(name, &ty.text);
            }
        }
    }
    let exchanges = |a: &str, b: &str| {
        let is = |a: &str, b: &str| PAIRS.iter().any(|pair| a.eq_ignore_ascii_case(pair.0) && b.eq_ignore_ascii_case(pair.1));
        is(a, b) || is(b, a)
    };
    pointers
        .into_iter()
        .filter_map(|(pointer, view)| {
            let variable = only_use(pou, body, &pointer)?;
            let ty = variables.get(&variable)?;
            exchanges(view, ty).then_some((pointer, variable))
        })
        .collect()
}

/// Returns the variable whose address is the pointer's only value, if all other uses are `p^` behind that statement.
fn only_use(pou: &ast::Pou, body: &[ast::Stmt], pointer: &Key) -> Option<Key> {
    let mut count = Count { pointer, mentions: 0, followed: 0, jumps: false };
    walk::pou(pou, &mut |node| count.see(node));
    let (variable, rest) = setting(body, pointer)?;
    let mut behind = Count { pointer, mentions: 0, followed: 0, jumps: false };
    walk::stmts(rest, &mut |node| behind.see(node));
    (!count.jumps && count.mentions == 1 + behind.followed && behind.mentions == behind.followed).then_some(variable)
}

struct Count<'p> {
    pointer: &'p Key,
    mentions: usize,
    followed: usize,
    jumps: bool,
}

impl Count<'_> {
    fn see(&mut self, node: Node<'_>) {
        match node {
            Node::Name(name) if key(&name.root.text) == *self.pointer => {
                self.mentions += 1;
                self.followed += usize::from(matches!(name.path.as_slice(), [NameElem::Deref(_)]));
            }
            Node::Stmt(ast::Stmt { kind: StmtKind::Label(..) | StmtKind::Goto(..) | StmtKind::Unsupported(_), .. }) => {
                self.jumps = true;
            }
            Node::Name(_) | Node::Stmt(_) | Node::Item(_) | Node::Block(_) | Node::Method(_) | Node::Type(_) | Node::Expr(_) => {}
        }
    }
}

/// Returns the `x` of `p := ADR(x);`, and the statements behind it in its list.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements have no lists inside")]
fn setting<'a>(body: &'a [ast::Stmt], pointer: &Key) -> Option<(Key, &'a [ast::Stmt])> {
    let mut lists: Vec<&[ast::Stmt]> = vec![body];
    while let Some(list) = lists.pop() {
        for (at, stmt) in list.iter().enumerate() {
            match &stmt.kind {
                StmtKind::Assign(target, value) => {
                    if let (Some(target), Some(variable)) = (plain(target), address_of(value))
                        && target == *pointer
                    {
                        return Some((variable, list.get(at + 1..).unwrap_or_default()));
                    }
                }
                StmtKind::If(branches, otherwise) => {
                    lists.extend(branches.iter().map(|(_, body)| body.as_slice()));
                    lists.push(otherwise);
                }
                StmtKind::Case(_, arms, otherwise) => {
                    lists.extend(arms.iter().map(|arm| arm.body.as_slice()));
                    lists.push(otherwise);
                }
                StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::Repeat(body, _) => lists.push(body),
                _ => {}
            }
        }
    }
    None
}

fn plain(e: &ast::Expr) -> Option<Key> {
    if let ast::ExprKind::Name(name) = &e.kind
        && name.path.is_empty()
    {
        return Some(key(&name.root.text));
    }
    None
}

fn address_of(e: &ast::Expr) -> Option<Key> {
    if let ast::ExprKind::Call(name, args) = &e.kind
        && name.path.is_empty()
        && name.root.text.eq_ignore_ascii_case("ADR")
        && let [Arg::Positional(e)] = args.as_slice()
    {
        return plain(e);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::interp::{Limits, Machine, Silent};
    use crate::resolve::testing::loaded;

    /// Checks the gaps, or `Main.r` after one cycle if there are none.
    #[track_caller]
    fn check(vars: &str, body: &str, call: &str, expected: &str) {
        let source = format!(
            r"{{attribute 'x'}}
FUNCTION F : DWORD
VAR_INPUT
 x : REAL; d : DWORD; b : BOOL;
END_VAR
VAR
 {vars}
END_VAR
{body}
END_FUNCTION
PROGRAM Main
VAR
 r : DWORD;
END_VAR
r := {call};
END_PROGRAM
"
        );
        let loaded = loaded(&source);
        assert!(!loaded.has_errors(), "{source}\n{:#?}", loaded.diagnostics);
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        if !gaps.is_empty() {
            assert_eq!(gaps.first().copied(), Some(expected), "{source}");
            return;
        }
        let mut machine = Machine::new(&loaded.value.project, Limits::default());
        machine.begin(&BTreeMap::new(), 1_000_000).unwrap();
        machine.run(&mut Silent).unwrap();
        let found = machine.leaves().into_iter().find(|(name, _)| name == "Main.r").map(|(_, v)| format!("{v:?}"));
        assert_eq!(found.as_deref(), Some(expected), "{source}");
    }

    #[test]
    fn bits_of_a_real_are_read_and_written() {
        let pointer = "p : POINTER TO DWORD; y : REAL;";
        let one = format!("Int({})", 1.0f32.to_bits());
        check(pointer, "p := ADR(x); F := p^;", "F(x := 1.0)", &one);
        check(
            pointer,
            "IF b THEN RETURN; END_IF; P := adr(X); IF x > 0.0 THEN F := P^ + 1; END_IF;",
            "F(x := 1.0)",
            "Int(1065353217)",
        );
        // Writing through the pointer writes the variable.
        check(pointer, "y := 4.0; p := ADR(y); p^ := p^ - 8388608; F := SEL(y = 2.0, 5, 7);", "F()", "Int(7)");
        check(
            "p : POINTER TO REAL; y : DWORD;",
            "y := 16#3F800000; p := ADR(y); p^ := p^ * 2.0; F := y;",
            "F()",
            "Int(1073741824)",
        );
    }

    #[test]
    fn what_else_is_done_with_a_pointer_is_a_gap() {
        let pointer = "p : POINTER TO DWORD; y : REAL; i : INT;";
        let other = "POINTER TO DWORD to a variable of type REAL";
        for body in [
            "p := ADR(x); p := ADR(y); F := p^;",
            "p := ADR(x); p := p + 4; F := p^;",
            "IF b THEN p := ADR(x); END_IF; F := p^;",
            "FOR i := 0 TO 1 DO IF i = 1 THEN F := p^; END_IF; p := ADR(x); END_FOR;",
            "p := ADR(x); F := p^; IF p = 0 THEN F := 0; END_IF;",
            "p := ADR(x); F := p^.0;",
        ] {
            check(pointer, body, "F()", other);
        }
    }
}

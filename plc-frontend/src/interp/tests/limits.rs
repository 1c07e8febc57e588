//! Nothing a program contains makes the interpreter hang or overflow its stack.

use crate::hir::{
    Expr, ExprKind, Init, IntType, Place, Pou, PouKind, ProgramInstance, Project, Retain, Root, Section, Stmt, StmtKind, Type,
    TypeDef, TypeId, UnOp, Value, Var, VarId,
};
use crate::interp::{FaultEnd, Limits, Machine, Silent};
use crate::source::{Origin, Span};

/// A program with one INT variable `x` and this body.
fn project(body: impl FnOnce(TypeId, VarId) -> Vec<Stmt>) -> Project {
    let mut project = Project::default();
    let int = Type::Int(IntType { bits: 16, signed: true });
    let int = project.types.push(TypeDef { name: Some("INT".into()), ty: int, span: Span::none() });
    let mut vars = crate::ids::IndexVec::new();
    let x = vars.push(Var {
        name: "x".into(),
        ty: int,
        section: Section::Local,
        init: Init::Default,
        constant: false,
        retain: Retain::Unspecified,
        address: None,
        stopwatch: false,
        span: Span::none(),
    });
    let pou =
        Pou { name: "Main".into(), kind: PouKind::Program, vars, body: body(int, x), span: Span::none(), origin: Origin::User };
    let pou = project.pous.push(pou);
    let instance = project.instances.push(ProgramInstance { name: "Main".into(), pou });
    project.task.runs.push(instance);
    project
}

fn expr(ty: TypeId, kind: ExprKind) -> Expr {
    Expr { kind, ty, span: Span::none() }
}

fn negations(ty: TypeId, depth: usize) -> Expr {
    let one = expr(ty, ExprKind::Literal(Value::Int(1)));
    (0..depth).fold(one, |e, _| expr(ty, ExprKind::Unary(UnOp::Neg, Box::new(e))))
}

fn assign(ty: TypeId, x: VarId, value: Expr) -> Stmt {
    let target = Place { root: Root::Var(x), path: Vec::new(), ty, span: Span::none() };
    Stmt { kind: StmtKind::Assign { target, value }, span: Span::none() }
}

fn end(project: &Project) -> Option<FaultEnd> {
    let mut machine = Machine::new(project, Limits::default());
    machine.run(&mut Silent).err().map(|fault| fault.kind)
}

#[test]
fn nesting_is_followed_to_a_limit() {
    assert_eq!(end(&project(|ty, x| vec![assign(ty, x, negations(ty, 500))])), None);
    // Built and dropped within the host's stack; far deeper than the parser lets through.
    assert_eq!(end(&project(|ty, x| vec![assign(ty, x, negations(ty, 2000))])), Some(FaultEnd::Exhausted));
    let deep = |ty, x| (0..2000).fold(assign(ty, x, negations(ty, 0)), |s, _| nested_if(ty, s));
    assert_eq!(end(&project(|ty, x| vec![deep(ty, x)])), Some(FaultEnd::Exhausted));
}

fn nested_if(ty: TypeId, inner: Stmt) -> Stmt {
    let condition = expr(ty, ExprKind::Literal(Value::Bool(true)));
    let kind = StmtKind::If { branches: vec![(condition, vec![inner])], otherwise: Vec::new() };
    Stmt { kind, span: Span::none() }
}

//! Hostile programs: none makes the interpreter hang or overflow its stack.

use crate::hir::{
    Expr, ExprKind, Init, IntType, Place, Pou, PouKind, ProgramInstance, Project, Retain, Root, Section, Stmt, StmtKind, Type,
    TypeDef, TypeId, UnOp, Value, Var, VarId,
};
use crate::interp::{FaultEnd, Limits, Machine, Silent};
use crate::text::{Origin, Span};

/// Returns a program with one INT variable `x` and this body.
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
    let pou = Pou {
        name: "Main".into(),
        kind: PouKind::Program,
        member_of: None,
        is_public: false,
        vars,
        body: body(int, x),
        diagrams: Vec::new(),
        span: Span::none(),
        origin: Origin::User,
    };
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
    // Built and dropped on the host's stack; far deeper than the parser allows.
    assert_eq!(end(&project(|ty, x| vec![assign(ty, x, negations(ty, 2000))])), Some(FaultEnd::Exhausted));
    let deep = |ty, x| (0..2000).fold(assign(ty, x, negations(ty, 0)), |s, _| nested_if(ty, s));
    assert_eq!(end(&project(|ty, x| vec![deep(ty, x)])), Some(FaultEnd::Exhausted));
}

fn nested_if(ty: TypeId, inner: Stmt) -> Stmt {
    let condition = expr(ty, ExprKind::Literal(Value::Bool(true)));
    let kind = StmtKind::If { branches: vec![(condition, vec![inner])], otherwise: Vec::new() };
    Stmt { kind, span: Span::none() }
}

/// Returns functions, each of which calls the next one inside of an IF and as an operand below so many signs. The resolver
/// accepts 100 levels of calls.
fn chain(n: usize, signs: usize) -> String {
    let mut text = String::new();
    let (open, close) = ("-(".repeat(signs), ")".repeat(signs));
    for i in 0..n {
        let next = if i + 1 < n { format!("F{}(a := a + 1)", i + 1) } else { "a".to_owned() };
        text.push_str(&format!(
            "FUNCTION F{i} : INT VAR_INPUT a : INT; END_VAR IF a >= 0 THEN F{i} := {open}1 + {next}{close}; END_IF; END_FUNCTION\n"
        ));
    }
    text + "PROGRAM Main VAR r : INT; END_VAR r := F0(a := 0); END_PROGRAM"
}

#[test]
fn calls_are_followed_to_a_limit() {
    assert_eq!(end(&super::project(&chain(80, 2))), None);
    assert_eq!(end(&super::project(&chain(80, 30))), Some(FaultEnd::Exhausted));
}

#[test]
fn exponential_work_is_given_up() {
    let mut text = String::new();
    for i in 0..60 {
        text.push_str(&format!("FUNCTION F{i} : INT F{i} := F{next}() + F{next}(); END_FUNCTION\n", next = i + 1));
    }
    text.push_str("FUNCTION F60 : INT F60 := 1; END_FUNCTION PROGRAM Main VAR r : INT; END_VAR r := F0(); END_PROGRAM");
    let project = super::project(&text);
    let mut machine = Machine::new(&project, Limits { steps: 100_000, ..Limits::default() });
    assert_eq!(machine.run(&mut Silent).err().map(|fault| fault.kind), Some(FaultEnd::Exhausted));
}

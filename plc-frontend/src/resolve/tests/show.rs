//! The HIR in few words: every type of a literal and every conversion is visible.

use crate::hir::printer::op_name;
use crate::hir::{
    CallArgs, Conversion, Elem, Expr, ExprKind, LoopBounds, Place, PouId, Project, Root, Stmt, StmtKind, Type, TypeId, UnOp,
    Value,
};
use crate::resolve::testing::loaded;

/// Asserts that a program's body resolves without errors to these statements, separated by `; `.
#[track_caller]
pub(in crate::resolve) fn check_hir(vars: &str, body: &str, expected: &str) {
    check_hir_with("", vars, body, expected);
}

/// Asserts the same for a program with further declarations.
#[track_caller]
pub(in crate::resolve) fn check_hir_with(before: &str, vars: &str, body: &str, expected: &str) {
    let source = format!("PROGRAM Main\n{vars}\n{body}\nEND_PROGRAM\n{before}");
    let loaded = loaded(&source);
    assert!(!loaded.has_errors(), "\n{source}\n{:#?}", loaded.diagnostics);
    let show = Show { project: &loaded.value.project, pou: PouId(0) };
    assert_eq!(show.stmts(&loaded.value.project.pous[PouId(0)].body), expected, "\n{vars}\n{body}");
}

/// Returns an expression over the whole project.
pub(super) fn show_expr(project: &Project, e: &Expr) -> String {
    Show { project, pou: PouId(0) }.expr(e)
}

struct Show<'p> {
    project: &'p Project,
    pou: PouId,
}

impl Show<'_> {
    fn stmts(&self, body: &[Stmt]) -> String {
        body.iter().map(|s| self.stmt(s)).collect::<Vec<_>>().join("; ")
    }

    fn stmt(&self, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Assign { target, value } => format!("{} := {}", self.place(target), self.expr(value)),
            StmtKind::If { branches, otherwise } => {
                let rows: Vec<String> = branches.iter().map(|(c, b)| format!("{} {{{}}}", self.expr(c), self.stmts(b))).collect();
                format!("IF {} ELSE {{{}}}", rows.join(" ELSIF "), self.stmts(otherwise))
            }
            StmtKind::Case { selector, arms, otherwise } => {
                let arms: Vec<String> = (arms.iter())
                    .map(|arm| {
                        let labels: Vec<String> = arm.labels.iter().map(|(l, h)| format!("{l}..{h}")).collect();
                        format!("{}: {{{}}}", labels.join(","), self.stmts(&arm.body))
                    })
                    .collect();
                format!("CASE {} OF {} ELSE {{{}}}", self.expr(selector), arms.join(" "), self.stmts(otherwise))
            }
            StmtKind::For { control, bounds, body } => {
                let LoopBounds { from, to, by } = &**bounds;
                let by = by.as_ref().map_or(String::new(), |e| format!(" BY {}", self.expr(e)));
                format!("FOR {} := {} TO {}{by} {{{}}}", self.place(control), self.expr(from), self.expr(to), self.stmts(body))
            }
            StmtKind::While { condition, body } => format!("WHILE {} {{{}}}", self.expr(condition), self.stmts(body)),
            StmtKind::Repeat { body, until } => format!("REPEAT {{{}}} {}", self.stmts(body), self.expr(until)),
            StmtKind::Exit => "EXIT".to_owned(),
            StmtKind::Continue => "CONTINUE".to_owned(),
            StmtKind::Return => "RETURN".to_owned(),
            StmtKind::Label(label) => format!("{label}:"),
            StmtKind::Goto(label) => format!("GOTO {label}"),
            StmtKind::CallInstance { instance, pou, args } => format!("{}({})", self.place(instance), self.args_of(args, *pou)),
            StmtKind::Eval(e) => self.expr(e),
            StmtKind::Assert { name, condition, .. } => format!("ASSERT {name}: {}", self.expr(condition)),
            StmtKind::Assume(assumed) => format!("ASSUME {}", self.expr(&assumed.condition)),
            StmtKind::Gap(gap) => format!("{gap}"),
        }
    }

    fn args_of(&self, args: &CallArgs, pou: PouId) -> String {
        let name = |v| self.project.pous[pou].vars[v].name.clone();
        let mut rows: Vec<String> = args.inputs.iter().map(|(v, e)| format!("{} := {}", name(*v), self.expr(e))).collect();
        rows.extend(args.in_outs.iter().map(|(v, p)| format!("{} <- {}", name(*v), self.place(p))));
        rows.extend(args.outputs.iter().map(|(v, p)| format!("{} => {}", name(*v), self.place(p))));
        rows.join(", ")
    }

    fn ty(&self, ty: TypeId) -> String {
        self.project.types[ty].name.clone().unwrap_or_else(|| "_".to_owned())
    }

    fn expr(&self, e: &Expr) -> String {
        match &e.kind {
            ExprKind::Literal(Value::Bool(b)) => format!("{b}").to_uppercase(),
            ExprKind::Literal(Value::Int(i)) => format!("{i}:{}", self.ty(e.ty)),
            ExprKind::Literal(Value::Real(bits)) => format!("{:?}:REAL", f32::from_bits(*bits)),
            ExprKind::Literal(Value::LReal(bits)) => format!("{:?}:LREAL", f64::from_bits(*bits)),
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(UnOp::Neg, a) => format!("-{}", self.expr(a)),
            ExprKind::Unary(UnOp::Not, a) => format!("NOT {}", self.expr(a)),
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.expr(a), op_name(*op), self.expr(b)),
            ExprKind::Convert(how, a) => {
                let how = match how {
                    Conversion::Widen => "widen",
                    Conversion::Convert => "convert",
                    Conversion::Round => "round",
                    Conversion::Truncate => "truncate",
                };
                format!("{how}[{}]({})", self.ty(e.ty), self.expr(a))
            }
            ExprKind::Builtin(f, args) => {
                format!("{f:?}({})", args.iter().map(|a| self.expr(a)).collect::<Vec<_>>().join(", "))
            }
            ExprKind::Call(pou, args) => format!("{}({})", self.project.pous[*pou].name, self.args_of(args, *pou)),
            ExprKind::Arbitrary { concrete: Some(e), .. } => format!("any[{}]", self.expr(e)),
            ExprKind::Arbitrary { concrete: None, .. } => "any".to_owned(),
            ExprKind::Text(chars) => {
                format!("'{}':{}", String::from_utf16_lossy(chars), self.project.text(e.ty).map_or(0, |t| t.length))
            }
        }
    }

    fn place(&self, place: &Place) -> String {
        let (mut text, mut ty) = match place.root {
            Root::Var(id) => (self.project.pous[self.pou].vars[id].name.clone(), Some(self.project.pous[self.pou].vars[id].ty)),
            Root::Global(id) => (format!("@{}", self.project.globals[id].name), Some(self.project.globals[id].ty)),
            Root::This(ty) => ("THIS".to_owned(), Some(ty)),
            Root::Instance(id) => (format!("#{}", self.project.instances[id].name), None),
        };
        for elem in &place.path {
            let (step, inner) = match (elem, ty.map(|ty| &self.project.types[ty].ty), place.root) {
                (Elem::Member(id), None, Root::Instance(instance)) => {
                    let var = &self.project.pous[self.project.instances[instance].pou].vars[*id];
                    (format!(".{}", var.name), var.ty)
                }
                (Elem::Member(id), Some(Type::FunctionBlock(pou)), _) => {
                    let var = &self.project.pous[*pou].vars[*id];
                    (format!(".{}", var.name), var.ty)
                }
                (Elem::Field(i), Some(Type::Struct { fields }), _) => {
                    (format!(".{}", fields[*i as usize].name), fields[*i as usize].ty)
                }
                (Elem::Index(indices), Some(Type::Array { elem, .. }), _) => {
                    (format!("[{}]", indices.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")), *elem)
                }
                (Elem::Bits { offset, width }, _, _) => (format!(".{offset}+{width}"), place.ty),
                _ => panic!("{elem:?} does not fit its place"),
            };
            text += &step;
            ty = Some(inner);
        }
        text
    }
}

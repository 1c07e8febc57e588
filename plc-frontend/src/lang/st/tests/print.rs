//! The AST in one line, for comparison.

use crate::ast::*;
use crate::hir::{AddressArea, AddressSize, BinOp, Retain, UnOp};

fn list<T>(items: &[T], separator: &str, print: impl Fn(&T) -> String) -> String {
    items.iter().map(print).collect::<Vec<_>>().join(separator)
}

pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Literal(prefix, value) => {
            let prefix = prefix.as_ref().map_or(String::new(), |p| format!("{}#", p.text));
            let value = match value {
                Literal::Bool(b) => b.to_string(),
                Literal::Int(i) => i.to_string(),
                Literal::Real(r) => format!("{r}r"),
                Literal::Duration { ns, long } => format!("{ns}{}", if *long { "lns" } else { "ns" }),
                Literal::Variant(v) => v.text.clone(),
                Literal::String { chars, wide } => format!("{}{chars:?}", if *wide { "wstring" } else { "string" }),
                Literal::Date { kind, long, ns } => format!("{}{kind:?}:{ns}", if *long { "L" } else { "" }),
                Literal::Opaque(kind) => format!("<{kind}>"),
            };
            prefix + &value
        }
        ExprKind::Name(n) => name(n),
        ExprKind::Address(a) => a.clone(),
        ExprKind::Call(n, args) => call(n, args),
        ExprKind::Unary(op, a) => match op {
            UnOp::Neg => format!("(neg {})", expr(a)),
            UnOp::Not => format!("(not {})", expr(a)),
        },
        ExprKind::Binary(op, a, b) => format!("({} {} {})", operator(*op), expr(a), expr(b)),
        ExprKind::Error => "?".into(),
    }
}

fn operator(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Mod => "mod",
        BinOp::And => "and",
        BinOp::Or => "or",
        BinOp::Xor => "xor",
        BinOp::AndThen => "and_then",
        BinOp::OrElse => "or_else",
        BinOp::Eq => "=",
        BinOp::Ne => "<>",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Gt => ">",
        BinOp::Ge => ">=",
    }
}

fn call(n: &Name, args: &[Arg]) -> String {
    format!("{}({})", name(n), self::args(args))
}

fn args(args: &[Arg]) -> String {
    list(args, ", ", |arg| match arg {
        Arg::Positional(e) => expr(e),
        Arg::Input(n, e) => format!("{}:={}", n.text, expr(e)),
        Arg::Output { name, target, negated } => {
            let target = target.as_ref().map_or(String::new(), expr);
            format!("{}{}=>{target}", if *negated { "!" } else { "" }, name.text)
        }
    })
}

pub(super) fn name(n: &Name) -> String {
    let path = list(&n.path, "", |elem| match elem {
        NameElem::Field(f) => format!(".{}", f.text),
        NameElem::Index(indices, _) => format!("[{}]", list(indices, ",", expr)),
        NameElem::Bits { number, width: 1, .. } => format!(".{number}"),
        NameElem::Bits { number, width, .. } => format!(".{number}x{width}"),
        NameElem::Deref(_) => "^".into(),
        NameElem::Call(arguments, _) => format!("({})", args(arguments)),
    });
    n.root.text.clone() + &path
}

pub(super) fn stmts(list_of: &[Stmt]) -> String {
    format!("[{}]", list(list_of, " ", stmt))
}

pub(super) fn stmt(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Assign(t, v) => format!("(:= {} {})", expr(t), expr(v)),
        StmtKind::If(branches, otherwise) => {
            let branches = list(branches, " ", |(c, body)| format!("{} {}", expr(c), stmts(body)));
            format!("(if {branches} {})", stmts(otherwise))
        }
        StmtKind::Case(selector, arms, otherwise) => {
            let arms = list(arms, " ", |arm| {
                let labels = list(&arm.labels, ",", |l| match &l.high {
                    Some(high) => format!("{}..{}", expr(&l.low), expr(high)),
                    None => expr(&l.low),
                });
                format!("{labels}: {}", stmts(&arm.body))
            });
            format!("(case {} {{{arms}}} {})", expr(selector), stmts(otherwise))
        }
        StmtKind::For { control, from, to, by, body } => {
            let by = by.as_ref().map_or("-".into(), expr);
            format!("(for {} {} {} {by} {})", name(control), expr(from), expr(to), stmts(body))
        }
        StmtKind::While(c, body) => format!("(while {} {})", expr(c), stmts(body)),
        StmtKind::Repeat(body, c) => format!("(repeat {} {})", stmts(body), expr(c)),
        StmtKind::Exit => "exit".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return => "return".into(),
        StmtKind::Call(n, args) => call(n, args),
        StmtKind::Assert(e, n) => format!("(assert {} {})", expr(e), n.as_ref().map_or("-", |n| n.text.as_str())),
        StmtKind::RefAssign(how, t, v) => {
            let sign = match how {
                RefAssign::Set => "S=",
                RefAssign::Reset => "R=",
                RefAssign::Reference => "REF=",
                RefAssign::Attempt => "?=",
            };
            format!("({sign} {} {})", expr(t), expr(v))
        }
        StmtKind::Label(l) => format!("{}:", l.text),
        StmtKind::Goto(l) => format!("(goto {})", l.text),
        StmtKind::Let(n, v) => format!("(let {} {})", n.text, expr(v)),
        StmtKind::Empty => ";".into(),
        StmtKind::Unsupported(kind) => format!("<{kind}>"),
        StmtKind::Error => "?".into(),
    }
}

pub(super) fn type_spec(t: &TypeSpec) -> String {
    match &t.kind {
        TypeSpecKind::Name(n) => n.text.clone(),
        TypeSpecKind::Subrange(n, low, high) => format!("{}({}..{})", n.text, expr(low), expr(high)),
        TypeSpecKind::Array(bounds, element) => {
            let bounds = list(bounds, ",", |(low, high)| format!("{}..{}", expr(low), expr(high)));
            format!("[{bounds}]{}", type_spec(element))
        }
        TypeSpecKind::Struct(fields) => format!("struct{{{}}}", list(fields, "; ", var)),
        TypeSpecKind::Enum(variants, base) => {
            let variants = list(variants, ",", |(n, value)| match value {
                Some(value) => format!("{}={}", n.text, expr(value)),
                None => n.text.clone(),
            });
            format!("enum({variants}){}", base.as_ref().map_or("", |b| b.text.as_str()))
        }
        TypeSpecKind::String { wide, length } => {
            let length = length.as_ref().map_or(String::new(), |l| format!("[{}]", expr(l)));
            format!("{}{length}", if *wide { "wstring" } else { "string" })
        }
        TypeSpecKind::Pointer(to) => format!("pointer({})", type_spec(to)),
        TypeSpecKind::RefTo(to) => format!("ref_to({})", type_spec(to)),
        TypeSpecKind::Reference(to) => format!("reference({})", type_spec(to)),
        TypeSpecKind::OpenArray(n, element) => format!("[*{n}]{}", type_spec(element)),
        TypeSpecKind::Union(fields) => format!("union{{{}}}", list(fields, "; ", var)),
        TypeSpecKind::Opaque(words) => format!("<{words}>"),
        TypeSpecKind::Error => "?".into(),
    }
}

fn initial(i: &Option<Initializer>) -> String {
    i.as_ref().map_or(String::new(), |i| format!(" := {}", initializer(i)))
}

fn initializer(i: &Initializer) -> String {
    match &i.kind {
        InitializerKind::Expr(e) => expr(e),
        InitializerKind::Array(items) => {
            let items = list(items, ",", |(count, value)| {
                let value = initializer(value);
                count.as_ref().map_or(value.clone(), |count| format!("{}x{value}", expr(count)))
            });
            format!("[{items}]")
        }
        InitializerKind::Struct(fields) => format!("({})", list(fields, ",", |(n, v)| format!("{}={}", n.text, initializer(v)))),
    }
}

pub(super) fn var(v: &VarDecl) -> String {
    let address = v.address.as_ref().map_or(String::new(), |(a, _)| {
        let area = match a.area {
            AddressArea::Input => "I",
            AddressArea::Output => "Q",
            AddressArea::Memory => "M",
        };
        let size = match a.size {
            AddressSize::Bit => "X",
            AddressSize::Byte => "B",
            AddressSize::Word => "W",
            AddressSize::DWord => "D",
            AddressSize::LWord => "L",
        };
        format!("@{area}{size}{}", list(&a.path, ".", u32::to_string))
    });
    let watch = if v.stopwatch { "stopwatch " } else { "" };
    format!("{watch}{}{address}: {}{}", v.name.text, type_spec(&v.ty), initial(&v.init))
}

fn block(b: &VarBlock) -> String {
    let section = match b.section {
        Section::Var => "var",
        Section::Input => "input",
        Section::Output => "output",
        Section::InOut => "inout",
        Section::Temp => "temp",
        Section::External => "external",
        Section::Global => "global",
        Section::Stat => "stat",
        Section::Inst => "inst",
        Section::Config => "config",
        Section::Access => "access",
    };
    let retain = match b.retain {
        Retain::Unspecified => "",
        Retain::Retain => " retain",
        Retain::NonRetain => " non_retain",
    };
    let constant = if b.constant { " constant" } else { "" };
    format!("({section}{constant}{retain} {})", list(&b.vars, "; ", var))
}

pub(super) fn item(i: &Item) -> String {
    match i {
        Item::Pou(p) => {
            let kind = match p.kind {
                PouKind::Program => "program",
                PouKind::FunctionBlock => "fb",
                PouKind::Function => "function",
            };
            let result = p.result.as_ref().map_or(String::new(), |t| format!(" -> {}", type_spec(t)));
            let vars: String = p.vars.iter().map(|b| block(b) + " ").collect();
            format!("({kind} {}{result} {vars}{})", p.name.text, stmts(p.body.stmts()))
        }
        Item::Type(t) => format!("(type {} {}{})", t.name.text, type_spec(&t.ty), initial(&t.init)),
        Item::Globals(b) => block(b),
        Item::Interface(i) => format!("(interface {})", i.name.text),
        Item::Configuration(c) => format!("(configuration {})", c.name.text),
        Item::Namespace(n) => format!("(namespace {} {})", name(&n.name), list(&n.items, " ", item)),
        Item::Using(n) => format!("(using {})", name(n)),
        Item::Unsupported(kind, _) => format!("<{kind}>"),
    }
}

pub(super) fn unit(u: &Unit) -> String {
    list(&u.items, " ", item)
}

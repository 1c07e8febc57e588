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
        StmtKind::For { control, bounds, body } => {
            let LoopBounds { from, to, by } = &**bounds;
            let by = by.as_ref().map_or("-".into(), expr);
            format!("(for {} {} {} {by} {})", name(control), expr(from), expr(to), stmts(body))
        }
        StmtKind::While(c, body) => format!("(while {} {})", expr(c), stmts(body)),
        StmtKind::Repeat(body, c) => format!("(repeat {} {})", stmts(body), expr(c)),
        StmtKind::Exit => "exit".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return => "return".into(),
        StmtKind::Call(n, args) => call(n, args),
        StmtKind::Value(e) => format!("(value {})", expr(e)),
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
        StmtKind::Label(l, _) => format!("{}:", l.text),
        StmtKind::Goto(l, _) => format!("(goto {})", l.text),
        StmtKind::Keep(n, v) => format!("(keep {} {})", n.text, expr(v)),
        StmtKind::Let(n, v) => format!("(let {} {})", n.text, expr(v)),
        StmtKind::Empty => ";".into(),
        StmtKind::Unsupported(kind) => format!("<{kind}>"),
        StmtKind::Error => "?".into(),
    }
}

pub(super) fn type_spec(t: &TypeSpec) -> String {
    match &t.kind {
        TypeSpecKind::Name(n) => n.text.clone(),
        TypeSpecKind::Subrange(n, range) => format!("{}({}..{})", n.text, expr(&range.0), expr(&range.1)),
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
        TypeSpecKind::OpenArray(bounds, element) => format!("[*{}]{}", bounds.n_dims, type_spec(element)),
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
        InitializerKind::Elements(all) => {
            format!("({})", list(all, ",", |(i, v)| format!("[{}]={}", list(i, ",", expr), initializer(v))))
        }
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
    let edge = match v.edge {
        None => "",
        Some(Edge::Rising) => " r_edge",
        Some(Edge::Falling) => " f_edge",
    };
    let arguments = if v.args.is_empty() { String::new() } else { format!("({})", args(&v.args)) };
    let address = v.view_of.as_ref().map_or(address, |base| format!(" at {}", base.text));
    format!("{watch}{}{address}: {}{arguments}{edge}{}", v.name.text, type_spec(&v.ty), initial(&v.init))
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
    let access = modifiers(&Modifiers { access: b.access, ..Modifiers::default() });
    format!("({access}{section}{constant}{retain} {})", list(&b.vars, "; ", var))
}

pub(super) fn item(i: &Item) -> String {
    match i {
        Item::Pou(p) => pou(p),
        Item::Type(t) => {
            let extends = t.extends.as_ref().map_or(String::new(), |n| format!(" extends {}", name(n)));
            format!("(type {}{extends} {}{})", t.name.text, type_spec(&t.ty), initial(&t.init))
        }
        Item::Globals(b) => block(b),
        Item::Interface(i) => {
            let extends = if i.extends.is_empty() { String::new() } else { format!(" extends {}", list(&i.extends, ",", name)) };
            format!("(interface {}{extends}{}{})", i.name.text, all(&i.methods, method), all(&i.properties, property))
        }
        Item::Configuration(c) => {
            format!("(configuration {}{}{})", c.title(), all(&c.vars, block), all(&c.resources, resource))
        }
        Item::Namespace(n) => format!("(namespace {} {})", name(&n.name), list(&n.items, " ", item)),
        Item::Using(n) => format!("(using {})", name(n)),
        Item::Unsupported(kind, _) => format!("<{kind}>"),
    }
}

/// Prints the items, each with a space before it.
fn all<T>(items: &[T], print: impl Fn(&T) -> String) -> String {
    items.iter().map(|item| format!(" {}", print(item))).collect()
}

fn modifiers(m: &Modifiers) -> String {
    let access = match m.access {
        Access::Unspecified => "",
        Access::Public => "public ",
        Access::Protected => "protected ",
        Access::Private => "private ",
        Access::Internal => "internal ",
    };
    let words = [(m.is_abstract, "abstract "), (m.is_final, "final "), (m.is_override, "override ")];
    words.iter().filter(|(is, _)| *is).fold(access.to_owned(), |text, (_, word)| text + word)
}

fn pou(p: &Pou) -> String {
    let kind = match p.kind {
        PouKind::Program => "program",
        PouKind::FunctionBlock => "fb",
        PouKind::Function => "function",
    };
    let names = |word: &str, names: Vec<&Name>| {
        let names: Vec<String> = names.into_iter().map(name).collect();
        if names.is_empty() { String::new() } else { format!(" {word} {}", names.join(",")) }
    };
    format!(
        "({kind} {}{}{}{}{}{} {}{}{}{})",
        modifiers(&p.modifiers),
        p.name.text,
        names("extends", p.extends.iter().collect()),
        names("implements", p.implements.iter().collect()),
        p.result.as_ref().map_or(String::new(), |t| format!(" -> {}", type_spec(t))),
        all(&p.vars, block),
        body(&p.body),
        all(&p.methods, method),
        all(&p.properties, property),
        all(&p.actions, |a| format!("(action {} {})", a.name.text, body(&a.body)))
    )
}

fn method(m: &Method) -> String {
    let result = m.result.as_ref().map_or(String::new(), |t| format!(" -> {}", type_spec(t)));
    let body = m.body.as_ref().map_or(String::new(), |b| format!(" {}", body(b)));
    format!("(method {}{}{result}{}{body})", modifiers(&m.modifiers), m.name.text, all(&m.vars, block))
}

fn property(p: &Property) -> String {
    let accessor = |word: &str, m: &Option<Method>| {
        m.as_ref().map_or(String::new(), |m| {
            let body = m.body.as_ref().map_or(String::new(), |b| format!(" {}", body(b)));
            format!(" ({}{word}{}{body})", modifiers(&m.modifiers), all(&m.vars, block))
        })
    };
    let accessors = accessor("get", &p.getter) + &accessor("set", &p.setter);
    format!("(property {}{}: {}{accessors})", modifiers(&p.modifiers), p.name.text, type_spec(&p.ty))
}

fn body(b: &Body) -> String {
    match b {
        Body::Statements(list) => stmts(list),
        Body::Chart(chart) => {
            let mut parts: Vec<String> = chart.steps.iter().map(step).collect();
            parts.extend(chart.transitions.iter().map(transition));
            format!("(chart {})", parts.join(" "))
        }
    }
}

fn step(s: &ChartStep) -> String {
    let actions = all(&s.actions, |block| {
        let duration = block.duration.as_ref().map_or(String::new(), |d| format!(",{}", expr(d)));
        let action = match &block.action {
            ActionBody::Named(name) => name.text.clone(),
            ActionBody::Inline(list) => stmts(list),
        };
        format!("{action}({:?}{duration})", block.qualifier)
    });
    format!("({} {}{actions})", if s.initial { "initial" } else { "step" }, s.name.text)
}

fn transition(t: &ChartTransition) -> String {
    let name = t.name.as_ref().map_or(String::new(), |n| format!(" {}", n.text));
    let priority = t.priority.map_or(String::new(), |p| format!(" #{p}"));
    let ends = |names: &[Ident]| list(names, "+", |n| n.text.clone());
    let prelude = if t.prelude.is_empty() { String::new() } else { stmts(&t.prelude) };
    format!("(transition{name}{priority} {}->{} {prelude}{})", ends(&t.from), ends(&t.to), expr(&t.condition))
}

fn resource(r: &Resource) -> String {
    let tasks = all(&r.tasks, |t| {
        let settings = list(&t.settings, ", ", |s| format!("{}:={}", s.name.text, expr(&s.value)));
        format!("(task {} {settings})", t.name.text)
    });
    let programs = all(&r.programs, |p| {
        let task = p.task.as_ref().map_or(String::new(), |t| format!(" with {}", t.text));
        format!("(run {}{task}: {}({}))", p.name.text, name(&p.program), args(&p.args))
    });
    format!("(resource {}{}{tasks}{programs})", r.name.as_ref().map_or("-", |n| n.text.as_str()), all(&r.vars, block))
}

pub(super) fn unit(u: &Unit) -> String {
    list(&u.items, " ", item)
}

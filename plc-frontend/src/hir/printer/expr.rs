//! Expressions and places.

use super::Printer;
use super::literal::{self, Prefix};
use crate::hir::{BinOp, Builtin, CallArgs, Conversion, Elem, Expr, ExprKind, Place, PouId, Root, Type, TypeId, UnOp, Value};

/// Binding strength of an expression; operands of an operator bind tighter than it or stand in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Strength {
    Or,
    Xor,
    And,
    Equality,
    Order,
    Sum,
    Product,
    Sign,
    Atom,
}

impl<'p> Printer<'p> {
    /// Puts an expression; `want` is the type that the context gives to literals.
    pub(super) fn expr(&mut self, expr: &Expr, want: Option<TypeId>) -> &mut Self {
        match &expr.kind {
            ExprKind::Literal(value) => {
                let given = want.is_some_and(|want| self.base(want) == self.base(expr.ty));
                // `-1.5` alone would load as the negation of 1.5.
                let prefix = if given && !is_negative_real(*value) { Prefix::Given } else { Prefix::Named };
                self.put(&literal::literal(self.project, expr.ty, *value, prefix))
            }
            ExprKind::Text(chars) => {
                let wide = self.project.text(expr.ty).is_some_and(|text| text.bits == 16);
                self.put(&literal::quoted(chars, wide))
            }
            ExprKind::Read(place) => self.place(place),
            ExprKind::Unary(UnOp::Neg, operand) => self.put("-").operand(operand, Strength::Atom, None),
            ExprKind::Unary(UnOp::Not, operand) => self.put("NOT ").operand(operand, Strength::Atom, None),
            ExprKind::Binary(op, ..) => self.chain(*op, expr),
            ExprKind::Convert(Conversion::Widen, operand) => self.expr(operand, None),
            ExprKind::Convert(how, operand) => {
                let word = if *how == Conversion::Truncate { "TRUNC" } else { "TO" };
                match self.elementary_name(operand.ty).filter(|_| self.project.text(expr.ty).is_none()) {
                    Some(from) => self.put_args(format_args!("{from}_{word}_")),
                    None => self.put_args(format_args!("{word}_")),
                };
                self.type_ref(expr.ty).put("(").expr(operand, None).put(")")
            }
            ExprKind::Builtin(f, args) => {
                self.put_args(format_args!("{}(", builtin_name(*f))).list(args, ", ", |p, arg| p.expr(arg, None)).put(")")
            }
            ExprKind::Call(pou, args) => self.put(&self.project.pous[*pou].name).call_args(*pou, args),
            ExprKind::Arbitrary { concrete: Some(concrete), .. } => self.expr(concrete, want),
            ExprKind::Arbitrary { concrete: None, .. } => self.put("(* any value *)"),
        }
    }

    /// Puts a chain `a op b op c …` without recursion, as it is evaluated.
    fn chain(&mut self, op: BinOp, expr: &Expr) -> &mut Self {
        let mut rest = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary(next, left, right) = &first.kind
            && strength_of(op) == strength_of(*next)
        {
            rest.push((*next, left.as_ref(), right.as_ref()));
            first = left;
        }
        let tighter = tighter(strength_of(op));
        if let Some((_, left, right)) = rest.last() {
            let want = self.gives_type(right).filter(|_| is_literal(left));
            self.operand(left, tighter, want);
        }
        for (op, left, right) in rest.into_iter().rev() {
            let want = self.gives_type(left).filter(|_| is_literal(right));
            self.put_args(format_args!(" {} ", op_name(op))).operand(right, tighter, want);
        }
        self
    }

    /// Puts an operand, in parentheses unless it binds at least this tightly.
    fn operand(&mut self, operand: &Expr, least: Strength, want: Option<TypeId>) -> &mut Self {
        if strength(operand) < least { self.put("(").expr(operand, want).put(")") } else { self.expr(operand, want) }
    }

    pub(super) fn place(&mut self, place: &Place) -> &mut Self {
        let project = self.project;
        let mut path = place.path.iter();
        let mut ty = match place.root {
            Root::Global(id) => {
                self.put(&project.globals[id].name);
                project.globals[id].ty
            }
            Root::Var(id) => match self.current().and_then(|pou| pou.vars.get(id)) {
                Some(var) => {
                    self.put(&var.name);
                    var.ty
                }
                None => {
                    self.put_args(format_args!("{id}"));
                    place.ty
                }
            },
            Root::This(ty) => {
                self.put("THIS^");
                ty
            }
            Root::Instance(id) => {
                let instance = &project.instances[id];
                self.put(&instance.name);
                if let Some(Elem::Member(var)) = path.next() {
                    let var = &project.pous[instance.pou].vars[*var];
                    self.put_args(format_args!(".{}", var.name));
                    var.ty
                } else {
                    place.ty
                }
            }
        };
        for elem in path {
            match (elem, &project.types[ty].ty) {
                (Elem::Field(k), Type::Struct { fields }) => {
                    let field = &fields[*k as usize];
                    self.put_args(format_args!(".{}", field.name));
                    ty = field.ty;
                }
                (Elem::Member(var), Type::FunctionBlock(pou)) => {
                    let var = &project.pous[*pou].vars[*var];
                    self.put_args(format_args!(".{}", var.name));
                    ty = var.ty;
                }
                (Elem::Index(indices), Type::Array { elem, .. }) => {
                    self.put("[").list(indices, ", ", |p, index| p.expr(index, p.default_type(index))).put("]");
                    ty = *elem;
                }
                (Elem::Deref(view), _) => {
                    self.put("^");
                    ty = *view;
                }
                (Elem::Bits { offset, width: 1 }, _) => {
                    self.put_args(format_args!(".{offset}"));
                }
                (Elem::Bits { offset, width }, _) => {
                    let unit = match width {
                        8 => "B",
                        16 => "W",
                        _ => "D",
                    };
                    self.put_args(format_args!(".%{unit}{}", offset / width));
                }
                (Elem::Field(_) | Elem::Member(_) | Elem::Index(_), ty) => unreachable!("{elem:?} is no part of {ty:?}"),
            }
        }
        self
    }

    /// Puts the arguments of a call: `(a := 1, b => x)`.
    pub(super) fn call_args(&mut self, pou: PouId, args: &CallArgs) -> &mut Self {
        let vars = &self.project.pous[pou].vars;
        let mut first = true;
        let mut name = |p: &mut Self, id, sign: &str| {
            let comma = if std::mem::take(&mut first) { "" } else { ", " };
            p.put_args(format_args!("{comma}{} {sign} ", vars[id].name));
        };
        self.put("(");
        for (id, value) in &args.inputs {
            name(self, *id, ":=");
            self.expr(value, Some(vars[*id].ty));
        }
        let places = args.in_outs.iter().map(|row| (row, ":=")).chain(args.outputs.iter().map(|row| (row, "=>")));
        for ((id, place), sign) in places {
            name(self, *id, sign);
            self.place(place);
        }
        self.put(")")
    }

    /// Returns the type that an operand gives to a literal as the other operand.
    fn gives_type(&self, operand: &Expr) -> Option<TypeId> {
        match &operand.kind {
            ExprKind::Read(_)
            | ExprKind::Call(..)
            | ExprKind::Convert(Conversion::Convert | Conversion::Round | Conversion::Truncate, _) => Some(operand.ty),
            ExprKind::Convert(Conversion::Widen, inner) => Some(operand.ty).filter(|ty| self.base(inner.ty) == *ty),
            ExprKind::Binary(_, left, right) if !is_literal(left) && !is_literal(right) => Some(operand.ty),
            ExprKind::Binary(_, left, right) => self.gives_type(left).or_else(|| self.gives_type(right)),
            ExprKind::Literal(_)
            | ExprKind::Text(_)
            | ExprKind::Unary(..)
            | ExprKind::Builtin(..)
            | ExprKind::Arbitrary { .. } => None,
        }
    }

    /// Returns the type that an INT literal has without a context.
    fn default_type(&self, literal: &Expr) -> Option<TypeId> {
        Some(literal.ty).filter(|ty| self.project.types[*ty].name.as_deref() == Some("INT"))
    }

    /// Returns the name of an elementary type; others are not named before `_TO_`.
    fn elementary_name(&self, ty: TypeId) -> Option<&'p str> {
        let def = &self.project.types[ty];
        let has_own = def.ty.is_scalar() && !matches!(def.ty, Type::Enum { .. } | Type::Subrange { .. } | Type::Opaque(_));
        def.name.as_deref().filter(|_| has_own)
    }
}

fn is_negative_real(value: Value) -> bool {
    match value {
        Value::Real(bits) => f32::from_bits(bits).is_sign_negative(),
        Value::LReal(bits) => f64::from_bits(bits).is_sign_negative(),
        Value::Bool(_) | Value::Int(_) => false,
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Literal(_) | ExprKind::Text(_))
}

fn strength(expr: &Expr) -> Strength {
    match &expr.kind {
        ExprKind::Binary(op, ..) => strength_of(*op),
        ExprKind::Unary(..) => Strength::Sign,
        ExprKind::Convert(Conversion::Widen, operand) => strength(operand),
        ExprKind::Arbitrary { concrete: Some(concrete), .. } => strength(concrete),
        // `-5` without the type's name binds like a sign.
        ExprKind::Literal(_) | ExprKind::Text(_) => Strength::Sign,
        ExprKind::Read(_)
        | ExprKind::Convert(Conversion::Convert | Conversion::Round | Conversion::Truncate, _)
        | ExprKind::Builtin(..)
        | ExprKind::Call(..)
        | ExprKind::Arbitrary { concrete: None, .. } => Strength::Atom,
    }
}

pub(crate) fn strength_of(op: BinOp) -> Strength {
    match op {
        BinOp::Or | BinOp::OrElse => Strength::Or,
        BinOp::Xor => Strength::Xor,
        BinOp::And | BinOp::AndThen => Strength::And,
        BinOp::Eq | BinOp::Ne => Strength::Equality,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Strength::Order,
        BinOp::Add | BinOp::Sub => Strength::Sum,
        BinOp::Mul | BinOp::Div | BinOp::Mod => Strength::Product,
    }
}

/// Returns the least strength of an operand to the right.
pub(crate) fn tighter(strength: Strength) -> Strength {
    match strength {
        Strength::Or => Strength::Xor,
        Strength::Xor => Strength::And,
        Strength::And => Strength::Equality,
        Strength::Equality => Strength::Order,
        Strength::Order => Strength::Sum,
        Strength::Sum => Strength::Product,
        Strength::Product => Strength::Sign,
        Strength::Sign | Strength::Atom => Strength::Atom,
    }
}

pub(crate) fn op_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Mod => "MOD",
        BinOp::And => "AND",
        BinOp::Or => "OR",
        BinOp::Xor => "XOR",
        BinOp::AndThen => "AND_THEN",
        BinOp::OrElse => "OR_ELSE",
        BinOp::Eq => "=",
        BinOp::Ne => "<>",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Gt => ">",
        BinOp::Ge => ">=",
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only comparisons of strings are functions")]
fn builtin_name(f: Builtin) -> &'static str {
    match f {
        Builtin::Abs => "ABS",
        Builtin::Sqrt => "SQRT",
        Builtin::Min => "MIN",
        Builtin::Max => "MAX",
        Builtin::Limit => "LIMIT",
        Builtin::Sel => "SEL",
        Builtin::Mux => "MUX",
        Builtin::Shl => "SHL",
        Builtin::Shr => "SHR",
        Builtin::Rol => "ROL",
        Builtin::Ror => "ROR",
        Builtin::Ln => "LN",
        Builtin::Log => "LOG",
        Builtin::Exp => "EXP",
        Builtin::Sin => "SIN",
        Builtin::Cos => "COS",
        Builtin::Tan => "TAN",
        Builtin::Asin => "ASIN",
        Builtin::Acos => "ACOS",
        Builtin::Atan => "ATAN",
        Builtin::Expt => "EXPT",
        Builtin::Atan2 => "ATAN2",
        Builtin::Clock => "TIME",
        Builtin::SwapBytes => "SWAP",
        Builtin::IsValid => "IS_VALID",
        Builtin::IsValidBcd => "IS_VALID_BCD",
        Builtin::FromBcd => "BCD_TO",
        Builtin::ToBcd => "TO_BCD",
        Builtin::Len => "LEN",
        Builtin::Left => "LEFT",
        Builtin::Right => "RIGHT",
        Builtin::Mid => "MID",
        Builtin::Concat => "CONCAT",
        Builtin::Insert => "INSERT",
        Builtin::Delete => "DELETE",
        Builtin::Replace => "REPLACE",
        Builtin::Find => "FIND",
        Builtin::Compare(op) => match op {
            BinOp::Eq => "EQ",
            BinOp::Ne => "NE",
            BinOp::Lt => "LT",
            BinOp::Le => "LE",
            BinOp::Gt => "GT",
            BinOp::Ge => "GE",
            _ => op_name(op),
        },
    }
}

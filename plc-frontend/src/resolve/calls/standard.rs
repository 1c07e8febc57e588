//! Calls of standard functions: the types of their arguments, and their results.

use crate::ast::{self, Arg};
use crate::dialect::ByteOrder;
use crate::hir::printer::op_name;
use crate::hir::{BinOp, Builtin, Conversion, DateKind, Expr, ExprKind, Project, TypeId, UnOp};
use crate::resolve::calls::standard_table::{CONVERSION, Form, Order, Signature, TABLE, Toward, UNMODELLED};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::controller::loops;
use crate::resolve::exprs::expr::repeatable;
use crate::resolve::exprs::operands::Operand;
use crate::resolve::exprs::operators::node;
use crate::resolve::exprs::untyped;
use crate::resolve::findings::{Bad, Findings, Res, unsupported};
use crate::resolve::names::tables::{self, noted};
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, StandardCall, Uses, Want};
use crate::resolve::types::elementary;
use crate::resolve::types::families::{Family, base, common, family, widened};
use crate::text::{Gap, Span, Treatment, codes, nearest};

impl Resolver<'_> {
    /// Resolves a call of a standard function.
    pub(crate) fn standard_call(&mut self, scope: Scope, name: &ast::Ident, args: &[Arg], span: Span, want: Want) -> Res<Expr> {
        // A name that has a meaning, or none, for the libraries of the project is not the standard's.
        if noted(&self.names.meanings.units, name).is_some() {
            return Err(self.unknown_function(name));
        }
        if let Some(signature) = self.signature(&name.text) {
            let args = self.standard_args(signature, args, span)?;
            return self.standard_function(StandardCall { scope, name: signature.name, span, want }, signature.form, &args);
        }
        if let Some(conversion) = self.names.conversion(&self.project, &name.text) {
            if conversion.is_opaque() {
                let effect = "the type is not modelled: nothing after this statement in the cycle is verified";
                return Err(unsupported(span, name.text.to_uppercase(), effect));
            }
            let args = self.standard_args(&CONVERSION, args, span)?;
            return match args.as_slice() {
                [value] => self.convert_call(StandardCall { scope, name: &name.text, span, want }, conversion, value),
                _ => Err(Bad::Reported),
            };
        }
        if UNMODELLED.iter().any(|known| known.eq_ignore_ascii_case(&name.text))
            || self.names.unmodelled.contains(&tables::key(&name.text))
        {
            let effect = "the function is not modelled: nothing after this statement in the cycle is verified";
            return Err(unsupported(span, name.text.to_uppercase(), effect));
        }
        if let Some(gap) = self.inherited_guess(scope, name) {
            return Err(gap);
        }
        Err(self.unknown_function(name))
    }

    /// Returns the standard function of a name. Functions of WSTRING have names of their own in CODESYS and TwinCAT: `WLEN`.
    fn signature(&self, name: &str) -> Option<&'static Signature> {
        let named = |name: &str| TABLE.iter().find(|s| s.name.eq_ignore_ascii_case(name));
        let is_wide = |s: &&Signature| matches!(s.form, Form::Text(..));
        let wide = || name.strip_prefix(['W', 'w']).filter(|_| self.dialect.mixes()).and_then(named).filter(is_wide);
        named(name).or_else(wide)
    }

    fn unknown_function(&mut self, name: &ast::Ident) -> Bad {
        match self.names.several(name) {
            Some(all) => self.findings.ambiguous_in_libraries(name, self.names.libraries.way_out(all)),
            None => self.project.unknown_function(&mut self.findings, name),
        }
    }

    fn standard_function(&mut self, call: StandardCall<'_>, form: Form, args: &[&ast::Expr]) -> Res<Expr> {
        let StandardCall { scope, name, span, want } = call;
        match (form, args) {
            (Form::Operator(op), args) => {
                let scales = matches!(op, BinOp::Mul | BinOp::Div);
                let operands = self.operands(scope, written(args), want, scales)?;
                let mut operands = operands.into_iter();
                let Some(first) = operands.next() else { return Err(Bad::Reported) };
                operands.try_fold(first, |left, right| self.apply(op, left, right, span))
            }
            (Form::Chain(op), args) => self.compare_chain(call, op, args),
            (Form::Not, [a]) => self.unary(scope, UnOp::Not, a, span, want),
            (Form::Move, [a]) => self.expr(scope, a, want),
            (Form::Abs, [a]) => {
                let e = self.expr(scope, a, want)?;
                self.require(&e, &[Family::Int, Family::Real], name, "a number")?;
                let ty = base(&self.project, e.ty);
                // With 32-bit arithmetic, the negated smallest INT is a number, too.
                let signed = self.project.int_type(ty).is_some_and(|int| int.signed);
                let ty = if signed { self.dialect.computed(&self.project, ty) } else { ty };
                Ok(builtin(Builtin::Abs, vec![widened(e, ty)], ty, span))
            }
            (Form::Exact(function), [a]) => {
                let e = self.real_operand(call, a, want)?;
                let ty = e.ty;
                Ok(builtin(function, vec![e], ty, span))
            }
            (Form::Approximate(function), [a]) => {
                let e = self.real_operand(call, a, want)?;
                let ty = e.ty;
                self.approximate(call, builtin(function, vec![e], ty, span))
            }
            (Form::Power, [a, b]) => {
                let base = self.real_operand(call, a, want)?;
                let exponent = self.real_operand(call, b, Want::Ty(base.ty))?;
                let ty = common(&self.project, base.ty, exponent.ty).unwrap_or(elementary::LREAL);
                let function = if name == "ATAN2" { Builtin::Atan2 } else { Builtin::Expt };
                self.approximate(call, builtin(function, vec![widened(base, ty), widened(exponent, ty)], ty, span))
            }
            (Form::Ordered(function), args) => {
                let operands = self.operands(scope, chosen(args), want, false)?;
                for e in &operands {
                    let ordered = [Family::Int, Family::Real, Family::Bits, Family::Time, Family::Date, Family::Char];
                    self.require(e, &ordered, name, "numbers, bit strings or durations")?;
                }
                let bound = |e: Option<&Expr>| e.and_then(loops::constant_of).and_then(|value| value.as_int());
                let ordered = matches!((bound(operands.first()), bound(operands.get(2))), (Some(low), Some(high)) if low <= high);
                if function == Builtin::Limit && self.dialect.compiles_to_c() && !ordered {
                    self.findings.note_behaviour(self.dialect, Behaviour::Limit, span);
                }
                self.of_one_type(call, function, Vec::new(), operands)
            }
            (Form::Sel, [g, inputs @ ..]) => {
                let g = self.expr_as(scope, g, elementary::BOOL, "the selector G of SEL")?;
                let inputs = self.single_values(call, inputs)?;
                self.of_one_type(call, Builtin::Sel, vec![g], inputs)
            }
            (Form::Mux, [k, inputs @ ..]) => {
                let k = self.expr(scope, k, Want::Any)?;
                self.require(&k, &[Family::Int], "the selector K of MUX", "an integer")?;
                let inputs = self.single_values(call, inputs)?;
                self.of_one_type(call, Builtin::Mux, vec![k], inputs)
            }
            (Form::Shift(function), [a, n]) => self.shift(call, function, a, n),
            (Form::Trunc, [a]) => {
                let to = self.project.wanted(want, &[Family::Int]).map_or(elementary::DINT, |ty| base(&self.project, ty));
                self.truncate(call, None, to, a)
            }
            (_, _) => self.further_call(call, form, args),
        }
    }

    /// Resolves a standard function on strings, dates, bits and memory.
    fn further_call(&mut self, call: StandardCall<'_>, form: Form, args: &[&ast::Expr]) -> Res<Expr> {
        let StandardCall { scope, name, span, want } = call;
        match (form, args) {
            (Form::Text(function, n_texts), args) => self.text_call(call, function, n_texts, args),
            (Form::ConcatDate, [date, time]) => {
                let (date, time) = (self.expr(scope, date, Want::Any), self.expr(scope, time, Want::Any));
                let (date, time) = (date?, time?);
                for (e, kind, needs) in [(&date, DateKind::Date, "a DATE"), (&time, DateKind::TimeOfDay, "a TIME_OF_DAY")] {
                    if self.project.date_of(e.ty).is_none_or(|date| date.kind != kind) {
                        self.require(e, &[], name, needs)?;
                    }
                }
                self.project.concat_date(date, time, span)
            }
            (Form::DayOfWeek, [date]) => {
                let date = self.expr(scope, date, Want::Any)?;
                self.require(&date, &[Family::Date], name, "a DATE")?;
                self.project.day_of_week(date, span)
            }
            (Form::IsValid, [a]) => {
                let e = self.expr(scope, a, Want::Any)?;
                self.require(&e, &[Family::Real], name, "REAL or LREAL")?;
                Ok(builtin(Builtin::IsValid, vec![e], elementary::BOOL, span))
            }
            (Form::IsValidBcd, [a]) => {
                let e = self.expr(scope, a, Want::Any)?;
                self.require(&e, &[Family::Bits], name, "a bit string")?;
                Ok(builtin(Builtin::IsValidBcd, vec![e], elementary::BOOL, span))
            }
            (Form::Swap(order), [a]) => {
                let e = self.expr(scope, a, want)?;
                self.require(&e, &[Family::Int, Family::Bits], name, "an integer or a bit string")?;
                let big_endian = self.dialect.memory.order == ByteOrder::HighFirst;
                let same = order != Order::Always && (order == Order::Big) == big_endian;
                let ty = base(&self.project, e.ty);
                if same || self.project.int_type(ty).is_some_and(|int| int.bits == 8) {
                    return Ok(e);
                }
                Ok(builtin(Builtin::SwapBytes, vec![widened(e, ty)], ty, span))
            }
            (Form::SizeOf, [a]) => self.size_of(scope, a, span, want),
            (Form::Clock, []) => {
                let ty = if name == "TIME" { elementary::TIME } else { elementary::LTIME };
                self.approximate(call, builtin(Builtin::Clock, Vec::new(), ty, span))
            }
            (Form::Round(toward), [a]) => self.round(call, toward, a),
            (Form::Scale(scale), [min, value, max]) => self.scaled(call, scale, [*min, *value, *max]),
            (Form::Frac, [a]) => {
                let e = self.real_operand(call, a, want)?;
                let e = self.findings.once(e, name)?;
                let whole = e.clone().converted(Conversion::Truncate, elementary::LINT);
                let back = Expr::new(ExprKind::Convert(Conversion::Convert, Box::new(whole)), e.ty, span);
                Ok(node(BinOp::Sub, e, back, span))
            }
            (_, _) => Err(Bad::Reported),
        }
    }

    /// Resolves a comparison of several arguments as `a < b AND b < c …`.
    fn compare_chain(&mut self, call: StandardCall<'_>, op: BinOp, args: &[&ast::Expr]) -> Res<Expr> {
        let StandardCall { scope, span, .. } = call;
        let operands = self.operands(scope, written(args), Want::Any, false)?;
        let inner = operands.get(1..operands.len().saturating_sub(1)).unwrap_or(&[]);
        if let Some(twice) = inner.iter().find(|e| !repeatable(e)) {
            let message =
                format!("{} with more than two arguments compares this one twice, and it calls a function", op_name(op));
            let help = Some("assign it to a variable first".to_owned());
            return Err(self.findings.error_with_help(codes::ARGUMENTS, twice.span, message, "evaluated once", help));
        }
        let mut all: Option<Expr> = None;
        for pair in operands.windows(2) {
            let [left, right] = pair else { continue };
            let one = self.apply(op, left.clone(), right.clone(), span)?;
            all = Some(match all {
                Some(before) => node(BinOp::And, before, one, span),
                None => one,
            });
        }
        all.ok_or(Bad::Reported)
    }

    /// Resolves the inputs of a selection: single values, or values of one compound type.
    fn single_values(&mut self, call: StandardCall<'_>, inputs: &[&ast::Expr]) -> Res<Vec<Expr>> {
        let operands = self.operands(call.scope, chosen(inputs), call.want, false)?;
        for e in &operands {
            let of = family(&self.project, e.ty);
            let is_alike = of == Family::Compound && operands.iter().all(|other| other.ty == e.ty);
            let suits = is_alike || !matches!(of, Family::Compound | Family::Opaque);
            if !suits {
                self.require(e, &[], call.name, "single values")?;
            }
        }
        Ok(operands)
    }

    /// Resolves ROUND, CEIL and FLOOR: to an integer.
    fn round(&mut self, call: StandardCall<'_>, toward: Toward, a: &ast::Expr) -> Res<Expr> {
        let StandardCall { name, span, want, .. } = call;
        let to = self.project.wanted(want, &[Family::Int]).map_or(elementary::DINT, |ty| base(&self.project, ty));
        let e = self.real_operand(call, a, Want::Any)?;
        let op = match toward {
            Toward::Nearest => return Ok(Expr::new(ExprKind::Convert(Conversion::Convert, Box::new(e)), to, span)),
            Toward::Above => BinOp::Lt,
            Toward::Below => BinOp::Gt,
        };
        let e = self.findings.once(e, name)?;
        let whole = e.clone().converted(Conversion::Truncate, to);
        let back = Expr::new(ExprKind::Convert(Conversion::Convert, Box::new(whole.clone())), e.ty, span);
        let missed = node(op, back, e, span);
        let step = if toward == Toward::Above { BinOp::Add } else { BinOp::Sub };
        let next = node(step, whole.clone(), Expr::int(1, to, span), span);
        Ok(builtin(Builtin::Sel, vec![missed, whole, next], to, span))
    }

    fn of_one_type(&mut self, call: StandardCall<'_>, f: Builtin, mut args: Vec<Expr>, operands: Vec<Expr>) -> Res<Expr> {
        let operands = self.dialect.unify(&self.project, &mut self.findings, operands, call.name, call.span)?;
        let Some(ty) = operands.first().map(|e| e.ty) else { return Err(Bad::Reported) };
        args.extend(operands);
        Ok(builtin(f, args, ty, call.span))
    }

    /// Resolves a REAL or LREAL; integers widen as the standard allows.
    fn real_operand(&mut self, call: StandardCall<'_>, e: &ast::Expr, want: Want) -> Res<Expr> {
        let want = self.project.wanted(want, &[Family::Real]).map_or(Want::Any, Want::Ty);
        let want = match (untyped::untyped(e), want) {
            (Some(_), Want::Any) => Want::Ty(elementary::LREAL),
            (Some(_) | None, want) => want,
        };
        let e = self.expr(call.scope, e, want)?;
        match (family(&self.project, e.ty), common(&self.project, e.ty, elementary::REAL)) {
            (Family::Real | Family::Int, Some(ty)) => Ok(widened(e, ty)),
            (of, _) if of != Family::Bool && self.dialect.counts(&self.project, e.ty) => {
                Ok(self.project.as_number(e, elementary::REAL))
            }
            (_, _) => {
                self.require(&e, &[Family::Real], call.name, "REAL or LREAL")?;
                Ok(e)
            }
        }
    }

    pub(crate) fn approximate(&mut self, call: StandardCall<'_>, value: Expr) -> Res<Expr> {
        let effect =
            "the model allows every value here: proofs hold, and a violation counts only if it happens with the computed value";
        self.approximate_as(call, value, effect)
    }

    /// Returns an arbitrary value, with the effect for the ledger.
    pub(crate) fn approximate_as(&mut self, call: StandardCall<'_>, value: Expr, effect: &str) -> Res<Expr> {
        let (ty, span) = (value.ty, value.span);
        if call.scope.uses == Uses::Constant && (self.vars.initialising.is_some() || !self.dialect.mixes()) {
            return Err(self.not_constant(span));
        }
        if call.scope.uses == Uses::Constant {
            let effect = "its value is not computed: nothing after a statement that uses it is verified";
            return Err(unsupported(span, format!("constant that calls {}", call.name), effect));
        }
        let gap =
            Gap { span, construct: call.name.to_owned(), treatment: Treatment::OverApproximated, effect: effect.to_owned() };
        let gap = self.findings.record(gap);
        Ok(Expr { kind: ExprKind::Arbitrary { gap, concrete: Some(Box::new(value)) }, ty, span })
    }

    /// Checks that an operand belongs to one of `families`.
    pub(crate) fn require(&mut self, e: &Expr, families: &[Family], who: &str, needs: &str) -> Res<()> {
        let of = family(&self.project, e.ty);
        if families.contains(&of)
            || (families.contains(&Family::Int) && of != Family::Bool && self.dialect.counts(&self.project, e.ty))
        {
            return Ok(());
        }
        let name = self.project.type_name(e.ty);
        let takes = |family: Family| families.contains(&family);
        let help = if of == Family::Int && takes(Family::Bits) {
            self.project.bits_for(e.ty).map(|to| {
                let from = self.project.type_name(base(&self.project, e.ty));
                format!("convert it with {from}_TO_{to}(…)")
            })
        } else if of == Family::Bits && takes(Family::Int) {
            self.project.number_for(e.ty).map(|to| format!("convert it with {name}_TO_{to}(…)"))
        } else if of == Family::Int && takes(Family::Real) {
            self.project.conversion_help(e.ty, elementary::LREAL)
        } else if of == Family::Enum && takes(Family::Int) {
            self.project.conversion_help(e.ty, elementary::INT)
        } else if of == Family::Real && families == [Family::Int] {
            self.project.conversion_help(e.ty, elementary::DINT)
        } else {
            None
        };
        let message = format!("{who} needs {needs}, but this is of type {name}");
        Err(self.findings.error_with_help(codes::OPERAND_TYPE, e.span, message, format!("of type {name}"), help))
    }
}

impl Project {
    fn unknown_function(&self, findings: &mut Findings, name: &ast::Ident) -> Bad {
        let is_block = crate::stdlib::SOURCES.iter().any(|(block, _)| block.eq_ignore_ascii_case(&name.text));
        let functions = (self.pous.iter()).filter(|p| matches!(p.kind, crate::hir::PouKind::Function(_)));
        let known = TABLE.iter().map(|s| s.name).chain(functions.map(|p| p.name.as_str()));
        let help = match nearest(&name.text, known) {
            _ if is_block => {
                format!("`{0}` is a function block: declare an instance, for example `{0}1 : {0};`", name.text.to_uppercase())
            }
            _ if elementary::by_name(&name.text).is_some() => {
                format!("a type is no function: convert with TO_{}(…)", name.text.to_uppercase())
            }
            near => match (crate::library::hint(&name.text), near) {
                (Some(hint), _) => hint,
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) => "upload the file that declares it".to_owned(),
            },
        };
        let message = format!("there is no function `{}`", name.text);
        findings.error_with_help(codes::UNKNOWN_FUNCTION, name.span, message, "not declared in any file", Some(help))
    }
}

impl Findings {
    /// Reports a name that several libraries declare.
    pub(crate) fn ambiguous_in_libraries(&mut self, name: &ast::Ident, way_out: String) -> Bad {
        let message = format!("several libraries or folders declare `{}`", name.text);
        self.error_with_help(codes::AMBIGUOUS_NAME, name.span, message, "which one?", Some(way_out))
    }

    /// Returns an expression that is computed twice; with a call in it, it is not modelled.
    pub(crate) fn once(&self, e: Expr, name: &str) -> Res<Expr> {
        if repeatable(&e) {
            return Ok(e);
        }
        let effect =
            "its argument is needed twice, and the call runs once: nothing after this statement in the cycle is verified";
        Err(unsupported(e.span, format!("call inside of an argument of {name}"), effect))
    }
}

fn written<'e>(args: &[&'e ast::Expr]) -> Vec<Operand<'e>> {
    args.iter().map(|e| Operand::Written(e)).collect()
}

fn chosen<'e>(args: &[&'e ast::Expr]) -> Vec<Operand<'e>> {
    args.iter().map(|e| Operand::Chosen(e)).collect()
}

pub(crate) fn builtin(function: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
    Expr::new(ExprKind::Builtin(function, args), ty, span)
}

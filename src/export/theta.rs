//! Theta's CFA text format: the automaton edge by edge, as published models are written.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

use super::names::Names;
use super::terms::Terms;
use super::{Feature, Format, Question, Refused};
use answer::certify::smtlib::{bv_bin, rounding as rounding_name};
use kernel::cfa::Op;
use kernel::expr::{
    BvCmp, BvUn, Expr, ExprId, ExprPool, FloatSort, FpBin, FpCmp, FpTest, FpUn, IntBin, IntCmp, Sort, Value, VarId,
};

pub(super) const FORMAT: Format = Format {
    name: "theta",
    title: "Theta CFA",
    ending: "cfa",
    reading: "If the error location is reachable: {reached}. If it is unreachable: {never}.",
    lacks: &[Feature::FloatOfBits],
    write,
};

/// Declarations and edges in the making.
struct Writer<'q> {
    question: &'q Question,
    names: Names,
    /// Auxiliary variables for shared parts.
    declared: String,
    /// Variables that have an auxiliary one for their new value.
    renewed: BTreeSet<VarId>,
    terms: Terms,
}

fn write(question: &mut Question) -> Result<String, Refused> {
    let pool = &question.pool;
    let ops: Vec<_> = question.cfa.edges.iter().map(|edge| inputs(&edge.op)).collect();
    let mut names = Names::default();
    question.cfa.vars.iter().for_each(|var| names.add(pool, *var, "v"));
    ops.iter().flatten().for_each(|var| names.add(pool, *var, "in"));
    let question = &*question;
    let cfa = &question.cfa;
    // A condition behind auxiliary assignments is no longer the first thing on its edge, and readers then no longer see that
    // branches exclude each other.
    let terms = Terms::writing_out(300);
    let mut writer = Writer { question, names, declared: String::new(), renewed: BTreeSet::new(), terms };
    let mut edges = String::new();
    // Variables of the format start arbitrary.
    edges.push_str("    start -> l_init {\n");
    for (var, value) in &cfa.initial {
        let _ = writeln!(edges, "        {} := {}", writer.names.of(*var), literal(*value));
    }
    edges.push_str("    }\n");
    let location = |loc| if loc == cfa.init { "l_init".to_owned() } else { format!("{loc}") };
    for edge in cfa.edges.iter() {
        if let Some(place) = question.place(edge.span) {
            let _ = writeln!(edges, "    // {place}");
        }
        let statements = writer.statements(&edge.op)?;
        let _ = writeln!(edges, "    {} -> {} {{\n{statements}    }}", location(edge.source), location(edge.target));
    }
    let own = [FORMAT.reading, "Bit vectors wrap, as in SMT-LIB."];
    let mut out = question.header("//", &own);
    out.push_str("main process model {\n");
    let used: BTreeSet<VarId> = cfa.vars.iter().copied().chain(ops.into_iter().flatten()).collect();
    for var in used {
        let _ = writeln!(out, "    var {} : {}", writer.names.of(var), sort(question.pool.var_decl(var).sort));
    }
    out.push_str(&writer.declared);
    out.push_str("\n    init loc start\n");
    for (id, _) in cfa.locs.iter_enumerated() {
        let kind = if id == cfa.error { "error loc" } else { "loc" };
        let _ = writeln!(out, "    {kind} {}", location(id));
    }
    // The format wants one; no run ends there.
    out.push_str("    final loc end\n\n");
    out.push_str(&edges);
    out.push_str("}\n");
    Ok(out)
}

/// Returns the arbitrary values that an operation consumes.
fn inputs(op: &Op) -> Vec<VarId> {
    match op {
        Op::Skip | Op::Assume(_) | Op::Assign(..) | Op::Havoc(_) => Vec::new(),
        Op::Block(block) => block.inputs.iter().map(|input| input.var).collect(),
    }
}

impl Writer<'_> {
    fn statements(&mut self, op: &Op) -> Result<String, Refused> {
        let mut out = String::new();
        match op {
            Op::Skip => {}
            Op::Havoc(var) => {
                let _ = writeln!(out, "        havoc {}", self.names.of(*var));
            }
            Op::Assume(e) => {
                let texts = self.texts(&[*e], &mut out)?;
                let _ = writeln!(out, "        assume {}", texts[0]);
            }
            Op::Assign(var, e) => {
                let texts = self.texts(&[*e], &mut out)?;
                let _ = writeln!(out, "        {} := {}", self.names.of(*var), texts[0]);
            }
            Op::Block(block) => {
                for input in &block.inputs {
                    let _ = writeln!(out, "        havoc {}", self.names.of(input.var));
                }
                let roots: Vec<ExprId> = [block.guard].into_iter().chain(block.updates.iter().map(|(_, e)| *e)).collect();
                let texts = self.texts(&roots, &mut out)?;
                let _ = writeln!(out, "        assume {}", texts[0]);
                // All updates happen at once: the new values are computed before any is assigned.
                for ((var, _), text) in block.updates.iter().zip(&texts[1..]) {
                    let name = self.names.of(*var);
                    if self.renewed.insert(*var) {
                        let _ = writeln!(self.declared, "    var new_{name} : {}", sort(self.question.pool.var_decl(*var).sort));
                    }
                    let _ = writeln!(out, "        new_{name} := {text}");
                }
                for (var, _) in &block.updates {
                    let name = self.names.of(*var);
                    let _ = writeln!(out, "        {name} := new_{name}");
                }
            }
        }
        Ok(out)
    }
    /// Returns texts of expressions; shared parts are assigned to auxiliary variables before.
    fn texts(&mut self, roots: &[ExprId], out: &mut String) -> Result<Vec<Rc<str>>, Refused> {
        let (pool, names) = (&self.question.pool, &self.names);
        // A value of another edge may have been computed from other values of the variables.
        self.terms.forget();
        let (definitions, texts) = self.terms.texts(pool, roots, &mut |e, operands| node(pool, names, e, operands))?;
        for definition in definitions {
            let _ = writeln!(self.declared, "    var {} : {}", definition.name, sort(pool.sort(definition.of)));
            let _ = writeln!(out, "        {} := {}", definition.name, definition.text);
        }
        Ok(texts)
    }
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "bool".into(),
        Sort::BitVec(width) => format!("bv[{width}]"),
        Sort::Float(float) => format!("fp[{}]", format_of(float)),
        Sort::Int => "int".into(),
        Sort::Array(index, element) => format!("[{}] -> {}", self::sort(index.into()), self::sort(element.into())),
    }
}

fn format_of(sort: FloatSort) -> String {
    let (exponent, significand) = sort.bits();
    format!("{exponent},{significand}")
}

fn literal(value: Value) -> String {
    match value {
        Value::Bool(b) => b.to_string(),
        Value::BitVec { width, bits } => {
            let digits = usize::from(width);
            format!("{width}'b{bits:0digits$b}")
        }
        Value::F32(bits) => float(FloatSort::F32, u128::from(bits)),
        Value::F64(bits) => float(FloatSort::F64, u128::from(bits)),
        Value::Float(format, bits) => float(FloatSort::Other(format), bits),
        Value::Int(v) => format!("({v})"),
        Value::Array(array) => {
            let entries = array.entries().map(|(index, element)| format!("{} <- {}, ", literal(index), literal(element)));
            let (entries, index) = (entries.collect::<String>(), sort(array.index_sort().into()));
            format!("[{entries}<{index}> default <- {}]", literal(array.default()))
        }
    }
}

/// Writes sign, exponent, and significand without its hidden bit.
fn float(sort: FloatSort, bits: u128) -> String {
    let (e, s) = sort.bits();
    let (exponent, fraction) = (e as usize, s as usize - 1);
    let (high, low) = ((bits >> fraction) & ((1 << exponent) - 1), bits & ((1 << fraction) - 1));
    let sign = if bits >> (exponent + fraction) == 1 { "-" } else { "" };
    format!("({sign}{exponent}'b{high:0exponent$b}.{fraction}'b{low:0fraction$b})")
}

fn infinity(sort: FloatSort) -> String {
    literal(Value::float(sort, sort.infinity(false)))
}

fn one(sort: FloatSort) -> String {
    literal(Value::float(sort, sort.power_of_two(0)))
}

fn node(pool: &ExprPool, names: &Names, e: ExprId, t: &[Rc<str>]) -> Result<String, Refused> {
    Ok(match pool.expr(e) {
        Expr::Const(value) => literal(value),
        Expr::Var(var) => names.of(var).to_owned(),
        Expr::Not(_) => format!("(not {})", t[0]),
        Expr::And(..) => format!("({} and {})", t[0], t[1]),
        Expr::Or(..) => format!("({} or {})", t[0], t[1]),
        Expr::Eq(a, _) => match pool.sort(a) {
            Sort::Bool => format!("({} iff {})", t[0], t[1]),
            Sort::BitVec(_) | Sort::Int | Sort::Array(..) => format!("({} = {})", t[0], t[1]),
            // `=` of floats is IEEE's. Identity tells zeros apart, by their quotients, and takes NaN for itself.
            Sort::Float(float) => {
                let (a, b, one) = (&t[0], &t[1], one(float));
                format!(
                    "(((fpisnan {a}) and (fpisnan {b})) or (({a} = {b}) and (({one} fpdiv[RNE] {a}) = ({one} fpdiv[RNE] {b}))))"
                )
            }
        },
        Expr::Ite(..) => format!("(if {} then {} else {})", t[0], t[1], t[2]),
        Expr::BvUn(BvUn::Neg, _) => format!("(bvneg {})", t[0]),
        Expr::BvUn(BvUn::Not, _) => format!("(bvnot {})", t[0]),
        Expr::BvBin(op, ..) => format!("({} {} {})", t[0], bv_bin(op), t[1]),
        Expr::BvCmp(op, ..) => format!("({} {} {})", t[0], comparison(op), t[1]),
        // The upper end is not part of a slice.
        Expr::Extract { high, low, .. } => format!("(({})[{}:{low}])", t[0], high + 1),
        Expr::Concat(..) => format!("({} ++ {})", t[0], t[1]),
        Expr::ZeroExtend(to, _) => format!("({} bv_zero_extend bv[{to}])", t[0]),
        Expr::SignExtend(to, _) => format!("({} bv_sign_extend bv[{to}])", t[0]),
        Expr::FpUn(FpUn::Neg, _) => format!("(fpneg {})", t[0]),
        Expr::FpUn(FpUn::Abs, _) => format!("(fpabs {})", t[0]),
        Expr::FpUn(FpUn::Sqrt(rounding), _) => format!("(fpsqrt[{}] {})", rounding_name(rounding), t[0]),
        Expr::FpUn(FpUn::Integral(rounding), _) => format!("(fproundtoint[{}] {})", rounding_name(rounding), t[0]),
        Expr::FpBin(op, rounding, ..) => {
            let op = match op {
                FpBin::Add => "fpadd",
                FpBin::Sub => "fpsub",
                FpBin::Mul => "fpmul",
                FpBin::Div => "fpdiv",
            };
            format!("({} {op}[{}] {})", t[0], rounding_name(rounding), t[1])
        }
        Expr::FpCmp(op, ..) => {
            let op = match op {
                FpCmp::Eq => "=",
                FpCmp::Lt => "<",
                FpCmp::Le => "<=",
            };
            format!("({} {op} {})", t[0], t[1])
        }
        Expr::FpTest(FpTest::IsNan, _) => format!("(fpisnan {})", t[0]),
        Expr::FpTest(FpTest::IsInfinite, a) => format!("((fpabs {}) = {})", t[0], infinity(pool.float(a))),
        Expr::FpToFp(sort, rounding, _) => format!("(fptofp[{}][{}] {})", format_of(sort), rounding_name(rounding), t[0]),
        Expr::BvToFp { signed, sort, rounding, .. } => {
            format!("(fpfrombv[{}][{}][{}] {})", format_of(sort), if signed { "s" } else { "u" }, rounding_name(rounding), t[0])
        }
        Expr::FpToBv { signed, width, rounding, .. } => {
            format!("(fptobv[{width}'{}][{}] {})", if signed { "s" } else { "u" }, rounding_name(rounding), t[0])
        }
        Expr::IntNeg(_) => format!("(-{})", t[0]),
        Expr::IntBin(op, ..) => {
            let op = match op {
                IntBin::Add => "+",
                IntBin::Sub => "-",
                IntBin::Mul => "*",
                IntBin::Div => "/",
                IntBin::Mod => "mod",
            };
            format!("({} {op} {})", t[0], t[1])
        }
        Expr::IntCmp(IntCmp::Lt, ..) => format!("({} < {})", t[0], t[1]),
        Expr::IntCmp(IntCmp::Le, ..) => format!("({} <= {})", t[0], t[1]),
        Expr::Select(..) => format!("({}[{}])", t[0], t[1]),
        Expr::Store(..) => format!("({}[{} <- {}])", t[0], t[1], t[2]),
        Expr::BitsToFp(..) => {
            return Err(Refused("internal: a float by its bits".into()));
        }
    })
}

fn comparison(op: BvCmp) -> &'static str {
    match op {
        BvCmp::Ult => "bvult",
        BvCmp::Ule => "bvule",
        BvCmp::Slt => "bvslt",
        BvCmp::Sle => "bvsle",
    }
}

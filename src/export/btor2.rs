//! btor2: one step is one scan cycle (or one round of a loop in it). Bit vectors only.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::machine::{ONLY_BITS, machine, not_bits};
use super::names::Names;
use super::{Format, Question, Refused};
use kernel::expr::{BvBin, BvCmp, BvUn, Expr, ExprId, ExprPool, FastMap, Sort, Value, VarId};

pub(super) const FORMAT: Format = Format {
    name: "btor2",
    title: "btor2 (word-level hardware model checkers)",
    ending: "btor2",
    reading: "If `bad` is reachable: {reached}. If it is unreachable: {never}.",
    lacks: ONLY_BITS,
    write,
};

fn write(question: &mut Question) -> Result<String, Refused> {
    let (system, names) = machine(question);
    let mut writer = Writer {
        pool: &question.pool,
        lines: String::new(),
        last: 0,
        sorts: BTreeMap::new(),
        vars: BTreeMap::new(),
        constants: BTreeMap::new(),
        done: FastMap::default(),
    };
    // A state is initialised by a node with a smaller number, so the initial values come first.
    let mut initial: BTreeMap<VarId, u32> = BTreeMap::new();
    for var in &system.vars {
        if let Some(value) = system.initial.get(var) {
            initial.insert(*var, writer.constant(*value)?);
        }
    }
    for var in &system.vars {
        let (sort, state) = writer.variable("state", *var, &names)?;
        if let Some(value) = initial.get(var) {
            writer.line(&format!("init {sort} {state} {value}"));
        }
    }
    for input in &system.inputs {
        writer.variable("input", input.var, &names)?;
    }
    for (var, next) in &system.next {
        let (sort, value) = (writer.sort(writer.pool.var_decl(*var).sort)?, writer.expr(*next)?);
        let state = writer.vars.get(var).copied().unwrap_or_default();
        writer.line(&format!("next {sort} {state} {value}"));
    }
    // The run ends where no step is possible; the error is reached within a step of its own.
    let (guard, bad) = (writer.expr(system.guard)?, writer.expr(system.bad)?);
    let bit = writer.sort(Sort::Bool)?;
    let possible = writer.line(&format!("or {bit} {guard} {bad}"));
    writer.line(&format!("constraint {possible}"));
    writer.line(&format!("bad {bad}"));
    let own =
        [FORMAT.reading, "One step is one scan cycle, or one round of a loop inside of it; `constraint` ends runs that end."];
    Ok(question.header(";", &own) + &writer.lines)
}

/// Lines so far; every expression has the number of its line.
struct Writer<'p> {
    pool: &'p ExprPool,
    lines: String,
    last: u32,
    sorts: BTreeMap<u16, u32>,
    vars: BTreeMap<VarId, u32>,
    /// By width and bits.
    constants: BTreeMap<(u16, u128), u32>,
    done: FastMap<ExprId, u32>,
}

/// Returns bits of a sort; TRUE is 1.
fn width(sort: Sort) -> Result<u16, Refused> {
    match sort {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(width),
        Sort::Float(_) | Sort::Int | Sort::Array(..) => Err(not_bits()),
    }
}

impl Writer<'_> {
    fn line(&mut self, text: &str) -> u32 {
        self.last += 1;
        let _ = writeln!(self.lines, "{} {text}", self.last);
        self.last
    }
    fn sort(&mut self, sort: Sort) -> Result<u32, Refused> {
        let width = width(sort)?;
        if let Some(line) = self.sorts.get(&width) {
            return Ok(*line);
        }
        let line = self.line(&format!("sort bitvec {width}"));
        self.sorts.insert(width, line);
        Ok(line)
    }
    /// Returns the lines of its sort and of the variable.
    fn variable(&mut self, kind: &str, var: VarId, names: &Names) -> Result<(u32, u32), Refused> {
        let sort = self.sort(self.pool.var_decl(var).sort)?;
        let line = self.line(&format!("{kind} {sort} {}", names.of(var)));
        self.vars.insert(var, line);
        Ok((sort, line))
    }
    fn constant(&mut self, value: Value) -> Result<u32, Refused> {
        let sort = self.sort(value.sort())?;
        let bits = match value {
            Value::Bool(b) => u128::from(b),
            Value::BitVec { bits, .. } => bits,
            Value::F32(_) | Value::F64(_) | Value::Float(..) | Value::Int(_) | Value::Array(_) => return Err(not_bits()),
        };
        let width = width(value.sort())?;
        if let Some(line) = self.constants.get(&(width, bits)) {
            return Ok(*line);
        }
        let line = self.line(&format!("const {sort} {bits:0digits$b}", digits = usize::from(width)));
        self.constants.insert((width, bits), line);
        Ok(line)
    }
    /// Returns the line of an expression. No recursion: step relations nest deeply.
    fn expr(&mut self, e: ExprId) -> Result<u32, Refused> {
        let mut todo = vec![e];
        while let Some(&node) = todo.last() {
            if self.done.contains_key(&node) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            todo.extend(self.pool.expr(node).children().filter(|child| !self.done.contains_key(child)));
            if todo.len() == before {
                todo.pop();
                let line = self.node(node)?;
                self.done.insert(node, line);
            }
        }
        Ok(self.done[&e])
    }
    /// Writes one node whose operands have lines.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are refused")]
    fn node(&mut self, e: ExprId) -> Result<u32, Refused> {
        let sort = self.sort(self.pool.sort(e))?;
        let at = |e: ExprId| self.done[&e];
        let text = match self.pool.expr(e) {
            Expr::Const(value) => return self.constant(value),
            Expr::Var(var) => return Ok(self.vars.get(&var).copied().unwrap_or_default()),
            Expr::Not(a) | Expr::BvUn(BvUn::Not, a) => format!("not {sort} {}", at(a)),
            Expr::BvUn(BvUn::Neg, a) => format!("neg {sort} {}", at(a)),
            Expr::And(a, b) => format!("and {sort} {} {}", at(a), at(b)),
            Expr::Or(a, b) => format!("or {sort} {} {}", at(a), at(b)),
            Expr::Eq(a, b) => format!("eq {sort} {} {}", at(a), at(b)),
            Expr::Ite(c, a, b) => format!("ite {sort} {} {} {}", at(c), at(a), at(b)),
            Expr::BvBin(op, a, b) => format!("{} {sort} {} {}", binary(op), at(a), at(b)),
            Expr::BvCmp(op, a, b) => format!("{} {sort} {} {}", comparison(op), at(a), at(b)),
            Expr::Extract { high, low, of } => format!("slice {sort} {} {high} {low}", at(of)),
            Expr::Concat(a, b) => format!("concat {sort} {} {}", at(a), at(b)),
            Expr::ZeroExtend(to, a) => format!("uext {sort} {} {}", at(a), to - self.pool.width(a)),
            Expr::SignExtend(to, a) => format!("sext {sort} {} {}", at(a), to - self.pool.width(a)),
            _ => return Err(not_bits()),
        };
        Ok(self.line(&text))
    }
}

fn binary(op: BvBin) -> &'static str {
    match op {
        BvBin::Add => "add",
        BvBin::Sub => "sub",
        BvBin::Mul => "mul",
        BvBin::Udiv => "udiv",
        BvBin::Urem => "urem",
        BvBin::Sdiv => "sdiv",
        BvBin::Srem => "srem",
        BvBin::And => "and",
        BvBin::Or => "or",
        BvBin::Xor => "xor",
        BvBin::Shl => "sll",
        BvBin::Lshr => "srl",
        BvBin::Ashr => "sra",
    }
}

fn comparison(op: BvCmp) -> &'static str {
    match op {
        BvCmp::Ult => "ult",
        BvCmp::Ule => "ulte",
        BvCmp::Slt => "slt",
        BvCmp::Sle => "slte",
    }
}

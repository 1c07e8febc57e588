//! Statements.

use super::expr::{CallArgs, Expr, ExprKind};
use super::place::{Elem, Place};
use super::pou::PouId;
use super::project::{FaultKind, Project};
use super::types::Type;
use super::value::Value;
use crate::text::{GapId, Span};

crate::id_type!(
    /// An `//#ASSERT` of the project, numbered in source order.
    AssertId,
    "assert"
);

/// Name of the assertions that a divisor is not zero where a run goes on after the fault: the check of divisions decides them.
///
/// No text can give an assertion this name, which has a colon.
pub const ZERO_DIVISOR: &str = "check:zero_divisor";

/// Name of the assertions that a REAL fits the integer that it is converted to, where a run goes on: the check of conversions decides
/// them.
pub const FITTING_REAL: &str = "check:fitting_real";

/// Assertions that tell of a fault which runs survive, with its kind. Checks decide them.
pub const SURVIVED: &[(&str, FaultKind)] =
    &[(ZERO_DIVISOR, FaultKind::DivisionByZero), (FITTING_REAL, FaultKind::ConversionRange)];

crate::id_type!(
    /// A label of one POU, numbered in source order, outer lists before inner ones.
    LabelId,
    "label_"
);

/// A statement with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stmt {
    /// Its kind with its parts.
    pub kind: StmtKind,
    /// Its place; in a compound statement, the head up to THEN, DO or OF is the first part of it.
    pub span: Span,
}

impl Stmt {
    /// Returns the BOOL that an assignment gives a computed value by its name, as a coil does. `q := FALSE` (presets) and
    /// `IF x THEN q := TRUE;` (sets) are written on purpose and are no coils.
    pub fn coil(&self, project: &Project) -> Option<&Place> {
        let StmtKind::Assign { target, value } = &self.kind else { return None };
        let by_name = target.path.iter().all(|elem| matches!(elem, Elem::Field(_) | Elem::Member(_)));
        let is_bool = project.types[target.ty].ty == Type::Bool;
        let is_computed = !matches!(value.kind, ExprKind::Literal(_));
        if by_name && is_bool && is_computed { Some(target) } else { None }
    }
}

/// Kind of a statement with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StmtKind {
    /// `target := value;` the value first, then the indices of the target, left to right. Arrays, structures
    /// and instances of one type are copied whole. Types are equal.
    Assign {
        /// The place written to.
        target: Place,
        /// The value.
        value: Expr,
    },
    /// IF/ELSIF/ELSE.
    If {
        /// Conditions with their bodies; evaluated in order until one is TRUE.
        branches: Vec<(Expr, Vec<Stmt>)>,
        /// ELSE.
        otherwise: Vec<Stmt>,
    },
    /// CASE: the first arm that matches.
    Case {
        /// Integer-like.
        selector: Expr,
        /// In source order.
        arms: Vec<CaseArm>,
        /// ELSE.
        otherwise: Vec<Stmt>,
    },
    /// FOR: start, end and step are evaluated once, in this order; all have the control variable's type.
    /// The test is `control <= to` (or `>=` for a negative step) before each round; after the body the
    /// step is added; a step that leaves the type's range faults with LoopWrap. A step of 0 is a compile
    /// error if constant, else LoopWrap at the start. After the loop the control variable has the value that ended it.
    For {
        /// The control variable: an integer place without variable indices.
        control: Place,
        /// First and last value, and step.
        bounds: Box<LoopBounds>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// WHILE.
    While {
        /// Tested before each round.
        condition: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// REPEAT … UNTIL.
    Repeat {
        /// The body; CONTINUE goes to the test.
        body: Vec<Stmt>,
        /// Ends the loop when TRUE.
        until: Expr,
    },
    /// EXIT: leaves the innermost loop.
    Exit,
    /// CONTINUE: next round of the innermost loop.
    Continue,
    /// RETURN: leaves the POU.
    Return,
    /// A target of jumps, unique in its POU.
    Label(LabelId),
    /// GOTO, JMP: goes on at the label, which stands in the same list of statements or in one around it. A jump back is a
    /// round. Each time its list is entered, each label has as many rounds as a loop; the next one faults with
    /// [`super::FaultKind::Watchdog`] at the jump.
    Goto(LabelId),
    /// A call of a function block instance.
    CallInstance {
        /// The instance.
        instance: Place,
        /// Its function block.
        pou: PouId,
        /// The arguments.
        args: Box<CallArgs>,
    },
    /// An expression for its side effects: a function call whose value is dropped.
    Eval(Expr),
    /// `//#ASSERT condition : name`: checked here, changes nothing. A condition that cannot be evaluated does not hold; a
    /// function that it calls may end the run, as elsewhere.
    Assert {
        /// Its number.
        id: AssertId,
        /// The name after the colon, or `assert-N`.
        name: String,
        /// Must be TRUE.
        condition: Expr,
    },
    /// A stated assumption about the values of a stub's call: runs where it is false do not count. No text has it.
    Assume(Box<Assumed>),
    /// A statement that is not modelled: its effect is unknown, and no run is followed beyond it.
    Gap(GapId),
}

/// Condition behind a call of a stub. Its evaluation cannot fail, and it calls nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The instance of this call and the one that is meant, with a path from the whole program; `None`: each call is meant.
    pub instance: Option<(Place, Place)>,
    /// Holds where the call is one that is meant.
    pub condition: Expr,
}

/// Values of a FOR loop. They are kept apart, so that other statements stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopBounds {
    /// First value.
    pub from: Expr,
    /// Last value.
    pub to: Expr,
    /// Step; 1 if absent.
    pub by: Option<Expr>,
}

/// Most rounds of a FOR that are more than the limit of other loops.
const MOST_CERTAIN_ROUNDS: u32 = 1_000_000;

impl LoopBounds {
    /// Returns the rounds without an exit from the body, where the bounds are constants; `None` beyond 1,000,000.
    ///
    /// A FOR ends behind them, unless its body assigns the control variable. So its limit is never below them.
    pub fn certain_rounds(&self) -> Option<u32> {
        let constant = |e: &Expr| if let ExprKind::Literal(Value::Int(value)) = e.kind { Some(value) } else { None };
        let (from, to) = (constant(&self.from)?, constant(&self.to)?);
        let by = self.by.as_ref().map_or(Some(1), constant)?;
        let distance = if by > 0 { to.checked_sub(from)? } else { from.checked_sub(to)? };
        let rounds = if distance < 0 { 0 } else { distance.checked_div(by.abs())?.checked_add(1)? };
        u32::try_from(rounds).ok().filter(|rounds| *rounds <= MOST_CERTAIN_ROUNDS)
    }
}

/// One arm of a CASE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseArm {
    /// Inclusive ranges; a single value is a range of one.
    pub labels: Vec<(i128, i128)>,
    /// The body.
    pub body: Vec<Stmt>,
    /// The place of the labels.
    pub span: Span,
}

//! Points in time: their arithmetic and conversions become integer arithmetic on their counts.

use crate::hir::{BinOp, Conversion, DateKind, DateType, Expr, Project, Type, TypeId};
use crate::resolve::exprs::operators::node;
use crate::resolve::findings::{Bad, Res, unsupported};
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::resolve::types::families::{base, common, widened};
use crate::text::Span;

const SECONDS_PER_DAY: i128 = 86_400;
const NS_PER_SECOND: i128 = 1_000_000_000;

impl Project {
    /// Returns the kind and length of a point in time; `None` for other types.
    pub(crate) fn date_of(&self, ty: TypeId) -> Option<DateType> {
        if let Type::Date(date) = self.types[ty].ty { Some(date) } else { None }
    }

    /// Returns the unit of a duration in nanoseconds; `None` for other types.
    fn duration_unit(&self, ty: TypeId) -> Option<i128> {
        match base(self, ty) {
            elementary::TIME => Some(1_000_000),
            elementary::LTIME => Some(1),
            _ => None,
        }
    }

    /// Returns a point in time as one of another type: its day, its time of day, or the midnight of a day.
    pub(crate) fn convert_date(&self, e: Expr, from: DateType, to: DateType, span: Span) -> Res<Expr> {
        let day = SECONDS_PER_DAY * NS_PER_SECOND / unit_ns(from);
        let same_length = DateType { kind: to.kind, long: from.long };
        let here = e.span;
        let part = match (from.kind, to.kind) {
            (a, b) if a == b => e,
            (DateKind::Date, DateKind::DateAndTime) => counted(e, type_of(same_length)),
            (DateKind::DateAndTime, DateKind::Date) => {
                let days = node(BinOp::Div, counted(e, elementary::ULINT), ulint(day, here), span);
                counted(node(BinOp::Mul, days, ulint(day, here), span), type_of(same_length))
            }
            (DateKind::DateAndTime, DateKind::TimeOfDay) => {
                let rest = node(BinOp::Mod, counted(e, elementary::ULINT), ulint(day, here), span);
                counted(scaled(rest, unit_ns(from), unit_ns(same_length)), type_of(same_length))
            }
            (_, _) => {
                let (a, b) = (self.type_name(e.ty), self.type_name(type_of(to)));
                let effect = format!("a {a} does not say which {b} it is: nothing after this statement in the cycle is verified");
                return Err(unsupported(here, format!("conversion of {a} to {b}"), effect));
            }
        };
        Ok(counted(part, type_of(to)))
    }

    /// Resolves CONCAT_DATE_TOD: the day of `date` at the time of `time`.
    pub(crate) fn concat_date(&self, date: Expr, time: Expr, span: Span) -> Res<Expr> {
        let (Some(day), Some(of_day)) = (self.date_of(date.ty), self.date_of(time.ty)) else { return Err(Bad::Reported) };
        let to = DateType { kind: DateKind::DateAndTime, long: day.long || of_day.long };
        let date = scaled(counted(date, elementary::ULINT), unit_ns(day), unit_ns(to));
        let time = scaled(counted(time, elementary::ULINT), unit_ns(of_day), unit_ns(to));
        Ok(counted(node(BinOp::Add, date, time, span), type_of(to)))
    }

    /// Resolves DAY_OF_WEEK: 0 for Sunday. The first of January 1970 was a Thursday.
    pub(crate) fn day_of_week(&self, date: Expr, span: Span) -> Res<Expr> {
        let Some(day) = self.date_of(date.ty) else { return Err(Bad::Reported) };
        let per_day = SECONDS_PER_DAY * NS_PER_SECOND / unit_ns(day);
        let days = node(BinOp::Div, counted(date, elementary::ULINT), ulint(per_day, span), span);
        let shifted = node(BinOp::Add, days, ulint(4, span), span);
        Ok(counted(node(BinOp::Mod, shifted, ulint(7, span), span), elementary::INT))
    }
}

impl Resolver<'_> {
    /// Resolves operators on points in time: they are compared, subtracted, and moved by durations.
    pub(crate) fn apply_date(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Res<Expr> {
        match (op, self.project.date_of(left.ty), self.project.date_of(right.ty)) {
            (_, Some(_), Some(_)) if op.is_comparison() => {
                if let Some(ty) = common(&self.project, left.ty, right.ty) {
                    return Ok(node(op, widened(left, ty), widened(right, ty), span));
                }
            }
            (BinOp::Sub, Some(a), Some(b)) if a == b => {
                let (left, right) = (counted(left, elementary::LINT), counted(right, elementary::LINT));
                let (ty, unit) = if a.long { (elementary::LTIME, 1) } else { (elementary::TIME, 1_000_000) };
                let difference = node(BinOp::Sub, left, right, span);
                return Ok(counted(scaled(difference, unit_ns(a), unit), ty));
            }
            (BinOp::Add | BinOp::Sub, Some(date), None) if date.kind != DateKind::Date || self.dialect.mixes() => {
                if let Some(unit) = self.project.duration_unit(right.ty) {
                    let (ty, duration) = (left.ty, counted(right, elementary::LINT));
                    let moved = node(op, counted(left, elementary::LINT), scaled(duration, unit, unit_ns(date)), span);
                    return Ok(counted(moved, ty));
                }
            }
            (_, _, _) => {}
        }
        let help = Some("DT and TOD move by a TIME; two points of one type have a TIME between them".to_owned());
        Err(self.not_defined(op, &left, &right, span, "not for points in time", help))
    }
}

/// Returns the elementary type of a point in time.
pub(crate) fn type_of(date: DateType) -> TypeId {
    match (date.kind, date.long) {
        (DateKind::Date, false) => elementary::DATE,
        (DateKind::TimeOfDay, false) => elementary::TOD,
        (DateKind::DateAndTime, false) => elementary::DT,
        (DateKind::Date, true) => elementary::LDATE,
        (DateKind::TimeOfDay, true) => elementary::LTOD,
        (DateKind::DateAndTime, true) => elementary::LDT,
    }
}

/// Returns the unit of a point in time in nanoseconds.
pub(crate) fn unit_ns(date: DateType) -> i128 {
    match (date.long, date.kind) {
        (true, _) => 1,
        (false, DateKind::TimeOfDay) => 1_000_000,
        (false, DateKind::Date | DateKind::DateAndTime) => NS_PER_SECOND,
    }
}

/// Returns `e` as a number of `ty`, or such a number as a point in time; the count does not change.
fn counted(e: Expr, ty: TypeId) -> Expr {
    if e.ty == ty { e } else { e.converted(Conversion::Convert, ty) }
}

fn ulint(value: i128, span: Span) -> Expr {
    Expr::int(value, elementary::ULINT, span)
}

/// Returns `e * from / to` in whole numbers; one of the units is a multiple of the other.
fn scaled(e: Expr, from: i128, to: i128) -> Expr {
    if from == to {
        return e;
    }
    let (op, factor) = if from > to { (BinOp::Mul, from / to) } else { (BinOp::Div, to / from) };
    let (ty, span) = (e.ty, e.span);
    node(op, e, Expr::int(factor, ty, span), span)
}

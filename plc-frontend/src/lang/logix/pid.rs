//! PID: any values of its control variable and of its tag.
//!
//! Soundness: the instruction writes members of its tag in each scan, also where its rung is FALSE. A write of CTL changes bits there
//! and none here, which answers name.

use std::ops::Range;

use super::gaps;
use super::ladder::{OPERAND, Writer};
use super::operands::call_at;
use super::types::Member;
use crate::ast::{Expr, Stmt};
use crate::text::Span;

/// Members of the tag of a PID (1756-RM003N-EN-P, pages 512 to 514; help of Studio 5000, "PID Structure").
pub(super) const MEMBERS: &[Member] = &[
    ("CTL", "DINT", 0),
    ("EN", "BOOL", 0),
    ("CT", "BOOL", 0),
    ("CL", "BOOL", 0),
    ("PVT", "BOOL", 0),
    ("DOE", "BOOL", 0),
    ("SWM", "BOOL", 0),
    ("CA", "BOOL", 0),
    ("MO", "BOOL", 0),
    ("PE", "BOOL", 0),
    ("NDF", "BOOL", 0),
    ("NOBC", "BOOL", 0),
    ("NOZC", "BOOL", 0),
    ("INI", "BOOL", 0),
    ("SPOR", "BOOL", 0),
    ("OLL", "BOOL", 0),
    ("OLH", "BOOL", 0),
    ("EWD", "BOOL", 0),
    ("DVNA", "BOOL", 0),
    ("DVPA", "BOOL", 0),
    ("PVLA", "BOOL", 0),
    ("PVHA", "BOOL", 0),
    ("SP", "REAL", 0),
    ("KP", "REAL", 0),
    ("KI", "REAL", 0),
    ("KD", "REAL", 0),
    ("BIAS", "REAL", 0),
    ("MAXS", "REAL", 0),
    ("MINS", "REAL", 0),
    ("DB", "REAL", 0),
    ("SO", "REAL", 0),
    ("MAXO", "REAL", 0),
    ("MINO", "REAL", 0),
    ("UPD", "REAL", 0),
    ("PV", "REAL", 0),
    ("ERR", "REAL", 0),
    ("OUT", "REAL", 0),
    ("PVH", "REAL", 0),
    ("PVL", "REAL", 0),
    ("DVP", "REAL", 0),
    ("DVN", "REAL", 0),
    ("PVDB", "REAL", 0),
    ("DVDB", "REAL", 0),
    ("MAXI", "REAL", 0),
    ("MINI", "REAL", 0),
    ("TIE", "REAL", 0),
    ("MAXCV", "REAL", 0),
    ("MINCV", "REAL", 0),
    ("MINTIE", "REAL", 0),
    ("MAXTIE", "REAL", 0),
    ("DATA", "REAL", 17),
];

/// Words of the condition.
const TAG: &str = "tag of a PID: each member has any value behind the instruction, and a write of CTL changes none of the bits";

impl Writer<'_> {
    /// Writes PID with its tag and its control variable.
    pub(super) fn regulated(&mut self, [tag, value]: [&Range<usize>; 2], state: &Expr, span: Span) -> Result<(), &'static str> {
        let words = gaps::words_of("PID").unwrap_or(OPERAND);
        let (tag, target) = (self.structure(tag, &["PID"])?, self.target(value)?);
        let function = match self.scope.shape(&target).ok_or(words)?.as_str() {
            "SINT" => "SYSTEM__SINT",
            "INT" => "SYSTEM__INT",
            "DINT" => "SYSTEM__DINT",
            "REAL" => "SYSTEM__REAL",
            _ => return Err(words),
        };
        // The prescan of an Add-On Instruction has the parameters of its call.
        if self.scope.is_reference(&tag) {
            return Err(words);
        }
        let parts = self.scope.any_values(&tag, span).ok_or(words)?;
        self.scope.shapes.assumed.add_everywhere(TAG);
        self.ladder.prescan.extend(parts.clone());
        self.ladder.stmts.extend(parts);
        let value = call_at(function, Vec::new(), span);
        self.when(state, vec![Stmt::assign(target, value, span)], span);
        Ok(())
    }
}

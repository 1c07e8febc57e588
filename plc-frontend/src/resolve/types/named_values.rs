//! Types with named values, `WORD (Idle := 16#0, Busy := 16#7001)`: a variable takes any number of the base type, and its values are
//! such numbers (IEC 61131-3, third edition, table 11). Where all enumerations are numbers anyway, this adds nothing.

use crate::hir::{Conversion, Expr, Project, Type, TypeId};
use crate::resolve::names::tables::Names;
use crate::resolve::scope::Want;
use crate::resolve::types::families::{widened, widens};

impl Names {
    /// Returns a type, or the base of one with named values.
    pub(crate) fn unnamed(&self, project: &Project, ty: TypeId) -> TypeId {
        if let (Type::Enum { base, .. }, true) = (&project.types[ty].ty, self.named_values.contains(&ty)) { *base } else { ty }
    }

    /// Returns the wish for a number where one for a named value stands.
    pub(crate) fn unnamed_want(&self, project: &Project, want: Want) -> Want {
        if let Want::Ty(ty) = want { Want::Ty(self.unnamed(project, ty)) } else { want }
    }

    /// Returns a named value as a number of its base type; other values stay.
    pub(crate) fn as_unnamed(&self, project: &Project, e: Expr) -> Expr {
        let base = self.unnamed(project, e.ty);
        if base == e.ty { e } else { e.converted(Conversion::Convert, base) }
    }

    /// Returns a value as one of a type, where one of both has named values; gives it back if that is not possible.
    pub(crate) fn as_named(&self, project: &Project, e: Expr, ty: TypeId) -> Result<Expr, Expr> {
        let base = self.unnamed(project, ty);
        if (base == ty && self.unnamed(project, e.ty) == e.ty) || !widens(project, self.unnamed(project, e.ty), base) {
            return Err(e);
        }
        let number = widened(self.as_unnamed(project, e), base);
        Ok(if base == ty { number } else { number.converted(Conversion::Convert, ty) })
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::check_run;

    #[test]
    fn named_values_are_numbers_of_their_base() {
        let text = "TYPE State : WORD (Idle := WORD#16#0, Busy := WORD#16#7001); END_TYPE\n\
            TYPE Mode : INT (Off := 0, On := 4); END_TYPE\nPROGRAM Main\nVAR w : WORD; s : State; m : Mode; x, y : INT; END_VAR\n\
            w := State#Busy;\ns := w;\nm := 4;\nIF m = 4 AND s = State#Busy THEN x := 1; END_IF;\ny := m;\ns := WORD#16#5;\n\
            CASE m OF 4: x := x + 1; END_CASE;\nEND_PROGRAM";
        check_run(text, &["Main.w", "Main.s", "Main.x", "Main.y"], &[0x7001, 5, 2, 4], &[]);
    }

    #[test]
    fn named_values_are_indices() {
        let text = "TYPE Slot : INT (First := 1, Second := 2); END_TYPE\nPROGRAM Main\nVAR a : ARRAY [1..2] OF INT; s : Slot; x : INT; END_VAR\n\
            a[Slot#Second] := 5;\ns := Slot#First;\na[s] := 7;\nx := a[Slot#Second];\nEND_PROGRAM";
        check_run(text, &["Main.a[1]", "Main.x"], &[7, 5], &[]);
    }
}

//! The elementary types: each project's table starts with them, so their ids are constants.

use crate::hir::{DateKind, DateType, IntType, Project, RealType, Type, TypeDef, TypeId};
use crate::text::Span;

pub(crate) const BOOL: TypeId = TypeId(0);
pub(crate) const SINT: TypeId = TypeId(1);
pub(crate) const INT: TypeId = TypeId(2);
pub(crate) const DINT: TypeId = TypeId(3);
pub(crate) const LINT: TypeId = TypeId(4);
pub(crate) const USINT: TypeId = TypeId(5);
pub(crate) const UINT: TypeId = TypeId(6);
pub(crate) const UDINT: TypeId = TypeId(7);
pub(crate) const ULINT: TypeId = TypeId(8);
pub(crate) const BYTE: TypeId = TypeId(9);
pub(crate) const WORD: TypeId = TypeId(10);
pub(crate) const DWORD: TypeId = TypeId(11);
pub(crate) const LWORD: TypeId = TypeId(12);
pub(crate) const REAL: TypeId = TypeId(13);
pub(crate) const LREAL: TypeId = TypeId(14);
pub(crate) const TIME: TypeId = TypeId(15);
pub(crate) const LTIME: TypeId = TypeId(16);
pub(crate) const DATE: TypeId = TypeId(17);
pub(crate) const TOD: TypeId = TypeId(18);
pub(crate) const DT: TypeId = TypeId(19);
pub(crate) const LDATE: TypeId = TypeId(20);
pub(crate) const LTOD: TypeId = TypeId(21);
pub(crate) const LDT: TypeId = TypeId(22);
pub(crate) const CHAR: TypeId = TypeId(23);
pub(crate) const WCHAR: TypeId = TypeId(24);
/// A character of a STRING; without a name, so that an ARRAY OF CHAR is no string.
pub(crate) const TEXT8: TypeId = TypeId(25);
/// A character of a WSTRING.
pub(crate) const TEXT16: TypeId = TypeId(26);

const fn date(kind: DateKind, long: bool) -> Type {
    Type::Date(DateType { kind, long })
}

const fn int(bits: u8, signed: bool) -> Type {
    Type::Int(IntType { bits, signed })
}

/// In the order of their ids; narrow types before wide ones.
static TABLE: [(&str, Type); 27] = [
    ("BOOL", Type::Bool),
    ("SINT", int(8, true)),
    ("INT", int(16, true)),
    ("DINT", int(32, true)),
    ("LINT", int(64, true)),
    ("USINT", int(8, false)),
    ("UINT", int(16, false)),
    ("UDINT", int(32, false)),
    ("ULINT", int(64, false)),
    ("BYTE", Type::Bits(8)),
    ("WORD", Type::Bits(16)),
    ("DWORD", Type::Bits(32)),
    ("LWORD", Type::Bits(64)),
    ("REAL", Type::Real(RealType::Real)),
    ("LREAL", Type::Real(RealType::LReal)),
    ("TIME", Type::Time),
    ("LTIME", Type::LTime),
    ("DATE", date(DateKind::Date, false)),
    ("TOD", date(DateKind::TimeOfDay, false)),
    ("DT", date(DateKind::DateAndTime, false)),
    ("LDATE", date(DateKind::Date, true)),
    ("LTOD", date(DateKind::TimeOfDay, true)),
    ("LDT", date(DateKind::DateAndTime, true)),
    ("CHAR", Type::Char(8)),
    ("WCHAR", Type::Char(16)),
    ("", Type::Char(8)),
    ("", Type::Char(16)),
];

/// Other names of elementary types.
const ALIASES: &[(&str, &str)] =
    &[("TIME_OF_DAY", "TOD"), ("DATE_AND_TIME", "DT"), ("LTIME_OF_DAY", "LTOD"), ("LDATE_AND_TIME", "LDT")];

/// Names of types that are read but not modelled.
const OPAQUE: &[&str] = &[
    "POINTER",
    "REFERENCE",
    // Types of CODESYS for descriptions of variables and for exceptions.
    "VAR_INFO",
    "ExceptionCode",
    "ANY",
    "ANY_NUM",
    "ANY_INT",
    "ANY_REAL",
    "ANY_BIT",
    "ANY_ELEMENTARY",
    "ANY_DERIVED",
    "ANY_MAGNITUDE",
    "ANY_STRING",
    "ANY_DATE",
];

/// Returns a project that has the elementary types and nothing else.
pub(crate) fn project() -> Project {
    let types = TABLE.iter().map(|(name, ty)| TypeDef {
        name: Some((*name).to_owned()).filter(|name| !name.is_empty()),
        ty: ty.clone(),
        span: Span::none(),
    });
    Project { types: types.collect(), ..Project::default() }
}

/// Returns the elementary type of this name.
pub(crate) fn by_name(name: &str) -> Option<TypeId> {
    let name = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, name)| name);
    let position = TABLE.iter().position(|(n, _)| !n.is_empty() && n.eq_ignore_ascii_case(name))?;
    Some(TypeId(position as u32))
}

/// Returns the spelling of the name of an elementary type.
pub(crate) fn canonical(name: &str) -> Option<&'static str> {
    TABLE.get(by_name(name)?.0 as usize).map(|row| row.0)
}

/// Returns the names of the elementary types.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name).filter(|name| !name.is_empty())
}

/// Returns the IEC spelling of a type that is read but not modelled; `None` for other names.
pub(crate) fn opaque(name: &str) -> Option<&'static str> {
    OPAQUE.iter().copied().find(|n| n.eq_ignore_ascii_case(name))
}

/// Returns the signed integer of this width.
pub(crate) fn signed(width: u8) -> TypeId {
    match width {
        8 => SINT,
        16 => INT,
        32 => DINT,
        _ => LINT,
    }
}

/// Returns the unsigned integer of this width.
pub(crate) fn unsigned(width: u8) -> TypeId {
    match width {
        8 => USINT,
        16 => UINT,
        32 => UDINT,
        _ => ULINT,
    }
}

/// Returns the bit string of this width, BOOL for 1.
pub(crate) fn bits(width: u8) -> Option<TypeId> {
    match width {
        1 => Some(BOOL),
        8 => Some(BYTE),
        16 => Some(WORD),
        32 => Some(DWORD),
        64 => Some(LWORD),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_the_ids_of_their_names() {
        let constants = [
            BOOL, SINT, INT, DINT, LINT, USINT, UINT, UDINT, ULINT, BYTE, WORD, DWORD, LWORD, REAL, LREAL, TIME, LTIME, DATE,
            TOD, DT, LDATE, LTOD, LDT, CHAR, WCHAR,
        ];
        let by_names: Vec<TypeId> = names().filter_map(|n| by_name(&n.to_lowercase())).collect();
        assert_eq!(by_names, constants);
        let project = project();
        assert_eq!(project.types[LTIME].name.as_deref(), Some("LTIME"));
        assert_eq!(project.types[DWORD].ty, Type::Bits(32));
        assert_eq!(project.types[TEXT8].name, None);
        assert_eq!(project.types[TEXT16].ty, Type::Char(16));
        assert_eq!((by_name("date_and_time"), by_name("")), (Some(DT), None));
    }
}

//! The table of standard functions: their names and parameters.

use crate::ast::{self, Arg};
use crate::hir::{BinOp, Builtin};
use crate::resolve::calls::arguments;
use crate::resolve::findings::Res;
use crate::resolve::resolver::Resolver;
use crate::resolve::types::elementary;
use crate::text::{Span, codes};

/// Form of a standard function's result.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// An operator between two arguments, or from left to right between all of them.
    Operator(BinOp),
    /// A comparison of each argument with the next.
    Chain(BinOp),
    Not,
    Move,
    Abs,
    /// A REAL or LREAL, with a result of the same type; computed exactly.
    Exact(Builtin),
    /// The same, but the model allows every value.
    Approximate(Builtin),
    Power,
    /// MIN, MAX, LIMIT: values of one ordered type.
    Ordered(Builtin),
    Sel,
    Mux,
    Shift(Builtin),
    Trunc,
    /// So many strings, then lengths and positions.
    Text(Builtin, usize),
    ConcatDate,
    DayOfWeek,
    IsValid,
    IsValidBcd,
    Swap(Order),
    SizeOf,
    Clock,
    Round(Toward),
    Frac,
    Scale(Scale),
}

/// Names of parameters: the fixed ones, then numbered ones from a first number on.
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    fixed: &'static [&'static str],
    /// First number of `IN…`, and the least number of these.
    numbered: Option<(usize, usize)>,
    pub(crate) form: Form,
}

const fn fixed(name: &'static str, fixed: &'static [&'static str], form: Form) -> Signature {
    Signature { name, fixed, numbered: None, form }
}

const fn numbered(name: &'static str, form: Form) -> Signature {
    Signature { name, fixed: &[], numbered: Some((1, 2)), form }
}

const TWO: &[&str] = &["IN1", "IN2"];
const ONE: &[&str] = &["IN"];
const RANGE: &[&str] = &["MIN", "VALUE", "MAX"];

pub(crate) const TABLE: &[Signature] = &[
    numbered("ADD", Form::Operator(BinOp::Add)),
    numbered("MUL", Form::Operator(BinOp::Mul)),
    fixed("SUB", TWO, Form::Operator(BinOp::Sub)),
    fixed("DIV", TWO, Form::Operator(BinOp::Div)),
    fixed("MOD", TWO, Form::Operator(BinOp::Mod)),
    fixed("ADD_TIME", TWO, Form::Operator(BinOp::Add)),
    fixed("ADD_LTIME", TWO, Form::Operator(BinOp::Add)),
    fixed("SUB_TIME", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_LTIME", TWO, Form::Operator(BinOp::Sub)),
    fixed("MUL_TIME", TWO, Form::Operator(BinOp::Mul)),
    fixed("MUL_LTIME", TWO, Form::Operator(BinOp::Mul)),
    fixed("MULTIME", TWO, Form::Operator(BinOp::Mul)),
    fixed("DIV_TIME", TWO, Form::Operator(BinOp::Div)),
    fixed("DIV_LTIME", TWO, Form::Operator(BinOp::Div)),
    fixed("DIVTIME", TWO, Form::Operator(BinOp::Div)),
    numbered("AND", Form::Operator(BinOp::And)),
    numbered("OR", Form::Operator(BinOp::Or)),
    numbered("XOR", Form::Operator(BinOp::Xor)),
    numbered("GT", Form::Chain(BinOp::Gt)),
    numbered("GE", Form::Chain(BinOp::Ge)),
    numbered("EQ", Form::Chain(BinOp::Eq)),
    numbered("LE", Form::Chain(BinOp::Le)),
    numbered("LT", Form::Chain(BinOp::Lt)),
    fixed("NE", TWO, Form::Chain(BinOp::Ne)),
    fixed("NOT", ONE, Form::Not),
    fixed("MOVE", ONE, Form::Move),
    fixed("ABS", ONE, Form::Abs),
    fixed("SQRT", ONE, Form::Exact(Builtin::Sqrt)),
    fixed("LN", ONE, Form::Approximate(Builtin::Ln)),
    fixed("LOG", ONE, Form::Approximate(Builtin::Log)),
    fixed("EXP", ONE, Form::Approximate(Builtin::Exp)),
    fixed("SIN", ONE, Form::Approximate(Builtin::Sin)),
    fixed("COS", ONE, Form::Approximate(Builtin::Cos)),
    fixed("TAN", ONE, Form::Approximate(Builtin::Tan)),
    fixed("ASIN", ONE, Form::Approximate(Builtin::Asin)),
    fixed("ACOS", ONE, Form::Approximate(Builtin::Acos)),
    fixed("ATAN", ONE, Form::Approximate(Builtin::Atan)),
    fixed("EXPT", TWO, Form::Power),
    numbered("MIN", Form::Ordered(Builtin::Min)),
    numbered("MAX", Form::Ordered(Builtin::Max)),
    fixed("LIMIT", &["MN", "IN", "MX"], Form::Ordered(Builtin::Limit)),
    fixed("SEL", &["G", "IN0", "IN1"], Form::Sel),
    Signature { name: "MUX", fixed: &["K"], numbered: Some((0, 1)), form: Form::Mux },
    fixed("SHL", &["IN", "N"], Form::Shift(Builtin::Shl)),
    fixed("SHR", &["IN", "N"], Form::Shift(Builtin::Shr)),
    fixed("ROL", &["IN", "N"], Form::Shift(Builtin::Rol)),
    fixed("ROR", &["IN", "N"], Form::Shift(Builtin::Ror)),
    fixed("TRUNC", ONE, Form::Trunc),
    fixed("ATAN2", &["Y", "X"], Form::Power),
    fixed("LEN", ONE, Form::Text(Builtin::Len, 1)),
    fixed("LEFT", &["IN", "L"], Form::Text(Builtin::Left, 1)),
    fixed("RIGHT", &["IN", "L"], Form::Text(Builtin::Right, 1)),
    fixed("MID", &["IN", "L", "P"], Form::Text(Builtin::Mid, 1)),
    numbered("CONCAT", Form::Text(Builtin::Concat, usize::MAX)),
    fixed("INSERT", &["IN1", "IN2", "P"], Form::Text(Builtin::Insert, 2)),
    fixed("DELETE", &["IN", "L", "P"], Form::Text(Builtin::Delete, 1)),
    fixed("REPLACE", &["IN1", "IN2", "L", "P"], Form::Text(Builtin::Replace, 2)),
    fixed("FIND", TWO, Form::Text(Builtin::Find, 2)),
    fixed("ADD_TOD_TIME", TWO, Form::Operator(BinOp::Add)),
    fixed("ADD_LTOD_LTIME", TWO, Form::Operator(BinOp::Add)),
    fixed("ADD_DT_TIME", TWO, Form::Operator(BinOp::Add)),
    fixed("ADD_LDT_LTIME", TWO, Form::Operator(BinOp::Add)),
    fixed("SUB_DATE_DATE", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_LDATE_LDATE", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_TOD_TIME", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_LTOD_LTIME", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_TOD_TOD", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_LTOD_LTOD", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_DT_TIME", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_LDT_LTIME", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_DT_DT", TWO, Form::Operator(BinOp::Sub)),
    fixed("SUB_LDT_LDT", TWO, Form::Operator(BinOp::Sub)),
    fixed("CONCAT_DATE_TOD", &["DATE", "TOD"], Form::ConcatDate),
    fixed("CONCAT_DATE_LTOD", &["DATE", "LTOD"], Form::ConcatDate),
    fixed("DAY_OF_WEEK", ONE, Form::DayOfWeek),
    fixed("IS_VALID", ONE, Form::IsValid),
    fixed("IS_VALID_BCD", ONE, Form::IsValidBcd),
    fixed("SWAP", ONE, Form::Swap(Order::Always)),
    fixed("TO_BIG_ENDIAN", ONE, Form::Swap(Order::Big)),
    fixed("FROM_BIG_ENDIAN", ONE, Form::Swap(Order::Big)),
    fixed("TO_LITTLE_ENDIAN", ONE, Form::Swap(Order::Little)),
    fixed("FROM_LITTLE_ENDIAN", ONE, Form::Swap(Order::Little)),
    fixed("SIZEOF", ONE, Form::SizeOf),
    fixed("TIME", &[], Form::Clock),
    fixed("LTIME", &[], Form::Clock),
    fixed("ROUND", ONE, Form::Round(Toward::Nearest)),
    fixed("CEIL", ONE, Form::Round(Toward::Above)),
    fixed("FLOOR", ONE, Form::Round(Toward::Below)),
    fixed("FRAC", ONE, Form::Frac),
    fixed("NORM_X", RANGE, Form::Scale(Scale::Norm)),
    fixed("SCALE_X", RANGE, Form::Scale(Scale::Scale)),
];

/// Parameters of string functions in libraries of CODESYS and TwinCAT, with their names in the standard.
const OF_TEXTS: &[(&str, &str)] = &[("STR", "IN"), ("STR1", "IN1"), ("STR2", "IN2"), ("SIZE", "L"), ("LEN", "L"), ("POS", "P")];

/// Direction of a change of the order of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Always,
    /// To or from the highest byte first.
    Big,
    /// To or from the lowest byte first.
    Little,
}

/// Direction of a scaling.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// From a range to 0.0 up to 1.0.
    Norm,
    /// From 0.0 up to 1.0 to a range.
    Scale,
}

/// Rounding of a REAL to an integer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toward {
    Nearest,
    Above,
    Below,
}

/// Functions that are known and not modelled.
pub(crate) const UNMODELLED: &[&str] = &[
    "CONCAT_DATE",
    "CONCAT_TOD",
    "CONCAT_LTOD",
    "CONCAT_DT",
    "CONCAT_LDT",
    "SPLIT_DATE",
    "SPLIT_TOD",
    "SPLIT_LTOD",
    "SPLIT_DT",
    "SPLIT_LDT",
    "UPPER_BOUND",
    "LOWER_BOUND",
    "ADR",
    "ADRINST",
    "__ISVALIDREF",
    "BITADR",
    "INDEXOF",
    "REF",
    "MEMCPY",
    "MEMSET",
    "MEMMOVE",
    "MEMCMP",
    // Siemens: memory at computed addresses.
    "PEEK",
    "PEEK_BOOL",
    "PEEK_BYTE",
    "PEEK_WORD",
    "PEEK_DWORD",
    "PEEK_LWORD",
    "POKE",
    "POKE_BOOL",
    "POKE_BLK",
    // Siemens: several elements behind the one that is named.
    "MOVE_BLK",
    "MOVE_BLK_VARIANT",
    "UMOVE_BLK",
    "FILL_BLK",
    "UFILL_BLK",
    "BLKMOV",
    "UBLKMOV",
    "FILL",
    "GATHER_BLK",
    "SCATTER_BLK",
];

/// Returns whether a standard function has this name.
pub(crate) fn is_standard(name: &str) -> bool {
    TABLE.iter().any(|s| s.name.eq_ignore_ascii_case(name))
}

/// Returns whether a standard function, block or conversion has this name.
pub(crate) fn is_standard_name(name: &str) -> bool {
    let is_block = || crate::stdlib::SOURCES.iter().any(|(block, _)| block.eq_ignore_ascii_case(name));
    let is_type = |name: &str| elementary::by_name(name).is_some();
    let lower = name.to_lowercase();
    let is_conversion = || lower.split_once("_to_").is_some_and(|(from, to)| is_type(from) && is_type(to));
    is_standard(name) || is_block() || is_conversion()
}

/// X_TO_Y: one argument.
pub(crate) const CONVERSION: Signature = fixed("the conversion", ONE, Form::Move);

impl Resolver<'_> {
    /// Returns the arguments in the order of the parameters.
    pub(crate) fn standard_args<'e>(&mut self, signature: &Signature, args: &'e [Arg], span: Span) -> Res<Vec<&'e ast::Expr>> {
        let (n_fixed, name) = (signature.fixed.len(), signature.name);
        let least = n_fixed + signature.numbered.map_or(0, |(_, least)| least);
        let mut slots: Vec<Option<&ast::Expr>> = vec![None; args.len().max(least)];
        for (i, arg) in args.iter().enumerate() {
            let (slot, e) = match arg {
                Arg::Positional(e) => (Some(i), e),
                Arg::Input(parameter, e) => (self.standard_parameter(signature, parameter)?, e),
                Arg::Output { name: parameter, .. } => {
                    if let Some(gap) = self.enable(parameter) {
                        return Err(gap);
                    }
                    let message = format!("{name} has no output `{}`", parameter.text);
                    return Err(self.findings.error(codes::UNKNOWN_PARAMETER, parameter.span, message, "not a parameter"));
                }
            };
            match slot.and_then(|slot| slots.get_mut(slot)) {
                Some(empty @ None) => *empty = Some(e),
                Some(Some(_)) | None => {
                    let message = format!("this argument of {name} is given twice, or one before it is missing");
                    return Err(self.findings.error(codes::ARGUMENTS, arguments::arg_span(arg), message, "no place for it"));
                }
            }
        }
        let given: Vec<&ast::Expr> = slots.iter().copied().flatten().collect();
        let most = if signature.numbered.is_some() { usize::MAX } else { n_fixed };
        if given.len() == slots.len() && given.len() <= most {
            return Ok(given);
        }
        let count = if signature.numbered.is_some() { format!("at least {least}") } else { n_fixed.to_string() };
        let plural = if least == 1 { "" } else { "s" };
        let message = format!("{name} takes {count} argument{plural}, and {} are given", args.len());
        Err(self.findings.error(codes::ARGUMENTS, span, message, "wrong number of arguments"))
    }

    fn standard_parameter(&mut self, signature: &Signature, parameter: &ast::Ident) -> Res<Option<usize>> {
        if let Some(i) = signature.fixed.iter().position(|p| p.eq_ignore_ascii_case(&parameter.text)) {
            return Ok(Some(i));
        }
        // Parameters of string functions have other names in the libraries of CODESYS and TwinCAT.
        let known = OF_TEXTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(&parameter.text)).map(|(_, is)| *is);
        if let (Form::Text(..), Some(known)) = (signature.form, known) {
            if let Some(i) = signature.fixed.iter().position(|p| p == &known) {
                return Ok(Some(i));
            }
            if signature.numbered.is_some() && known.starts_with("IN") && known != "IN" {
                return Ok(Some(usize::from(known == "IN2")));
            }
        }
        let number = parameter
            .text
            .get(..2)
            .filter(|p| p.eq_ignore_ascii_case("IN"))
            .and_then(|_| parameter.text[2..].parse::<usize>().ok());
        if let (Some((first, _)), Some(number)) = (signature.numbered, number)
            && first <= number
        {
            return Ok(Some(signature.fixed.len() + number - first));
        }
        if let Some(gap) = self.enable(parameter) {
            return Err(gap);
        }
        let mut names: Vec<String> = signature.fixed.iter().map(|p| (*p).to_owned()).collect();
        if let Some((first, _)) = signature.numbered {
            names.push(format!("IN{first}, IN{}, …", first + 1));
        }
        let message = format!("{} has no parameter `{}`", signature.name, parameter.text);
        let help = Some(format!("its parameters are {}", names.join(", ")));
        Err(self.findings.error_with_help(codes::UNKNOWN_PARAMETER, parameter.span, message, "not a parameter", help))
    }
}

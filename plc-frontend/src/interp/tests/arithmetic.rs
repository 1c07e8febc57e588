//! Corner cases of operators, conversions and standard functions.

use super::{check as check_body, check_fault as check_body_fault, result};
use crate::hir::{FaultKind, Value};

fn check(ty: &str, expr: &str, expected: i128) {
    check_body(&format!("r : {ty};"), &format!("r := {expr};"), expected);
}

fn check_real(expr: &str, expected: f32) {
    assert_eq!(result("r : REAL;", &format!("r := {expr};")), Ok(Value::real(expected)), "{expr}");
}

fn check_lreal(expr: &str, expected: f64) {
    assert_eq!(result("r : LREAL;", &format!("r := {expr};")), Ok(Value::lreal(expected)), "{expr}");
}

fn check_fault(ty: &str, expr: &str, expected: FaultKind) {
    check_body_fault(&format!("r : {ty};"), &format!("r := {expr};"), expected);
}

#[test]
fn integers_wrap_at_their_width() {
    check("SINT", "SINT#127 + SINT#1", -128);
    check("SINT", "SINT#-128 - SINT#1", 127);
    check("SINT", "SINT#-128 / SINT#-1", -128);
    check("SINT", "-(SINT#-128)", -128);
    check("SINT", "SINT#64 * SINT#2", -128);
    check("SINT", "SINT#-128 MOD SINT#-1", 0);
    check("USINT", "USINT#0 - USINT#1", 255);
    check("USINT", "USINT#255 * USINT#255", 1);
    check("INT", "INT#32767 + INT#1", -32768);
    check("UINT", "UINT#65535 + UINT#1", 0);
    check("DINT", "DINT#2147483647 + DINT#1", -2_147_483_648);
    check("UDINT", "UDINT#4294967295 * UDINT#4294967295", 1);
    check("LINT", "LINT#9223372036854775807 + LINT#1", -9_223_372_036_854_775_808);
    check("LINT", "LINT#-9223372036854775808 / LINT#-1", -9_223_372_036_854_775_808);
    check("ULINT", "ULINT#18446744073709551615 * ULINT#18446744073709551615", 1);
    check("ULINT", "ULINT#18446744073709551615 * ULINT#18446744073709551614", 2);
}

#[test]
fn division_truncates_and_mod_has_the_dividends_sign() {
    check("INT", "INT#7 / INT#2", 3);
    check("INT", "INT#-7 / INT#2", -3);
    check("INT", "INT#7 / INT#-2", -3);
    check("INT", "INT#-7 MOD INT#2", -1);
    check("INT", "INT#7 MOD INT#-2", 1);
    check("INT", "INT#-7 MOD INT#-2", -1);
    check_fault("INT", "INT#7 / INT#0", FaultKind::DivisionByZero);
    check_fault("ULINT", "ULINT#7 MOD ULINT#0", FaultKind::DivisionByZero);
    // Strict operators evaluate both sides, the others do not.
    check_fault("BOOL", "FALSE AND INT#1 / INT#0 = INT#1", FaultKind::DivisionByZero);
    check_fault("BOOL", "TRUE OR INT#1 / INT#0 = INT#1", FaultKind::DivisionByZero);
    check("BOOL", "FALSE AND_THEN INT#1 / INT#0 = INT#1", 0);
    check("BOOL", "TRUE OR_ELSE INT#1 / INT#0 = INT#1", 1);
}

#[test]
fn operands_widen_to_their_common_type() {
    check("DINT", "INT#32767 + DINT#1", 32_768);
    check("DINT", "INT#32767 + INT#1", -32_768);
    check("DINT", "UINT#65535 + INT#-1", 65_534);
    check("INT", "USINT#255 + SINT#-1", 254);
    check("BOOL", "SINT#-1 < UDINT#1", 1);
    check("WORD", "BYTE#16#F0 OR WORD#16#0F0F", 0x0fff);
}

#[test]
fn bit_strings() {
    check("BYTE", "NOT BYTE#16#0F", 0xf0);
    check("LWORD", "NOT LWORD#0", i128::from(u64::MAX));
    check("BYTE", "BYTE#16#FF XOR BYTE#16#0F", 0xf0);
    check("BYTE", "SHL(BYTE#16#81, 1)", 2);
    check("BYTE", "SHL(BYTE#16#81, 8)", 0);
    check("BYTE", "SHL(BYTE#16#81, -1)", 0);
    check("BYTE", "SHR(BYTE#16#81, 7)", 1);
    check("BYTE", "SHR(BYTE#16#81, 300)", 0);
    check("BYTE", "ROL(BYTE#16#81, 1)", 3);
    check("BYTE", "ROL(BYTE#16#81, 9)", 3);
    check("BYTE", "ROR(BYTE#16#81, 1)", 0xc0);
    check("BYTE", "ROR(BYTE#16#81, -1)", 3);
    check("LWORD", "ROL(LWORD#16#8000000000000001, 1)", 3);
    check("LWORD", "SHL(LWORD#16#FFFFFFFFFFFFFFFF, 63)", 1 << 63);
    check("BOOL", "BYTE#16#80 > BYTE#16#7F", 1);
}

#[test]
fn conversions_between_integers_wrap() {
    check("SINT", "INT_TO_SINT(INT#128)", -128);
    check("USINT", "SINT_TO_USINT(SINT#-1)", 255);
    check("INT", "WORD_TO_INT(WORD#16#FFFF)", -1);
    check("WORD", "INT_TO_WORD(INT#-1)", 65_535);
    check("DINT", "SINT_TO_DINT(SINT#-1)", -1);
    check("ULINT", "LINT_TO_ULINT(LINT#-1)", i128::from(u64::MAX));
    check("BOOL", "INT_TO_BOOL(INT#256)", 1);
    check("INT", "BOOL_TO_INT(TRUE)", 1);
    check("TIME", "INT_TO_TIME(INT#-5)", -5);
    check("INT", "TIME_TO_INT(T#65536ms)", 0);
    check("LTIME", "TIME_TO_LTIME(T#-1ms)", -1_000_000);
    check("TIME", "LTIME_TO_TIME(LTIME#-1999999ns)", -1);
    check("TIME", "LTIME_TO_TIME(LTIME#4294967296ms)", 0);
}

#[test]
fn conversions_from_real_round_to_even_and_check_the_range() {
    check("INT", "REAL_TO_INT(REAL#0.5)", 0);
    check("INT", "REAL_TO_INT(REAL#1.5)", 2);
    check("INT", "REAL_TO_INT(REAL#2.5)", 2);
    check("INT", "REAL_TO_INT(REAL#-1.5)", -2);
    check("INT", "REAL_TO_INT(REAL#-0.5)", 0);
    check("INT", "REAL_TRUNC_INT(REAL#-1.9)", -1);
    check("INT", "REAL_TO_INT(REAL#32767.0)", 32_767);
    check("INT", "LREAL_TO_INT(LREAL#32767.4)", 32_767);
    check_fault("INT", "LREAL_TO_INT(LREAL#32767.5)", FaultKind::ConversionRange);
    check("INT", "LREAL_TO_INT(LREAL#-32768.5)", -32_768);
    check_fault("INT", "REAL_TO_INT(REAL#-32769.0)", FaultKind::ConversionRange);
    check_fault("USINT", "REAL_TO_USINT(REAL#-1.0)", FaultKind::ConversionRange);
    check("USINT", "REAL_TO_USINT(REAL#-0.4)", 0);
    check_fault("LINT", "LREAL_TO_LINT(LREAL#9223372036854775808.0)", FaultKind::ConversionRange);
    check("ULINT", "LREAL_TO_ULINT(LREAL#9223372036854775808.0)", 1 << 63);
    check_fault("INT", "REAL_TO_INT(REAL#0.0 / REAL#0.0)", FaultKind::ConversionRange);
    check_fault("DINT", "REAL_TO_DINT(REAL#1.0 / REAL#0.0)", FaultKind::ConversionRange);
    check("BOOL", "REAL_TO_BOOL(REAL#0.1)", 1);
    check("BOOL", "REAL_TO_BOOL(REAL#-0.0)", 0);
    check("DWORD", "REAL_TO_DWORD(REAL#1.0)", 0x3f80_0000);
    check("LWORD", "LREAL_TO_LWORD(LREAL#-2.0)", 0xc000_0000_0000_0000);
    check("WORD", "REAL_TO_WORD(REAL#3.0)", 3);
}

#[test]
fn conversions_to_real_round_to_even() {
    check_real("DINT_TO_REAL(DINT#16777217)", 16_777_216.0);
    check_real("DINT_TO_REAL(DINT#16777219)", 16_777_220.0);
    check_real("ULINT_TO_REAL(ULINT#18446744073709551615)", 18_446_744_073_709_551_616.0);
    check_lreal("LINT_TO_LREAL(LINT#9007199254740993)", 9_007_199_254_740_992.0);
    check_real("LREAL_TO_REAL(LREAL#0.1)", 0.1);
    check_real("LREAL_TO_REAL(LREAL#1.0e300)", f32::INFINITY);
    check_lreal("REAL_TO_LREAL(REAL#0.1)", f64::from(0.1f32));
    check_real("DWORD_TO_REAL(DWORD#16#3F800000)", 1.0);
    check_real("WORD_TO_REAL(WORD#16#3)", 3.0);
    check_real("BOOL_TO_REAL(TRUE)", 1.0);
}

#[test]
fn reals_are_ieee_single() {
    check_real("REAL#0.1 + REAL#0.2", 0.1 + 0.2);
    check_real("REAL#16777216.0 + REAL#1.0", 16_777_216.0);
    check_real("REAL#1.0 / REAL#3.0", 1.0 / 3.0);
    check_real("REAL#1.0 / REAL#0.0", f32::INFINITY);
    check_real("-REAL#1.0 / REAL#0.0", f32::NEG_INFINITY);
    check_real("-(REAL#0.0)", -0.0);
    check_real("REAL#0.0 / REAL#0.0", f32::from_bits(0x7fc0_0000));
    check_real("ABS(REAL#-0.0)", 0.0);
    check_real("SQRT(REAL#2.0)", std::f32::consts::SQRT_2);
    check_real("SQRT(REAL#-1.0)", f32::from_bits(0x7fc0_0000));
    check_lreal("LREAL#0.1 + LREAL#0.2", 0.1 + 0.2);
    check("BOOL", "REAL#0.0 = REAL#-0.0", 1);
    let nan = "(REAL#0.0 / REAL#0.0)";
    for (op, expected) in [("=", 0), ("<>", 1), ("<", 0), ("<=", 0), (">", 0), (">=", 0)] {
        check("BOOL", &format!("{nan} {op} {nan}"), expected);
        check("BOOL", &format!("REAL#1.0 {op} {nan}"), expected);
    }
}

#[test]
fn selection_functions() {
    check("INT", "MIN(INT#3, INT#-1, INT#2)", -1);
    check("INT", "MAX(INT#3, INT#-1, INT#7)", 7);
    check("INT", "LIMIT(INT#0, INT#-5, INT#10)", 0);
    check("INT", "LIMIT(INT#0, INT#15, INT#10)", 10);
    // With crossed limits the upper one wins.
    check("INT", "LIMIT(INT#10, INT#5, INT#0)", 0);
    check("INT", "SEL(FALSE, INT#1, INT#2)", 1);
    check("INT", "SEL(TRUE, INT#1, INT#2)", 2);
    check("INT", "MUX(INT#1, INT#10, INT#20)", 20);
    check_fault("INT", "MUX(INT#2, INT#10, INT#20)", FaultKind::IndexOutOfBounds);
    check_fault("INT", "MUX(INT#-1, INT#10, INT#20)", FaultKind::IndexOutOfBounds);
    check_fault("INT", "SEL(FALSE, INT#1, INT#1 / INT#0)", FaultKind::DivisionByZero);
    check("INT", "ABS(INT#-32768)", -32_768);
    check("SINT", "ABS(SINT#-5)", 5);
    check("USINT", "ABS(USINT#200)", 200);
    check("TIME", "MIN(T#1s, T#500ms)", 500);
    // MIN keeps its first argument if nothing is less, so NaN first stays.
    check_real("MIN(REAL#0.0 / REAL#0.0, REAL#1.0)", f32::from_bits(0x7fc0_0000));
    check_real("MIN(REAL#1.0, REAL#0.0 / REAL#0.0)", 1.0);
    check_real("MAX(REAL#0.0, REAL#-0.0)", 0.0);
}

#[test]
fn times() {
    check("TIME", "T#1s + T#500ms", 1500);
    check("TIME", "T#1s - T#2s", -1000);
    check("TIME", "T#24d20h31m23s647ms + T#1ms", -2_147_483_648);
    check("BOOL", "T#-1ms < T#0s", 1);
    check("TIME", "T#1s * 3", 3000);
    check("TIME", "T#1s / 3", 333);
    check_fault("TIME", "T#1s / INT#0", FaultKind::DivisionByZero);
    check("LTIME", "LTIME#1us + T#1ms", 1_001_000);
}

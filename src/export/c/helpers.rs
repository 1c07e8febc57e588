//! Functions of the C file for operations that C leaves undefined, or lacks. Only those that are used are written.

use std::collections::BTreeMap;

use super::node::{narrowed, number, ones, wide, word};
use kernel::expr::{BvBin, FloatSort, Rounding, Sort};

/// Beginning of every file.
pub(super) const PRELUDE: &str = "
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 u128;

extern bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);

// CBMC and ESBMC look for failing assertions, others for the call; NDEBUG takes the assertion away, not the end.
void reach_error(void) {
    assert(!\"the error is reached\");
    abort();
}

";

/// Returns an arbitrary value of a sort.
pub(super) fn nondet(sort: Sort) -> String {
    let call = |name: &str| format!("__VERIFIER_nondet_{name}()");
    match sort {
        Sort::Bool => call("bool"),
        Sort::BitVec(width) => {
            let text = match width {
                0..=8 => call("uchar"),
                9..=16 => call("ushort"),
                17..=32 => call("uint"),
                33..=64 => call("ulonglong"),
                // The order of the two does not matter: both are arbitrary.
                _ => format!("((u128){0} << 64) | {0}", call("ulonglong")),
            };
            narrowed(width, &text)
        }
        Sort::Float(FloatSort::F32) => call("float"),
        Sort::Float(FloatSort::F64) => call("double"),
        sort @ (Sort::Float(FloatSort::Other(_)) | Sort::Int | Sort::Array(..)) => unreachable!("no program has a {sort}"),
    }
}

/// The functions that a file needs, by name.
#[derive(Default)]
pub(super) struct Helpers {
    used: BTreeMap<String, String>,
}

impl Helpers {
    /// Returns the functions that were named.
    pub(super) fn text(&self) -> String {
        self.used.values().map(|text| format!("{text}\n")).collect()
    }
    fn needs(&mut self, name: String, text: impl FnOnce(&str) -> String) -> String {
        let text = text(&name);
        self.used.entry(name.clone()).or_insert(text);
        name
    }
    /// Returns the name of the identity of floats: NaN is NaN, zeros differ by their sign.
    pub(super) fn same(&mut self, sort: FloatSort) -> String {
        let ty = float(sort);
        self.needs(format!("same_{ty}"), |name| {
            format!(
                "static bool {name}({ty} a, {ty} b) {{\n    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);\n    \
                 return a == b && !signbit(a) == !signbit(b);\n}}\n"
            )
        })
    }
    /// Returns the name of the function from bits to their float.
    pub(super) fn of_bits(&mut self, sort: FloatSort) -> String {
        let (ty, bits) = match sort {
            FloatSort::F32 => ("float", "uint32_t"),
            FloatSort::F64 | FloatSort::Other(_) => ("double", "uint64_t"),
        };
        self.needs(format!("{ty}_of_bits"), |name| {
            format!("static {ty} {name}({bits} bits) {{\n    {ty} value;\n    memcpy(&value, &bits, sizeof value);\n    return value;\n}}\n")
        })
    }
    /// Converts two's complement to a float: the magnitude is rounded, which is symmetric.
    pub(super) fn float_of_signed(&mut self, sort: FloatSort, w: u16) -> String {
        let (ty, word, wide, sign) = (float(sort), word(w), wide(w), number(w, 1 << (w - 1)));
        self.needs(format!("{ty}_of_signed_{w}"), |name| {
            let magnitude = narrowed(w, &format!("({wide})0 - ({wide})a"));
            format!("static {ty} {name}({word} a) {{\n    return a & {sign} ? -({ty})({magnitude}) : ({ty})a;\n}}\n")
        })
    }
    /// Returns the name of the function from float to integer; 0 outside the range.
    pub(super) fn word_of_float(&mut self, signed: bool, w: u16, rounding: Rounding) -> String {
        let (kind, round) = match rounding {
            Rounding::NearestEven => ("rounded", "nearbyint"),
            Rounding::NearestAway => ("rounded_away", "round"),
            Rounding::TowardPositive => ("rounded_up", "ceil"),
            Rounding::TowardNegative => ("rounded_down", "floor"),
            Rounding::TowardZero => ("truncated", "trunc"),
        };
        let (word, wide) = (word(w), wide(w));
        self.needs(format!("{kind}_to_{}_{w}", if signed { "signed" } else { "unsigned" }), |name| {
            let (low, beyond) = if signed {
                (format!("-0x1p{}", w - 1), format!("0x1p{}", w - 1))
            } else {
                ("0x0p0".to_owned(), format!("0x1p{w}"))
            };
            let negative = narrowed(w, &format!("({wide})0 - ({wide})-r"));
            format!(
                "static {word} {name}(double v) {{\n    const double r = {round}(v);\n    \
                 if (!({low} <= r && r < {beyond})) return 0;\n    \
                 return r < 0 ? {negative} : ({word})r;\n}}\n"
            )
        })
    }
    /// Returns the name of an operation that C does not define for all operands.
    pub(super) fn partial(&mut self, op: BvBin, w: u16) -> String {
        let (ty, all, sign) = (word(w), ones(w), number(w, 1 << (w - 1)));
        let wide = wide(w);
        let function = |name: &str, body: String| format!("static {ty} {name}({ty} a, {ty} b) {{\n{body}}}\n");
        let negated = |x: &str| narrowed(w, &format!("({wide})0 - ({wide}){x}"));
        let magnitudes = || {
            format!(
                "    const {ty} m = a & {sign} ? {} : a;\n    const {ty} n = b & {sign} ? {} : b;\n",
                negated("a"),
                negated("b")
            )
        };
        match op {
            BvBin::Udiv => {
                self.needs(format!("udiv_{w}"), |name| function(name, format!("    return b == 0 ? ({ty}){all} : a / b;\n")))
            }
            BvBin::Urem => self.needs(format!("urem_{w}"), |name| function(name, "    return b == 0 ? a : a % b;\n".into())),
            BvBin::Sdiv => self.needs(format!("sdiv_{w}"), |name| {
                let zero = format!("    if (b == 0) return a & {sign} ? 1 : ({ty}){all};\n");
                let quotient = format!("    const {ty} q = m / n;\n    return (a ^ b) & {sign} ? {} : q;\n", negated("q"));
                function(name, zero + &magnitudes() + &quotient)
            }),
            BvBin::Srem => self.needs(format!("srem_{w}"), |name| {
                let rest = format!("    const {ty} r = m % n;\n    return a & {sign} ? {} : r;\n", negated("r"));
                function(name, "    if (b == 0) return a;\n".to_owned() + &magnitudes() + &rest)
            }),
            BvBin::Shl => self.needs(format!("shl_{w}"), |name| {
                function(name, format!("    return b >= {w}u ? 0 : {};\n", narrowed(w, &format!("({wide})a << b"))))
            }),
            BvBin::Lshr => {
                self.needs(format!("lshr_{w}"), |name| function(name, format!("    return b >= {w}u ? 0 : a >> b;\n")))
            }
            BvBin::Ashr => self.needs(format!("ashr_{w}"), |name| {
                let whole = format!("    if (b >= {w}u) return a & {sign} ? ({ty}){all} : 0;\n");
                let kept = narrowed(w, &format!("~(({wide}){all} >> b)"));
                function(name, format!("{whole}    return a & {sign} ? ({ty})((a >> b) | {kept}) : ({ty})(a >> b);\n"))
            }),
            BvBin::Add | BvBin::Sub | BvBin::Mul | BvBin::And | BvBin::Or | BvBin::Xor => String::new(),
        }
    }
}

fn float(sort: FloatSort) -> &'static str {
    match sort {
        FloatSort::F32 => "float",
        FloatSort::F64 | FloatSort::Other(_) => "double",
    }
}

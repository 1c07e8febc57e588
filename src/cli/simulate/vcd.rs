//! Runs as value change dumps (VCD) for waveform viewers.

use std::fmt::Write as _;

use plc_frontend::hir::{Leaf, Type, Value};

use super::recorded_run::Run;

impl Run<'_> {
    /// Returns an IEEE 1364 value change dump. A value stands at the start of its cycle; outputs are those of the cycle's end.
    pub(super) fn vcd(&self) -> String {
        let mut text = String::from("$timescale 1 ns $end\n$scope module scanproof $end\n");
        for (n, leaf) in self.leaves.iter().enumerate() {
            let name = self.names.show(&leaf.name).replace(char::is_whitespace, "");
            let (kind, width) = self.wire(leaf);
            let _ = writeln!(text, "$var {kind} {width} {} {name} $end", code(n));
        }
        text.push_str("$upscope $end\n$enddefinitions $end\n");
        let mut before: Option<&Vec<Option<Value>>> = None;
        for (row, time) in self.rows.iter().zip(&self.times_ns) {
            let _ = writeln!(text, "#{time}");
            for (n, (leaf, value)) in self.leaves.iter().zip(row).enumerate() {
                let is_new = before.and_then(|row| row.get(n)) != Some(value);
                if let (Some(value), true) = (value, is_new) {
                    let _ = writeln!(text, "{}", self.change(leaf, *value, &code(n)));
                }
            }
            before = Some(row);
        }
        text
    }

    fn wire(&self, leaf: &Leaf) -> (&'static str, u32) {
        let ty = &self.project.types[leaf.ty].ty;
        if matches!(ty, Type::Bool) {
            ("wire", 1)
        } else if matches!(ty, Type::Real(_)) {
            ("real", 64)
        } else {
            ("reg", self.project.int_type(leaf.ty).map_or(64, |int| u32::from(int.bits)))
        }
    }

    fn change(&self, leaf: &Leaf, value: Value, code: &str) -> String {
        match value {
            Value::Bool(b) => format!("{}{code}", i32::from(b)),
            Value::Real(bits) => format!("r{} {code}", f32::from_bits(bits)),
            Value::LReal(bits) => format!("r{} {code}", f64::from_bits(bits)),
            Value::Int(i) => {
                let (_, width) = self.wire(leaf);
                let mask = if width < 128 { (1_u128 << width) - 1 } else { u128::MAX };
                format!("b{:b} {code}", i as u128 & mask)
            }
        }
    }
}

/// Returns the n-th short name of a VCD file: printable characters, base 94.
fn code(n: usize) -> String {
    let mut rest = n;
    let mut text = String::new();
    loop {
        text.push(char::from(b'!' + (rest % 94) as u8));
        rest /= 94;
        if rest == 0 {
            return text;
        }
        rest -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_differ() {
        let codes: std::collections::BTreeSet<String> = (0..20_000).map(code).collect();
        assert_eq!(codes.len(), 20_000);
        assert_eq!((code(0), code(93), code(94)), ("!".into(), "~".into(), "!!".into()));
    }
}

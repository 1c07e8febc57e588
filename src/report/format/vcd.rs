//! The cycles of a run as a value change dump (IEEE 1364) for waveform viewers.

use std::collections::BTreeMap;
use std::io;

use vcd::{IdCode, TimescaleUnit, Value, VarType, Writer};

use super::{Content, ReportFormat};
use crate::report::outcome::{Counterexample, Outcome};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "vcd",
    title: "VCD",
    media_type: "text/plain; charset=utf-8",
    content: Content::Cycles {
        ending: "vcd",
        hint: "The run as waves for viewers such as GTKWave.",
        render: |outcome, run| dump(outcome, run).map_err(|e| e.to_string()),
    },
};

/// Form of a variable in the dump.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One bit.
    Bit,
    /// An integer of 64 bits.
    Integer,
    /// A number with a fraction.
    Real,
    /// Anything else: durations, enumerations, strings.
    Text,
}

/// Returns the dump. A value stands at the end of its cycle, that of an input that the program does not write at the start.
///
/// Units:     microseconds from the moment before the first cycle that is told; the last moment is a cycle after the violation, so that its values have a width.
fn dump(outcome: &Outcome, run: &Counterexample) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = Writer::new(Vec::new());
    writer.timescale(1, TimescaleUnit::US)?;
    writer.add_module("scanproof")?;
    let names = run.cycles.first().map(|cycle| cycle.values.as_slice()).unwrap_or_default();
    let mut codes: BTreeMap<&str, (IdCode, Form)> = BTreeMap::new();
    for value in names {
        let form = form(outcome, run, &value.name);
        // White space ends a name in this format.
        let name: String = value.name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
        let (kind, width) = match form {
            Form::Bit => (VarType::Wire, 1),
            Form::Integer => (VarType::Reg, 64),
            Form::Real => (VarType::Real, 64),
            Form::Text => (VarType::String, 1),
        };
        codes.insert(&value.name, (writer.add_var(kind, width, &name, None)?, form));
    }
    writer.upscope()?;
    writer.enddefinitions()?;
    let (mut time_us, mut last) = (0.0, 0.0);
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    for cycle in &run.cycles {
        last = cycle.dt_ms * 1000.0;
        time_us += last;
        writer.timestamp(time_us as u64)?;
        for value in &cycle.values {
            let changed = before.insert(&value.name, &value.value) != Some(&value.value);
            if let (Some((code, form)), true) = (codes.get(value.name.as_str()), changed) {
                change(&mut writer, *code, *form, &value.value)?;
            }
        }
    }
    writer.timestamp((time_us + last) as u64)?;
    Ok(String::from_utf8(writer.writer().clone())?)
}

fn change(writer: &mut Writer<Vec<u8>>, code: IdCode, form: Form, text: &str) -> io::Result<()> {
    match form {
        Form::Bit => writer.change_scalar(code, if text == "TRUE" { Value::V1 } else { Value::V0 }),
        Form::Integer => {
            let bits = text.parse::<i128>().unwrap_or_default() as u64;
            writer.change_vector(code, (0..64).rev().map(|bit| if bits >> bit & 1 == 1 { Value::V1 } else { Value::V0 }))
        }
        Form::Real => writer.change_real(code, text.parse().unwrap_or_default()),
        Form::Text => {
            let word: String = text.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
            writer.change_string(code, &word)
        }
    }
}

/// Returns the form in which all values of a variable can be written.
fn form(outcome: &Outcome, run: &Counterexample, name: &str) -> Form {
    let declared = outcome.import.variables.iter().find(|variable| variable.name == name).map_or("", |variable| &variable.ty);
    let all = |fits: fn(&str) -> bool| {
        let mut values = run.cycles.iter().flat_map(|cycle| cycle.values.iter().filter(|value| value.name == name));
        values.all(|value| fits(&value.value))
    };
    match declared {
        "REAL" | "LREAL" if all(|text| text.parse::<f64>().is_ok()) => Form::Real,
        _ if all(|text| matches!(text, "TRUE" | "FALSE")) => Form::Bit,
        _ if all(|text| text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok()) => Form::Integer,
        _ => Form::Text,
    }
}

#[cfg(test)]
mod tests {
    use vcd::{Command, Parser};

    use super::*;
    use crate::report::example::booster;

    #[test]
    fn a_dump_is_read_again_with_every_change() {
        let outcome = booster();
        let run = outcome.results[0].run().unwrap();
        let text = dump(&outcome, run).unwrap();
        let mut parser = Parser::new(text.as_bytes());
        let header = parser.parse_header().unwrap();
        let scope = header.find_scope(&["scanproof"]).unwrap();
        assert_eq!(scope.items.len(), run.cycles[0].values.len());
        let commands: Vec<Command> = parser.collect::<Result<_, _>>().unwrap();
        let times = commands.iter().filter(|command| matches!(command, Command::Timestamp(_))).count();
        assert_eq!(times, run.cycles.len() + 1);
        let mut changes = run.cycles[0].values.len();
        for pair in run.cycles.windows(2) {
            changes += pair[0].values.iter().zip(&pair[1].values).filter(|(a, b)| a.value != b.value).count();
        }
        assert_eq!(commands.len() - times, changes);
    }

    #[test]
    fn each_value_has_a_form_that_loses_nothing() {
        let (mut outcome, value) = (booster(), |name: &str, value: &str| crate::report::outcome::NamedValue {
            name: name.into(),
            value: value.into(),
            changed: true,
            given: None,
        });
        let variable = |name: &str, ty: &str| crate::report::outcome::VariableSummary {
            name: name.into(),
            ty: ty.into(),
            role: crate::report::outcome::VariableRole::Memory,
            values: Vec::new(),
        };
        outcome.import.variables = vec![variable("r", "REAL"), variable("n", "LINT")];
        let run = outcome.results[0].counterexample.as_mut().unwrap();
        run.cycles.truncate(1);
        run.cycles[0].values =
            vec![value("b", "TRUE"), value("n", "-3"), value("r", "2.5"), value("t", "T#1s"), value("s s", "'a b'")];
        let text = dump(&outcome, outcome.results[0].run().unwrap()).unwrap();
        for line in ["$var reg 64 \" n $end", "r2.5 #", "sT#1s $", "s'a_b' %", "1!", "$var string 1 % s_s $end"] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.contains(&format!("b{:b} \"", -3_i64)), "{text}");
    }
}

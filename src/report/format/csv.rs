//! The cycles of a run as a table (RFC 4180): a row for each cycle, a column for each variable.

use super::{Content, ReportFormat};
use crate::report::outcome::{Counterexample, NamedValue};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "csv",
    title: "CSV",
    media_type: "text/csv; charset=utf-8",
    content: Content::Cycles {
        ending: "csv",
        hint: "The run as a table for spreadsheets: a row for each cycle.",
        render: |_, run| table(run).map_err(|e| e.to_string()),
    },
};

/// Returns the table. Columns: number of the cycle, milliseconds, then the variables of the interface.
///
/// Units:     milliseconds count from the moment before the first row. Of a long example only the last cycles are kept, so that
///            moment need not be the start of the run.
fn table(run: &Counterexample) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = run.cycles.first().map(|cycle| cycle.values.as_slice()).unwrap_or_default();
    let names = names.iter().map(|value| cell(&value.name));
    writer.write_record(["cycle".to_owned(), "time_ms".to_owned()].into_iter().chain(names))?;
    let mut time_ms = 0.0;
    for cycle in &run.cycles {
        time_ms += cycle.dt_ms;
        let values = cycle.values.iter().map(NamedValue::told).map(|text| cell(&text));
        writer.write_record([cycle.number.to_string(), time_ms.to_string()].into_iter().chain(values))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// Returns a text that no spreadsheet reads as a formula: a string of the program may look like one.
fn cell(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::booster;

    #[test]
    fn a_row_stands_for_a_cycle() {
        let outcome = booster();
        let run = outcome.results[0].run().unwrap();
        let text = table(run).unwrap();
        let rows: Vec<csv::StringRecord> = csv::Reader::from_reader(text.as_bytes()).records().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.len(), run.cycles.len());
        for (row, cycle) in rows.iter().zip(&run.cycles) {
            assert_eq!(row.get(0), Some(cycle.number.to_string().as_str()));
            assert_eq!(row.len(), cycle.values.len() + 2);
            assert_eq!(row.get(2), cycle.values.first().map(|value| value.value.as_str()));
        }
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, expected) in [
            ("-1", "-1"),
            ("-2.5e-3", "-2.5e-3"),
            ("TRUE", "TRUE"),
            ("=HYPERLINK('x')", "'=HYPERLINK('x')"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-1+cmd", "'-1+cmd"),
            ("\tx", "'\tx"),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}

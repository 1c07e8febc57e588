//! Measurements as tables of text: columns named as by BenchExec, separated by tabs as by its table-generator.

use super::campaign::{Campaign, Cell};
use super::tally::Merger;
use crate::run::job::Strategy;

/// The header of [`row`].
pub const HEADER: &str = "configuration\tengine\toptions\tname\tproperty\texpected\trepetition\tstatus\tcategory\tset\t\
                          cputime (s)\twalltime (s)\tmemory (B)\treason\tprogress\thost\tbeside";

/// Returns one measurement, as a line without its end.
pub fn row(campaign: &Campaign, cell: &Cell) -> Option<String> {
    let case = campaign.cases.get(cell.case)?;
    let config = campaign.configs.get(cell.config)?;
    let expected = match case.expected {
        Some(true) => "true",
        Some(false) => "false",
        None => "",
    };
    let fields = [
        config.name.clone(),
        config.strategy.engine.clone().unwrap_or_else(|| "default".to_owned()),
        options(&config.strategy),
        case.program.clone(),
        case.requirement.clone(),
        expected.to_owned(),
        cell.repetition.to_string(),
        cell.status.to_string(),
        cell.status.standing(case.expected).to_string(),
        case.category.clone(),
        format!("{:.3}", cell.usage.cpu.as_secs_f64()),
        format!("{:.3}", cell.wall.as_secs_f64()),
        cell.usage.peak_bytes.to_string(),
        cell.reason.clone().unwrap_or_default(),
        cell.progress.clone().unwrap_or_default(),
        cell.host.clone(),
        cell.beside.to_string(),
    ];
    Some(fields.map(|field| plain(&field)).join("\t"))
}

/// Returns the options of a configuration, as they are given on the command line.
pub fn options(strategy: &Strategy) -> String {
    strategy.options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

/// Returns one line for each case, three columns for each configuration, below three lines of header.
pub fn table(merger: &Merger<'_>) -> String {
    let Campaign { cases, configs, .. } = merger.campaign;
    let header = |first: &str, column: &dyn Fn(&str) -> [String; 3]| {
        let cells = configs.iter().flat_map(|config| column(&config.name));
        [first.to_owned()].into_iter().chain(cells).collect::<Vec<_>>().join("\t")
    };
    let tool = format!("scanproof {}", env!("CARGO_PKG_VERSION"));
    let mut lines = vec![
        header("tool\t", &|_| [tool.clone(), tool.clone(), tool.clone()]),
        header("run set\t", &|name| [plain(name), plain(name), plain(name)]),
        header("name\tproperty", &|_| ["status".to_owned(), "cputime (s)".to_owned(), "memory (MB)".to_owned()]),
    ];
    for (at, case) in cases.iter().enumerate() {
        let mut line = format!("{}\t{}", plain(&case.program), plain(&case.requirement));
        for config in 0..configs.len() {
            match merger.at(config, at) {
                Some(merged) => {
                    let (seconds, mb) = (merged.cpu.as_secs_f64(), merged.peak_bytes as f64 / 1e6);
                    line.push_str(&format!("\t{}\t{seconds:.3}\t{mb:.1}", merged.cell.status));
                }
                None => line.push_str("\t\t\t"),
            }
        }
        lines.push(line);
    }
    lines.push(String::new());
    lines.join("\n")
}

/// Replaces characters that would end a field or a line.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::campaign::Status;
    use super::super::tally::tests::campaign;
    use super::*;

    #[test]
    fn fields_stay_fields_whatever_is_in_them() {
        let one: &[(Status, u64)] = &[(Status::Timeout, 10_000)];
        let mut campaign = campaign(&[("x", Some(true))], &[&[one], &[]]);
        campaign.cases[0].program = "a\tb\nc.st".to_owned();
        campaign.cells[0].reason = Some("line 1\nline 2".to_owned());
        let line = row(&campaign, &campaign.cells[0]).unwrap();
        assert_eq!(line.split('\t').count(), HEADER.split('\t').count());
        assert_eq!(line.lines().count(), 1);
        assert!(line.contains("\tTIMEOUT\terror\tx\t10.000\t10.000\t10000000000\t"), "{line}");

        let table = table(&Merger::new(&campaign));
        assert_eq!(table.lines().count(), 4);
        assert!(table.lines().all(|line| line.split('\t').count() == 2 + 3 * 2), "{table}");
        assert!(table.ends_with("a b c.st\tR1\tTIMEOUT\t10.000\t10000.0\t\t\t\n"), "{table}");
    }
}

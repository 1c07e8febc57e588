//! The page: pictures and tables in one file that needs nothing else, not even a script.

use askama::Template;

use super::campaign::{Case, Standing};
use super::csv::options;
use super::plot::{heat, megabytes, quantile, scatter, seconds};
use super::tally::Merger;

#[derive(Template)]
#[template(path = "bench.html")]
struct Page<'m> {
    title: &'m str,
    limits: String,
    wrong: Vec<String>,
    /// Sentence about the machines.
    hosts: String,
    heat: String,
    quantile: String,
    scatter: Option<(String, &'m str, &'m str)>,
    /// In the order of the columns.
    names: Vec<&'m str>,
    configs: Vec<ConfigRow<'m>>,
    cases: Vec<(&'m Case, &'static str, Vec<Entry>)>,
}

/// A configuration in numbers.
struct ConfigRow<'m> {
    name: &'m str,
    engine: &'m str,
    options: String,
    solved: usize,
    total: usize,
    wrong: usize,
    cpu: String,
    peak: String,
}

/// A case with a configuration.
struct Entry {
    status: String,
    class: &'static str,
    time: String,
    title: String,
}

/// Returns the page of the measurements; `pair`: the configurations that are compared case by case.
pub fn render(merger: &Merger<'_>, pair: Option<(usize, usize)>) -> Result<String, String> {
    let campaign = merger.campaign;
    let name = |config: usize| campaign.configs.get(config).map_or("", |config| config.name.as_str());
    let rows = merger.ranking().into_iter().filter_map(|config| {
        let (tally, config) = (merger.tally(config, None), campaign.configs.get(config)?);
        Some(ConfigRow {
            name: &config.name,
            engine: config.strategy.engine.as_deref().unwrap_or("default"),
            options: options(&config.strategy),
            solved: tally.solved,
            total: tally.total,
            wrong: tally.wrong,
            cpu: seconds(tally.cpu),
            peak: megabytes(tally.peak_bytes),
        })
    });
    let cases = campaign.cases.iter().enumerate().map(|(at, case)| {
        let expected = match case.expected {
            Some(true) => "true",
            Some(false) => "false",
            None => "not known",
        };
        (case, expected, (0..campaign.configs.len()).map(|config| entry(merger, config, at)).collect())
    });
    let limits = campaign.limits;
    let page = Page {
        title: &campaign.title,
        limits: format!(
            "{} of time{} and {} MiB of memory for each run; {}",
            seconds(limits.wall),
            limits.cpu.map_or_else(String::new, |cpu| format!(", {} of processor time", seconds(cpu))),
            limits.memory_bytes >> 20,
            if limits.repetitions == 1 { "one run each".to_owned() } else { format!("{} runs each", limits.repetitions) }
        ),
        wrong: merger.wrong(),
        hosts: hosts(merger),
        heat: heat::draw(merger),
        quantile: quantile::draw(merger),
        scatter: pair.map(|(first, second)| (scatter::draw(merger, first, second), name(first), name(second))),
        names: campaign.configs.iter().map(|config| config.name.as_str()).collect(),
        configs: rows.collect(),
        cases: cases.collect(),
    };
    page.render().map_err(|e| e.to_string())
}

/// Returns one sentence about the machines; empty if there is nothing to say.
fn hosts(merger: &Merger<'_>) -> String {
    let hosts: Vec<String> = merger.hosts().iter().map(|(host, n)| format!("{host} ({n})")).collect();
    let by = if merger.campaign.at_agents { "agents" } else { "machines" };
    let measured = format!("Cells by {by}: {}.", hosts.join(", "));
    let certified = if merger.campaign.at_agents {
        " The figures are theirs; their answers are certified by the machine of the bench."
    } else {
        ""
    };
    let several =
        if 1 < hosts.len() { " Times of different machines are comparable only if the machines are alike." } else { "" };
    if merger.campaign.at_agents || 1 < hosts.len() { format!("{measured}{certified}{several}") } else { String::new() }
}

fn entry(merger: &Merger<'_>, config: usize, case: usize) -> Entry {
    let Some(merged) = merger.at(config, case) else {
        return Entry { status: "–".to_owned(), class: "open", time: String::new(), title: "not measured".to_owned() };
    };
    let cell = merged.cell;
    let class = match merged.standing {
        Standing::Correct => "good",
        Standing::Wrong => "bad",
        Standing::Missing => "answer",
        Standing::Unknown | Standing::Error => "open",
    };
    let status = if merged.standing == Standing::Wrong { format!("WRONG: {}", cell.status) } else { cell.status.to_string() };
    let told = [cell.reason.as_deref(), cell.progress.as_deref(), Some(cell.host.as_str()).filter(|host| !host.is_empty())];
    let told = told.into_iter().flatten().chain([megabytes(merged.peak_bytes).as_str()]).collect::<Vec<_>>().join(" · ");
    Entry { status, class, time: seconds(merged.cpu), title: told }
}

#[cfg(test)]
mod tests {
    use super::super::campaign::Status;
    use super::super::tally::tests::campaign;
    use super::*;

    #[test]
    fn the_page_needs_nothing_else_and_shouts_what_is_wrong() {
        use Status::{False, Timeout, True};
        let one: &[(Status, u64)] = &[(True, 50), (Timeout, 10_000)];
        let two: &[(Status, u64)] = &[(False, 20), (True, 70)];
        let mut campaign = campaign(&[("x", Some(true)), ("y", None)], &[&[one], &[two]]);
        campaign.cells[0].reason = Some("<img src=x>".to_owned());
        let page = render(&Merger::new(&campaign), Some((0, 1))).unwrap();
        for words in
            ["WRONG", "p0.st R1: C1 says false, expected is true", "virtual best", "10.0 s of time and 1024 MiB", "a &#60; b"]
        {
            assert!(page.contains(words), "{words}: {page}");
        }
        for words in ["<script", "<img", "href=", "src=\"", "url("] {
            assert!(!page.contains(words), "{words}");
        }
    }
}

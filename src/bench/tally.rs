//! Sums of measurements.
//!
//! As in the paper (§4.2): a case is solved if one of its repetitions is, and its time is the mean of those that are.

use std::collections::BTreeMap;
use std::time::Duration;

use super::campaign::{Campaign, Cell, Standing, Status};

/// All repetitions of one case with one configuration, as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged<'c> {
    /// The repetition that counts: the first that is solved, or else the first.
    pub cell: &'c Cell,
    /// The worst of all: one wrong answer is not made good by a right one.
    pub standing: Standing,
    /// Mean processor time.
    pub cpu: Duration,
    /// Mean time that passed.
    pub wall: Duration,
    /// The highest peak.
    pub peak_bytes: u64,
}

/// The sum of all times, where a case that is not solved counts as twice the limit (penalised average runtime).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Par2 {
    /// Of the time that passed.
    pub wall: Duration,
    /// Of processor time.
    pub cpu: Duration,
}

/// Cases of one category with one configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of cases that were measured.
    pub total: usize,
    /// Number of solved cases: answered, and not wrongly.
    pub solved: usize,
    /// Number of cases answered wrongly.
    pub wrong: usize,
    /// Processor time of those that are solved.
    pub cpu: Duration,
    /// The highest peak of those that are solved.
    pub peak_bytes: u64,
}

impl Tally {
    fn add(&mut self, merged: &Merged<'_>) {
        self.total += 1;
        self.wrong += usize::from(merged.standing == Standing::Wrong);
        if merged.is_solved() {
            self.solved += 1;
            self.cpu += merged.cpu;
            self.peak_bytes = self.peak_bytes.max(merged.peak_bytes);
        }
    }
    /// Returns the share that is solved, from 0 to 1.
    pub fn rate(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.solved as f64 / self.total as f64 }
    }
}

impl Merged<'_> {
    /// Returns whether there is an answer that is not known to be wrong.
    pub fn is_solved(&self) -> bool {
        matches!(self.standing, Standing::Correct | Standing::Missing)
    }
}

/// The merged measurements by configuration and case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merger<'c> {
    /// The measurements.
    pub campaign: &'c Campaign,
    rows: BTreeMap<(usize, usize), Merged<'c>>,
}

impl<'c> Merger<'c> {
    /// Merges the measurements.
    pub fn new(campaign: &'c Campaign) -> Merger<'c> {
        let mut groups: BTreeMap<(usize, usize), Vec<&Cell>> = BTreeMap::new();
        for cell in &campaign.cells {
            groups.entry((cell.config, cell.case)).or_default().push(cell);
        }
        let contradicted = contradictions(campaign);
        let merged = |cells: Vec<&'c Cell>| {
            let first = cells.iter().min_by_key(|cell| cell.repetition).copied()?;
            let case = campaign.cases.get(first.case)?;
            let standing = |cell: &Cell| match cell.status.standing(case.expected) {
                // One of them must be.
                Standing::Missing if contradicted.contains(&first.case) => Standing::Wrong,
                other @ (Standing::Correct | Standing::Wrong | Standing::Missing | Standing::Unknown | Standing::Error) => other,
            };
            let is_wrong = cells.iter().any(|cell| standing(cell) == Standing::Wrong);
            let solved: Vec<&Cell> = cells.iter().copied().filter(|cell| cell.status.answer().is_some()).collect();
            let counted = if solved.is_empty() { &cells } else { &solved };
            let cell = counted.iter().min_by_key(|cell| cell.repetition).copied()?;
            let cpu = counted.iter().map(|cell| cell.usage.cpu).sum::<Duration>() / u32::try_from(counted.len()).ok()?;
            let wall = counted.iter().map(|cell| cell.wall).sum::<Duration>() / u32::try_from(counted.len()).ok()?;
            let peak_bytes = counted.iter().map(|cell| cell.usage.peak_bytes).max()?;
            let standing = if is_wrong { Standing::Wrong } else { standing(cell) };
            Some(Merged { cell, standing, cpu, wall, peak_bytes })
        };
        let rows = groups.into_iter().filter_map(|(key, cells)| Some((key, merged(cells)?))).collect();
        Merger { campaign, rows }
    }
    /// Returns the merged measurement of a case with a configuration.
    pub fn at(&self, config: usize, case: usize) -> Option<&Merged<'c>> {
        self.rows.get(&(config, case))
    }
    /// Returns the cases of a category (of all, without one) with a configuration.
    pub fn tally(&self, config: usize, category: Option<&str>) -> Tally {
        let mut tally = Tally::default();
        self.cases(category).filter_map(|case| self.at(config, case)).for_each(|merged| tally.add(merged));
        tally
    }
    /// Returns the penalised times of a configuration over all cases.
    pub fn par2(&self, config: usize) -> Par2 {
        let limits = self.campaign.limits;
        let mut sum = Par2::default();
        for case in self.cases(None) {
            let solved = self.at(config, case).filter(|merged| merged.is_solved());
            sum.wall += solved.map_or(2 * limits.wall, |merged| merged.wall);
            sum.cpu += solved.map_or(2 * limits.longest(), |merged| merged.cpu);
        }
        sum
    }
    /// Returns the virtual best configuration: of each case the quickest that solves it.
    pub fn best(&self, category: Option<&str>) -> Tally {
        let mut tally = Tally::default();
        for case in self.cases(category) {
            let all: Vec<&Merged<'c>> = (0..self.campaign.configs.len()).filter_map(|config| self.at(config, case)).collect();
            let best = all.iter().filter(|merged| merged.is_solved()).min_by_key(|merged| merged.cpu).or(all.first());
            if let Some(best) = best {
                tally.add(best);
            }
        }
        tally
    }
    /// Returns the machines with the number of cells that each has measured.
    pub fn hosts(&self) -> BTreeMap<&'c str, usize> {
        let mut hosts = BTreeMap::new();
        for cell in self.campaign.cells.iter().filter(|cell| !cell.host.is_empty()) {
            *hosts.entry(cell.host.as_str()).or_default() += 1;
        }
        hosts
    }
    /// Returns the categories, in the order of their first case.
    pub fn categories(&self) -> Vec<&'c str> {
        let mut names: Vec<&str> = Vec::new();
        for case in &self.campaign.cases {
            if !names.contains(&case.category.as_str()) {
                names.push(&case.category);
            }
        }
        names
    }
    /// Returns the columns of tables: each category with its number of cases, if there are several, and all of them.
    pub fn columns(&self) -> Vec<(Option<&'c str>, usize)> {
        let names = self.categories();
        let several = if names.len() < 2 { Vec::new() } else { names };
        several.into_iter().map(Some).chain([None]).map(|column| (column, self.cases(column).count())).collect()
    }
    /// Returns the processor times of the cases that a configuration solves, the shortest first.
    pub fn quantiles(&self, config: usize) -> Vec<Duration> {
        let solved = self.cases(None).filter_map(|case| self.at(config, case)).filter(|merged| merged.is_solved());
        let mut times: Vec<Duration> = solved.map(|merged| merged.cpu).collect();
        times.sort();
        times
    }
    /// Returns the configurations, those that solve most first, among equals the quickest.
    pub fn ranking(&self) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.campaign.configs.len()).collect();
        all.sort_by_key(|&config| {
            let tally = self.tally(config, None);
            (tally.wrong, usize::MAX - tally.solved, tally.cpu)
        });
        all
    }
    /// Returns one sentence for each wrong answer, and for each case about which two answers differ.
    pub fn wrong(&self) -> Vec<String> {
        let name = |config: usize| self.campaign.configs.get(config).map_or("?", |config| config.name.as_str());
        let mut lines = Vec::new();
        for cell in &self.campaign.cells {
            let Some(case) = self.campaign.cases.get(cell.case) else { continue };
            if cell.status.standing(case.expected) == Standing::Wrong {
                let expected = if cell.status == Status::True { Status::False } else { Status::True };
                lines.push(format!("{case}: {} says {}, expected is {expected}", name(cell.config), cell.status));
            }
        }
        for case in contradictions(self.campaign) {
            let answers = |answer| self.campaign.cells.iter().find(|c| c.case == case && c.status.answer() == Some(answer));
            if let (Some(yes), Some(no), Some(case)) = (answers(true), answers(false), self.campaign.cases.get(case)) {
                lines.push(format!("{case}: {} says true, {} says false", name(yes.config), name(no.config)));
            }
        }
        lines.sort();
        lines.dedup();
        lines
    }
    fn cases(&self, category: Option<&str>) -> impl Iterator<Item = usize> {
        let all = self.campaign.cases.iter().enumerate();
        let wanted: Vec<usize> =
            all.filter(|(_, case)| category.is_none_or(|category| case.category == category)).map(|(at, _)| at).collect();
        wanted.into_iter()
    }
}

/// Returns cases with both answers.
fn contradictions(campaign: &Campaign) -> Vec<usize> {
    let mut seen: BTreeMap<usize, (bool, bool)> = BTreeMap::new();
    for cell in &campaign.cells {
        let (yes, no) = seen.entry(cell.case).or_default();
        *yes |= cell.status.answer() == Some(true);
        *no |= cell.status.answer() == Some(false);
    }
    seen.into_iter().filter(|(_, (yes, no))| *yes && *no).map(|(case, _)| case).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::campaign::{Case, Limits};
    use super::super::configs::Config;
    use super::*;
    use crate::run::job::Strategy;
    use crate::run::process::Usage;

    /// Returns cases `(category, expected)`, and for each configuration and repetition `(status, milliseconds)` of each case.
    pub(in crate::bench) fn campaign(cases: &[(&str, Option<bool>)], configs: &[&[&[(Status, u64)]]]) -> Campaign {
        let case = |(at, (category, expected)): (usize, &(&str, Option<bool>))| Case {
            program: format!("p{at}.st"),
            requirement: "R1".to_owned(),
            category: (*category).to_owned(),
            expected: *expected,
        };
        let mut cells = Vec::new();
        for (config, repetitions) in configs.iter().enumerate() {
            for (repetition, row) in repetitions.iter().enumerate() {
                for (case, (status, ms)) in row.iter().enumerate() {
                    let wall = Duration::from_millis(*ms);
                    let usage = Usage { cpu: wall, peak_bytes: *ms * 1_000_000 };
                    let repetition = repetition as u32 + 1;
                    let host = format!("h{config}");
                    let cell = Cell {
                        case,
                        config,
                        repetition,
                        status: *status,
                        usage,
                        wall,
                        reason: None,
                        progress: None,
                        host,
                        beside: 0,
                    };
                    cells.push(cell);
                }
            }
        }
        Campaign {
            title: "a < b".to_owned(),
            limits: Limits { wall: Duration::from_secs(10), cpu: None, memory_bytes: 1 << 30, repetitions: 1 },
            cases: cases.iter().enumerate().map(case).collect(),
            configs: (0..configs.len()).map(|n| Config { name: format!("C{n}"), strategy: Strategy::default() }).collect(),
            cells,
            at_agents: false,
        }
    }

    #[test]
    fn repetitions_are_one_success_if_one_is_and_one_wrong_answer_stays_wrong() {
        use Status::{False, Timeout, True};
        let cases = [("x", Some(true)), ("x", Some(true)), ("x", Some(true))];
        let first: &[(Status, u64)] = &[(Timeout, 10_000), (True, 100), (False, 5)];
        let second: &[(Status, u64)] = &[(True, 200), (True, 300), (True, 5)];
        let campaign = campaign(&cases, &[&[first, second]]);
        let merger = Merger::new(&campaign);
        let at = |case| merger.at(0, case).map(|m| (m.standing, m.cpu.as_millis(), m.cell.repetition)).unwrap();
        assert_eq!(at(0), (Standing::Correct, 200, 2));
        assert_eq!(at(1), (Standing::Correct, 200, 1));
        assert_eq!(at(2).0, Standing::Wrong);
        let tally = merger.tally(0, None);
        assert_eq!((tally.total, tally.solved, tally.wrong, tally.cpu.as_millis()), (3, 2, 1, 400));
        // The same answer twice would be the same sentence.
        assert_eq!(merger.wrong(), ["p2.st R1: C0 says false, expected is true", "p2.st R1: C0 says true, C0 says false"]);
    }

    #[test]
    fn who_is_best_depends_on_the_case_and_contradictions_are_found_without_an_expectation() {
        use Status::{False, Timeout, True, Unknown};
        let cases = [("x", None), ("y", Some(false)), ("y", None)];
        let one: &[(Status, u64)] = &[(True, 50), (Timeout, 10_000), (True, 1)];
        let two: &[(Status, u64)] = &[(Unknown, 3), (False, 70), (False, 1)];
        let campaign = campaign(&cases, &[&[one], &[two]]);
        let merger = Merger::new(&campaign);
        assert_eq!(merger.categories(), ["x", "y"]);
        let numbers = |t: Tally| (t.solved, t.total, t.wrong, t.cpu.as_millis());
        assert_eq!(numbers(merger.tally(0, Some("x"))), (1, 1, 0, 50));
        assert_eq!(numbers(merger.tally(0, Some("y"))), (0, 2, 1, 0));
        assert_eq!(numbers(merger.best(None)), (2, 3, 1, 120));
        assert_eq!(merger.wrong(), ["p2.st R1: C0 says true, C1 says false"]);
        assert_eq!(merger.ranking(), [0, 1]);
        assert_eq!(merger.quantiles(1), [Duration::from_millis(70)]);
        // No answer, or a wrong one, costs twice the limit of ten seconds.
        let par2 = |config| (merger.par2(config).wall.as_millis(), merger.par2(config).cpu.as_millis());
        assert_eq!((par2(0), par2(1)), ((40_050, 40_050), (40_070, 40_070)));
    }
}

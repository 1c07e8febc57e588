//! Questions about a way alone, before those about groups.

use std::time::Duration;

use super::Rejected;
use super::divided::{Checker, Row};
use super::questions::{Course, Way};
use super::slice::{Extent, Sink};
use super::solver::SolverAnswer;

/// Question about a way alone.
#[derive(Clone, Copy)]
enum Alone {
    /// About all paths, with the variables that the way itself reads.
    Own,
    /// About the ends of paths with more than this number of locations.
    End(usize),
}

impl Checker<'_> {
    /// Returns the ways that stay open where each is asked about alone: first with any value for all that it does not read
    /// itself, then about the ends of paths only.
    ///
    /// Hundreds of interlocks, each behind the one before, are hundreds of questions about all rungs before; alone each is about
    /// two rungs, and they are the same but for names. Hundreds of lamps that show the step of a machine are hundreds of questions
    /// about all its steps; the ends of paths are about two lamps.
    ///
    /// In a long region few ways are asked about alone, too: a slice for one of them may have all rungs before. A slice in pieces
    /// goes before: each question has few of the region's ends.
    ///
    /// In a short region with more ways than locations nothing is asked about one alone. One question about the body of a loop is
    /// cheaper than eighty about facts of its rounds.
    ///
    /// Cost: a short question for each way and kind, as long as most of them are excluded.
    pub(super) fn not_alone<'q>(
        &mut self,
        row: &mut Row,
        course: &Course<'_>,
        mut ways: Vec<(Sink, Way<'q>)>,
    ) -> Result<Vec<(Sink, Way<'q>)>, Rejected> {
        const MANY: usize = if cfg!(test) { 2 } else { 16 };
        /// Locations of a region whose narrow slices may be long.
        const LONG: usize = if cfg!(test) { 8 } else { 2000 };
        /// Locations of a region whose slices are short, whatever they read.
        const SHORT: usize = 32;
        const TRIES: usize = 4;
        const TIME: Duration = Duration::from_secs(1);
        let n_locs = course.regions.last().map_or(0, |region| region.leaving.len());
        if n_locs <= SHORT && n_locs < ways.len() {
            return Ok(ways);
        }
        let is_long = LONG <= n_locs;
        if is_long && ways.len() < MANY && ways.windows(2).all(|pair| pair[0].0 == pair[1].0) {
            let all: Vec<&(Sink, Way<'_>)> = ways.iter().collect();
            if !all.is_empty() && self.pieces(row, course, &all)? {
                row.n_parts += ways.len();
                return Ok(Vec::new());
            }
        }
        for alone in [Alone::Own, Alone::End(4), Alone::End(32)] {
            if ways.is_empty() || (ways.len() < MANY && !is_long) {
                break;
            }
            let (mut n_excluded, mut open) = (0, Vec::new());
            for way in ways {
                if TRIES + n_excluded < open.len() {
                    open.push(way);
                    continue;
                }
                self.go_on(row)?;
                let question = match alone {
                    Alone::Own => self.questions.question(course, &[&way], Extent::Own)?,
                    Alone::End(least) => match self.questions.of_end(course, &way, least)? {
                        Some(question) => Some(question),
                        // The whole paths are not longer.
                        None => {
                            open.push(way);
                            continue;
                        }
                    },
                };
                let answer = match question {
                    Some(question) => self.ask(row, &question, &self.interrupt.within(TIME))?,
                    None => SolverAnswer::Holds,
                };
                match answer {
                    SolverAnswer::Holds => n_excluded += 1,
                    SolverAnswer::Fails | SolverAnswer::Undecided(_) => open.push(way),
                }
            }
            row.n_parts += n_excluded;
            ways = open;
        }
        Ok(ways)
    }
}

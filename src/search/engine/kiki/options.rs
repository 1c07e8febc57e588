//! Options of kIkI, and its row of the engines' table.

use super::{Domain, Guards, Kiki, Matrix};
use crate::engine::{EngineInfo, OptionInfo, Values, words};
use kernel::cfa::pass::Encoding;

/// Parts that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Nothing.
    Kiki,
    /// The template: k-induction.
    KInduction,
    /// The template and proofs: incremental bounded model checking.
    Ibmc,
    /// Everything after the first check with k = 1: abstract interpretation.
    Ai,
}

/// Search for the least bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Solving {
    /// Binary search for the sum of the parameters.
    Binary,
    /// Strategy iteration; binary search where a step is not linear.
    Strategy,
}

/// Options of kIkI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KikiOptions {
    /// Parts that are left out.
    pub mode: Mode,
    /// Form of the invariants.
    pub domain: Domain,
    /// Further rows.
    pub template: Matrix,
    /// Guards of the rows.
    pub guards: Guards,
    /// Search for the least bounds.
    pub inference: Solving,
    /// Largest k; `None` for no bound.
    pub bound: Option<u32>,
}

const MODES: [(&str, Mode); 4] = [("kiki", Mode::Kiki), ("kinduction", Mode::KInduction), ("ibmc", Mode::Ibmc), ("ai", Mode::Ai)];
const DOMAINS: [(&str, Domain); 6] = [
    ("all", Domain::All),
    ("intervals", Domain::Intervals),
    ("zones", Domain::Zones),
    ("octagons", Domain::Octagons),
    ("equalities", Domain::Equalities),
    ("matrix", Domain::Matrix),
];
const GUARDS: [(&str, Guards); 2] = [("modes", Guards::Modes), ("places", Guards::Places)];

const SOLVINGS: [(&str, Solving); 2] = [("binary", Solving::Binary), ("strategy", Solving::Strategy)];

/// Row of the engines' table.
pub const INFO: EngineInfo = EngineInfo {
    name: "kiki",
    title: "kIkI: k-induction with k-invariants of guarded templates",
    source: "Brain, Joshi, Kroening, Schrammel, Safety verification and refutation by k-invariants and k-induction, SAS 2015",
    options: &[
        OptionInfo {
            name: "mode",
            values: Values::OneOf(&words(&MODES)),
            default: "kiki",
            help: "The whole algorithm, or one it generalises: k-induction, incremental bounded model checking, abstract \
                   interpretation (Theorem 2.1).",
        },
        OptionInfo {
            name: "domain",
            values: Values::OneOf(&words(&DOMAINS)),
            default: "all",
            help: "Form of invariants: bounds of variables, of differences too, of sums too, equalities and \
                   implications, all of it, or nothing but the rows of `template`.",
        },
        OptionInfo {
            name: "template",
            values: Values::Text("`none`, or rows of whole coefficients and variables such as `x + y; 2*x - 3*y; -x`"),
            default: "none",
            help: "Further rows of the template, each bounded from above. A semicolon or the end of the line separates them. Flags \
                   count as 0 and 1.",
        },
        OptionInfo {
            name: "guards",
            values: Values::OneOf(&words(&GUARDS)),
            default: "modes",
            help: "Guards of bounds: a bound may hold in one mode of the program only (a flag, a value of a state variable).",
        },
        OptionInfo {
            name: "inference",
            values: Values::OneOf(&words(&SOLVINGS)),
            default: "binary",
            help: "Search for bounds: binary search, or strategy iteration with linear programs where the program is linear, and \
                   binary search elsewhere.",
        },
        OptionInfo {
            name: "k",
            values: Values::Number { low: 1, high: 1_000_000, words: &["none"] },
            default: "none",
            help: "Largest k to try.",
        },
    ],
    absent: &[],
    encoding: Encoding::Lbe,
    build: |settings, solvers| {
        let (mode, domain) = (settings.choice("mode", &MODES), settings.choice("domain", &DOMAINS));
        let guards = settings.choice("guards", &GUARDS);
        let inference = settings.choice("inference", &SOLVINGS);
        let template = match settings.word("template") {
            "none" => Matrix::default(),
            rows => Matrix::read(rows)?,
        };
        if domain == Domain::Matrix && template.is_empty() {
            return Err("option `domain`: `matrix` needs the rows of the option `template`".into());
        }
        let options = KikiOptions { mode, domain, template, guards, inference, bound: settings.number("k") };
        Ok(Box::new(Kiki::new(options, solvers.clone())))
    },
};

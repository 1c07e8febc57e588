//! Programs with the requirements of a file.

use kernel::property::check::{CheckKind, Event};
use kernel::property::claim::Claim;
use kernel::property::requirements::requirements;
use kernel::property::spec::Specification;
use plc_frontend::diagnostic::Parsed;
use plc_frontend::hir::{AnomalyKind, Expr, FaultKind};
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, Loaded, load, load_isolated};

/// A program with the requirements of a file.
pub struct Stated {
    pub loaded: Loaded,
    pub claims: Vec<Claim>,
    pub assumptions: Vec<Expr>,
}

impl Stated {
    pub fn new(program: &str, yaml: &str) -> Stated {
        Stated::of("p.st", program, yaml)
    }
    pub fn of(file: &str, program: &str, yaml: &str) -> Stated {
        Stated::read(file, program, yaml, load)
    }
    /// Reads a program with declarations that its uses imply.
    pub fn inferred(program: &str, yaml: &str) -> Stated {
        Stated::read("p.st", program, yaml, load_isolated)
    }
    /// Reads a program whose arrays are not kept.
    pub fn without_arrays(program: &str, yaml: &str) -> Stated {
        Stated::read("p.st", program, yaml, |set, options| load(set, &LoadOptions { largest_array: Some(1), ..options.clone() }))
    }
    fn read(file: &str, program: &str, yaml: &str, load: fn(&SourceSet, &LoadOptions) -> Parsed<Loaded>) -> Stated {
        let mut set = SourceSet::default();
        set.add(file, program);
        let spec = Specification::from_yaml(yaml).unwrap();
        let parsed = load(&set, &LoadOptions { dialect: spec.dialect, ..LoadOptions::default() });
        assert!(!parsed.has_errors(), "{:?}\n{program}", parsed.diagnostics);
        let mut loaded = parsed.value;
        let (ranges, problems) = kernel::property::environment::apply(&spec, &mut loaded);
        assert!(problems.is_empty(), "{problems:?}");
        let anomalies = [AnomalyKind::Overflow, AnomalyKind::ConversionLoss, AnomalyKind::Subrange].map(Event::Anomaly);
        let events = [&[Event::Fault(FaultKind::DivisionByZero), Event::DoubleWrite][..], &anomalies].concat();
        let events = events.into_iter().map(CheckKind::Event);
        let watched: Vec<CheckKind> = events.chain([CheckKind::DeadCode, CheckKind::ConstantOutputs]).collect();
        let stated = requirements(&spec, &ranges, &mut loaded, &watched);
        assert!(stated.problems.is_empty() && stated.rejected.is_empty(), "{stated:?}");
        let claims = stated.requirements.into_iter().map(|c| c.claim).collect();
        Stated { loaded, claims, assumptions: stated.assumptions.into_iter().map(|a| a.condition).collect() }
    }
}

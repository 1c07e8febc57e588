//! The sample programs: no configuration contradicts their expected answers.

use std::time::{Duration, Instant};

use plc_frontend::hir::FaultKind;
use plc_frontend::source::SourceSet;
use plc_frontend::{LoadOptions, load};

use super::{Cegar, configurations};
use crate::engine::Engine;
use answer::VerdictWord;
use answer::samples::{all, expectations};
use kernel::cfa::model::{ModelOptions, build};
use kernel::cfa::pass::{Encoding, reduce};
use kernel::context::{Ctx, Stop, default_solvers};
use kernel::property::check::{CheckKind, Event};
use kernel::property::instrument::instrument;
use kernel::property::requirements::requirements;
use kernel::property::spec::{CycleTime, Specification};
use kernel::smt::Interrupt;
use kernel::verdict::Verdict;

#[test]
fn no_configuration_contradicts_what_is_expected_of_a_sample() {
    let configurations: Vec<_> = configurations().into_iter().collect();
    let encodings = [Encoding::Lbe, Encoding::Sbe, Encoding::LbeWithCalls];
    let (mut n_runs, mut n_decided) = (0, 0);
    for sample in all() {
        let expected = expectations(&sample.source).unwrap().unwrap();
        let mut set = SourceSet::default();
        set.add(sample.file.as_str(), sample.source.as_str());
        let spec = sample.specification.as_deref().map_or(Ok(Specification::default()), Specification::from_yaml).unwrap();
        let loaded = load(&set, &LoadOptions { dialect: spec.dialect, ..LoadOptions::default() });
        assert!(!loaded.has_errors(), "{}: {:#?}", sample.name, loaded.diagnostics);
        let mut loaded = loaded.value;
        let stated = requirements(
            &spec,
            &kernel::property::environment::apply(&spec, &mut loaded).0,
            &mut loaded,
            &[FaultKind::DivisionByZero, FaultKind::IndexOutOfBounds].map(Event::Fault).map(CheckKind::Event),
        );
        let CycleTime { min_ms, max_ms } = spec.cycle_time(None);
        let options = ModelOptions { dt_min_ms: min_ms, dt_max_ms: max_ms, ..ModelOptions::default() };
        let model = match build(&loaded.project, &options) {
            Ok(model) => model,
            // Its calls are too many to be written out, and this engine does not decide kept ones.
            Err(e) => {
                assert!(sample.name.starts_with("recursion/"), "{}: {e}", sample.name);
                continue;
            }
        };
        let assumptions: Vec<_> = stated.assumptions.iter().map(|a| a.condition.clone()).collect();
        for checked in &stated.requirements {
            let Ok(instrumented) = instrument(&loaded.project, &model, &checked.claim, &assumptions) else { continue };
            if !instrumented.gaps.is_empty() || !instrumented.arbitrary.is_empty() {
                continue;
            }
            // Another configuration for each requirement, from all parts of the table.
            let (name, (options, _)) = &configurations[(n_runs * 37) % configurations.len()];
            let reduced = reduce(&instrumented.pool, &instrumented.cfa, encodings[n_runs % encodings.len()]);
            let solvers = default_solvers()(&reduced.pool, &reduced.cfa);
            let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_millis(500)), ..Interrupt::default() };
            let mut cx = Ctx::new(reduced.pool, interrupt, &|_| {});
            n_runs += 1;
            let wanted = expected.get(&checked.id).map_or(VerdictWord::Holds, |expected| expected.word);
            if wanted == VerdictWord::Unknown {
                // The model has violations that the interpreter lacks: through the bits of NaN.
                assert!(!instrumented.float_bits.is_empty(), "{} {}", sample.name, checked.id);
                continue;
            }
            // A possibility is shown by a run and refuted by a proof.
            let wanted = match (checked.claim.is_possibility(), wanted) {
                (true, VerdictWord::Holds) => VerdictWord::Violated,
                (true, VerdictWord::Violated) => VerdictWord::Holds,
                (true | false, other) => other,
            };
            let case = format!("{} {} {name}", sample.name, checked.id);
            match Cegar::new(*options, solvers).run(&mut cx, &reduced.cfa) {
                Ok(Verdict::Safe(_)) => {
                    assert!(matches!(wanted, VerdictWord::Holds | VerdictWord::Vacuous), "{case} says safe");
                    n_decided += 1;
                }
                Ok(Verdict::Unsafe(_)) => {
                    assert_eq!(wanted, VerdictWord::Violated, "{case} says unsafe");
                    n_decided += 1;
                }
                Ok(Verdict::Unknown(_)) | Err(Stop::Reason(_)) => {}
                Err(Stop::Solver(e)) => unreachable!("{case}: {e:?}"),
            }
        }
    }
    assert!(n_runs / 3 <= n_decided, "{n_decided} of {n_runs} decided");
}

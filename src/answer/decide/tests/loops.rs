//! Loops that are kept inside of the cycle: k-induction counts steps between heads of loops, and so does kIkI.

use super::*;
use kernel::verdict::Argument;

/// Decides each assertion of a sample. Returns its word, and the k of a proof (0: an inductive invariant).
fn answers(name: &str, engine: &str, options: &[(&str, &str)]) -> Vec<(VerdictWord, Option<u32>)> {
    let sample = crate::samples::all().into_iter().find(|sample| sample.name == name).unwrap();
    let stated = Stated::new(&sample.source, &sample.specification.unwrap());
    let model = build(&stated.loaded.project, &ModelOptions::default()).unwrap();
    let options: BTreeMap<String, String> = options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let decide_one = |claim| {
        let interrupt = Interrupt { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Interrupt::default() };
        let solvers = default_solvers();
        let search = Search { engine: Some(engine), options: &options, ..Search::new(&interrupt, &solvers) };
        let (loaded, assumptions) = (&stated.loaded, &stated.assumptions);
        let request = Request { loaded, model: &model, claim, assumptions, search, earlier: None, shared: None };
        let decision = decide(&request).unwrap();
        let k = match decision.certified.as_ref().map(Certified::evidence) {
            Some(Evidence::Holds { proof, .. }) => Some(match &proof.argument {
                Argument::Inductive(_) => 0,
                Argument::KInductive { k, .. } | Argument::Exhaustive { k, .. } => *k,
            }),
            Some(Evidence::Violated { .. } | Evidence::Reached(_)) | None => None,
        };
        (decision.word, k)
    };
    stated.claims.iter().take(4).map(decide_one).collect()
}

const KINDS: [&str; 3] = ["while", "repeat", "for"];

#[test]
fn proofs_need_as_many_steps_as_rounds_matter() {
    for name in KINDS {
        // The first round of REPEAT is no step of its own.
        let ks = if name == "repeat" { [0, 1, 2, 3] } else { [1, 2, 3, 4] };
        let alone = answers(&format!("loops/{name}"), "k-induction", &[("auxiliary", "off")]);
        assert_eq!(alone, ks.map(|k| (VerdictWord::Holds, Some(k))), "{name}");
        let without_template = answers(&format!("loops/{name}"), "kiki", &[("mode", "kinduction")]);
        assert!(without_template.iter().all(|(word, _)| *word == VerdictWord::Holds), "{name}: {without_template:?}");
        // Rows of a template at the head of the loop make it inductive.
        let with_template = answers(&format!("loops/{name}"), "kiki", &[]);
        assert!(with_template.iter().zip(ks).all(|((word, k), most)| *word == VerdictWord::Holds && *k <= Some(most)), "{name}");
    }
}

#[test]
fn violations_behind_rounds_of_the_first_cycle_are_found() {
    for name in KINDS {
        let violated = [(VerdictWord::Violated, None); 3];
        for (engine, options) in [("k-induction", &[("auxiliary", "off")][..]), ("kiki", &[]), ("bmc", &[])] {
            assert_eq!(answers(&format!("loops/{name}_reached"), engine, options)[..3], violated, "{name} {engine}");
        }
    }
}

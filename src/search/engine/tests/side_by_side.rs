//! Groups of engines side by side: the answer that counts, start times, and the reason for no answer.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::*;
use crate::engine::portfolio::{EngineGroup, Judged, MakeMember, Member, side_by_side};

const SLICE: Duration = Duration::from_millis(60);

fn member<'a>(example: &'a Example, name: &'static str, solvers: &'a MakeSolver) -> MakeMember<'a> {
    Box::new(move || {
        // Without a forward condition it proves nothing, so it runs until others have an answer.
        let options = if name == "bmc" { BTreeMap::from([("forward".to_owned(), "off".to_owned())]) } else { BTreeMap::new() };
        let engine = configure(ENGINES, name, &options, solvers)?;
        let model = reduce(&example.pool, &example.cfa, Encoding::Lbe);
        Ok(Member { name, engine, model, pictures: Pictures::default() })
    })
}

pub(super) fn groups<'a>(example: &'a Example, names: &'static [&'static str], solvers: &'a MakeSolver) -> Vec<EngineGroup<'a>> {
    names
        .iter()
        .map(|name| EngineGroup {
            after: Duration::ZERO,
            slice: SLICE,
            helps: false,
            members: vec![member(example, name, solvers)],
        })
        .collect()
}

pub(super) fn believe(example: &Example, verdict: Verdict) -> Judged<Answer> {
    match certified(example, Ok(verdict)) {
        Some(answer) => Judged::Accepted(answer),
        None => Judged::Refused,
    }
}

#[test]
fn portfolio_gives_the_first_certified_answer() {
    for example in all() {
        let solvers = solvers();
        let judge = |_: &'static str, verdict: Verdict, _: &Interrupt| believe(&example, verdict);
        let ended =
            side_by_side(&within(60), &|_| {}, &Arc::default(), groups(&example, &["bmc", "k-induction"], &solvers), &judge);
        assert_eq!(ended.result, Ok(example.answer), "{}", example.name);
        assert!(ended.failures.is_empty());
    }
}

#[test]
fn a_lane_that_waits_starts_in_time_or_as_soon_as_no_other_runs() {
    let example = by_name("wrapping", true);
    let solvers = solvers();
    let judge = |_: &'static str, verdict: Verdict, _: &Interrupt| believe(&example, verdict);
    let started = Mutex::new(Vec::new());
    let noted = |name: &'static str| -> MakeMember<'_> {
        let (make, started) = (member(&example, name, &solvers), &started);
        Box::new(move || {
            started.lock().unwrap().push(name);
            if name == "random" { Err("no engine".to_owned()) } else { make() }
        })
    };
    let hours = Duration::from_secs(10_000);
    let run = |groups: [(Duration, &[&'static str]); 2]| {
        let group = |(after, names): (Duration, &[&'static str])| EngineGroup {
            after,
            slice: SLICE,
            helps: false,
            members: names.iter().copied().map(noted).collect(),
        };
        let ended = side_by_side(&within(60), &|_| {}, &Arc::default(), groups.into_iter().map(group).collect(), &judge);
        (ended.result, std::mem::take(&mut *started.lock().unwrap()))
    };
    // Decided before the other group starts; members without a turn are not made.
    let (result, started) = run([(hours, &["bmc"]), (Duration::ZERO, &["random", "k-induction", "pdr"])]);
    assert_eq!((result, started), (Ok(Answer::Safe), vec!["random", "k-induction"]));
    // No member is left in the first group.
    let (result, started) = run([(Duration::ZERO, &["random"]), (hours, &["k-induction"])]);
    assert_eq!((result, started), (Ok(Answer::Safe), vec!["random", "k-induction"]));
    // A busy machine may run the second thread first, and to its end.
    let (result, started) = run([(Duration::ZERO, &["bmc"]), (Duration::from_millis(1), &["k-induction"])]);
    assert!(result == Ok(Answer::Safe) && started.contains(&"k-induction"), "{result:?} {started:?}");
}

#[test]
fn portfolio_goes_on_after_an_answer_that_is_refused() {
    let example = by_name("wrapping", true);
    let (good, bad) = (solvers(), faulty(solvers(), Fault::Lies, When::From(1)));
    let mut all = groups(&example, &["bmc"], &bad);
    all.extend(groups(&example, &["k-induction"], &good));
    let refused = Mutex::new(Vec::new());
    let judge = |name: &'static str, verdict: Verdict, _: &Interrupt| {
        let judged = believe(&example, verdict);
        if let Judged::Refused = judged {
            refused.lock().unwrap().push(name);
        }
        judged
    };
    assert_eq!(side_by_side(&within(60), &|_| {}, &Arc::default(), all, &judge).result, Ok(Answer::Safe));
    assert!(refused.lock().unwrap().iter().all(|name| *name == "bmc"));
}

#[test]
fn a_certification_that_takes_long_goes_on_in_turns() {
    let example = by_name("wrapping", true);
    let solvers = solvers();
    let run = |names: &[&'static str], patience: u32| {
        let asked = Mutex::new(Vec::new());
        let judge = |name: &'static str, verdict: Verdict, interrupt: &Interrupt| {
            asked.lock().unwrap().push(name);
            let n = asked.lock().unwrap().iter().filter(|other| **other == name).count();
            if name == "k-induction" && n < patience as usize {
                while !interrupt.is_raised() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Judged::Stopped;
            }
            believe(&example, verdict)
        };
        let members = names.iter().map(|name| member(&example, name, &solvers)).collect();
        let group = EngineGroup { after: Duration::ZERO, slice: Duration::from_millis(2), helps: false, members };
        let ended = side_by_side(&within(60), &|_| {}, &Arc::default(), vec![group], &judge);
        (ended.result, asked.into_inner().unwrap())
    };
    // The other engine has an answer meanwhile.
    let (result, asked) = run(&["k-induction", "pdr"], u32::MAX);
    assert_eq!((result, asked.last()), (Ok(Answer::Safe), Some(&"pdr")));
    // The same answer is certified in a longer turn; the other engine never has one.
    let (result, asked) = run(&["k-induction", "bmc"], 4);
    assert_eq!((result, asked), (Ok(Answer::Safe), vec!["k-induction"; 4]));
}

#[test]
fn portfolio_says_why_it_has_no_answer() {
    let example = by_name("wrapping", true);
    let solvers = solvers();
    let judge = |_: &'static str, _: Verdict, _: &Interrupt| Judged::<()>::Refused;
    let end = |interrupt: Interrupt| {
        side_by_side(&interrupt, &|_| {}, &Arc::default(), groups(&example, &["random", "k-induction"], &solvers), &judge).result
    };
    let soon = Interrupt { deadline: Some(Instant::now() + Duration::from_millis(200)), ..Interrupt::default() };
    assert_eq!(end(soon), Err(Reason::Time));
    let cancelled = Interrupt::default();
    cancelled.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(end(cancelled), Err(Reason::Cancelled));
    let hopeless = |_: &'static str, _: Verdict, _: &Interrupt| Judged::<()>::Hopeless(Reason::OverApproximation("SIN".into()));
    let ended = side_by_side(&within(60), &|_| {}, &Arc::default(), groups(&example, &["k-induction"], &solvers), &hopeless);
    assert_eq!(ended.result, Err(Reason::OverApproximation("SIN".into())));
}

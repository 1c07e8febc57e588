//! Table tests; see the module above.

use super::*;
use kernel::property::pattern::PATTERNS;
use kernel::property::spec::Requirement;

fn posted(fields: &[(&str, &str)]) -> (Form, Action) {
    Form::read(&fields.iter().map(|(n, v)| ((*n).to_string(), (*v).to_string())).collect::<Vec<_>>())
}

fn requirement(key: &str, parts: &[&str]) -> Requirement {
    let kind = by_id(key).unwrap();
    let mut row = blank(kind);
    row.parts = parts.iter().map(|p| Field::of(*p)).collect();
    row.requirement()
}

#[test]
fn every_kind_comes_back_as_it_was() {
    let check = |key: &str, parts: &[&str]| {
        let spec =
            Specification { requirements: vec![requirement(key, parts)], checks: Some(vec![]), ..Specification::default() };
        let mut form = Form::from_specification(&spec);
        assert!(!form.as_yaml, "{key}");
        assert_eq!(form.requirements[0].kind.id, key);
        assert_eq!(form.specification(), Some(spec), "{key}");
    };
    check("pattern-forbidden", &["a"]);
    check("pattern-invariant", &["a"]);
    check("pattern-implication", &["a", "b"]);
    check("pattern-statechange-duringcycle", &["a", "b"]);
    check("pattern-statechange-betweencycles", &["a", "b", "c"]);
}

#[test]
fn the_box_for_changes_is_read_and_kept() {
    let specification = |fields: &[(&str, &str)]| posted(fields).0.specification().unwrap();
    assert!(!specification(&[]).mutants);
    let ticked = specification(&[("mutants", "on")]);
    assert!(ticked.mutants && Form::from_specification(&ticked).mutants && !Form::from_specification(&ticked).as_yaml);
}

#[test]
fn sentences_have_a_part_around_every_field() {
    for kind in PATTERNS {
        let sentence = blank(kind).sentence();
        assert_eq!(sentence.len(), kind.keys.len() + 1, "{}", kind.id);
        assert!(sentence.iter().skip(1).all(|part| !part.is_empty() && !part.contains('{')), "{sentence:?}");
    }
}

#[test]
fn buttons_do_one_thing() {
    let check =
        |value: &str, expected: &str| assert!(format!("{:?}", posted(&[("action", value)]).1).starts_with(expected), "{value}");
    check("start", "Start");
    check("yaml", "ShowYaml");
    check("fields", "ShowFields");
    check("add:assumption", "AddAssumption");
    check("add-blank", "AddBlank");
    check("add-built", "AddBuilt");
    check("choose", "Choose");
    check("preview", "Preview");
    check("drop:3", "DropRequirement(3)");
    check("drop-assumption:0", "DropAssumption(0)");
    // What no button sends.
    check("add:nothing", "Start");
    check("drop:x", "Start");
    check("", "Start");
}

#[test]
fn a_form_has_a_last_row() {
    let fields: Vec<(String, String)> = (0..2000).map(|n| (format!("r{n}-kind"), "pattern-forbidden".to_string())).collect();
    let (mut form, _) = Form::read(&fields);
    assert_eq!(form.requirements.len(), MAX_ROWS);
    form.edit(&Action::AddBlank);
    assert_eq!((form.requirements.len(), form.n_errors()), (MAX_ROWS, 1));
    form.edit(&Action::DropRequirement(usize::MAX));
    form.edit(&Action::DropRequirement(0));
    assert_eq!(form.requirements.len(), MAX_ROWS - 1);
}

#[test]
fn problems_go_to_their_fields() {
    let check = |pointer: &str, found: fn(&Form) -> Option<&String>| {
        let (mut form, _) = posted(&[
            ("r0-kind", "pattern-forbidden"),
            ("r1-kind", "pattern-implication"),
            ("r1-part0", "a"),
            ("r1-part1", "b"),
            ("r1-id", "R1"),
            ("a0-expr", ""),
            ("a1-expr", "x"),
        ]);
        form.complain(&[Problem {
            pointer: pointer.into(),
            message: "wrong".into(),
            help: None,
            rendered: String::new(),
            column: None,
        }]);
        assert_eq!(found(&form).map(|m| m.contains("wrong")), Some(true), "{pointer}");
        assert_eq!(form.n_errors(), 1, "{pointer}");
    };
    check("/requirements/0/if", |f| f.requirements[1].parts[0].error.as_ref());
    check("/requirements/0/then", |f| f.requirements[1].parts[1].error.as_ref());
    check("/requirements/0/params/1", |f| f.requirements[1].parts[1].error.as_ref());
    check("/requirements/0/id", |f| f.requirements[1].id.error.as_ref());
    check("/requirements/0", |f| f.requirements[1].error.as_ref());
    check("/requirements/0/never", |f| f.requirements[1].error.as_ref());
    check("/assumptions/0/expr", |f| f.assumptions[1].expr.error.as_ref());
    check("/assumptions/0", |f| f.assumptions[1].expr.error.as_ref());
    check("/entry", |f| f.entry.error.as_ref());
    check("/cycle", |f| f.cycle.error.as_ref());
    check("/requirements/7/never", |f| f.errors.first());
    check("/checks/0", |f| f.errors.first());
    check("", |f| f.errors.first());
}

proptest::proptest! {
    #[test]
    fn any_fields_are_read(fields in proptest::collection::vec(("[abr]?[0-9]{0,3}-?(kind|part[0-9]|expr|text|id|left|test|right|join)|action|yaml|mode|cycle", "\\PC{0,10}|pattern-forbidden|pattern-implication|yaml|add-blank|add-built|drop:[0-9]{1,22}"), 0..30)) {
        let (mut form, action) = Form::read(&fields);
        form.edit(&action);
        form.specification();
        form.complain(&[Problem { pointer: "/requirements/0/if".into(), message: String::new(), help: None, rendered: String::new(), column: None }]);
    }
}

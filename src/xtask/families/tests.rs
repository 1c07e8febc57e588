//! Programs have the sizes that their names say.

mod runs;

use std::collections::BTreeSet;

use super::*;

#[test]
fn programs_have_their_sizes() {
    for n in [1, 7, 200] {
        let Generated { program, requirements } = instances::program(n);
        assert_eq!(program.matches(": Filler;").count(), n);
        assert_eq!(program.matches("(Fill := ").count(), n);
        assert_eq!(requirements.matches("<= 10").count(), n + 1);
    }
    for n in [1, 7, 200] {
        assert_eq!(loops::program(n).program.matches(": Tank;").count(), n);
        assert_eq!(levels::program(n).program.matches(": Line;").count(), n);
        assert_eq!(maxima::program(n).program.matches(": Line;").count(), n);
        assert_eq!(recursion::program(n).program.matches(" := Level(Wanted").count(), n);
        assert_eq!(calls::program(n).program.matches(" := Ramp(").count(), n);
    }
    for lines in [100, 1_000, wide::LINES] {
        let Generated { program, requirements } = wide::program(lines);
        assert_eq!(program.lines().count(), lines);
        assert_eq!(program.matches("\nEND_FUNCTION_BLOCK").count(), program.matches(": Station").count());
        assert!(!requirements.contains("Station"));
    }
    assert!(200 < wide::program(wide::LINES).program.matches(": Station").count());
}

#[test]
fn small_programs_stand_in_a_folder_for_each_family() {
    let folder = std::env::temp_dir().join(format!("families-{}", std::process::id()));
    let folders = write_small(&folder, 5).unwrap();
    let names: Vec<&str> = folders.iter().filter_map(|folder| Path::new(folder).file_name()?.to_str()).collect();
    let few = |family: &&Family| family.sizes[0] <= 5;
    assert_eq!(names, CALLS.iter().filter(few).map(|family| family.name).collect::<Vec<_>>());
    let files: Vec<_> = std::fs::read_dir(&folders[0]).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files.len(), 2 * 2, "{files:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn rows_have_different_names_and_programs() {
    for families in [CALLS, GROWING] {
        let names: BTreeSet<&str> = families.iter().map(|family| family.name).collect();
        assert_eq!(names.len(), families.len());
    }
    for family in CALLS.iter().chain(GROWING) {
        let programs: BTreeSet<String> = family.sizes.iter().map(|size| (family.program)(*size).program).collect();
        assert_eq!(programs.len(), family.sizes.len(), "{}", family.name);
        assert!(family.sizes.is_sorted(), "{}", family.name);
    }
}

#[test]
fn each_requirement_has_its_answer() {
    for family in CALLS.iter().chain(GROWING) {
        for size in family.sizes {
            let Generated { requirements, .. } = (family.program)(*size);
            let ids: Vec<&str> = requirements.lines().filter_map(|line| line.trim_start().strip_prefix("- id: ")).collect();
            let answered: Vec<&str> = family.answers.iter().map(|(id, _)| *id).collect();
            assert_eq!(ids, answered, "{} {size}", family.name);
        }
    }
}

//! Programs of folders on the command line, from files of all kinds.

use super::*;

const PROGRAM: &str = "VAR_GLOBAL g : INT; END_VAR\nPROGRAM P\nVAR n : INT; END_VAR\nn := n + 1;\nEND_PROGRAM\n";
const STATED: &str = "requirements:\n  - id: r\n    never: n = 3\n";

/// Returns the programs of a folder with these files.
fn programs(files: &[(&str, &[u8])]) -> Vec<Result<Program, String>> {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        path.parent().into_iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        std::fs::write(path, content).unwrap();
    }
    let found = collect(&[folder.path().to_path_buf()], None, None);
    found.into_iter().map(|(_, program)| program.map_err(|problem| problem.0)).collect()
}

#[test]
fn requirement_files_may_be_utf_16() {
    let little: Vec<u8> = [0xFF, 0xFE].into_iter().chain(STATED.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> = [0xFE, 0xFF].into_iter().chain(STATED.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let marked: Vec<u8> = [0xEF, 0xBB, 0xBF].into_iter().chain(STATED.bytes()).collect();
    for stated in [little, big, marked] {
        let found = programs(&[("p.st", PROGRAM.as_bytes()), ("p.yaml", &stated)]);
        let ids: Vec<&str> =
            found.iter().flatten().flat_map(|p| &p.specification.requirements).filter_map(|r| r.id.as_deref()).collect();
        assert_eq!(ids, ["r"]);
    }
    let found = programs(&[("p.st", PROGRAM.as_bytes()), ("p.yaml", b"requirements: [\xe4]")]);
    assert!(found.iter().all(|program| program.as_ref().is_err_and(|problem| problem.contains("UTF-8"))));
}

#[test]
fn a_folder_of_files_that_cannot_be_read_names_them() {
    let found = programs(&[("blocks/a.s7dcl", b"BLOCK"), ("b.zap17", b"x")]);
    let n_sources: Vec<usize> = found.iter().flatten().map(|program| program.sources.len()).collect();
    assert_eq!(n_sources, [2]);
}

#[test]
fn a_large_file_of_an_unknown_language_stops_nothing() {
    let object = "<TcPlcObject><POU Name=\"M\"><Declaration><![CDATA[PROGRAM M\nVAR n : INT; END_VAR]]></Declaration>\
        <Implementation><ST><![CDATA[n := g;]]></ST></Implementation></POU></TcPlcObject>";
    let large = vec![b'x'; (MAX_BYTES + 1) as usize];
    let found = programs(&[("M.TcPOU", object.as_bytes()), ("data.blob", &large)]);
    let problems: Vec<&String> = found.iter().filter_map(|program| program.as_ref().err()).collect();
    let sources = found.iter().flatten().flat_map(|program| &program.sources);
    assert_eq!((sources.filter(|source| source.text == TOO_LARGE).count(), problems), (1, Vec::new()));
}

/// Stubs of a folder of their own belong to the programs beside it.
#[test]
fn folders_of_stubs_belong_to_the_other_paths() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        path.parent().into_iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
        std::fs::write(&path, text).unwrap();
        path
    };
    let stub = "{attribute 'stub'}\nFUNCTION_BLOCK X\nEND_FUNCTION_BLOCK\n";
    let (program, _) = (write("plant/p.st", PROGRAM), write("stubs/X.st", stub));
    let n_sources = |paths: &[std::path::PathBuf]| {
        let found = collect(paths, None, None);
        found.into_iter().map(|(_, program)| program.map_or(0, |program| program.sources.len())).collect::<Vec<_>>()
    };
    let (plant, stubs) = (folder.path().join("plant"), folder.path().join("stubs"));
    assert_eq!(n_sources(&[plant.clone(), stubs.clone()]), [2]);
    assert_eq!(n_sources(&[program, stubs.join("X.st")]), [2]);
    assert_eq!(n_sources(&[plant]), [1]);
    assert_eq!(n_sources(&[stubs]).len(), 1);
}

/// Stubs beside programs that are single files belong to those of their folder and below it.
#[test]
fn stubs_beside_files_belong_to_each_of_them() {
    let stub = "{attribute 'stub'}\nFUNCTION_BLOCK X\nEND_FUNCTION_BLOCK\n";
    let n_sources = |files: &[(&str, &str)]| {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        programs(&files).iter().flatten().map(|program| program.sources.len()).collect::<Vec<_>>()
    };
    assert_eq!(n_sources(&[("a.st", PROGRAM), ("b/c.st", PROGRAM), ("stubs.st", stub)]), [2, 2]);
    assert_eq!(n_sources(&[("a.st", PROGRAM), ("b/c.st", PROGRAM), ("b/stubs.st", stub)]), [1, 2]);
    assert_eq!(n_sources(&[("a.st", PROGRAM), ("all.st", &format!("{stub}{PROGRAM}"))]), [1, 1]);
    assert_eq!(n_sources(&[("stubs.st", stub)]), [1]);
}

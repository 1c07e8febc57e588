//! Archives of projects, and every kind of hostile archive.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Limits, Upload, open};

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in files {
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn names(upload: &Upload) -> Vec<&str> {
    upload.files.iter().map(|f| f.name.as_str()).collect()
}

#[track_caller]
fn problem(upload: &Upload, words: &str) {
    assert!(upload.problems.iter().any(|p| p.to_string().contains(words)), "{words}: {:?}", upload.problems);
}

#[test]
fn projects() {
    let inner = packed(&[("b.st", b"PROGRAM b END_PROGRAM")]);
    let zip = packed(&[
        ("Plc/", b""),
        ("Plc/a.st", b"\xef\xbb\xbfPROGRAM a END_PROGRAM"),
        ("Plc/README.md", b"# hello"),
        ("Plc/.git/HEAD", b"x"),
        ("Plc/lib.zip", &inner),
        ("Plc/x.png", b"\0\0"),
    ]);
    let upload = open("plc.zip", &zip, &Limits::default());
    assert_eq!(upload.problems, Vec::new());
    assert_eq!(names(&upload), ["Plc/a.st", "Plc/README.md", "Plc/lib.zip/b.st", "Plc/x.png"]);
    assert_eq!(upload.files[0].text, "PROGRAM a END_PROGRAM");
    assert_eq!(upload.files[1].text, "");
    // Anything else is one file.
    let upload = open("a.st", b"gr\xf6\xdfe", &Limits::default());
    assert_eq!((names(&upload), upload.files[0].text.as_str(), upload.files[0].problems.len()), (vec!["a.st"], "größe", 1));
    // A container of an engineering system is not a project, though it is a zip.
    let upload = open("a.project", &zip, &Limits::default());
    assert_eq!((names(&upload), upload.files[0].text.as_str()), (vec!["a.project"], ""));
    assert_eq!(
        names(&open("empty.zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", &Limits::default())),
        Vec::<&str>::new()
    );
}

#[test]
fn names_do_not_leave_the_project() {
    let upload = open("x.zip", &packed(&[("../../a.st", b"a"), ("/etc/b.st", b"b"), ("C:\\c.st", b"c")]), &Limits::default());
    assert_eq!(names(&upload), ["a.st", "etc/b.st", "c.st"]);
    let upload = open("x.zip", &packed(&[("a.st", b"a"), ("x/../../A.st", b"b"), ("x/A.st", b"b")]), &Limits::default());
    assert_eq!(names(&upload), ["a.st", "x/A.st"], "x/../../A.st becomes x/A.st");
    problem(&upload, "x/A.st is in the archive twice");
}

#[test]
fn bombs_stop_at_the_limits() {
    let limits = Limits { n_files: 3, file_bytes: 3 << 20, total_bytes: 5 << 20, ratio: 200, depth: 2 };
    let zeros = vec![b' '; 10 << 20];
    let upload = open("x.zip", &packed(&[("a.st", &zeros[..4 << 20]), ("b.st", b"b")]), &limits);
    assert_eq!(names(&upload), ["b.st"]);
    problem(&upload, "a.st is more than 200 times as large as it is packed");
    let lax = Limits { ratio: u64::MAX, ..limits };
    problem(&open("x.zip", &packed(&[("a.st", &zeros)]), &lax), "a.st is larger than 3 MB");
    let three = [("a.st", &zeros[..2 << 20]), ("b.st", &zeros[..2 << 20]), ("c.st", &zeros[..2 << 20])];
    let upload = open("x.zip", &packed(&three), &lax);
    assert_eq!(names(&upload), ["a.st", "b.st"]);
    problem(&upload, "c.st is beyond the 5 MB that an archive may hold");
    let many: Vec<(String, &[u8])> = (0..10).map(|i| (format!("{i}.st"), &b"x"[..])).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    let upload = open("x.zip", &packed(&many), &limits);
    assert_eq!(upload.files.len(), 3);
    problem(&upload, "x.zip holds more than 3 files");
    // Archives in archives in archives.
    let mut nested = packed(&[("a.st", b"a")]);
    for i in 0..5 {
        nested = packed(&[(&format!("{i}.zip"), &nested)]);
    }
    let upload = open("x.zip", &nested, &limits);
    assert_eq!(names(&upload), Vec::<&str>::new());
    problem(&upload, "is an archive inside of too many archives");
    // An archive inside of an archive counts for the same limits.
    let inner = packed(&[("a.st", &zeros[..2 << 20])]);
    let outer = packed(&[("1.zip", &inner), ("2.zip", &inner), ("3.zip", &inner)]);
    assert_eq!(open("x.zip", &outer, &lax).files.len(), 2);
}

/// Beginnings of an entry and of its row in the directory.
const ENTRY: &[u8; 4] = b"PK\x03\x04";
const ROW: &[u8; 4] = b"PK\x01\x02";

/// Replaces a number of each header that begins so; `place` is its distance from there.
fn rewrite(zip: &mut [u8], head: &[u8; 4], place: usize, value: u32) {
    for at in 0..zip.len() - 4 {
        if zip[at..].starts_with(head) {
            zip[at + place..at + place + 4].copy_from_slice(&value.to_le_bytes());
        }
    }
}

#[test]
fn sizes_that_lie_change_no_limit() {
    let limits = Limits { total_bytes: 5 << 20, ..Limits::default() };
    let zeros = vec![b' '; 10 << 20];
    for claimed in [0, 1, 100, u32::MAX - 1] {
        let mut zip = packed(&[("a.st", &zeros)]);
        rewrite(&mut zip, ENTRY, 22, claimed);
        rewrite(&mut zip, ROW, 24, claimed);
        let upload = open("x.zip", &zip, &limits);
        assert!(upload.files.is_empty() && !upload.problems.is_empty(), "{claimed}: {:?}", upload.problems);
    }
}

#[test]
fn entries_that_share_their_bytes_count_each() {
    let lax = Limits { n_files: 1000, file_bytes: 3 << 20, total_bytes: 5 << 20, ratio: u64::MAX, depth: 2 };
    let zeros = vec![b' '; 2 << 20];
    let all: Vec<String> = (0..50).map(|n| format!("{n:02}.st")).collect();
    let files: Vec<(&str, &[u8])> = all.iter().map(|name| (name.as_str(), &zeros[..])).collect();
    let mut zip = packed(&files);
    // Each row of the directory leads to the first entry.
    rewrite(&mut zip, ROW, 42, 0);
    let upload = open("x.zip", &zip, &lax);
    let n_bytes: usize = upload.files.iter().map(|file| file.text.len()).sum();
    assert!(n_bytes <= 5 << 20 && !upload.problems.is_empty(), "{n_bytes} bytes, {:?}", upload.problems);
}

#[test]
fn links_are_not_followed() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink("secret.st", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    writer.add_symlink("Plc/out.st", "../../../etc/passwd", SimpleFileOptions::default()).unwrap();
    writer.start_file("a.st", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"PROGRAM a END_PROGRAM").unwrap();
    let upload = open("x.zip", &writer.finish().unwrap().into_inner(), &Limits::default());
    assert_eq!(names(&upload), ["a.st"]);
    problem(&upload, "secret.st is a link, not a file");
    problem(&upload, "Plc/out.st is a link, not a file");
}

#[test]
fn damaged_archives_are_problems() {
    let zip = packed(&[("a.st", b"PROGRAM a END_PROGRAM"), ("b.st", b"PROGRAM b END_PROGRAM")]);
    for n in 4..zip.len() {
        let upload = open("x.zip", &zip[..n], &Limits::default());
        assert!(!upload.problems.is_empty(), "cut after {n}: {upload:?}");
    }
    for at in 4..zip.len() {
        let mut bytes = zip.clone();
        bytes[at] ^= 0xff;
        open("x.zip", &bytes, &Limits::default());
    }
    // The checksum tells that a byte of the contents is not what was packed.
    let mut bytes = zip.clone();
    let at = 30 + "a.st".len() + 4;
    bytes[at] ^= 0x10;
    assert!(!open("x.zip", &bytes, &Limits::default()).problems.is_empty());
}

#[test]
fn one_file_that_cannot_be_read_costs_no_other() {
    let zip = packed(&[
        ("a.st", b"PROGRAM a VAR x : INT; END_VAR x := x + 1; END_PROGRAM"),
        ("b.st", b"PROGRAM b VAR x : INT; END_VAR x := x + 2; END_PROGRAM"),
        ("c.st", b"PROGRAM c VAR x : INT; END_VAR x := x + 3; END_PROGRAM"),
    ]);
    // The contents of b.st follow its name: each damage there is a problem of b.st only; a.st and c.st are read.
    let name = zip.windows(4).position(|bytes| bytes == b"b.st").unwrap();
    let mut n_told = 0;
    for at in name + 4..name + 24 {
        let mut bytes = zip.clone();
        bytes[at] ^= 0x55;
        let upload = open("x.zip", &bytes, &Limits::default());
        for other in ["a.st", "c.st"] {
            assert!(names(&upload).contains(&other), "byte {at}: {upload:?}");
        }
        if upload.problems.iter().any(|p| p.name.contains("b.st")) {
            n_told += 1;
        } else {
            assert!(names(&upload).contains(&"b.st"), "byte {at}: {upload:?}");
        }
    }
    assert!(n_told > 10, "{n_told}");
}

#[test]
fn requirement_files_beside_sources_are_read() {
    let inner = packed(&[("b.st", b"PROGRAM b END_PROGRAM"), ("b.yml", b"checks: []")]);
    let zip = packed(&[
        ("notes.yaml", b"not a requirement"),
        ("Plc/A.yaml", b"requirements: []"),
        ("Plc/a.st", b"PROGRAM a END_PROGRAM"),
        ("Plc/x.ladder.xml", b"<project/>"),
        ("Plc/x.yaml", b"cycle: 10ms"),
        ("Plc/d.png", b""),
        ("Plc/d.yaml", b"of a picture"),
        ("lib.zip", &inner),
        ("Plc/requirements.yml", b"entry: a"),
    ]);
    let upload = open("plc.zip", &zip, &Limits::default());
    assert_eq!(upload.problems, []);
    // Each is listed as a file that holds no program.
    assert_eq!(upload.files.len(), 10);
    assert!(upload.files.iter().all(|file| file.text.is_empty() != file.name.ends_with("st") || file.name.ends_with("xml")));
    let names: Vec<String> = upload.files.iter().map(|file| file.name.clone()).collect();
    let found = super::beside(names.iter().map(String::as_str), upload.stated);
    let found: Vec<(&str, &str)> = found.iter().map(|given| (given.name.as_str(), given.text.as_str())).collect();
    let expected = [
        ("Plc/requirements.yml", "entry: a"),
        ("Plc/A.yaml", "requirements: []"),
        ("Plc/x.yaml", "cycle: 10ms"),
        ("lib.zip/b.yml", "checks: []"),
    ];
    assert_eq!(found, expected);
}

//! Names in archives: labels inside of the project.

use crate::text::unseen::made_visible;

/// Returns a path of plain parts with `/`: no drive, no root, no `..`, no control characters.
pub(super) fn label(written: &str) -> String {
    /// Most characters; a longer name loses its front, where the folders are.
    const LONGEST: usize = 200;
    let parts = written.split(['/', '\\']).map(str::trim).filter(|part| !matches!(*part, "" | "." | "..") && !is_drive(part));
    let label: String = parts.collect::<Vec<_>>().join("/");
    let clean: Vec<char> = made_visible(&label).collect();
    let label: String = clean[clean.len().saturating_sub(LONGEST)..].iter().collect();
    if label.is_empty() { "unnamed".to_owned() } else { label }
}

fn is_drive(part: &str) -> bool {
    let mut chars = part.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.next() == Some(':') && chars.next().is_none()
}

/// Returns whether a path leads through a folder of tools: version control, caches, Apple's shadows.
pub(super) fn is_hidden(written: &str) -> bool {
    let mut parts = written.split(['/', '\\']).peekable();
    while let Some(part) = parts.next() {
        let is_folder = parts.peek().is_some();
        let is_shadow = part.starts_with("._");
        let is_of_tools = is_folder && (part == "__MACOSX" || (part.starts_with('.') && !matches!(part, "." | "..")));
        if is_shadow || is_of_tools {
            return true;
        }
    }
    false
}

#[test]
fn names_stay_inside() {
    let check = |written: &str, expected: &str| assert_eq!(label(written), expected, "{written:?}");
    check("POUs/Main.TcPOU", "POUs/Main.TcPOU");
    check("POUs\\Main.TcPOU", "POUs/Main.TcPOU");
    check("../../etc/passwd", "etc/passwd");
    check("/etc/passwd", "etc/passwd");
    check("C:\\plc\\a.st", "plc/a.st");
    check("a/./b//c.st", "a/b/c.st");
    check("..", "unnamed");
    check("a\0b\n.st", "a\u{fffd}b\u{fffd}.st");
    check("a\u{202e}b.st", "a\u{fffd}b.st");
    assert_eq!(label(&"x".repeat(5000)).chars().count(), 200);
    for (written, expected) in [
        ("a.st", false),
        (".git/config", true),
        ("x/.vs/y", true),
        ("__MACOSX/a.st", true),
        ("x/._a.st", true),
        ("./a.st", false),
        ("../a.st", false),
        (".st", false),
    ] {
        assert_eq!(is_hidden(written), expected, "{written}");
    }
}

//! Editors of an engineering system: the texts in a file of TwinCAT and the routines of Studio 5000, as the system shows them.
//!
//! Only for reading: it looks for texts between marks, and no verdict depends on it.

mod exports;

use plc_frontend::source::is_export;

/// A text in a file, as an editor shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor<'t> {
    /// `FB_Valve.Open`, `the declaration of FB_Valve`
    pub title: String,
    /// Its rows in the order of the file's lines.
    pub rows: Vec<Row<'t>>,
}

/// A row of an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'t> {
    /// Line of the file, from 1.
    pub at: u32,
    /// Number that the editor shows: that of a line from 1, or of a rung from 0.
    pub number: u32,
    /// Its text.
    pub text: &'t str,
}

impl<'t> Editor<'t> {
    /// Returns the editor of a text that begins in this line of the file. A line break at the end begins no line.
    fn new(title: String, first: u32, text: &'t str) -> Editor<'t> {
        let text = text.strip_suffix('\n').unwrap_or(text);
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let rows = lines.zip(0..).map(|(text, n)| Row { at: first + n, number: n + 1, text }).collect();
        Editor { title, rows }
    }

    /// Returns the title of the body that it declares; `None` for a body.
    pub fn declares(&self) -> Option<&str> {
        self.title.strip_prefix(DECLARATION)
    }

    /// Returns its lines.
    pub fn lines(&self) -> impl Iterator<Item = &'t str> + Clone + use<'t, '_> {
        self.rows.iter().map(|row| row.text)
    }

    /// Returns the number of the row for a line of the file.
    pub fn line(&self, of_file: u32) -> Option<u32> {
        let at = self.rows.binary_search_by_key(&of_file, |row| row.at).ok()?;
        Some(self.rows.get(at)?.number)
    }
}

/// Endings of files that hold texts between marks.
const ENDINGS: [&str; 4] = [".tcpou", ".tcgvl", ".tcdut", ".tcio"];
/// Beginning of the title of a declaration.
const DECLARATION: &str = "the declaration of ";
/// Mark before a text, and the one behind it.
const TEXT: (&str, &str) = ("<![CDATA[", "]]>");

/// Returns whether a file of this name may have editors with lines of their own.
pub fn has_editors(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Returns the editors of a file in the order of its lines; none if the file is a text itself, or if two of them share a line.
///
/// Cost: linear in the file.
pub fn editors<'t>(name: &str, text: &'t str) -> Vec<Editor<'t>> {
    if is_export(name) {
        return exports::routines(text);
    }
    if !has_editors(name) {
        return Vec::new();
    }
    let mut found: Vec<Editor<'t>> = Vec::new();
    // Open elements with their attribute `Name`.
    let mut open: Vec<(&'t str, Option<&'t str>)> = Vec::new();
    let (mut at, mut line) = (0, 1);
    while let Some(tag) = text[at..].find('<').map(|next| at + next) {
        line += breaks(&text[at..tag]);
        let rest = &text[tag..];
        let end = match rest.strip_prefix(TEXT.0) {
            Some(inside) => {
                let Some(length) = inside.find(TEXT.1) else { break };
                if let Some(title) = title(&open) {
                    if found.last().and_then(|last| last.rows.last()).is_some_and(|last| line <= last.at) {
                        return Vec::new();
                    }
                    found.push(Editor::new(title, line, &inside[..length]));
                }
                tag + TEXT.0.len() + length + TEXT.1.len()
            }
            None => {
                let closing = if rest.starts_with("<!--") { "-->" } else { ">" };
                let Some(length) = rest.find(closing) else { break };
                let inside = &rest[1..length];
                if inside.starts_with('/') {
                    open.pop();
                } else if !inside.starts_with(['?', '!']) && !inside.ends_with('/') {
                    let element = inside.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
                    open.push((element, name_of(inside)));
                }
                tag + length + closing.len()
            }
        };
        line += breaks(&text[tag..end]);
        at = end;
    }
    found
}

fn breaks(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

/// Returns the attribute `Name` of a tag.
fn name_of(tag: &str) -> Option<&str> {
    let value = tag.split_once(" Name=\"")?.1;
    Some(value.split_once('"')?.0)
}

/// Returns the title of a text in these elements; `None` if no editor shows it.
fn title(open: &[(&str, Option<&str>)]) -> Option<String> {
    let path: Vec<&str> = open.iter().filter_map(|(_, name)| *name).collect();
    let path = path.join(".");
    match open.last()?.0 {
        "Declaration" => Some(format!("{DECLARATION}{path}")),
        "ST" => Some(path),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POU: &str = "<?xml version=\"1.0\"?>\r\n<TcPlcObject>\r\n  <POU Name=\"FB_Valve\" Id=\"{1}\">\r\n    \
        <Declaration><![CDATA[FUNCTION_BLOCK FB_Valve\r\nVAR\r\nEND_VAR\r\n]]></Declaration>\r\n    <Implementation>\r\n      \
        <ST><![CDATA[a := 1;\r\nb := a < 2;]]></ST>\r\n    </Implementation>\r\n    <!-- <ST><![CDATA[no]]></ST> -->\r\n    \
        <Folder Name=\"Acts\" Id=\"{2}\" />\r\n    <Method Name=\"Open\">\r\n      <Declaration><![CDATA[METHOD Open]]></Declaration>\r\n      \
        <Implementation>\r\n        <ST><![CDATA[]]></ST>\r\n      </Implementation>\r\n    </Method>\r\n  </POU>\r\n</TcPlcObject>\r\n";

    #[test]
    fn each_text_of_a_pou_has_lines_of_its_own() {
        let found = editors("POUs/FB_Valve.TcPOU", POU);
        let told: Vec<(&str, u32, u32)> = found.iter().map(|e| (e.title.as_str(), e.rows[0].at, e.rows.len() as u32)).collect();
        let expected = [
            ("the declaration of FB_Valve", 4, 3),
            ("FB_Valve", 9, 2),
            ("the declaration of FB_Valve.Open", 15, 1),
            ("FB_Valve.Open", 17, 1),
        ];
        assert_eq!(told, expected);
        assert_eq!(found[1].lines().collect::<Vec<_>>(), ["a := 1;", "b := a < 2;"]);
        assert_eq!((found[1].line(8), found[1].line(9), found[1].line(10), found[1].line(11)), (None, Some(1), Some(2), None));
        for (at, line) in found.iter().flat_map(|e| e.rows.iter().map(|row| (row.at as usize, row.text))) {
            assert!(POU.lines().nth(at - 1).unwrap().contains(line), "line {at}");
        }
    }

    #[test]
    fn other_files_have_none() {
        assert_eq!(editors("a.st", POU), []);
        assert_eq!(editors("a.TcPOU", "PROGRAM a END_PROGRAM"), []);
        for broken in ["<", "<POU Name=\"", "<ST><![CDATA[x", "<ST><![CDATA[x]]", "</ST></ST><![CDATA[x]]>"] {
            assert_eq!(editors("a.TcPOU", broken), [], "{broken}");
        }
        // Two texts on one line.
        let one = "<POU Name=\"A\"><Declaration><![CDATA[VAR]]></Declaration><Implementation><ST><![CDATA[;]]></ST></Implementation></POU>";
        assert_eq!(editors("a.TcPOU", one), []);
    }
}

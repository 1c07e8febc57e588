//! Editors of an export of Studio 5000: its routines, with a row for each rung or line.

use super::{Editor, Row, TEXT, breaks, name_of};

/// Returns the routines in ladder and Structured Text.
///
/// Cost: linear in the file.
pub(super) fn routines(text: &str) -> Vec<Editor<'_>> {
    let mut found: Vec<Editor<'_>> = Vec::new();
    let (mut home, mut number, mut is_code, mut is_routine) = ("", 0, false, false);
    let (mut at, mut line) = (0, 1);
    while let Some(tag) = text[at..].find('<').map(|next| at + next) {
        line += breaks(&text[at..tag]);
        let rest = &text[tag..];
        let end = if let Some(inside) = rest.strip_prefix(TEXT.0) {
            let Some(length) = inside.find(TEXT.1) else { break };
            if let (true, Some(editor)) = (is_code && is_routine, found.last_mut()) {
                let rows = inside[..length].split('\n').zip(line..);
                editor.rows.extend(rows.map(|(text, at)| Row { at, number, text: text.strip_suffix('\r').unwrap_or(text) }));
            }
            tag + TEXT.0.len() + length + TEXT.1.len()
        } else {
            let closing = if rest.starts_with("<!--") { "-->" } else { ">" };
            let Some(length) = rest.find(closing) else { break };
            let inside = &rest[1..length];
            match inside.split(|c: char| c.is_whitespace()).next().unwrap_or_default() {
                "Program" | "AddOnInstructionDefinition" => home = name_of(inside).unwrap_or_default(),
                "Routine" => {
                    let name = name_of(inside).unwrap_or_default();
                    let title = if home.is_empty() { name.to_owned() } else { format!("{home}.{name}") };
                    found.push(Editor { title, rows: Vec::new() });
                    is_routine = true;
                }
                "/Routine" => is_routine = false,
                "Rung" => number = numbered(inside),
                "Line" => (number, is_code) = (numbered(inside) + 1, true),
                "Text" => is_code = true,
                "/Line" | "/Text" => is_code = false,
                _ => {}
            }
            tag + length + closing.len()
        };
        line += breaks(&text[tag..end]);
        at = end;
    }
    found.retain(|editor| !editor.rows.is_empty());
    // Rows in the order of the file, each on a line of its own.
    let is_apart = found.iter().flat_map(|editor| &editor.rows).is_sorted_by(|a, b| a.at < b.at);
    if is_apart { found } else { Vec::new() }
}

fn numbered(tag: &str) -> u32 {
    let value = tag.split_once(" Number=\"").and_then(|(_, rest)| rest.split_once('"'));
    value.and_then(|(number, _)| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::report::editor::editors;

    #[test]
    fn routines_have_rows_for_rungs_and_lines() {
        let text = "<Program Name=\"P\">\n<Routine Name=\"Main\" Type=\"RLL\">\n<Rung Number=\"0\" Type=\"N\">\n<Comment>\n<![CDATA[Starts.]]>\n\
            </Comment>\n<Text>\n<![CDATA[XIC(a)OTE(b);]]>\n</Text>\n</Rung>\n<Rung Number=\"1\" Type=\"N\">\n<Text>\n<![CDATA[NOP();]]>\n\
            </Text>\n</Rung>\n</Routine>\n<Routine Name=\"Text\" Type=\"ST\">\n<Line Number=\"0\">\n<![CDATA[x := 1;]]>\n</Line>\n\
            <Line Number=\"1\">\n<![CDATA[]]>\n</Line>\n</Routine>\n<Routine Name=\"Chart\"/>\n</Program>";
        let found = editors("plant.L5X", text);
        let told: Vec<String> = found
            .iter()
            .flat_map(|e| e.rows.iter().map(|row| format!("{} {} {} {}", e.title, row.at, row.number, row.text)))
            .collect();
        let expected = ["P.Main 8 0 XIC(a)OTE(b);", "P.Main 13 1 NOP();", "P.Text 19 1 x := 1;", "P.Text 22 2 "];
        assert_eq!(told, expected);
        assert_eq!((found[0].line(13), found[0].line(12)), (Some(1), None));
        for end in 0..text.len() {
            editors("plant.L5X", &text[..end]);
        }
        assert_eq!(editors("plant.L5X", &text.replace('\n', "")), []);
    }
}

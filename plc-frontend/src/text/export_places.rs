//! Places in exports of Studio 5000 as its editor names them: `rung 3 of P.Main`, `line 5 of P.Text`, `tag P.Motor`.
//!
//! Only for reading: it looks for tags around an offset, and no verdict depends on it.

/// Elements around a place, with the word for those that are places themselves.
const ELEMENTS: &[(&str, &str)] = &[
    ("Controller", "controller"),
    ("Program", "program"),
    ("AddOnInstructionDefinition", "Add-On Instruction"),
    ("Routine", "routine"),
    ("Task", "task"),
    ("DataType", "data type"),
    ("Tag", "tag"),
    ("LocalTag", "tag"),
    ("Parameter", "parameter"),
];

/// Returns whether a file of this name is an export.
pub fn is_export(name: &str) -> bool {
    name.len() >= 4 && name.get(name.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case(".l5x"))
}

/// Returns the name of a place in an export; `None` where no rung, line or component stands.
///
/// Cost: linear in the distance to the enclosing elements.
pub fn place_in_export(text: &str, offset: usize) -> Option<String> {
    let routine = around(text, offset, "Routine");
    let home = ["Program", "AddOnInstructionDefinition"].into_iter().find_map(|element| around(text, offset, element));
    let path = |names: &[Option<&str>]| names.iter().flatten().copied().collect::<Vec<_>>().join(".");
    if let Some((_, routine)) = routine {
        let whole = path(&[home.and_then(|(_, tag)| name_of(tag)), name_of(routine)]);
        if let Some((_, rung)) = around(text, offset, "Rung") {
            return Some(format!("rung {} of {whole}", attribute(rung, "Number")?));
        }
        if let Some((_, line)) = around(text, offset, "Line") {
            let number: u32 = attribute(line, "Number")?.parse().ok()?;
            return Some(format!("line {} of {whole}", number.checked_add(1)?));
        }
    }
    // The tag of a component is its place.
    let rest = text.get(offset..)?;
    let element = rest.strip_prefix('<')?.split(|c: char| c.is_whitespace() || c == '>').next()?;
    let (_, word) = ELEMENTS.iter().find(|(name, _)| *name == element)?;
    let tag = rest.split_once('>')?.0;
    let home = home.filter(|_| !matches!(element, "Program" | "AddOnInstructionDefinition")).and_then(|(_, tag)| name_of(tag));
    Some(format!("{word} {}", path(&[home, Some(name_of(tag)?)])))
}

/// Returns where the element of this name around a place begins, and its tag.
fn around<'t>(text: &'t str, offset: usize, element: &str) -> Option<(usize, &'t str)> {
    let opening = format!("<{element}");
    let end = offset.saturating_add(opening.len()).min(text.len());
    let mut before = text.get(..end)?;
    let start = loop {
        let start = before.rfind(&opening)?;
        let behind = text.get(start + opening.len()..)?.chars().next();
        if behind.is_some_and(|c| c.is_whitespace() || c == '>') && start <= offset {
            break start;
        }
        before = before.get(..start)?;
    };
    let rest = text.get(start..)?;
    let tag = rest.get(..rest.find('>')?)?;
    let inside = text.get(start..offset.max(start))?;
    let is_closed = tag.ends_with('/') || inside.contains(&format!("</{element}>"));
    (!is_closed || start == offset).then_some((start, tag))
}

fn name_of(tag: &str) -> Option<&str> {
    attribute(tag, "Name")
}

fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let value = tag.split_once(&format!(" {name}=\""))?.1;
    Some(value.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPORT: &str = "<?xml version=\"1.0\"?>\n<RSLogix5000Content>\n<Controller Use=\"Context\" Name=\"C\">\n<Tags>\n\
        <Tag Name=\"g\" DataType=\"DINT\"/>\n</Tags>\n<Programs>\n<Program Name=\"P\">\n<Tags>\n<Tag Name=\"t\" DataType=\"TIMER\">\n\
        </Tag>\n</Tags>\n<Routines>\n<Routine Name=\"Main\" Type=\"RLL\">\n<RLLContent>\n<Rung Number=\"0\" Type=\"N\">\n<Text>\n\
        <![CDATA[XIC(a);]]>\n</Text>\n</Rung>\n<Rung Number=\"1\" Type=\"N\"><Text><![CDATA[OTE(b);]]></Text></Rung>\n</RLLContent>\n\
        </Routine>\n<Routine Name=\"Text\" Type=\"ST\">\n<STContent>\n<Line Number=\"0\">\n<![CDATA[x := 1;]]>\n</Line>\n\
        </STContent>\n</Routine>\n</Routines>\n</Program>\n</Programs>\n<Tasks><Task Name=\"T\"/></Tasks>\n</Controller>\n";

    #[test]
    fn places_have_the_names_of_the_editor() {
        for (mark, expected) in [
            ("XIC(a)", Some("rung 0 of P.Main")),
            ("OTE(b)", Some("rung 1 of P.Main")),
            ("<Rung Number=\"1\"", Some("rung 1 of P.Main")),
            ("x := 1", Some("line 1 of P.Text")),
            ("<Routine Name=\"Text\"", Some("routine P.Text")),
            ("<Program Name", Some("program P")),
            ("<Controller", Some("controller C")),
            ("<Tag Name=\"t\"", Some("tag P.t")),
            ("<Tag Name=\"g\"", Some("tag g")),
            ("<Task Name", Some("task T")),
            ("<Tasks", None),
            ("</Tag>", None),
            ("<?xml", None),
        ] {
            let at = EXPORT.find(mark).unwrap();
            assert_eq!(place_in_export(EXPORT, at).as_deref(), expected, "{mark}");
        }
        assert!(is_export("Plant/Main.l5x") && !is_export("x") && !is_export("L5X"));
        for end in 0..EXPORT.len() {
            place_in_export(EXPORT.get(..end).unwrap(), end);
            place_in_export(EXPORT.get(end..).unwrap(), 0);
        }
    }
}

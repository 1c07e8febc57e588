//! Names for people: a single program needs no prefix.

use plc_frontend::hir::Project;

use std::collections::{BTreeMap, BTreeSet};

/// Display of canonical leaf names: without the instance's name if only one instance runs, and tags of Studio 5000 as it writes them.
#[derive(Clone, Debug)]
pub struct Names {
    prefix: Option<String>,
    /// Tags of Studio 5000 whose names no other language has: `Local:1:I` for `Local_1_I`, `S:FS` for `S__F`.
    tags: BTreeMap<String, String>,
    /// Parts and places of reads of inputs that change within a cycle.
    reads: BTreeMap<String, (String, String)>,
    /// Counters of the cycles between two runs of a task, in words.
    counters: BTreeMap<String, String>,
    /// Names of global variables that variables of programs have, too.
    shadowed: BTreeSet<String>,
    is_logix: bool,
}

/// Bits of the system of Studio 5000 as they are read.
const SYSTEM: &[(&str, &str)] = &[("S__F", "S:FS"), ("V__", "S:V"), ("Z__", "S:Z"), ("N__", "S:N"), ("C__", "S:C")];

/// Endings of bits that the import adds to programs and Add-On Instructions of Studio 5000.
const ADDED: &[&str] = &["Before__First_Scan", "First__", "Prescan__"];

impl Names {
    /// Returns names of a project.
    pub fn new(project: &Project) -> Names {
        let mut instances = project.instances.iter();
        let prefix = match (instances.next(), instances.next()) {
            (Some(only), None) => Some(format!("{}.", only.name)),
            (None | Some(_), None | Some(_)) => None,
        };
        let is_logix = project.tags_are_outputs;
        let mut tags = BTreeMap::new();
        for global in project.globals.iter().filter(|_| is_logix) {
            let system = SYSTEM.iter().find(|(name, _)| *name == global.name).map(|(_, shown)| (*shown).to_owned());
            // No other tag has an address.
            let module = || if global.address.is_some() { module_tag(&global.name) } else { None };
            tags.extend(system.or_else(module).map(|shown| (global.name.clone(), shown)));
        }
        let shadowed = project.shadowed_names();
        Names { prefix, tags, reads: project.reads.clone(), counters: counters(project), shadowed, is_logix }
    }
    /// Returns whether a variable is a bit that the import has added, which no user knows.
    pub fn is_added(&self, canonical: &str) -> bool {
        let last = canonical.rsplit('.').next().unwrap_or(canonical);
        self.is_logix && (ADDED.contains(&last) || self.counters.contains_key(canonical))
    }
    /// Returns whether a variable is a state of a rung, or another value that the import keeps.
    pub fn is_kept(&self, canonical: &str) -> bool {
        let last = canonical.rsplit('.').next().unwrap_or(canonical);
        // A variable of a function of the library, such as its result.
        let is_function = |(root, _): (&str, &str)| root.contains("__") && !self.reads.contains_key(root);
        let is_inside = canonical.split_once('.').is_some_and(is_function);
        self.is_logix && (is_inside || last.starts_with('_') && last.contains("__"))
    }
    /// Returns words for a bit that the import has added to a program or an instance.
    fn added(&self, canonical: &str) -> Option<String> {
        let (owner, bit) = canonical.rsplit_once('.').filter(|_| self.is_logix)?;
        match bit {
            "Before__First_Scan" => Some(format!("{owner} before its first scan")),
            "First__" => Some(format!("{} before its first call", self.show(owner))),
            "Prescan__" => Some(format!("{} in the prescan", self.show(owner))),
            _ => None,
        }
    }
    /// Returns the name as users see it.
    pub fn show(&self, canonical: &str) -> String {
        plc_frontend::shown(&self.unquoted(canonical)).into_owned()
    }

    fn unquoted(&self, canonical: &str) -> String {
        if let Some(words) = self.counters.get(canonical) {
            return words.clone();
        }
        if let Some(words) = self.added(canonical) {
            return words;
        }
        let root_of = |name: &str| name.find(['.', '[']).unwrap_or(name.len());
        let is_shadowed = |name: &str| self.shadowed.contains(&name[..root_of(name)].to_uppercase());
        let inside = self.prefix.as_ref().and_then(|prefix| canonical.strip_prefix(prefix.as_str()));
        let name = inside.filter(|name| !is_shadowed(name)).unwrap_or(canonical);
        if self.is_logix && inside.is_none() && is_shadowed(name) {
            return format!("\\{name}");
        }
        let (root, rest) = name.split_at(root_of(name));
        if let Some((part, place)) = self.reads.get(root) {
            return format!("{}{rest} ({place})", self.show(part));
        }
        match (self.tags.get(root), root.split_once("__")) {
            (Some(tag), _) => format!("{tag}{rest}"),
            (None, Some(("SYSTEM" | "NOT_MODELLED" | "OUT_OF_RANGE", ty))) if self.is_logix => {
                format!("a result of type {ty} that is not known")
            }
            _ => name.to_owned(),
        }
    }
}

/// Words before the name of a task for its counter.
pub(super) const TASK_COUNTER: &str = "cycles of the task ";

/// Returns the counters of tasks, which the program that runs the tasks has, in words.
fn counters(project: &Project) -> BTreeMap<String, String> {
    let all =
        project.instances.iter().flat_map(|instance| project.pous[instance.pou].vars.iter().map(move |var| (instance, var)));
    // No name of a user has a point.
    let of_tasks = all.filter_map(|(instance, var)| Some((instance, var, var.name.strip_suffix(".cycle")?)));
    of_tasks.map(|(instance, var, task)| (format!("{}.{}", instance.name, var.name), format!("{TASK_COUNTER}{task}"))).collect()
}

/// Returns the name of a module's tag as Studio 5000 writes it: `Local:1:I` for `Local_1_I`, `Drive:O` for `Drive_O`.
fn module_tag(name: &str) -> Option<String> {
    let (rest, kind) = name.rsplit_once('_').filter(|(_, kind)| kind.starts_with(['I', 'O', 'C', 'S']))?;
    let slot = rest.rsplit_once('_').filter(|(_, slot)| !slot.is_empty() && slot.bytes().all(|byte| byte.is_ascii_digit()));
    Some(match slot {
        Some((module, slot)) => format!("{module}:{slot}:{kind}"),
        None => format!("{rest}:{kind}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plc_frontend::source::SourceSet;
    use plc_frontend::{LoadOptions, load};

    /// A tag of the controller and one of the program have a name each.
    #[test]
    fn tags_of_one_name_have_names_of_their_own() {
        let text = "<RSLogix5000Content><Controller Use=\"Target\" Name=\"C\"><Tags><Tag Name=\"X\" TagType=\"Base\" \
            DataType=\"DINT\"/><Tag Name=\"Y\" TagType=\"Base\" DataType=\"DINT\"/></Tags><Programs><Program Name=\"P\" \
            MainRoutineName=\"Main\"><Tags><Tag Name=\"x\" TagType=\"Base\" DataType=\"DINT\"/><Tag Name=\"z\" TagType=\"Base\" \
            DataType=\"DINT\"/></Tags><Routines><Routine Name=\"Main\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text>\
            <![CDATA[XIC(X.0)OTE(Y.0);]]></Text></Rung></RLLContent></Routine></Routines></Program></Programs></Controller>\
            </RSLogix5000Content>";
        let mut sources = SourceSet::default();
        sources.add("a.L5X", text);
        let names = Names::new(&load(&sources, &LoadOptions::default()).value.project);
        let check = |canonical: &str, expected: &str| assert_eq!(names.show(canonical), expected);
        check("X", "\\X");
        check("X.3", "\\X.3");
        check("P.x", "P.x");
        check("Y", "Y");
        check("P.z", "z");
        check("P.Before__First_Scan", "P before its first scan");
        check("P.x.First__", "P.x before its first call");
        check("P.z.Prescan__", "z in the prescan");
    }

    #[test]
    fn tags_of_modules_and_of_the_system_have_their_names() {
        let check = |name: &str, expected: Option<&str>| assert_eq!(module_tag(name).as_deref(), expected, "{name}");
        check("Local_1_I", Some("Local:1:I"));
        check("Rack_12_O", Some("Rack:12:O"));
        check("Drive_C", Some("Drive:C"));
        check("Motor", None);
        let text = "<RSLogix5000Content><Controller Use=\"Context\" Name=\"C\"><Programs><Program Use=\"Target\" Name=\"P\" \
            MainRoutineName=\"Main\"><Tags><Tag Name=\"Local_2_I\" TagType=\"Base\" DataType=\"BOOL\"/></Tags><Routines><Routine \
            Name=\"Main\" Type=\"RLL\"><RLLContent><Rung Number=\"0\" Type=\"N\"><Text>\
            <![CDATA[XIC(Local:1:I.Data.0)XIC(S:FS)XIC(S:V)OTE(Local_2_I);]]></Text></Rung></RLLContent></Routine></Routines>\
            </Program></Programs></Controller></RSLogix5000Content>";
        let mut sources = SourceSet::default();
        sources.add("a.L5X", text);
        let loaded = load(&sources, &LoadOptions::default());
        let names = Names::new(&loaded.value.project);
        let kept = ["Main_Routine._rung__5", "OVERFLOWS__REAL.Source", "P.t._copy__at"];
        assert!(kept.iter().all(|name| names.is_kept(name)));
        assert!(["P.Local_2_I", "S__F", "Local_1_I.Data", "P.t.ACC"].iter().all(|name| !names.is_kept(name)));
        let leaves = loaded.value.project.leaves();
        let shown: Vec<String> =
            leaves.iter().filter(|leaf| !names.is_added(&leaf.name)).map(|leaf| names.show(&leaf.name)).collect();
        for expected in ["Local:1:I.Data", "S:FS", "S:V", "Local_2_I"] {
            assert!(shown.iter().any(|name| name == expected), "{expected}: {shown:?}");
        }
        assert!(!shown.iter().any(|name| name.contains("__")), "{shown:?}");
    }
}

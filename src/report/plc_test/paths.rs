//! Names of the program's variables in a test: `Main.Go` for a program, `Tested.Go` for a block, a variable of the test for VAR_IN_OUT.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::hir::{Expr, LeafElem, PouId, PouKind, Project, Root, Section, Shown, Type, VarId, expr_to_st, type_to_st};

/// Names in a test.
pub(super) struct Paths {
    /// The program; its instances have marks as names.
    marked: Project,
    /// Text for each mark.
    instances: Vec<String>,
    /// Variable of the test for each VAR_IN_OUT of an instance, with its type.
    references: BTreeMap<(usize, VarId), (String, String)>,
    /// Block that the test has an instance of, with the instance's name.
    block: Option<(String, String)>,
    /// Names that mean something in the program, and names of the test, in lower case.
    taken: BTreeSet<String>,
    /// Programs that the test calls.
    programs: Vec<String>,
}

/// Character that no program text has.
const MARK: char = '\u{1}';

impl Paths {
    /// Returns the names of a program. The error says why a test cannot call it.
    pub(super) fn new(project: &Project) -> Result<Paths, String> {
        let mut marked = project.clone();
        let ids: Vec<_> = project.instances.ids().collect();
        for (n, id) in ids.iter().enumerate() {
            marked.instances[*id].name = format!("{MARK}{n}{MARK}");
        }
        let (instances, references, programs) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut paths = Paths { marked, instances, references, block: None, taken: taken(project), programs };
        let mut seen: BTreeSet<PouId> = BTreeSet::new();
        for (n, id) in ids.iter().enumerate() {
            let pou = project.instances[*id].pou;
            if !seen.insert(pou) {
                return Err(format!(
                    "the program {} runs several times: a test cannot call each of its instances",
                    project.pous[pou].name
                ));
            }
            paths.instance(project, n, pou)?;
        }
        Ok(paths)
    }

    fn instance(&mut self, project: &Project, n: usize, pou: PouId) -> Result<(), String> {
        let row = &project.pous[pou];
        if row.kind == PouKind::FunctionBlock {
            let name = self.free("Tested");
            self.block = Some((name.clone(), row.name.clone()));
            self.instances.push(name);
        } else {
            // A name of several words stands in quotes in some languages, and no test in plain text can name it.
            if !row.origin.is_ours() && !is_name(&row.name) {
                return Err(format!("the name `{}` cannot be written in a test", row.name));
            }
            self.instances.push(row.name.clone());
            if !row.origin.is_ours() {
                self.programs.push(row.name.clone());
            }
        }
        for (id, var) in row.vars.iter_enumerated().filter(|(_, var)| var.section == Section::InOut) {
            let name = self.free(&var.name);
            self.references.insert((n, id), (name, type_to_st(project, var.ty)));
        }
        Ok(())
    }

    /// Returns a name that nothing has, and takes it.
    pub(super) fn free(&mut self, wanted: &str) -> String {
        let numbered = (1..).map(|n| if n == 1 { wanted.to_owned() } else { format!("{wanted}_{n}") });
        let name = numbered.into_iter().find(|name| self.taken.insert(name.to_lowercase()));
        name.unwrap_or_default()
    }

    /// Returns a condition over globals and instances as text.
    pub(super) fn condition(&self, condition: &Expr) -> String {
        self.unmarked(&expr_to_st(&self.marked, condition))
    }

    /// Returns the names of rows of the program's leaves.
    pub(super) fn rows(&self, rows: &[Shown]) -> Vec<String> {
        let leaves = self.marked.leaves();
        let name = |row: &Shown| {
            let first = leaves.get(row.leaves.start)?;
            let text = row
                .text
                .map_or(first.name.as_str(), |_| first.name.rsplit_once('[').map_or(first.name.as_str(), |(name, _)| name));
            if let (Root::Instance(id), Some(LeafElem::Member(var))) = (first.root, first.path.first())
                && let Some((own, _)) = self.references.get(&(id.0 as usize, *var))
            {
                let prefix = format!(
                    "{}.{}",
                    self.marked.instances[id].name, self.marked.pous[self.marked.instances[id].pou].vars[*var].name
                );
                return Some(format!("{own}{}", text.strip_prefix(&prefix)?));
            }
            Some(self.unmarked(text))
        };
        rows.iter().map(|row| name(row).unwrap_or_else(|| row.name.clone())).collect()
    }

    /// Returns a text with names instead of marks.
    fn unmarked(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for ((n, var), (own, _)) in &self.references {
            let Some(pou) = self.marked.instances.iter().nth(*n).map(|instance| instance.pou) else { continue };
            out = replace_word(&out, &format!("{MARK}{n}{MARK}.{}", self.marked.pous[pou].vars[*var].name), own);
        }
        for (n, name) in self.instances.iter().enumerate() {
            out = out.replace(&format!("{MARK}{n}{MARK}"), name);
        }
        out
    }

    /// Returns the call of an instance by its number.
    pub(super) fn call(&self, n: usize) -> Option<String> {
        let name = self.instances.get(n)?;
        let arguments = self.references.iter().filter(|((of, _), _)| *of == n).filter_map(|((_, var), (own, _))| {
            let pou = self.marked.instances.iter().nth(n)?.pou;
            Some(format!("{} := {own}", self.marked.pous[pou].vars[*var].name))
        });
        Some(format!("{name}({});", arguments.collect::<Vec<_>>().join(", ")))
    }

    /// Returns the variables of the test for the program: the block, and the targets of VAR_IN_OUT.
    pub(super) fn declarations(&self) -> Vec<(String, String)> {
        self.block.iter().cloned().chain(self.references.values().cloned()).collect()
    }

    /// Returns the sentences about the programs that the test calls.
    pub(super) fn sentences(&self) -> Vec<String> {
        match self.programs.as_slice() {
            [] => Vec::new(),
            [one] => vec![format!(
                "The test calls {one} itself: take {one} out of its task while the test runs, and start from a cold start."
            )],
            several => vec![format!(
                "The test calls {} itself: take them out of their tasks while the test runs, and start from a cold start.",
                several.join(", ")
            )],
        }
    }
}

/// Returns the names that mean something in a program.
fn taken(project: &Project) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut add = |name: &str| names.extend(name.split('.').map(str::to_lowercase));
    project.globals.iter().for_each(|global| add(&global.name));
    project.pous.iter().for_each(|pou| add(&pou.name));
    for def in project.types.iter() {
        def.name.iter().for_each(|name| add(name));
        if let Type::Enum { variants, .. } = &def.ty {
            variants.iter().for_each(|(name, _)| add(name));
        }
    }
    names
}

/// Returns whether a text is one identifier, perhaps with namespaces in front.
fn is_name(text: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    text.split('.').all(is_word)
}

/// Replaces a word where no longer word begins with it.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        out.push_str(before);
        out.push_str(if after.starts_with(|c: char| c.is_alphanumeric() || c == '_') { word } else { by });
        rest = after;
    }
    out.push_str(rest);
    out
}

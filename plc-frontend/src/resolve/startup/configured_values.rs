//! VAR_CONFIG: initial values of single instances; VAR_ACCESS: variables for partners on a network.
//!
//! An initial value becomes the state at cold start, before any FB_init runs. Addresses, and values that cannot be found or
//! computed, are assumptions by name. So are the writes of partners; their reads change nothing.

use crate::ast::{self, InitializerKind};
use crate::hir::{Leaf, Value};
use crate::resolve::findings::Findings;
use crate::resolve::prepare::declaration_order;
use crate::resolve::resolver::Resolver;
use crate::resolve::scope::{Scope, Uses};
use crate::text::{Ignored, SourceSet};
use std::collections::BTreeMap;

impl Resolver<'_> {
    /// Reads both kinds of sections of all configurations; the project has no errors.
    pub(crate) fn configure(&mut self, units: &[ast::Unit], sources: &SourceSet) {
        let mut leaves: Option<BTreeMap<String, Leaf>> = None;
        for item in declaration_order::all(units) {
            let ast::Item::Configuration(configuration) = item else { continue };
            let resources: Vec<&str> =
                configuration.resources.iter().filter_map(|r| Some(r.name.as_ref()?.text.as_str())).collect();
            let inner = configuration.resources.iter().flat_map(|resource| &resource.vars);
            for block in configuration.vars.iter().chain(inner) {
                for decl in &block.vars {
                    if block.section == ast::Section::Access {
                        self.findings.access(decl, sources);
                    }
                    if block.section == ast::Section::Config {
                        let leaves = leaves.get_or_insert_with(|| {
                            let leaves = self.project.leaves().into_iter();
                            leaves.map(|leaf| (leaf.name.to_ascii_lowercase(), leaf)).collect()
                        });
                        self.configure_one(decl, &resources, leaves);
                    }
                }
            }
        }
    }

    fn configure_one(&mut self, decl: &ast::VarDecl, resources: &[&str], leaves: &BTreeMap<String, Leaf>) {
        if decl.address.is_some() {
            self.findings.assume(decl.span, "address in VAR_CONFIG");
        }
        let Some(init) = &decl.init else { return };
        let value = self.configured_value(decl, init, resources, leaves);
        match value {
            Some((name, value)) => {
                self.findings.ledger.count("initial value of an instance");
                self.project.cold_start.insert(name, value);
            }
            None => self.findings.assume(decl.span, "initial value in VAR_CONFIG"),
        }
    }

    /// Returns the canonical name of the scalar, and its value.
    fn configured_value(
        &mut self,
        decl: &ast::VarDecl,
        init: &ast::Initializer,
        resources: &[&str],
        leaves: &BTreeMap<String, Leaf>,
    ) -> Option<(String, Value)> {
        let InitializerKind::Expr(e) = &init.kind else { return None };
        let path = decl.name.text.to_ascii_lowercase();
        let inner = path.split_once('.').filter(|(first, _)| resources.iter().any(|r| r.eq_ignore_ascii_case(first)));
        let leaf = leaves.get(inner.map_or(path.as_str(), |(_, rest)| rest))?;
        if leaf.constant || leaf.stopwatch || leaf.init.is_none() {
            return None;
        }
        let (ty, name) = (leaf.ty, leaf.name.clone());
        let value = self.attempt(|r| {
            let declared = r.type_spec(None, &decl.ty, None)?.ty;
            let value = r.expr_as(Scope { owner: None, uses: Uses::Constant }, e, ty, "the initial value")?;
            Ok((declared == ty).then_some(r.fold(&value)?))
        });
        Some((name, value??))
    }
}

impl Findings {
    fn access(&mut self, decl: &ast::VarDecl, sources: &SourceSet) {
        let words = sources.text(decl.span).trim_end().trim_end_matches(';').trim_end().to_ascii_uppercase();
        if words.ends_with("READ_WRITE") {
            self.assume(decl.span, "VAR_ACCESS with READ_WRITE, by which others write a variable");
        } else {
            let why = "who reads a variable from elsewhere changes no run".to_owned();
            self.ledger.ignored.push(Ignored { span: decl.span, what: "variable of VAR_ACCESS".to_owned(), why });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::{check_run, loaded};

    /// Checks initial values of leaves, gaps and ignored constructs.
    #[track_caller]
    fn check(section: &str, expected: &str, gaps: &[&str], n_ignored: usize) {
        let text = format!(
            r"FUNCTION_BLOCK F
VAR
 n : INT := 1; s : STRING[2]; END_VAR
VAR CONSTANT
 k : INT := 2; END_VAR
n := n + k;
END_FUNCTION_BLOCK
PROGRAM P
VAR
 f, g : F; a : ARRAY [1..2] OF REAL; x AT %I* : BOOL; END_VAR
f(); g();
END_PROGRAM
CONFIGURATION C
{section}
RESOURCE R ON cpu
TASK t (INTERVAL := T#10ms);
PROGRAM one WITH t : P;
PROGRAM two WITH t : P;
END_RESOURCE
END_CONFIGURATION
"
        );
        let loaded = loaded(&text);
        assert!(!loaded.has_errors(), "{:#?}\n{text}", loaded.diagnostics);
        let leaves = loaded.value.project.leaves();
        let wanted = ["one.f.n", "one.g.n", "two.f.n", "one.a[2]"];
        let value = |name: &str| leaves.iter().find(|leaf| leaf.name == name).and_then(|leaf| leaf.init);
        let shown = |v: crate::hir::Value| v.as_int().map_or_else(|| format!("{v:?}"), |i| i.to_string());
        let found: Vec<String> = wanted.iter().filter_map(|name| value(name)).map(shown).collect();
        assert_eq!(found.join(" "), expected, "{text}");
        let constructs: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert_eq!(constructs, gaps, "{text}");
        assert_eq!(loaded.value.ledger.ignored.len(), n_ignored, "{text}");
    }

    #[test]
    fn single_instances_have_initial_values() {
        let zero = "Real(0)";
        check("VAR_CONFIG one.f.n : INT := 7; END_VAR", &format!("7 1 1 {zero}"), &[], 0);
        check("VAR_CONFIG R.two.F.N : INT := 7; r.one.g.n : INT := 3 + 5; END_VAR", &format!("1 8 7 {zero}"), &[], 0);
        check("VAR_CONFIG one.a[2] : REAL := 1.5; END_VAR", &format!("1 1 1 Real({})", 1.5f32.to_bits()), &[], 0);
    }

    #[test]
    fn what_cannot_be_set_is_taken_for_granted() {
        let plain = "1 1 1 Real(0)";
        const VALUE: &str = "initial value in VAR_CONFIG";
        check("VAR_CONFIG one.h.n : INT := 7; END_VAR", plain, &[VALUE], 0);
        check("VAR_CONFIG one.f.n : DINT := 7; END_VAR", plain, &[VALUE], 0);
        check("VAR_CONFIG one.f.k : INT := 7; END_VAR", plain, &[VALUE], 0);
        check("VAR_CONFIG one.f.s : STRING[2] := 'a'; END_VAR", plain, &[VALUE], 0);
        check("VAR_CONFIG one.x AT %IX1.0 : BOOL; END_VAR", plain, &["address in VAR_CONFIG"], 0);
    }

    #[test]
    fn addresses_of_programs_become_those_of_their_declarations() {
        let text = |section: &str| {
            format!("PROGRAM MAIN\nVAR\n a AT %M* : INT; c AT %MW0 : INT; END_VAR\nc := 1;\na := 5;\nEND_PROGRAM\n{section}\n")
        };
        let lone = "VAR_CONFIG\n MAIN.a AT %MW0 : INT;\nEND_VAR";
        check_run(&text(lone), &["MAIN.c"], &[5], &[]);
        check_run(&text(&lone.replace("%MW0", "%MW8")), &["MAIN.c"], &[1], &[]);
        let run = "TASK t (INTERVAL := T#10ms);\nPROGRAM one WITH t : MAIN;";
        let inside = format!(
            "CONFIGURATION C\n{}\nRESOURCE R ON cpu\n{run}\nEND_RESOURCE\nEND_CONFIGURATION",
            lone.replace("MAIN", "one")
        );
        check_run(&text(&inside), &["one.c"], &[5], &[]);
        // The instances of a program share its declaration, and so do those of a block.
        let twice = inside.replace("END_RESOURCE", "PROGRAM two WITH t : MAIN;\nEND_RESOURCE");
        let several = "address %MW0 inside a program with several instances";
        check_run(&text(&twice), &["one.c"], &[0], &[several, several, "address in VAR_CONFIG"]);
    }

    #[test]
    fn who_reads_from_elsewhere_changes_nothing() {
        let plain = "1 1 1 Real(0)";
        check("VAR_ACCESS v : one.f.n : INT; w : one.g.n : INT READ_ONLY; END_VAR", plain, &[], 2);
        let gaps = ["VAR_ACCESS with READ_WRITE, by which others write a variable"];
        check("VAR_ACCESS v : one.f.n : INT READ_WRITE; END_VAR", plain, &gaps, 0);
    }
}

//! Rules about registries: each file or folder of a registry has a row in a table, and each row has a file or folder.

use super::Rule;
use crate::source::Source;

pub(super) const RULES: &[Rule] = &[
    Rule {
        text: "a page is one file in src/web/pages with the template of its name",
        check: pages,
        caught: &[("templates/pages/plan.html", "")],
    },
    Rule {
        text: "each file or folder of a registry has its row in the table",
        check: rows,
        caught: &[
            ("src/search/engine/mod.rs", "//! Engines.\npub const ENGINES: &[EngineInfo] = &[];\nmod bmc;\n"),
            ("src/search/engine/bmc.rs", "//! Bounded model checking.\npub const INFO: EngineInfo = X;\n"),
        ],
    },
    Rule {
        text: "each row that users choose by name is documented",
        check: documented,
        caught: &[
            (
                "src/search/engine/bmc.rs",
                "//! Bounded model checking.\npub const INFO: EngineInfo = EngineInfo {\n    name: \"bmc\",\n};\n",
            ),
            ("docs/engines.md", "# Engines\n"),
        ],
    },
    Rule {
        text: "a file of ours that a document names exists",
        check: named_files,
        caught: &[("docs/engines.md", "# Engines\n\nSee `src/search/engine/gone.rs`.\n")],
    },
];

fn pages(sources: &[Source]) -> Vec<String> {
    let stems = |folder: &str, ending: &str| -> Vec<String> {
        let files = sources.iter().filter_map(|file| file.path.strip_prefix(folder)?.strip_suffix(ending));
        files.filter(|stem| !stem.contains('/')).map(str::to_owned).collect()
    };
    let mut wrong = Vec::new();
    for name in stems("templates/pages/", ".html") {
        let page = format!("src/web/pages/{name}.rs");
        let uses = sources.iter().any(|file| file.path == page && file.text.contains(&format!("pages/{name}.html")));
        if !uses {
            wrong.push(format!("templates/pages/{name}.html: is not the template of {page}"));
        }
    }
    for file in sources.iter().filter(|file| file.path.starts_with("src/web/pages/")) {
        let name = file.path.trim_start_matches("src/web/pages/").trim_end_matches(".rs");
        for template in file.text.split("path = \"pages/").skip(1).filter_map(|rest| rest.split(".html").next()) {
            if template != name {
                wrong.push(format!("{}: uses the template of the page `{template}`", file.path));
            }
        }
    }
    wrong
}

/// Table, with the mark of the files that need a row in it.
struct Registry {
    /// The file with the table.
    table: &'static str,
    /// The folder whose files have rows.
    folder: &'static str,
    /// Text that every file with a row contains.
    mark: &'static str,
}

const REGISTRIES: &[Registry] = &[
    Registry { table: "src/report/format/mod.rs", folder: "src/report/format/", mark: "const FORMAT: ReportFormat" },
    Registry { table: "src/export/mod.rs", folder: "src/export/", mark: "const FORMAT: Format" },
    Registry { table: "src/search/engine/mod.rs", folder: "src/search/engine/", mark: "pub const INFO: EngineInfo" },
];

fn rows(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for registry in REGISTRIES {
        let Some(table) = sources.iter().find(|file| file.path == registry.table) else { continue };
        let is_row = |file: &&Source| file.path.starts_with(registry.folder) && file.text.contains(registry.mark);
        if !sources.iter().any(|file| is_row(&file)) {
            wrong.push(format!("{}: no file of {} has the mark `{}`", registry.table, registry.folder, registry.mark));
        }
        for file in sources.iter().filter(is_row) {
            let name = file.path[registry.folder.len()..].trim_end_matches(".rs").trim_end_matches("/mod");
            let name = name.split('/').next().unwrap_or_default();
            if !table.text.contains(&format!("{name}::")) {
                wrong.push(format!("{}: no row in {}", file.path, registry.table));
            }
        }
    }
    wrong
}

/// Folders whose rows have a name, the mark of a row, and the document that explains them.
const DOCUMENTS: &[(&str, &str, &str)] = &[
    ("src/search/engine/", "const INFO: EngineInfo", "docs/engines.md"),
    ("src/report/format/", "const FORMAT: ReportFormat", "README.md"),
];

fn documented(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (folder, mark, document) in DOCUMENTS {
        let Some(text) = sources.iter().find(|file| file.path == *document).map(|file| &file.text) else { continue };
        for file in sources.iter().filter(|file| file.path.starts_with(folder)) {
            let rows = file.text.split(mark).skip(1);
            for name in rows.filter_map(|row| row.split("name: \"").nth(1)?.split('"').next()) {
                if !text.contains(&format!("`{name}`")) {
                    wrong.push(format!("{}: `{name}` is missing in {document}", file.path));
                }
            }
        }
    }
    wrong
}

/// Folders whose files are all read. Only names in these folders can be checked.
const READ: &[&str] = &["src/", "plc-frontend/src/"];

fn named_files(sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for document in sources.iter().filter(|file| file.path.ends_with(".md")) {
        for name in document.text.split('`').skip(1).step_by(2) {
            let is_file = name.ends_with(".rs") && !name.contains(['*', '{', '<', ' ']);
            let is_ours = READ.iter().any(|folder| name.starts_with(folder));
            if is_file && is_ours && sources.iter().all(|file| file.path != name) {
                wrong.push(format!("{}: `{name}`", document.path));
            }
        }
    }
    wrong
}

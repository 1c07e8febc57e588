//! Files of no language: ignored ones, which hold no program, and refused ones, with the way to a readable text.
//!
//! **Invariant:** only files that cannot hold a part of a program are ignored; any other file that is not read is an error.

use super::common::{is_markup, starts_with_tag};
use super::prose;
use crate::text::{FileId, SourceFile};

/// Endings of files that belong to projects and hold no program.
const IGNORED: &[(&str, &[&str])] = &[
    ("picture", &["png", "jpg", "jpeg", "gif", "bmp", "svg", "ico", "tif", "tiff", "webp"]),
    ("document", &["md", "rst", "pdf", "html", "htm", "css", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "rtf", "chm"]),
    ("table", &["csv", "tsv"]),
    // Programs of a computer. C is not among them: Automation Studio runs it on the controller.
    (
        "program of a computer",
        &[
            "cs",
            "csproj",
            "vb",
            "vbproj",
            "py",
            "ipynb",
            "js",
            "ts",
            "java",
            "go",
            "rb",
            "php",
            "ps1",
            "sh",
            "bat",
            "cmd",
            "exe",
            "dll",
            "pdb",
            "jar",
            "resx",
            "resources",
            "xaml",
            "config",
        ],
    ),
    ("requirements or settings", &["yaml", "yml", "json", "toml", "ini", "cfg", "conf", "properties"]),
    (
        "settings of TwinCAT",
        &[
            "tsproj",
            "tspproj",
            "sln",
            "suo",
            "user",
            "xti",
            "tmc",
            "tpy",
            "tclrs",
            "tcscopex",
            "bootinfo",
            "vssscc",
            "vspscc",
            "compileinfo",
            "tmcrefac",
        ],
    ),
    // The names that it declares are those of a library that was not uploaded.
    ("compiled library", &["compiled-library", "compiled-library-ge33", "compiled-library-v3"]),
    ("description of a package of B&R Automation Studio", &["pkg", "prg", "lby", "apj"]),
    // Data points of Visual Components, and bindings of mapp View.
    ("visualisation of B&R Automation Studio", &["dso", "binding", "eventbinding"]),
    ("visualisation or texts of TwinCAT", &["tcvis", "tcvmo", "tcvmp", "tcgtlo", "tctlo", "tcipo", "tcrec", "tcrecp"]),
    (
        "file of version control",
        &["gitignore", "gitattributes", "gitmodules", "gitkeep", "editorconfig", "svnignore", "log", "bak"],
    ),
];

/// Folder in which TwinCAT keeps what the controller started with.
const BOOT: &str = "_Boot";
/// Folder in which TwinCAT keeps copies of the libraries that a project references, and the ending of those that are no text.
const LIBRARIES: (&str, &str) = ("_Libraries", "library");

/// Names of files beside sources, in any case, without or with the ending `txt`.
const DOCUMENTS: &[&str] = &[
    ".project",
    ".cproject",
    ".ds_store",
    "thumbs.db",
    "readme",
    "license",
    "licence",
    "changelog",
    "changes",
    "copying",
    "notice",
    "contributing",
    "authors",
    "todo",
    "makefile",
];

/// Endings of files that hold programs and cannot be read, with their system and the way to get a text.
const REFUSED: &[(&[&str], &str, &str)] = &[
    (
        &["project", "projectarchive", "library", "opt", "precompilecache"],
        "CODESYS",
        "in CODESYS, choose Project › Export PLCopenXML…, select the POUs, types and variable lists, and take the .xml file",
    ),
    (
        &["zap", "ap", "zal", "al", "amc"],
        "TIA Portal",
        "in TIA Portal, select the blocks, right-click › Generate source from blocks › Including all dependent blocks, and take the .scl files",
    ),
    (
        &["s7p", "s7l", "s7f", "arj"],
        "STEP 7",
        "in the SIMATIC Manager, open a block of SCL, choose File › Generate Source…, and take the .scl files",
    ),
    (&["acd", "rss", "rsp"], "Studio 5000", "in Studio 5000, export the component as .L5X and take that file"),
    (
        &["stu", "sta", "xef", "zef", "smbp"],
        "EcoStruxure",
        "in Control Expert, right-click a section of ST › Export, and take the text with its variables as a .st file",
    ),
    (&["br", "a"], "Automation Studio", "give the sources, or beside the binary of a library its `.lby` and its `.fun`"),
    (&["smc", "csm"], "Sysmac Studio", "in Sysmac Studio, choose Tools › Export PLCopen XML, and take the .xml file"),
    (&["gx", "gxw", "gpj"], "GX Works", "in GX Works, open the program of ST, copy its text and its labels into a .st file"),
    (
        &["pcwex", "pcwef", "mwt"],
        "PLCnext Engineer",
        "in PLCnext Engineer, open the ST code sheet, copy its text and variables into a .st file",
    ),
    (&["7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst"], "an archiver", "unpack it, or pack it as a .zip"),
];

/// Root of the settings of a project of Beremiz or of the OpenPLC Editor: its program stands in `plc.xml` beside it.
const BEREMIZ: &str = "BeremizRoot";
const SETTINGS_OF_BEREMIZ: &str = "settings of Beremiz or of the OpenPLC Editor";
/// Extension of a project of Beremiz that gives variables at addresses to other devices, such as a server of Modbus.
pub(crate) const BUS_OF_BEREMIZ: &str = "field bus of Beremiz";
/// Root of the settings that all extensions have.
const BASE_OF_NODE: &str = "BaseParams";
/// Kinds of extensions of a project of Beremiz that hold code, and the roots of their files.
pub(crate) const C_CODE: &str = "C code of Beremiz";
pub(crate) const PYTHON_CODE: &str = "Python code of Beremiz";
const CODE_OF_BEREMIZ: &[(&str, &str)] = &[("CFile", C_CODE), ("PyFile", PYTHON_CODE)];
/// Settings of an extension of a project of Beremiz, by their names.
const NODES_OF_BEREMIZ: &[&str] = &["baseconfnode.xml", "confnode.xml"];
/// Processing instruction at the beginning of the files of Automation Studio.
pub(super) const STUDIO: &str = "<?AutomationStudio";
/// Beginnings of names of documents that may go on: `LICENSE_of_a_library.txt`.
const BEGINNINGS: &[&str] = &["readme", "license", "licence", "changelog", "copying", "notice"];
/// Endings of files of C.
pub(crate) const C_ENDINGS: &[&str] = &["c", "cc", "cpp", "cxx", "h", "hpp"];
/// Endings of other code that controllers or their tools run.
const CODE_ENDINGS: &[&str] = &["ab", "s", "asm", "inc", "lua", "tcl", "bas", "pas", "sfc", "ld", "fbd", "cfc", "il"];
const TEXTS: &[&str] = &["txt"];

/// Returns the kind of a file whose text shows that it holds no program.
pub(super) fn ignored_text(name: &str, text: &str) -> Option<&'static str> {
    if starts_with_tag(text, STUDIO) {
        return Some("settings of Automation Studio");
    }
    if is_settings_of_beremiz(text) {
        return Some(SETTINGS_OF_BEREMIZ);
    }
    if let Some(code) = code_of_beremiz(text) {
        return Some(code);
    }
    if is_node_of_beremiz(name, text) {
        return Some(if starts_with_tag(text, BASE_OF_NODE) { SETTINGS_OF_BEREMIZ } else { BUS_OF_BEREMIZ });
    }
    let is_document = || if is_plain(name) { prose::is_prose(text) } else { prose::is_long_prose(text) };
    (is_any_text(name) && is_document()).then_some("document")
}

/// Returns the kind of the code, if a text holds an extension of a project of Beremiz with code: it shares variables with the program.
pub(crate) fn code_of_beremiz(text: &str) -> Option<&'static str> {
    let (tag, kind) = CODE_OF_BEREMIZ.iter().find(|(tag, _)| starts_with_tag(text, tag))?;
    super::xml::read(FileId(0), text).value.root().filter(|root| root.name() == *tag).map(|_| *kind)
}

/// Returns whether a file holds settings of an extension of a project of Beremiz, such as those of a field bus.
pub(crate) fn is_node_of_beremiz(name: &str, text: &str) -> bool {
    let is_named = NODES_OF_BEREMIZ.iter().any(|node| last_part(name).eq_ignore_ascii_case(node));
    is_named && is_markup(text) && !FORMATS.iter().any(|tag| starts_with_tag(text, tag))
}

/// Returns whether a text holds the settings of a project of Beremiz.
pub(crate) fn is_settings_of_beremiz(text: &str) -> bool {
    starts_with_tag(text, BEREMIZ) && super::xml::read(FileId(0), text).value.root().is_some_and(|root| root.name() == BEREMIZ)
}

/// Returns whether a text of this name may be sentences: `terms.txt`, `COPYRIGHT`, `terms.lic`.
///
/// Soundness: files of C may have no assignment either, and Automation Studio runs them on the controller.
fn is_any_text(name: &str) -> bool {
    super::has_ending(name, TEXTS)
        || (super::detection::is_unknown(name) && !super::has_ending(name, C_ENDINGS) && !super::has_ending(name, CODE_ENDINGS))
}

/// Returns whether the ending of a name tells nothing: other texts may be programs in any language.
fn is_plain(name: &str) -> bool {
    let last = last_part(name);
    let has_no_ending = !last.trim_start_matches('.').contains('.');
    let stem = last.split('.').next().unwrap_or(last);
    super::has_ending(name, TEXTS) || has_no_ending || BEGINNINGS.iter().any(|known| known.eq_ignore_ascii_case(stem))
}

/// Tags near the beginning of the formats that programs have, in XML.
const FORMATS: &[&str] = &["<project", ":project", "<TcPlcObject", "<Document", "<RSLogix5000Content", "<Project"];
/// Words that end parts of programs.
const ENDS: &[&str] = &[
    "end_var",
    "end_function",
    "end_function_block",
    "end_program",
    "end_type",
    "end_struct",
    "end_if",
    "end_case",
    "end_for",
    "end_while",
    "end_repeat",
    "end_method",
    "end_property",
    "end_action",
    "end_interface",
    "end_class",
    "end_namespace",
    "end_configuration",
    "end_data_block",
    "end_organization_block",
];

/// Returns whether a file is of a kind that holds no declarations of programs: neither its name nor its text tells of one.
///
/// Soundness: the file may be code in another language, so what it names may be written all the same.
pub fn is_foreign(name: &str, text: &str) -> bool {
    let is_unknown =
        if is_markup(text) { !FORMATS.iter().any(|tag| starts_with_tag(text, tag)) } else { super::detection::is_unknown(name) };
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    is_unknown && !words.any(|word| ENDS.iter().any(|end| word.eq_ignore_ascii_case(end)))
}

/// Returns the kind of a file whose name shows that it holds no program.
pub(super) fn ignored(name: &str) -> Option<&'static str> {
    let is_below = |folder: &str| name.rsplit(['/', '\\']).skip(1).any(|part| part.eq_ignore_ascii_case(folder));
    if is_below(BOOT) {
        return Some("boot copy of TwinCAT");
    }
    if is_below(LIBRARIES.0) && super::has_ending(name, &[LIBRARIES.1]) {
        return Some("compiled library");
    }
    let name = last_part(name);
    let by_ending = IGNORED.iter().find(|(_, endings)| super::has_ending(name, endings)).map(|(what, _)| *what);
    let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".TXT")).unwrap_or(name);
    let is_document = DOCUMENTS.iter().any(|document| stem.eq_ignore_ascii_case(document));
    let is_of_document = || stem.len() < name.len() && BEGINNINGS.iter().any(|beginning| begins_with(stem, beginning));
    by_ending.or((is_document || is_of_document()).then_some("document"))
}

/// Names of files that hold no program and list the projects of a system (SIMATIC AX).
const PACKAGES: &[&str] = &["apax.yml", "apax.yaml"];
/// Endings of files that hold no program and list the files of one (Automation Studio).
pub(super) const LISTS: &[&str] = &["prg", "lby"];

/// Returns whether a file has the name of a list and holds a program all the same.
pub(super) fn is_program_in_list(file: &SourceFile) -> bool {
    let has_end = || {
        let mut words = file.text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| ENDS.iter().any(|end| word.eq_ignore_ascii_case(end)))
    };
    super::has_ending(&file.name, LISTS) && !is_markup(&file.text) && has_end()
}

/// Returns whether a file lists a package of SIMATIC AX: its text tells which projects there are.
pub(crate) fn is_package_list(name: &str) -> bool {
    let name = last_part(name);
    PACKAGES.iter().any(|package| name.eq_ignore_ascii_case(package))
}

/// Returns whether a file lists a project of an engineering system and holds no program itself, by its name.
pub fn is_project_list(name: &str) -> bool {
    is_package_list(name) || super::has_ending(name, LISTS)
}

/// Returns whether a name shows that a file holds no program; the contents of such files are not read.
pub fn is_ignored(name: &str) -> bool {
    ignored(name).is_some()
}

/// Endings of visualisations, recipes, and lists for OPC UA: without a program, and an operator or a client writes with them.
const PANELS: &[&str] = &["tcvis", "tcrec", "tcrecp", "uad", "dso", "binding", "eventbinding"];

/// Returns whether a file is an operator panel, by its name: its text tells which variables it may write.
pub fn is_panel(name: &str) -> bool {
    super::has_ending(name, PANELS)
}

/// Returns whether the text of a file is of no use, by its name.
pub fn holds_no_text(name: &str) -> bool {
    (is_ignored(name) && !is_project_list(name) && !is_panel(name) && !super::is_settings_of_tasks(name))
        || refused(name).is_some()
}

/// Returns the system of a file that cannot be read, by its name, and the way to get a text from it.
pub fn refused(name: &str) -> Option<(&'static str, &'static str)> {
    if is_ignored(name) {
        return None;
    }
    let (_, ending) = last_part(name).rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
    let ending = ending.to_ascii_lowercase();
    // Further versions may follow `zap15_1`.
    let versionless = ending.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let is_it = |e: &&str| *e == ending || (2 <= versionless.len() && *e == versionless);
    REFUSED.iter().find(|(endings, _, _)| endings.iter().any(is_it)).map(|(_, system, way)| (*system, *way))
}

/// Returns whether a name begins with a word, which ends there.
fn begins_with(name: &str, word: &str) -> bool {
    let is_it = name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    is_it && name.get(word.len()..).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

fn last_part(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        let check = |name: &str, is: Option<&str>, of: Option<&str>| {
            assert_eq!((ignored(name), refused(name).map(|(system, _)| system)), (is, of), "{name}");
        };
        check("README", Some("document"), None);
        check("docs/readme.TXT", Some("document"), None);
        check("a.PNG", Some("picture"), None);
        check("tools/Build_docs.py", Some("program of a computer"), None);
        check("Ads/IHeader.cs", Some("program of a computer"), None);
        check("motor.c", None, None);
        check("x/.gitignore", Some("file of version control"), None);
        check("PLC/_Libraries/a/1.0/tc2_mc2.library", Some("compiled library"), None);
        check("PLC/_Libraries/own.st", None, None);
        check("a/tc2_mc2.compiled-library", Some("compiled library"), None);
        check("Own.library", None, Some("CODESYS"));
        check("x\\_Boot\\TwinCAT RT (x64)\\PLC.tpzip\\MAIN.TcPOU", Some("boot copy of TwinCAT"), None);
        check("Plant.tsproj", Some("settings of TwinCAT"), None);
        check("x/.project", Some("document"), None);
        check("Plant.project", None, Some("CODESYS"));
        check("Lib/SG4/AsX.br", None, Some("Automation Studio"));
        check("Plant.zap15_1", None, Some("TIA Portal"));
        check("Plant.ACD", None, Some("Studio 5000"));
        check("Plant.L5X", None, None);
        check("a.gx3", None, Some("GX Works"));
        check("a.7z", None, Some("an archiver"));
        check("x/LICENSE_log4net.txt", Some("document"), None);
        check("Readme (de).TXT", Some("document"), None);
        check("licensed.txt", None, None);
        check("license_key.st", None, None);
        // Files that may hold programs.
        for name in ["a.st", "a.txt", "a.xml", "a.awl", "readme.st", "noending", "a.TcPOU", "a.plcproj", "a.scl", "a.var", ""] {
            check(name, None, None);
        }
    }

    #[test]
    fn texts_of_sentences_are_documents() {
        let check =
            |name: &str, text: &str, expected: Option<&str>| assert_eq!(ignored_text(name, text), expected, "{name}: {text}");
        let prose =
            "This PROGRAM is free software: you can redistribute it; FUNCTION and TYPE of it have no warranty. ".repeat(3);
        check("COPYRIGHT", &prose, Some("document"));
        check("terms.txt", &prose, Some("document"));
        check("a.st", &prose, None);
        check("terms.txt", &format!("{prose} x := 1;"), None);
        // Files of C have no `:=`, and a controller may run them.
        for name in ["Main.c", "src/Main.cpp", "fast.h", "license.c", "x.ab"] {
            check(name, &prose, None);
        }
        check("terms.lic", &prose, Some("document"));
        check("terms.lic", "See the contract.", None);
        check("notes.txt", "See the contract.", Some("document"));
        check("notes.txt", "See (1) the contract(s).\n\nJohn", Some("document"));
        check("x/LICENSE.MIT", &prose, Some("document"));
        check("terms.txt", &format!("{prose} end_var"), None);
        check("short.txt", "PROGRAM p", None);
        check(
            "IEC.prg",
            "<?xml version=\"1.0\"?>\n<?AutomationStudio FileVersion=\"4.9\"?><Program/>",
            Some("settings of Automation Studio"),
        );
        check("IEC.prg", "PROGRAM p END_PROGRAM", None);
        let settings = "<?xml version='1.0'?>\n<BeremizRoot URI_location=\"LOCAL://\"><TargetType/></BeremizRoot>";
        check("beremiz.xml", settings, Some("settings of Beremiz or of the OpenPLC Editor"));
        check("beremiz.xml", "<project><types/><!-- <BeremizRoot> --><pou name=\"p\"/></project>", None);
    }
}

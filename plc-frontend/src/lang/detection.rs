//! Detection of languages, roles and dialects by names and texts of files; the knowledge stands in the rows of [`LANGUAGES`].

use super::common::excluded::{folder_of, normal_path};
use super::common::{has_ending, is_markup};
use super::{Ending, FileRole, LANGUAGES, Language, is_package_list};
use crate::dialect::DialectId;
use crate::text::{Origin, SourceFile, SourceSet};

impl Language {
    /// Returns whether a name has one of the language's endings, in any case.
    pub(super) fn owns(&self, name: &str) -> bool {
        self.endings.iter().any(|ending| has_ending(name, &[ending.text]))
    }
}

/// Returns the row of a name's ending.
fn ending_of(name: &str) -> Option<&'static Ending> {
    LANGUAGES.iter().flat_map(|language| language.endings).find(|ending| has_ending(name, &[ending.text]))
}

/// Returns whether no language and no list of foreign files knows the ending of a name.
pub(super) fn is_unknown(name: &str) -> bool {
    ending_of(name).is_none() && !super::is_ignored(name) && super::refused(name).is_none() && !has_ending(name, &["zip"])
}

/// Returns whether a file has one of the language's endings and a text that is not XML.
pub(super) fn is_text_of(language: &Language, file: &SourceFile) -> bool {
    language.owns(&file.name) && !is_markup(&file.text)
}

/// Returns the part of a program that a file is by its name; `None` for names of no language.
pub fn role(name: &str) -> Option<FileRole> {
    ending_of(name).map(|ending| ending.role)
}

/// Returns whether a file belongs to a project of several files, by its name or by its text.
pub fn is_object(name: &str, text: impl FnOnce() -> Option<String>) -> bool {
    if let Some(FileRole::Object | FileRole::Project) = role(name) {
        return true;
    }
    let mut checks = LANGUAGES.iter().filter(|language| language.owns(name)).filter_map(|language| language.is_object).peekable();
    checks.peek().is_some() && text().is_some_and(|text| checks.any(|is_object| is_object(&text)))
}

/// Returns the dialects of the only systems that give files such names, or list them.
///
/// A package of SIMATIC AX has all sources below its list, except those that another system marks as its own. A `plc.xml` beside the
/// settings of a project of Beremiz is its program, whatever other editor wrote it.
pub(crate) fn dialects(sources: &SourceSet) -> impl Fn(&SourceFile) -> Option<DialectId> + use<> {
    let users = sources.files.iter().filter(|file| file.origin == Origin::User && is_package_list(&file.name));
    let packages: Vec<String> = users.map(|list| folder_of(&normal_path(&list.name)).to_owned()).collect();
    let users = sources.files.iter().filter(|file| file.origin == Origin::User);
    let settings = users.filter(|file| has_ending(&file.name, &["xml"]) && super::is_settings_of_beremiz(&file.text));
    // The program of such a project.
    let programs: Vec<String> =
        settings.map(|file| format!("{}plc.xml", folder_of(&normal_path(&file.name))).to_lowercase()).collect();
    move |file| {
        if programs.contains(&normal_path(&file.name).to_lowercase()) {
            return Some(DialectId::Matiec);
        }
        let is_below = || packages.iter().any(|folder| normal_path(&file.name).starts_with(folder));
        let is_packed = || has_ending(&file.name, &["st"]) && is_below() && crate::dialect::by_mark(&file.text).is_none();
        dialect_of_ending(file).or_else(|| is_packed().then_some(DialectId::SiemensTia))
    }
}

/// Returns the dialect of the only system that gives files such a name. Other programs write `.db` files, too.
fn dialect_of_ending(file: &SourceFile) -> Option<DialectId> {
    let ending = ending_of(&file.name)?;
    let is_foreign = ending.text == "db" && !file.text.to_ascii_uppercase().contains("DATA_BLOCK");
    ending.dialect.filter(|_| !is_foreign)
}

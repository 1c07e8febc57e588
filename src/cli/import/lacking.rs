//! Names that an error calls unknown, and the question if anything in the upload declares them.

use plc_frontend::codes::{NO_GLOBAL, UNKNOWN_FUNCTION, UNKNOWN_NAME, UNKNOWN_TYPE};
use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::part::Declared;

/// Names that a system documents as a part of its language: that one is unknown is never a library's fault.
const LANGUAGE: &str = include_str!("language.txt");

/// Libraries of standard blocks: an unknown name in them is our gap.
const STANDARD: &[&str] = &["standard", "standard64", "iecstandard", "tc2_standard", "tc2_system", "tc2_utilities", "sysutil"];

/// Kind of declaration that a use of an unknown name needs; the later ones tell more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wanted {
    Variable,
    Function,
    Type,
}

impl Wanted {
    /// Returns the kind for people.
    pub(super) fn word(self) -> &'static str {
        match self {
            Wanted::Variable => "name",
            Wanted::Function => "function",
            Wanted::Type => "type",
        }
    }
}

/// A name that an error calls unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnknownName {
    /// As the program writes it.
    pub(super) name: String,
    pub(super) wanted: Wanted,
}

impl UnknownName {
    /// Returns the name of an error about an unknown name.
    pub(super) fn of(error: &Diagnostic) -> Option<UnknownName> {
        let wanted = match error.code {
            UNKNOWN_TYPE => Wanted::Type,
            UNKNOWN_FUNCTION => Wanted::Function,
            UNKNOWN_NAME | NO_GLOBAL => Wanted::Variable,
            _ => return None,
        };
        let name = error.message.split('`').nth(1)?.to_owned();
        Some(UnknownName { name, wanted })
    }

    /// Returns the library in front of the name, if neither the upload nor a system declares it.
    pub(super) fn library(&self, declared: &Declared) -> Option<&str> {
        let (library, _) = self.name.split_once('.')?;
        // `Library.TON`: a block of another library than the standard one is its own.
        let key = library.trim().to_ascii_lowercase();
        let is_standard = STANDARD.contains(&key.as_str()) || (key.starts_with("__") && is_of_language(&key));
        (!is_standard && !declared.contains(&key)).then(|| library.trim())
    }

    /// Returns whether no declaration of the upload has the name, and no system has it as a part of its language. For a type or
    /// function only POUs, types, interfaces and members count.
    pub(super) fn is_lacking(&self, declared: &Declared) -> bool {
        if self.library(declared).is_some() {
            return true;
        }
        let last = self.name.rsplit('.').next().unwrap_or(&self.name).trim().to_ascii_lowercase();
        let is_language = is_of_language(&last) || last.starts_with('%');
        let is_declared = match self.wanted {
            Wanted::Type | Wanted::Function => declared.contains_type_or_member(&last),
            Wanted::Variable => declared.contains(&last),
        };
        !is_language && !is_declared
    }
}

/// Returns whether a name stands in [`LANGUAGE`]; of a name with `__` the beginning counts.
fn is_of_language(name: &str) -> bool {
    let mut words = LANGUAGE.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    words.any(|word| name == word || (word.starts_with("__") && name.starts_with(word)))
}

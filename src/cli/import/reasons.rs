//! Reasons why POUs are not understood: root causes, and how many POUs each of them stops.
//!
//! An error is a consequence, and no reason, in two cases:
//! - its POU has a syntax error: declarations may be lost;
//! - it calls a name unknown, and its POU extends a block that is unknown: the name may be inherited.

use std::collections::{BTreeMap, BTreeSet};

use plc_frontend::ast::Pou;
use plc_frontend::codes::UNKNOWN_TYPE;
use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::part::{Declared, Parts};
use plc_frontend::source::{FileId, Span};
use serde::Serialize;

use super::lacking::{UnknownName, Wanted};
use super::report::Listed;

/// A reason why POUs are not understood.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Reason {
    /// Kind of the error with the name: "unknown type `FB_X`".
    pub(super) reason: String,
    /// `P####` of the first error.
    pub(super) code: &'static str,
    /// POUs that it keeps from being resolved.
    pub(super) n_pous: usize,
    /// Those of them without another reason.
    pub(super) n_only: usize,
    /// No file of the upload declares the name.
    pub(super) is_lacking: bool,
    /// File and line of the first error.
    pub(super) place: String,
}

/// A POU that is not understood.
#[derive(Debug, Serialize)]
pub(super) struct NotResolved {
    /// Its most telling error.
    #[serde(flatten)]
    pub(super) error: Listed,
    /// Each of its reasons is a name that no file of the upload declares.
    pub(super) is_lacking: bool,
}

/// A POU that is not understood, before all names of the upload are known.
pub(super) struct Unresolved {
    /// Each root cause once, with its place.
    pub(super) causes: Vec<Cause>,
}

/// A root cause in one POU.
pub(super) struct Cause {
    /// The name, if the error calls one unknown.
    pub(super) unknown: Option<UnknownName>,
    pub(super) listed: Listed,
    /// File and line of the error.
    pub(super) place: String,
}

/// The POUs of a project, to find the one around an error and the blocks that it extends.
pub(super) struct PouIndex<'p> {
    by_place: BTreeMap<(FileId, u32), &'p Pou>,
    by_name: BTreeMap<String, &'p Pou>,
}

impl<'p> PouIndex<'p> {
    pub(super) fn new(parts: &'p Parts) -> PouIndex<'p> {
        let pous = || parts.pous().map(|(_, pou)| pou);
        PouIndex {
            by_place: pous().map(|pou| ((pou.span.file, pou.span.start), pou)).collect(),
            by_name: pous().map(|pou| (pou.name.text.to_lowercase(), pou)).collect(),
        }
    }

    fn around(&self, span: Span) -> Option<&'p Pou> {
        let (_, pou) = self.by_place.range(..=(span.file, span.start)).next_back()?;
        (pou.span.file == span.file && span.start < pou.span.end).then_some(pou)
    }

    /// Returns the errors that are no consequences of others; at least one if there is one.
    pub(super) fn roots<'d>(&self, errors: &[&'d Diagnostic]) -> Vec<&'d Diagnostic> {
        let mut unreadable = BTreeSet::new();
        let mut orphans = BTreeSet::new();
        let mut first_syntax = BTreeSet::new();
        for (at, error) in errors.iter().enumerate() {
            let Some(pou) = self.around(error.span()) else { continue };
            if is_syntax(error) && unreadable.insert(place(pou)) {
                first_syntax.insert(at);
            }
            if is_base(pou, error) {
                orphans.insert(place(pou));
            }
        }
        let is_root = |at: usize, error: &Diagnostic| {
            let Some(pou) = self.around(error.span()) else { return true };
            if unreadable.contains(&place(pou)) {
                return first_syntax.contains(&at);
            }
            UnknownName::of(error).is_none() || is_base(pou, error) || !self.extends_one_of(pou, &orphans)
        };
        let roots: Vec<&Diagnostic> = errors.iter().enumerate().filter(|(at, e)| is_root(*at, e)).map(|(_, e)| *e).collect();
        if roots.is_empty() { errors.iter().take(1).copied().collect() } else { roots }
    }

    /// Returns whether a block, or one that it extends at any distance, is among these.
    fn extends_one_of(&self, pou: &Pou, these: &BTreeSet<(FileId, u32)>) -> bool {
        /// Longest line of blocks that is followed.
        const LONGEST: usize = 100;
        let mut at = Some(pou);
        for _ in 0..LONGEST {
            let Some(pou) = at else { return false };
            if these.contains(&place(pou)) {
                return true;
            }
            let base = pou.extends.as_ref().and_then(|name| name.idents().last());
            at = base.and_then(|base| self.by_name.get(&base.text.to_lowercase()).copied());
        }
        false
    }
}

fn place(pou: &Pou) -> (FileId, u32) {
    (pou.span.file, pou.span.start)
}

fn is_syntax(error: &Diagnostic) -> bool {
    error.code.starts_with("P0") || error.code.starts_with("P1")
}

/// Returns whether an error calls the block unknown that a POU extends.
fn is_base(pou: &Pou, error: &Diagnostic) -> bool {
    let base = pou.extends.as_ref().and_then(|name| name.idents().last());
    error.code == UNKNOWN_TYPE
        && base.is_some_and(|base| base.span.end == error.span().end && base.span.file == error.span().file)
}

/// Number of POUs of a reason, while they are counted.
struct Count {
    reason: Reason,
    wanted: Option<Wanted>,
}

/// Returns the most telling error of each POU, and all reasons, the most frequent first.
pub(super) fn reasons(unresolved: Vec<Unresolved>, declared: &Declared) -> (Vec<NotResolved>, Vec<Reason>) {
    let mut counts: BTreeMap<(Option<&'static str>, String), Count> = BTreeMap::new();
    let mut rows = Vec::new();
    for pou in unresolved {
        let is_lacking = |cause: &Cause| cause.unknown.as_ref().is_some_and(|name| name.is_lacking(declared));
        let mut of_pou = BTreeSet::new();
        for cause in &pou.causes {
            let (key, words) = key_of(cause, declared);
            of_pou.insert(key.clone());
            let wanted = cause.unknown.as_ref().map(|name| name.wanted);
            let count = counts.entry(key).or_insert_with(|| Count {
                reason: Reason {
                    reason: words.clone(),
                    code: cause.listed.code.unwrap_or_default(),
                    n_pous: 0,
                    n_only: 0,
                    is_lacking: is_lacking(cause),
                    place: cause.place.clone(),
                },
                wanted,
            });
            // A name that is used as a type is unknown as a type.
            if count.wanted < wanted {
                (count.reason.reason, count.wanted) = (words, wanted);
            }
            count.reason.is_lacking &= is_lacking(cause);
        }
        for key in &of_pou {
            if let Some(count) = counts.get_mut(key) {
                count.reason.n_pous += 1;
                count.reason.n_only += usize::from(of_pou.len() == 1);
            }
        }
        // A name that nothing declares tells less than any other error.
        let all_lacking = pou.causes.iter().all(is_lacking);
        let telling = pou.causes.iter().position(|cause| !is_lacking(cause)).unwrap_or(0);
        if let Some(cause) = pou.causes.into_iter().nth(telling) {
            rows.push(NotResolved { error: cause.listed, is_lacking: all_lacking });
        }
    }
    let mut reasons: Vec<Reason> = counts.into_values().map(|count| count.reason).collect();
    reasons.sort_by(|a, b| (b.n_pous, b.n_only, &a.reason).cmp(&(a.n_pous, a.n_only, &b.reason)));
    (rows, reasons)
}

/// Returns the key of a reason, and its words. Unknown names are one reason, whatever they are used as.
fn key_of(cause: &Cause, declared: &Declared) -> ((Option<&'static str>, String), String) {
    let Some(unknown) = &cause.unknown else {
        return ((cause.listed.code, cause.listed.message.clone()), cause.listed.message.clone());
    };
    if let Some(library) = unknown.library(declared) {
        return ((None, format!("{}.", library.to_lowercase())), format!("unknown library `{library}`"));
    }
    ((None, unknown.name.to_lowercase()), format!("unknown {} `{}`", unknown.wanted.word(), unknown.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plc_frontend::LoadOptions;
    use plc_frontend::diagnostic::Severity;
    use plc_frontend::source::SourceSet;

    /// Returns the reasons of all POUs of a text, with their numbers of POUs.
    fn found(text: &str) -> Vec<(String, usize, usize, bool)> {
        let mut set = SourceSet::default();
        set.add("a.st", text);
        let parts = Parts::read(&set);
        let index = PouIndex::new(&parts);
        let mut unresolved = Vec::new();
        for (id, pou) in parts.pous() {
            let loaded = parts.alone(id, &LoadOptions { most_findings: Some(usize::MAX), ..LoadOptions::default() });
            let errors: Vec<&Diagnostic> = loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
            if errors.is_empty() {
                continue;
            }
            let cause = |error: &&Diagnostic| Cause {
                unknown: UnknownName::of(error),
                listed: Listed { name: pou.name.text.clone(), code: Some(error.code), line: 1, message: error.message.clone() },
                place: String::new(),
            };
            unresolved.push(Unresolved { causes: index.roots(&errors).iter().map(cause).collect() });
        }
        let (_, reasons) = reasons(unresolved, parts.declared());
        reasons.into_iter().map(|r| (r.reason, r.n_pous, r.n_only, r.is_lacking)).collect()
    }

    #[test]
    fn reasons_are_root_causes_with_their_numbers_of_pous() {
        let check = |text: &str, expected: &[(&str, usize, usize, bool)]| {
            let expected: Vec<(String, usize, usize, bool)> =
                expected.iter().map(|(r, n, o, l)| (r.to_string(), *n, *o, *l)).collect();
            assert_eq!(found(text), expected, "{text}");
        };
        // The users of a block have its reasons.
        let block = "FUNCTION_BLOCK B VAR x : Gone; END_VAR END_FUNCTION_BLOCK\n";
        let users = "FUNCTION_BLOCK C VAR b : B; END_VAR b(); END_FUNCTION_BLOCK
            PROGRAM p VAR c : C; y : gone; i : INT; END_VAR c(); i := Away(i); END_PROGRAM\n";
        check(&format!("{block}{users}"), &[("unknown type `Gone`", 3, 2, true), ("unknown function `Away`", 1, 0, true)]);
        // Names of unknown bases are consequences, in heirs, too.
        let heirs = "FUNCTION_BLOCK D EXTENDS Base Setup(1); n := 1; END_FUNCTION_BLOCK
            FUNCTION_BLOCK E EXTENDS D Setup(2); END_FUNCTION_BLOCK";
        check(heirs, &[("unknown type `Base`", 2, 2, true)]);
        // So are names in a text that cannot be read.
        check("PROGRAM p VAR x : = INT; END_VAR z := 1; END_PROGRAM", &[("expected a type, found `=`", 1, 1, false)]);
        // Names behind the name of a library are missing themselves.
        let libraries = "PROGRAM p VAR a : Lib.A; b : Lib.B; END_VAR END_PROGRAM PROGRAM q VAR a : lib.A; END_VAR END_PROGRAM";
        check(libraries, &[("unknown type `A`", 2, 1, true), ("unknown type `B`", 1, 0, true)]);
        // A name that is declared elsewhere is not lacking.
        let declared = "PROGRAM p k := 1; END_PROGRAM PROGRAM q VAR k : INT; END_VAR k := 1; END_PROGRAM";
        check(declared, &[("unknown name `k`", 1, 1, false)]);
        // A conversion that a system documents is no library's.
        check("PROGRAM p VAR a : __SYSTEM.Odd; END_VAR END_PROGRAM", &[("unknown type `Odd`", 1, 1, true)]);
    }
}

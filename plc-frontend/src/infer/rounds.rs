//! Resolution with inferred declarations, until no name becomes known.

use super::infer;
use super::inherited::{Inherited, places};
use super::missing::spelled;
use super::values::value_key;
use crate::resolve::{LoadOptions, Loaded};
use crate::solution::{load, parse_all};
use crate::text::{Diagnostic, FileId, Inferred, Key, Origin, Parsed, Severity, SourceFile, SourceSet, codes, key};
use std::collections::{BTreeMap, BTreeSet};

/// Most rounds. Each one resolves the project again.
const MAX_ROUNDS: usize = 8;

/// A project with the declarations that its uses imply.
pub(crate) struct Completed {
    /// The files, those with inferred declarations behind the user's.
    pub(crate) sources: SourceSet,
    pub(crate) loaded: Parsed<Loaded>,
}

/// Adds declarations of missing names. `findings` are those of the project without them, `lost` are names that unreadable text may
/// declare. `None`: there are no such declarations.
///
/// Soundness: only declarations without errors are added. The errors about the names stay as warnings.
/// Cost: that of [`load`] for each round.
pub(crate) fn complete(
    sources: &SourceSet,
    options: &LoadOptions,
    findings: &[Diagnostic],
    lost: &BTreeSet<Key>,
) -> Option<Completed> {
    let mut refused: BTreeSet<Key> = lost.clone();
    // Names whose declaration had an error: their parts have no types.
    let mut simple: BTreeSet<Key> = BTreeSet::new();
    let mut added: Vec<(Key, Inferred)> = Vec::new();
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut errors = errors_among(findings);
    let mut inherited = Inherited::default();
    let mut now: Option<Completed> = None;
    for round in 0..MAX_ROUNDS {
        let wrong: BTreeSet<Key> = errors.iter().filter_map(|error| declared_in(error.span().file, sources, &added)).collect();
        let mut found = now.as_ref().map(|now| places(&now.loaded.value.ledger)).unwrap_or_default();
        found.retain(|place, base| !inherited.contains_key(place) && added.iter().any(|(name, _)| name == base));
        if wrong.is_empty() && round + 1 < MAX_ROUNDS && !found.is_empty() {
            // A resolution without the declarations of these blocks comes first, and the names are members of the next ones.
            withdraw(&found.values().cloned().collect(), sources, &mut added, &mut told);
            inherited.append(&mut found);
        } else if wrong.is_empty() {
            if !errors.iter().any(is_of_name) {
                break;
            }
            let all = with_declarations(sources, &added);
            let units = parse_all(&all, options).units;
            let found = infer(&units, &all, &errors, &refused, &simple, &inherited);
            if found.is_empty() {
                break;
            }
            let is_new = |error: &&Diagnostic| {
                let text = spelled(&all, error);
                is_of_name(error) && (found.contains_key(&key(&text)) || found.contains_key(&value_key(&text)))
            };
            told.extend(errors.iter().filter(is_new).cloned());
            added.extend(found);
        } else {
            withdraw(&wrong, sources, &mut added, &mut told);
            for name in wrong {
                if !simple.insert(name.clone()) {
                    refused.insert(name);
                }
            }
        }
        // Two resolved projects at a time would be too large.
        drop(now.take());
        let all = with_declarations(sources, &added);
        let loaded = load(&all, options);
        errors = errors_among(&loaded.diagnostics);
        now = Some(Completed { sources: all, loaded });
    }
    let mut now = now?;
    // After the last round, too, no declaration has an error.
    let has_errors = errors.iter().any(|error| declared_in(error.span().file, sources, &added).is_some());
    if added.is_empty() || has_errors {
        return None;
    }
    now.loaded.value.inferred = added.into_iter().map(|(_, row)| row).collect();
    now.loaded.diagnostics.extend(once_per_name(told, sources));
    now.loaded.diagnostics.sort_by_key(|d| (d.span(), d.code));
    Some(now)
}

/// Takes declarations back. The names are missing again: a resolution reports them.
fn withdraw(names: &BTreeSet<Key>, sources: &SourceSet, added: &mut Vec<(Key, Inferred)>, told: &mut Vec<Diagnostic>) {
    added.retain(|(name, _)| !names.contains(name));
    told.retain(|error| {
        let text = spelled(sources, error);
        !names.contains(&key(&text)) && !names.contains(&value_key(&text))
    });
}

fn errors_among(findings: &[Diagnostic]) -> Vec<Diagnostic> {
    findings.iter().filter(|finding| finding.severity == Severity::Error).cloned().collect()
}

/// Returns the files with those of the declarations behind them.
fn with_declarations(sources: &SourceSet, added: &[(Key, Inferred)]) -> SourceSet {
    let mut all = sources.clone();
    for (_, row) in added {
        let (name, text) = (format!("inferred/{}.st", row.name), row.text.clone());
        all.files.push(SourceFile::new(name, text, Origin::Inferred));
    }
    all
}

/// Returns whether a finding says that a declaration is inferred.
pub(crate) fn is_about_inferred(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Warning && is_of_name(finding)
}

fn is_of_name(finding: &Diagnostic) -> bool {
    matches!(finding.code, codes::UNKNOWN_TYPE | codes::UNKNOWN_FUNCTION | codes::UNKNOWN_NAME | codes::NO_GLOBAL)
}

/// Returns the name that an added file declares.
fn declared_in(file: FileId, sources: &SourceSet, added: &[(Key, Inferred)]) -> Option<Key> {
    let at = (file.0 as usize).checked_sub(sources.files.len())?;
    added.get(at).map(|(name, _)| name.clone())
}

/// Returns one warning for each name, at its first use.
fn once_per_name(mut told: Vec<Diagnostic>, sources: &SourceSet) -> Vec<Diagnostic> {
    told.sort_by_key(|error| error.span());
    told.dedup_by_key(|error| error.span());
    let mut firsts: Vec<(Diagnostic, usize)> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for error in told {
        let name = key(&spelled(sources, &error));
        let at = *places.entry(name).or_insert(firsts.len());
        match firsts.get_mut(at) {
            Some((_, n_places)) => *n_places += 1,
            None => firsts.push((error, 1)),
        }
    }
    firsts.into_iter().map(|(error, n_places)| warning(error, n_places)).collect()
}

fn warning(error: Diagnostic, n_places: usize) -> Diagnostic {
    let way_out = error.help.as_ref().map_or_else(String::new, |help| format!("; {help}"));
    let places = if n_places == 1 { "its use".to_owned() } else { format!("its {n_places} uses") };
    let help = format!("its declaration is taken from {places}, which is a condition of answers{way_out}");
    error.warning().help(help)
}

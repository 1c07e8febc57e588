//! Settings of references to libraries: the version and the company that they ask for, and values of library parameters.

use std::collections::BTreeMap;

use super::{Project, Solution};
use crate::ast::{Assumed, Expr, ExprKind, Initializer, InitializerKind, Item, Unit};
use crate::lang::st::embedded;
use crate::lang::xml;
use crate::text::{FileId, Key, SourceSet, Span, key};

const STATED: &str = "what differs in the library that the project asks for is not verified";
const OWN_VALUE: &str = "only literals in the project that runs are read as values of library parameters";

/// Version and company that a reference asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// `*`: the newest one.
    pub(super) version: String,
    pub(super) company: String,
}

impl Wanted {
    /// Returns what `Name, version (company)` or `Name,version,company` asks for; `None` if it is a name alone.
    pub(super) fn of(text: &str) -> Option<Wanted> {
        let (_, rest) = text.split_once(',')?;
        let (version, company) = match rest.split_once('(') {
            Some((version, company)) => (version, company.trim().strip_suffix(')').unwrap_or(company)),
            None => rest.split_once(',').unwrap_or((rest, "")),
        };
        Some(Wanted { version: version.trim().to_owned(), company: company.trim().to_owned() })
    }

    fn is_newest(&self) -> bool {
        matches!(self.version.as_str(), "" | "*")
    }

    /// Returns whether a library is the one that is asked for, as far as its own project tells.
    fn is_met(&self, library: &Project) -> bool {
        let is_version = self.is_newest() || numbers(&self.version) == numbers(&library.version);
        is_version && (matches!(self.company.as_str(), "" | "*") || self.company.eq_ignore_ascii_case(&library.company))
    }

    /// Returns whether a library states another version or company than the one that is asked for.
    fn is_missed(&self, library: &Project) -> bool {
        let is_version = self.is_newest() || library.version.is_empty() || numbers(&self.version) == numbers(&library.version);
        let is_company = matches!(self.company.as_str(), "" | "*") || library.company.is_empty();
        !is_version || !(is_company || self.company.eq_ignore_ascii_case(&library.company))
    }
}

/// Returns the numbers of a version without zeros at the end; `None`: it is no version.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let mut numbers = version.split('.').map(|part| part.trim().parse().ok()).collect::<Option<Vec<u64>>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some(numbers)
}

/// Returns those of several libraries of one name that a reference means. All of them stay if none is the one that it asks for.
pub(super) fn meant(wanted: Option<&Wanted>, projects: &[Project], named: Vec<usize>) -> Vec<usize> {
    let Some(wanted) = wanted.filter(|_| 1 < named.len()) else { return named };
    let mut met: Vec<usize> = named.iter().copied().filter(|at| projects.get(*at).is_some_and(|it| wanted.is_met(it))).collect();
    if wanted.is_newest() {
        let version = |at: &usize| projects.get(*at).and_then(|project| numbers(&project.version));
        let newest = met.iter().map(version).max();
        met.retain(|at| Some(version(at)) == newest);
    }
    if met.is_empty() { named } else { met }
}

/// Value of a library parameter, as a project states it.
#[derive(Debug)]
struct Parameter {
    list: Key,
    name: Key,
    value: Option<Expr>,
    text: String,
    span: Span,
    /// The project that runs states it.
    is_own: bool,
}

/// Settings of the project that runs and of its libraries.
#[derive(Debug, Default)]
pub(super) struct Settings {
    assumed: Vec<Assumed>,
    /// Parameters by the files of the library.
    parameters: BTreeMap<FileId, Vec<usize>>,
    rows: Vec<Parameter>,
}

impl Solution {
    /// Returns the settings of the references of a project and of its libraries.
    pub(super) fn settings(&self, sources: &SourceSet, chosen: usize) -> Settings {
        let mut settings = Settings::default();
        let all = self.all_libraries(chosen);
        for at in std::iter::once(chosen).chain(all) {
            let Some(project) = self.projects.get(at) else { continue };
            for library in project.libraries.iter().filter_map(|library| self.projects.get(*library)) {
                for reference in project.references.iter().filter(|reference| reference.is_one_of(&library.known_as)) {
                    if let (Some(wanted), Some(span)) = (&reference.wanted, reference.span)
                        && wanted.is_missed(library)
                    {
                        settings.assumed.push(differing(library, wanted, project, span));
                    }
                }
            }
            for list in project.lists.iter().copied() {
                self.parameters(sources, project, list, at == chosen, &mut settings);
            }
        }
        settings
    }

    /// Adds the parameters that a `.plcproj` states.
    fn parameters(&self, sources: &SourceSet, project: &Project, list: FileId, is_own: bool, settings: &mut Settings) {
        let Some(file) = sources.files.get(list).filter(|file| file.text.contains("ListName")) else { return };
        let document = xml::read(list, &file.text).value;
        for parameter in document.root().into_iter().flat_map(|root| root.descendants()) {
            let (Some(of), Some(name)) = (parameter.attribute("ListName"), parameter.child("Key")) else { continue };
            let Some(value) = parameter.child("Value") else { continue };
            let reference = std::iter::successors(parameter.parent(), |it| it.parent()).find_map(|it| it.attribute("Include"));
            let Some(reference) = reference else { continue };
            let reference = key(reference.text.split(',').next().unwrap_or_default().trim().trim_start_matches('#'));
            let row = settings.rows.len();
            let range = value.text_range().unwrap_or_default();
            let parsed = embedded::expression(list, document.plain(), range);
            settings.rows.push(Parameter {
                list: key(of.text.trim()),
                name: key(name.text().trim()),
                value: if parsed.has_errors() { None } else { parsed.value },
                text: value.text().trim().to_owned(),
                span: value.span(),
                is_own,
            });
            let is_meant = |library: &&Project| {
                let mut references = project.references.iter().filter(|it| it.names.contains(&reference));
                references.any(|it| it.is_one_of(&library.known_as))
            };
            let libraries = project.libraries.iter().filter_map(|at| self.projects.get(*at)).filter(is_meant);
            for id in libraries.flat_map(|library| library.files.iter()) {
                settings.parameters.entry(*id).or_default().push(row);
            }
        }
    }
}

/// Returns the condition of a library that is not the one that a project asks for.
fn differing(library: &Project, wanted: &Wanted, project: &Project, span: Span) -> Assumed {
    let told = |version: &str, company: &str| {
        let version = match version {
            "" => "no version".to_owned(),
            "*" => "any version".to_owned(),
            version => format!("version {version}"),
        };
        if company.is_empty() { version } else { format!("{version} of {company}") }
    };
    let is = told(&library.version, &library.company);
    let asked = told(&wanted.version, &wanted.company);
    let condition = format!(
        "the library `{}` of the upload has {is}, the project `{}` asks for {asked}: one is taken for the other",
        library.name, project.name
    );
    Assumed { is_cut: false, about: library.files.iter().copied().collect(), condition, reason: STATED, span }
}

impl Settings {
    /// Enters the values of library parameters, and the conditions.
    ///
    /// Soundness: a value that is not entered is a condition of all answers.
    pub(super) fn apply(&self, units: &mut [Unit]) {
        let mut assumed = self.assumed.clone();
        for unit in units.iter_mut() {
            let Some(rows) = self.parameters.get(&unit.file) else { continue };
            let rows: Vec<&Parameter> = rows.iter().filter_map(|row| self.rows.get(*row)).collect();
            for item in &mut unit.items {
                let Item::Globals(block) = item else { continue };
                let Some(list) = block.list.as_ref().map(|list| key(&list.name.text)) else { continue };
                for var in &mut block.vars {
                    let name = key(&var.name.text);
                    let mut stated: Vec<&Parameter> =
                        rows.iter().copied().filter(|row| row.list == list && row.name == name).collect();
                    if stated.iter().any(|row| row.is_own) {
                        stated.retain(|row| row.is_own);
                    }
                    let Some(last) = stated.last() else { continue };
                    let is_one = stated.iter().all(|row| row.text == last.text && row.is_own);
                    match last.value.as_ref().and_then(|value| literal(value, var.span)).filter(|_| is_one) {
                        Some(value) => var.init = Some(Initializer { kind: InitializerKind::Expr(value), span: var.span }),
                        None => assumed.push(Assumed {
                            is_cut: false,
                            about: Vec::new(),
                            condition: format!(
                                "the library parameter `{}` has the value of the library, not `{}`",
                                var.name.text, last.text
                            ),
                            reason: OWN_VALUE,
                            span: last.span,
                        }),
                    }
                }
            }
        }
        for condition in assumed {
            if let Some(unit) = units.iter_mut().find(|unit| unit.file == condition.span.file) {
                unit.assumed.push(condition);
            }
        }
    }
}

/// Returns a literal, perhaps with a sign, at another place.
fn literal(value: &Expr, span: Span) -> Option<Expr> {
    let kind = if let ExprKind::Literal(None, literal) = &value.kind {
        ExprKind::Literal(None, literal.clone())
    } else if let ExprKind::Unary(sign, inner) = &value.kind {
        ExprKind::Unary(*sign, Box::new(literal(inner, span)?))
    } else {
        return None;
    };
    Some(Expr { kind, span })
}

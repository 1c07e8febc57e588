//! The state of a resolution: the project as far as it is built, the names, what was found wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::dialect::{Dialect, TextNumbers};
use crate::hir::{AssertId, PouId, Project, Type, TypeId};
use crate::resolve::classes::dispatchers::Dispatchers;
use crate::resolve::declare::collect::Decls;
use crate::resolve::names::suggest::nearest;
use crate::resolve::names::tables::{Key, Names, Slot, Typed, VarRef, key};
use crate::resolve::places::references::References;
use crate::resolve::stmts::jumps::Labels;
use crate::resolve::types::elementary;
use crate::text::codes;
use crate::text::diagnostic::{Diagnostic, Severity};
use crate::text::ledger::{Gap, GapId, Ledger, Treatment};
use crate::text::source::Span;

/// Findings beyond this number are counted, not listed.
pub(crate) const MAX_FINDINGS: usize = 1_000;
/// Nested expressions, statements, types and constants that stand on each other.
const MAX_DEPTH: usize = 160;
/// Findings of this kind that are listed: one long chain of declarations makes many.
const MAX_TOO_DEEP: usize = 3;
/// Structures and arrays in each other.
const MAX_TYPE_LEVELS: usize = 50;
/// Initial values that are written out, of the whole project.
const MAX_INITIAL_VALUES: usize = 1_000_000;

/// Why something has no HIR.
#[derive(Clone, Debug)]
pub(crate) enum Bad {
    /// A diagnostic says what is wrong.
    Reported,
    /// Read but not modelled: the statement it stands in becomes a gap.
    Gap(Box<Gap>),
}

/// A result, or why there is none.
pub(crate) type Res<T> = Result<T, Bad>;

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    /// The POU whose variables are visible.
    pub(crate) owner: Option<PouId>,
    /// What may be used.
    pub(crate) uses: Uses,
}

/// What an expression may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Uses {
    /// Everything that is visible in a body.
    Code,
    /// Literals, enumeration values and constants.
    Constant,
    /// Globals and the variables of program instances, inner ones too.
    Condition,
}

/// The type that the surroundings of an expression ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// None: literals get their default type.
    Any,
    /// This one, for what can adapt to it.
    Ty(TypeId),
    /// It could not be found out: literals pass without complaint.
    Unknown,
}

/// See the module.
pub(crate) struct Resolver<'a> {
    /// The tick of the tasks (all intervals are multiples of it), in nanoseconds: the cycle of the run.
    pub(crate) interval: Option<i128>,
    /// How the text is understood where dialects differ.
    pub(crate) dialect: &'static Dialect,
    pub(crate) project: Project,
    pub(crate) ledger: Ledger,
    pub(crate) names: Names,
    pub(crate) decls: Decls<'a>,
    pub(crate) var_types: BTreeMap<VarRef, Slot<Typed>>,
    pub(crate) var_inits: BTreeMap<VarRef, Slot<()>>,
    /// Anonymous types by their shape.
    pub(crate) shapes: BTreeMap<String, TypeId>,
    /// Structures and arrays in each other, by type.
    pub(crate) type_levels: BTreeMap<TypeId, usize>,
    /// Scalars in a type; instances count as one.
    pub(crate) type_sizes: BTreeMap<TypeId, usize>,
    pub(crate) references: References,
    pub(crate) dispatchers: Dispatchers,
    pub(crate) starts: crate::resolve::startup::fb_init::Starts,
    /// Attributes `call_after_init`, and where what they belong to begins.
    pub(crate) starts_after: Vec<(Span, u32)>,
    /// Pointers that are another variable of their function.
    pub(crate) puns: BTreeMap<(PouId, crate::hir::VarId), crate::hir::VarId>,
    /// The variable, none that is CONSTANT, whose initial value is being resolved, and no type.
    pub(crate) initialising: Option<VarRef>,
    /// Of the structure that is being declared.
    pub(crate) inherited_fields: Vec<crate::hir::Field>,
    /// That inputs do not overlap, until it is known whether something writes them.
    pub(crate) inputs_apart: Option<Gap>,
    /// Assertions by the place of their condition.
    pub(crate) asserts: BTreeMap<Span, AssertId>,
    /// Controller-dependent behaviours already recorded in the ledger.
    pub(crate) opened: BTreeSet<(crate::resolve::controller::behaviour::Open, Span)>,
    /// Gaps by their place.
    gaps: BTreeMap<Span, Vec<GapId>>,
    /// Unknown names already reported, by POU.
    pub(crate) reported: BTreeSet<(Option<PouId>, Key)>,
    /// Labels of the body that is being resolved.
    pub(crate) labels: Labels,
    diagnostics: Vec<Diagnostic>,
    dropped: usize,
    /// Findings beyond these are counted only.
    pub(crate) most_findings: usize,
    depth: usize,
    too_deep: usize,
    initial_values: usize,
}

impl<'a> Resolver<'a> {
    /// Nothing resolved yet.
    pub(crate) fn new(dialect: &'static Dialect) -> Self {
        Resolver::on(dialect, elementary::project(), Names::default(), Ledger::default())
    }

    /// On a project that is resolved already.
    pub(crate) fn on(dialect: &'static Dialect, mut project: Project, names: Names, ledger: Ledger) -> Self {
        project.unsigned_time = !dialect.signed_time;
        project.converts_beginning = dialect.text_numbers == TextNumbers::Beginning;
        Resolver {
            interval: None,
            dialect,
            project,
            ledger,
            names,
            decls: Decls::default(),
            var_types: BTreeMap::new(),
            var_inits: BTreeMap::new(),
            shapes: BTreeMap::new(),
            type_levels: BTreeMap::new(),
            type_sizes: BTreeMap::new(),
            references: References::default(),
            dispatchers: Dispatchers::default(),
            starts: crate::resolve::startup::fb_init::Starts::default(),
            starts_after: Vec::new(),
            puns: BTreeMap::new(),
            initialising: None,
            inherited_fields: Vec::new(),
            inputs_apart: None,
            asserts: BTreeMap::new(),
            gaps: BTreeMap::new(),
            reported: BTreeSet::new(),
            labels: Labels::default(),
            diagnostics: Vec::new(),
            dropped: 0,
            most_findings: MAX_FINDINGS,
            depth: 0,
            too_deep: 0,
            opened: BTreeSet::new(),
            initial_values: 0,
        }
    }

    /// Keeps a finding.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < self.most_findings {
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped += 1;
        }
    }

    /// What `inner` delivers; if it does not, its findings are forgotten.
    pub(crate) fn attempt<T>(&mut self, inner: impl FnOnce(&mut Self) -> Res<T>) -> Option<T> {
        let (n_findings, dropped) = (self.diagnostics.len(), self.dropped);
        let result = inner(self).ok();
        if result.is_none() {
            self.diagnostics.truncate(n_findings);
            self.dropped = dropped;
        }
        result
    }

    /// Runs `inner` and makes its errors warnings, since the rest of the program does not depend on it. Returns the first
    /// message too.
    pub(crate) fn with_warnings<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> (T, Option<String>) {
        let n_findings = self.diagnostics.len();
        let result = inner(self);
        let found = self.diagnostics.get_mut(n_findings..).unwrap_or_default();
        found.iter_mut().for_each(|d| d.severity = Severity::Warning);
        (result, found.first().map(|d| d.message.clone()))
    }

    /// Keeps an error.
    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, here: impl Into<String>) -> Bad {
        self.report(Diagnostic::error(code, span, message, here));
        Bad::Reported
    }

    /// Keeps an error with a way out, if there is one.
    pub(crate) fn error_with_help(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        here: impl Into<String>,
        help: Option<String>,
    ) -> Bad {
        let mut diagnostic = Diagnostic::error(code, span, message, here);
        diagnostic.help = help;
        self.report(diagnostic);
        Bad::Reported
    }

    /// All findings, in source order.
    pub(crate) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let mut all = std::mem::take(&mut self.diagnostics);
        all.sort_by_key(|d| (d.span(), d.code));
        // What is inherited is resolved once for each block that inherits it.
        all.dedup();
        if let (true, Some(last)) = (0 < self.dropped, all.last()) {
            let text = format!("{} more findings are not listed", self.dropped);
            all.push(Diagnostic::error(codes::TOO_MANY_FINDINGS, last.span(), text, "the last one listed"));
        }
        all
    }

    /// Notes the levels of a type that stands on `inside`; too many are an error at `span`.
    pub(crate) fn note_levels(&mut self, ty: TypeId, inside: usize, span: Span) -> Res<()> {
        self.type_levels.insert(ty, inside + 1);
        if inside < MAX_TYPE_LEVELS {
            return Ok(());
        }
        let message = format!("more than {MAX_TYPE_LEVELS} structures and arrays stand in each other here");
        Err(self.error(codes::TOO_DEEP, span, message, "too deep"))
    }

    /// The structures and arrays in each other in a type.
    pub(crate) fn levels(&self, ty: TypeId) -> usize {
        self.type_levels.get(&ty).copied().unwrap_or(0)
    }

    /// Runs `inner` one level deeper; too deep is an error at `span`.
    pub(crate) fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if MAX_DEPTH <= self.depth {
            self.too_deep += 1;
            if MAX_TOO_DEEP < self.too_deep {
                return Err(Bad::Reported);
            }
            let message = format!("more than {MAX_DEPTH} levels are nested in each other here");
            let help = Some("split it with an auxiliary variable or function".to_owned());
            return Err(self.error_with_help(codes::TOO_DEEP, span, message, "too deep from here on", help));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Allows `count` more initial values to be written out.
    pub(crate) fn allow_initial_values(&mut self, span: Span, count: usize) -> Res<()> {
        self.initial_values = self.initial_values.saturating_add(count);
        if self.initial_values <= MAX_INITIAL_VALUES {
            return Ok(());
        }
        let message = format!("the project has more than {MAX_INITIAL_VALUES} initial values in arrays and structures");
        Err(self.error(codes::TOO_LARGE, span, message, "one too many here"))
    }

    /// What is not modelled here; `effect` says what follows.
    pub(crate) fn unsupported(&self, span: Span, construct: impl Into<String>, effect: impl Into<String>) -> Bad {
        let (construct, effect) = (construct.into(), effect.into());
        Bad::Gap(Box::new(Gap { span, construct, treatment: Treatment::Unsupported, effect }))
    }

    /// Enters a gap into the ledger.
    pub(crate) fn record(&mut self, gap: Gap) -> GapId {
        let here = self.gaps.entry(gap.span).or_default();
        let known = here.iter().copied().find(|id| self.ledger.gaps.get(id.0 as usize) == Some(&gap));
        known.unwrap_or_else(|| {
            let id = self.ledger.gap(gap);
            here.push(id);
            id
        })
    }

    /// The name of a type as a person would write it.
    pub(crate) fn type_name(&self, ty: TypeId) -> String {
        let row = &self.project.types[ty];
        if let Some(name) = &row.name {
            return name.clone();
        }
        if let Some(text) = self.project.text(ty) {
            return format!("{}[{}]", if text.bits == 8 { "STRING" } else { "WSTRING" }, text.length);
        }
        match &row.ty {
            Type::Subrange { base, low, high } => format!("{} ({low}..{high})", self.type_name(*base)),
            Type::Enum { variants, .. } => {
                let names: Vec<&str> = variants.iter().take(4).map(|v| v.0.as_str()).collect();
                format!("({}{})", names.join(", "), if 4 < variants.len() { ", …" } else { "" })
            }
            Type::Array { dims, elem } => {
                let dims: Vec<String> = dims.iter().map(|(low, high)| format!("{low}..{high}")).collect();
                format!("ARRAY [{}] OF {}", dims.join(", "), self.type_name(*elem))
            }
            Type::Struct { .. } => "STRUCT".to_owned(),
            Type::FunctionBlock(pou) => self.project.pous[*pou].name.clone(),
            Type::Opaque(words) => words.clone(),
            Type::Char(_) => "a character of a string".to_owned(),
            Type::Bool | Type::Int(_) | Type::Bits(_) | Type::Real(_) | Type::Time | Type::LTime | Type::Date(_) => String::new(),
        }
    }

    /// "did you mean" for a variable's name in a scope.
    pub(crate) fn suggest_variable(&self, scope: Scope, name: &str) -> Option<String> {
        let mut known: Vec<&str> = Vec::new();
        if let Some(owner) = scope.owner {
            known.extend(self.project.pous[owner].vars.iter().map(|v| v.name.as_str()));
        }
        known.extend(self.project.globals.iter().map(|v| v.name.as_str()));
        if scope.uses == Uses::Condition {
            for instance in self.project.instances.iter() {
                known.push(instance.name.as_str());
                known.extend(self.project.pous[instance.pou].vars.iter().map(|v| v.name.as_str()));
            }
        }
        known.extend(self.names.variants.keys().map(String::as_str));
        nearest(name, known).map(|near| format!("did you mean `{near}`?"))
    }

    /// Whether `name` is met as unknown in this scope for the first time.
    pub(crate) fn first_report(&mut self, scope: Scope, name: &str) -> bool {
        self.reported.insert((scope.owner, key(name)))
    }
}

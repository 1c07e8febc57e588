//! Findings and the ledger: the errors of a program, and the record of everything that is not modelled.

use crate::dialect::Dialect;
use crate::hir::{PouId, Stmt, StmtKind};
use crate::resolve::controller::behaviour::Behaviour;
use crate::resolve::names::tables::{Key, key};
use crate::text::{Diagnostic, Gap, GapId, Ledger, LeftOut, PartKind, STATEMENT, Severity, Span, Treatment, codes};
use std::collections::{BTreeMap, BTreeSet};

/// Findings beyond this number are counted, not listed.
pub(crate) const MAX_FINDINGS: usize = 1_000;

/// Reason why a construct has no HIR.
#[derive(Clone, Debug)]
pub(crate) enum Bad {
    /// It is wrong; a diagnostic says so.
    Reported,
    /// It is not modelled: the statement around it becomes a gap.
    Gap(Box<Gap>),
}

/// HIR of a construct, or the reason why there is none.
pub(crate) type Res<T> = Result<T, Bad>;

/// Returns a gap for a construct that is not modelled; `effect` states the consequence.
pub(crate) fn unsupported(span: Span, construct: impl Into<String>, effect: impl Into<String>) -> Bad {
    let (construct, effect) = (construct.into(), effect.into());
    Bad::Gap(Box::new(Gap { span, construct, treatment: Treatment::Unsupported, effect }))
}

/// Diagnostics and ledger of one resolution.
pub(crate) struct Findings {
    pub(crate) ledger: Ledger,
    diagnostics: Vec<Diagnostic>,
    /// Number of diagnostics beyond the listed ones.
    dropped: usize,
    /// Most diagnostics that are listed.
    pub(crate) most: usize,
    /// Gaps of the ledger by their place.
    gaps: BTreeMap<Span, Vec<GapId>>,
    /// Controller-dependent behaviours already recorded in the ledger.
    behaviours: BTreeSet<(Behaviour, Span)>,
    /// A limit was met that fewer values in arrays may keep.
    pub(crate) needs_smaller_arrays: bool,
    /// Statements with errors that are left out; `None` where an error stops everything.
    pub(crate) left_out: Option<Vec<LeftOut>>,
    /// Unknown names already reported, by POU.
    unknown_names: BTreeSet<(Option<PouId>, Key)>,
    /// Uses of guesses in the current statements, with the name of the last one.
    guesses: (usize, String),
}

/// Number of findings at one moment, to go back to.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    listed: usize,
    dropped: usize,
}

impl Findings {
    /// Creates findings that add to an existing ledger.
    pub(crate) fn on(ledger: Ledger) -> Self {
        Findings {
            ledger,
            diagnostics: Vec::new(),
            dropped: 0,
            most: MAX_FINDINGS,
            gaps: BTreeMap::new(),
            behaviours: BTreeSet::new(),
            needs_smaller_arrays: false,
            left_out: None,
            unknown_names: BTreeSet::new(),
            guesses: (0, String::new()),
        }
    }

    /// Adds a diagnostic.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < self.most {
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped += 1;
        }
    }

    /// Adds an error.
    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, here: impl Into<String>) -> Bad {
        self.error_with_help(code, span, message, here, None)
    }

    /// Adds an error with a way out, if there is one.
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

    /// Returns the number of findings so far.
    pub(crate) fn mark(&self) -> Mark {
        Mark { listed: self.diagnostics.len(), dropped: self.dropped }
    }

    /// Forgets the findings since `mark`.
    pub(crate) fn forget_since(&mut self, mark: Mark) {
        self.diagnostics.truncate(mark.listed);
        self.dropped = mark.dropped;
    }

    /// Leaves out a statement of `owner` for the errors since `mark`. `None`: errors stop everything.
    ///
    /// Soundness: the statement stays as one that is not modelled, also if its error is found elsewhere, or became a warning.
    pub(crate) fn leave_out(&mut self, mark: Mark, owner: &str, span: Span) -> Option<Stmt> {
        let Some(left_out) = self.left_out.as_mut() else {
            let stops = 0 < self.dropped || self.diagnostics.iter().any(|found| found.severity == Severity::Error);
            let effect = "it uses something that is not understood; nothing behind it is verified".to_owned();
            let gap = Gap { span, construct: STATEMENT.to_owned(), treatment: Treatment::Unsupported, effect };
            return (!stops).then(|| self.gap_stmt(gap, span));
        };
        let errors = self.diagnostics.split_off(mark.listed.min(self.diagnostics.len()));
        let (errors, warnings): (Vec<_>, Vec<_>) = errors.into_iter().partition(|d| d.severity == Severity::Error);
        self.diagnostics.extend(warnings);
        let error = errors.into_iter().next().unwrap_or_else(|| {
            Diagnostic::error(codes::LEFT_OUT, span, "the statement uses something that has an error", "left out")
        });
        let effect = format!("{}; nothing behind it is verified", error.message);
        left_out.push(LeftOut { kind: PartKind::Statement, name: owner.to_owned(), span, error });
        Some(self.gap_stmt(Gap { span, construct: STATEMENT.to_owned(), treatment: Treatment::Unsupported, effect }, span))
    }

    /// Notes a use of a declaration that may be wrong.
    pub(crate) fn touch_guess(&mut self, name: &str) {
        self.guesses.0 += 1;
        if self.guesses.1 != name {
            name.clone_into(&mut self.guesses.1);
        }
    }

    /// Returns the number of uses of guesses, to go back to.
    pub(crate) fn n_guesses(&self) -> usize {
        self.guesses.0
    }

    /// Forgets later uses of guesses: they belong to inner statements.
    pub(crate) fn forget_guesses(&mut self, before: usize) {
        self.guesses.0 = before;
    }

    /// Returns the gap of something whose errors since `mark` may come from a guess; they become warnings. `None`: there is no such
    /// guess since `before`, or another error.
    ///
    /// Soundness: what has the errors stays as something that is not modelled.
    pub(crate) fn blame_guess(&mut self, mark: Mark, before: usize, span: Span) -> Option<Gap> {
        let own = [codes::UNKNOWN_NAME, codes::UNKNOWN_TYPE, codes::UNKNOWN_FUNCTION];
        let found = self.diagnostics.get_mut(mark.listed..).unwrap_or_default();
        let errors = || found.iter().filter(|d| d.severity == Severity::Error);
        if self.guesses.0 <= before || self.dropped != mark.dropped || errors().any(|d| own.contains(&d.code)) {
            return None;
        }
        let first = errors().next().map(|d| d.message.clone())?;
        let name = &self.guesses.1;
        for error in found.iter_mut().filter(|d| d.severity == Severity::Error) {
            error.severity = Severity::Warning;
            error.help = Some(format!("the declaration of `{name}` that is used here may lack something: state it in a file"));
        }
        let construct = format!("use of `{name}` that its declaration does not suit");
        let effect = format!("{first}; nothing behind it is verified");
        Some(Gap { span, construct, treatment: Treatment::Unsupported, effect })
    }

    /// Returns whether there are errors since `mark`, and all have this code.
    pub(crate) fn errors_are(&self, code: &str, mark: Mark) -> bool {
        let found = self.diagnostics.get(mark.listed..).unwrap_or_default();
        let mut errors = found.iter().filter(|d| d.severity == Severity::Error).peekable();
        self.dropped == mark.dropped && errors.peek().is_some() && errors.all(|d| d.code == code)
    }

    /// Makes the errors since `mark` warnings and returns the first message.
    pub(crate) fn warn_since(&mut self, mark: Mark) -> Option<String> {
        let found = self.diagnostics.get_mut(mark.listed..).unwrap_or_default();
        found.iter_mut().for_each(|d| d.severity = Severity::Warning);
        found.first().map(|d| d.message.clone())
    }

    /// Takes all diagnostics, in source order.
    pub(crate) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let mut all = std::mem::take(&mut self.diagnostics);
        all.sort_by_key(|d| (d.span(), d.code));
        // Inherited code is resolved once for each block that inherits it.
        all.dedup();
        if let (true, Some(last)) = (0 < self.dropped, all.last()) {
            let text = format!("{} more findings are not listed", self.dropped);
            all.push(Diagnostic::error(codes::TOO_MANY_FINDINGS, last.span(), text, "the last one listed"));
        }
        all
    }

    /// Returns whether an unknown name is reported: once in a POU, and for each statement that is left out.
    pub(crate) fn first_unknown(&mut self, owner: Option<PouId>, name: &str) -> bool {
        self.unknown_names.insert((owner, key(name))) || self.left_out.is_some()
    }

    /// Adds a gap to the ledger, unless it is there already.
    pub(crate) fn record(&mut self, gap: Gap) -> GapId {
        let here = self.gaps.entry(gap.span).or_default();
        let known = here.iter().copied().find(|id| self.ledger.gaps.get(id.0 as usize) == Some(&gap));
        known.unwrap_or_else(|| {
            let id = self.ledger.gap(gap);
            here.push(id);
            id
        })
    }

    /// Adds a gap and returns the statement that stands for it.
    pub(crate) fn gap_stmt(&mut self, gap: Gap, span: Span) -> Stmt {
        Stmt { kind: StmtKind::Gap(self.record(gap)), span }
    }

    /// Adds an assumption that every answer names.
    pub(crate) fn record_assumed(&mut self, span: Span, construct: impl Into<String>, effect: impl Into<String>) {
        self.record(Gap { span, construct: construct.into(), treatment: Treatment::Assumed, effect: effect.into() });
    }

    /// Adds a construct that is not modelled; returns its gap.
    pub(crate) fn record_unsupported(&mut self, span: Span, construct: impl Into<String>, effect: impl Into<String>) -> GapId {
        self.record(Gap { span, construct: construct.into(), treatment: Treatment::Unsupported, effect: effect.into() })
    }

    /// Adds a construct without effect in the model that may change any run.
    pub(crate) fn assume(&mut self, span: Span, construct: &str) {
        self.record_assumed(span, construct, "it is not modelled: what it would do is not verified");
    }

    /// Adds a controller-dependent behaviour at one place to the ledger, once.
    pub(crate) fn note_behaviour(&mut self, dialect: &Dialect, behaviour: Behaviour, span: Span) {
        self.note_behaviour_of(dialect, behaviour, "", span);
    }

    /// Adds a controller-dependent behaviour of something with a name.
    pub(crate) fn note_behaviour_of(&mut self, dialect: &Dialect, behaviour: Behaviour, name: &str, span: Span) {
        if self.behaviours.insert((behaviour, span)) {
            let (construct, effect) = behaviour.words(name, dialect);
            self.record_assumed(span, construct, effect);
        }
    }
}

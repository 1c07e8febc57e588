//! Subject of a run: the program or the published model that a worker understood, and the statements about it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use plc_frontend::source::{Origin, Span};

use super::theta::Published;
use super::understand::{self, Program};
use super::{certificate, model, theta};
use crate::export::{Conditions, Question};
use crate::report::conditions::ShownBy;
use crate::report::outcome::{Outcome, RequirementResult};
use crate::run::job::{Fact, Job};
use answer::certificate::{Identity, program_digest};
use answer::decide::Search;
use kernel::cfa::Cfa;
use kernel::context::default_solvers;
use kernel::expr::ExprPool;
use kernel::property::check::unobserved;
use kernel::property::requirements::ResolvedRequirement;
use kernel::smt::Interrupt;

/// Longest time for reading evidence of other machines; the fact at hand is read to its end.
const HEARING: Duration = Duration::from_secs(2);

/// Subject of a run.
pub(super) enum Subject {
    /// A program with its specification.
    Program(Box<Program>),
    /// A published model.
    Model(Box<Published>),
}

/// A requirement of a program, or the one question about a model.
#[derive(Clone, Copy)]
pub(super) enum Statement<'s> {
    /// About a program.
    Program(&'s Program, &'s ResolvedRequirement),
    /// About a model: its error location must not be reached.
    Model(&'s Published),
}

impl Subject {
    /// Returns all statements, in order.
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        match self {
            Subject::Program(program) => program.stated.requirements.iter().map(|one| Statement::Program(program, one)).collect(),
            Subject::Model(published) => vec![Statement::Model(published)],
        }
    }

    /// Returns the statement with this id. The error is one sentence.
    pub(super) fn find(&self, id: &str) -> Result<Statement<'_>, String> {
        match self {
            Subject::Program(program) => Ok(Statement::Program(program, program.stated.find(id)?)),
            Subject::Model(published) => match theta::pending(&published.model).id {
                own if own == id => Ok(Statement::Model(published)),
                own => Err(format!("there is no requirement `{id}`; there is: `{own}`")),
            },
        }
    }

    /// Returns the statement with this id; without an id the only one.
    pub(super) fn chosen(&self, id: Option<&str>) -> Result<Statement<'_>, String> {
        if let Some(id) = id {
            return self.find(id);
        }
        match self.statements().as_slice() {
            [only] => Ok(*only),
            [] => Err("there is nothing to check: state a requirement first".into()),
            all => {
                let ids: Vec<String> = all.iter().map(|one| format!("`{}`", one.pending().id)).collect();
                Err(format!("say which requirement is meant: {}", ids.join(", ")))
            }
        }
    }

    /// Takes note of evidence that other machines have found. Nothing of it is believed.
    pub(super) fn hear(&self, facts: &[Fact]) {
        let Subject::Program(program) = self else { return };
        let (began, assumptions, interrupt, solvers) =
            (Instant::now(), program.assumptions(), Interrupt::default(), default_solvers());
        for fact in facts.iter().take_while(|_| began.elapsed() < HEARING) {
            let Ok(requirement) = program.stated.find(&fact.requirement) else { continue };
            let request = program.request(requirement, &assumptions, Search::new(&interrupt, &solvers));
            program.shared.hear(&request, &fact.evidence);
        }
    }

    /// Returns whether proofs of other statements have left lemmas.
    pub(super) fn knows_lemmas(&self) -> bool {
        matches!(self, Subject::Program(program) if program.shared.knows_facts())
    }
}

impl Statement<'_> {
    /// Returns the result before its answer.
    pub(super) fn pending(&self) -> RequirementResult {
        match self {
            Statement::Program(program, requirement) => understand::pending(requirement, &program.loaded.sources),
            Statement::Model(published) => theta::pending(&published.model),
        }
    }

    /// Returns the question to other tools, unreduced.
    pub(super) fn question(&self, job: &Job, outcome: &Outcome) -> Result<Question, String> {
        match self {
            Statement::Program(program, requirement) => {
                let (_, instrumented) = program.instrumented(requirement)?;
                if instrumented.cfa.recursion.is_some() {
                    // To another tool the results of these calls are arbitrary.
                    return Err("the program has recursive calls that are too many to be written out".to_owned());
                }
                let mut question = Question::new(&instrumented, model::about(program, requirement, job, outcome));
                question.is_goal = requirement.claim.is_possibility();
                let [never, reached] = [ShownBy::Proof, ShownBy::Run].map(|by| self.conditions(outcome, by));
                question.conditions = Conditions { never, reached };
                Ok(question)
            }
            Statement::Model(published) => Ok(theta::question(&published.model, job)),
        }
    }

    /// Returns the unreduced automaton that a proof is about.
    ///
    /// Soundness: for a program [`Instrumented::strict_cfa`](kernel::property::instrument::Instrumented::strict_cfa).
    pub(super) fn automaton(&self) -> Result<(ExprPool, Cfa), String> {
        match self {
            Statement::Program(program, requirement) => {
                if let Some(why) = unobserved(&requirement.claim, &program.loaded.project, &program.loaded.sources) {
                    return Err(why);
                }
                let (_, instrumented) = program.instrumented(requirement)?;
                let cfa = instrumented.strict_cfa();
                Ok((instrumented.pool, cfa))
            }
            Statement::Model(published) => Ok((published.model.pool.clone(), published.model.cfa.clone())),
        }
    }

    /// Returns conditions of an answer, as far as the subject alone says them.
    fn conditions(&self, outcome: &Outcome, by: ShownBy) -> Vec<String> {
        match self {
            Statement::Program(program, requirement) => certificate::conditions(program, requirement, outcome, by),
            Statement::Model(_) => Vec::new(),
        }
    }

    /// Returns the identity of a certificate about the statement.
    pub(super) fn identity(&self, job: &Job, outcome: &Outcome, by: ShownBy) -> Identity {
        let pending = self.pending();
        let (settings, is_possibility) = match self {
            Statement::Program(program, requirement) => (program.settings(job), requirement.claim.is_possibility()),
            Statement::Model(_) => (Vec::new(), false),
        };
        Identity {
            program: program_digest(job.sources.iter().map(|source| source.text.as_str())),
            requirement: pending.id,
            means: pending.meaning,
            settings,
            is_possibility,
            conditions: self.conditions(outcome, by),
        }
    }

    /// Returns `file.st:12` for the statements of the user.
    pub(super) fn places(&self, question: &Question) -> BTreeMap<Span, String> {
        let Statement::Program(program, _) = self else { return BTreeMap::new() };
        let sources = &program.loaded.sources;
        let place = |span: Span| {
            let file = sources.files.get(span.file).filter(|file| file.origin == Origin::User)?;
            Some((span, format!("{}:{}", file.name, sources.line_col(span).line)))
        };
        question.cfa.edges.iter().filter_map(|edge| place(edge.span?)).collect()
    }
}

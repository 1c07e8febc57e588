//! Features of a model that not every format has. A format refuses a model with a feature that it lacks before it writes anything.

use std::collections::BTreeSet;

use super::{FORMATS, Format, Question, Refused};
use kernel::cfa::Op;
use kernel::expr::{Expr, ExprId, FloatSort, FpUn, Rounding, Sort};

/// A kind of value or operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feature {
    /// REAL, LREAL and other floats.
    Float,
    /// Floats of published models.
    OtherFloat,
    /// A rounding that is not to the nearest even value, in an operation on floats.
    Rounding,
    /// The float that has given bits.
    FloatOfBits,
    /// Mathematical integers.
    Integer,
    /// Arrays that are values.
    Array,
}

impl Feature {
    fn words(self) -> &'static str {
        match self {
            Feature::Float => "floats",
            Feature::OtherFloat => "floats of other formats than binary32 and binary64",
            Feature::Rounding => "rounding other than to nearest",
            Feature::FloatOfBits => "floats by their bits",
            Feature::Integer => "integers without a width",
            Feature::Array => "arrays that are values",
        }
    }
}

/// Returns all features of the automaton's variables and operations.
#[expect(clippy::wildcard_enum_match_arm, reason = "the sorts of the others say everything; each writer matches every operation")]
pub(super) fn features(question: &Question) -> BTreeSet<Feature> {
    let pool = &question.pool;
    let mut roots: Vec<ExprId> = Vec::new();
    for edge in question.cfa.edges.iter() {
        match &edge.op {
            Op::Skip | Op::Havoc(_) => {}
            Op::Assume(e) | Op::Assign(_, e) => roots.push(*e),
            Op::Block(block) => roots.extend(block.updates.iter().map(|(_, e)| *e).chain([block.guard])),
        }
    }
    let mut found = BTreeSet::new();
    question.cfa.vars.iter().for_each(|var| of_sort(pool.var_decl(*var).sort, &mut found));
    pool.visit(&roots, |e| {
        of_sort(pool.sort(e), &mut found);
        match pool.expr(e) {
            Expr::FpUn(FpUn::Sqrt(mode), _)
            | Expr::FpBin(_, mode, ..)
            | Expr::FpToFp(_, mode, _)
            | Expr::BvToFp { rounding: mode, .. }
                if mode != Rounding::NearestEven =>
            {
                found.insert(Feature::Rounding);
            }
            // To whole floats only published models round.
            Expr::FpUn(FpUn::Integral(_), _) => {
                found.insert(Feature::Rounding);
            }
            Expr::BitsToFp(..) => {
                found.insert(Feature::FloatOfBits);
            }
            _ => {}
        }
        true
    });
    found
}

fn of_sort(sort: Sort, found: &mut BTreeSet<Feature>) {
    match sort {
        Sort::Bool | Sort::BitVec(_) => {}
        Sort::Float(float) => {
            found.insert(Feature::Float);
            if let FloatSort::Other(_) = float {
                found.insert(Feature::OtherFloat);
            }
        }
        Sort::Int => {
            found.insert(Feature::Integer);
        }
        Sort::Array(index, element) => {
            found.insert(Feature::Array);
            of_sort(index.into(), found);
            of_sort(element.into(), found);
        }
    }
}

impl Format {
    /// Refuses a question with a feature that the format lacks, and names the formats that have it.
    pub(super) fn can_say(&self, question: &Question) -> Result<(), Refused> {
        let used = features(question);
        let says = |format: &Format, used: &BTreeSet<Feature>| format.lacks.iter().all(|feature| !used.contains(feature));
        if says(self, &used) {
            return Ok(());
        }
        let lacking: Vec<&str> = self.lacks.iter().filter(|feature| used.contains(feature)).map(|f| f.words()).collect();
        let others: Vec<String> = FORMATS.iter().filter(|f| says(f, &used)).map(|f| format!("`{}`", f.name)).collect();
        let mut advice = if others.is_empty() {
            "no format has all that the model needs".to_owned()
        } else {
            format!("choose {}", others.join(" or "))
        };
        if says(self, &features(&question.clone().reduced())) {
            advice += ", or have left out what cannot influence the answer (`--reduced`)";
        }
        Err(Refused(format!("`{}` has no {}, and the model computes with them; {advice}", self.name, lacking.join(", no "))))
    }
}

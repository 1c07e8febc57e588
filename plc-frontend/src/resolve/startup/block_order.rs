//! Order of organization blocks in a cycle: that of their numbers.

use crate::hir::PouId;
use crate::resolve::resolver::Resolver;

impl Resolver<'_> {
    /// Returns the programs of the cycle in the order in which they run.
    ///
    /// Soundness: where the numbers do not tell the order, each answer names it. OB1 comes first, whatever the others are.
    pub(super) fn in_order_of_numbers(&mut self, programs: Vec<PouId>) -> Vec<PouId> {
        let block =
            |id: PouId| self.decls.pous.get(id.0 as usize).and_then(|pou| Some((pou.organization_block?.number, pou.name.span)));
        let (mut blocks, others): (Vec<PouId>, Vec<PouId>) = programs.into_iter().partition(|id| block(*id).is_some());
        let number = |id: &PouId| block(*id).and_then(|(number, _)| number).unwrap_or(u32::MAX);
        blocks.sort_by_key(number);
        let unclear = blocks.windows(2).find(|pair| match (number(&pair[0]), number(&pair[1])) {
            (before, u32::MAX) => before != 1,
            (before, behind) => before == behind,
        });
        // A number that is not known may be smaller than any but the first.
        if let Some(span) = unclear.and_then(|pair| block(pair[1])).map(|(_, span)| span) {
            let names: Vec<String> = blocks.iter().map(|id| format!("`{}`", self.project.pous[*id].name)).collect();
            let construct = format!("each cycle runs {} in this order", names.join(", "));
            let effect = "blocks run in the order of their numbers: give the export as SimaticML, which has them";
            self.findings.record_assumed(span, construct, effect);
        }
        others.into_iter().chain(blocks).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::text::{SourceSet, Treatment};
    use crate::{LoadOptions, load};

    /// Checks the order of blocks, and whether it is a condition.
    #[track_caller]
    fn check(files: &[(&str, String)], expected: &str, is_condition: bool) {
        let mut sources = SourceSet::default();
        files.iter().for_each(|(name, text)| {
            sources.add(*name, text.clone());
        });
        let loaded = load(&sources, &LoadOptions::default());
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        let project = &loaded.value.project;
        let runs: Vec<&str> = project.task.runs.iter().map(|run| project.instances[*run].name.as_str()).collect();
        assert_eq!(runs.join(" "), expected);
        let gaps = loaded.value.ledger.gaps.iter().filter(|gap| gap.treatment == Treatment::Assumed);
        assert_eq!(gaps.filter(|gap| gap.construct.ends_with("in this order")).count(), usize::from(is_condition), "{files:#?}");
    }

    #[test]
    fn blocks_run_in_the_order_of_their_numbers() {
        let scl = |name: &str| {
            format!(
                "ORGANIZATION_BLOCK \"{name}\"\nTITLE = \"Main Program Sweep (Cycle)\"\nVERSION : 0.1\nBEGIN\nEND_ORGANIZATION_BLOCK\n"
            )
        };
        let xml = |name: &str, number: u32| {
            format!(
                "<?xml version=\"1.0\"?><Document><Engineering version=\"V18\" /><SW.Blocks.OB ID=\"0\"><AttributeList>\
                 <Name>{name}</Name><Number>{number}</Number><SecondaryType>ProgramCycle</SecondaryType></AttributeList>\
                 <ObjectList></ObjectList></SW.Blocks.OB></Document>"
            )
        };
        check(&[("a.xml", xml("Alpha", 123)), ("z.xml", xml("Zmain", 1))], "Zmain Alpha", false);
        check(&[("a.scl", scl("OB123")), ("b.scl", scl("OB1"))], "OB1 OB123", false);
        check(&[("a.scl", scl("Cyclic_Extra")), ("b.scl", scl("Main"))], "Main Cyclic_Extra", false);
        check(&[("a.scl", scl("Other")), ("b.xml", xml("Zmain", 1))], "Zmain Other", false);
        // Numbers that are not known, or told twice.
        check(&[("a.scl", scl("Line_B")), ("b.scl", scl("Line_A"))], "Line_B Line_A", true);
        check(&[("a.scl", scl("Line_B")), ("b.scl", scl("OB123"))], "OB123 Line_B", true);
        check(&[("a.scl", scl("Main")), ("b.xml", xml("Zmain", 1))], "Main Zmain", true);
        check(&[("a.scl", scl("Line_B"))], "Line_B", false);
    }
}

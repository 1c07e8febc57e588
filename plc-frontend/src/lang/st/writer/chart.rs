//! Sequential function charts, as far as the textual form has their parts.

use super::{Writer, inside};
use crate::ast::{ActionBody, Chart, ChartStep, ChartTransition, Ident};

impl Writer<'_> {
    pub(super) fn chart(&mut self, chart: &Chart) {
        self.indent += 1;
        for step in &chart.steps {
            self.step(step);
        }
        for transition in &chart.transitions {
            self.transition(transition);
        }
        self.indent -= 1;
    }

    fn step(&mut self, step: &ChartStep) {
        self.before(step.span.start);
        self.line(&format!("{} {}:", if step.initial { "INITIAL_STEP" } else { "STEP" }, step.name.text));
        self.indent += 1;
        for block in &step.actions {
            self.before(block.span.start);
            let (true, ActionBody::Named(name)) = (block.qualifier.is_standard(), &block.action) else {
                self.cannot("an action that stands in its step", block.span);
                continue;
            };
            self.start().put(&format!("{}({}", name.text, block.qualifier.word()));
            if let Some(duration) = &block.duration {
                self.put(", ").expr(duration);
            }
            self.put(");\n");
        }
        self.before(inside(step.span)).end("END_STEP");
    }

    fn transition(&mut self, transition: &ChartTransition) {
        self.before(transition.span.start);
        if !transition.prelude.is_empty() {
            self.cannot("a condition of a transition that is a network", transition.span);
        }
        self.start().put("TRANSITION ");
        if let Some(name) = &transition.name {
            self.put(&format!("{} ", name.text));
        }
        if let Some(priority) = transition.priority {
            self.put(&format!("(PRIORITY := {priority}) "));
        }
        self.put("FROM ").steps(&transition.from).put(" TO ").steps(&transition.to);
        self.put(" := ").expr(&transition.condition).put(";\n");
        self.before(inside(transition.span)).line("END_TRANSITION");
    }

    fn steps(&mut self, steps: &[Ident]) -> &mut Self {
        match steps {
            [one] => self.put(&one.text),
            several => self.put("(").list(several, |w, step| w.put(&step.text)).put(")"),
        }
    }
}

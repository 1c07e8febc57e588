//! Calls of functions and instances, with EN and ENO.

use super::build::{is_true, not_if, part, variable, when};
use super::emit::{Emitter, Value, quiet};
use super::graph::{Block, Input, Kind, Node, Output};
use super::link::Link;
use crate::ast::{Arg, Expr, ExprKind, Ident, Name, Stmt, StmtKind, VarDecl};
use crate::text::{Diagnostic, Span, codes};

/// Returns whether a name belongs to a hidden variable that is TRUE while a block of a network runs.
pub(crate) fn is_enable_name(name: &str) -> bool {
    let number = name.strip_suffix(ENABLE).filter(|_| name.starts_with("__"));
    number.is_some_and(|front| front.ends_with(|c: char| c.is_ascii_digit()))
}

/// The ending of these names.
const ENABLE: &str = "en";

/// Calls in calls that become one expression; longer chains are split into hidden variables.
const TALLEST: u32 = 16;

impl Emitter<'_> {
    pub(super) fn block(&mut self, i: usize, turn: usize, block: &Block, span: Span) {
        let enable = self.enable(i, block, span);
        match &block.instance {
            Some(instance) => self.instance(i, block, instance, enable, span),
            None => self.function(i, turn, block, enable, span),
        }
    }

    /// Returns the condition under which the block runs: TRUE, or a hidden variable.
    fn enable(&mut self, i: usize, block: &Block, span: Span) -> Expr {
        let Some((at, input)) = block.inputs.iter().enumerate().find(|(_, input)| self.is_enable(block, input)) else {
            return Expr::truth(true, quiet(&self.network.nodes[i]));
        };
        let Some(value) = self.pin(i, at, &input.pin) else { return Expr::truth(true, quiet(&self.network.nodes[i])) };
        let value = self.modified(value, input.modifiers, i, "n", span);
        if is_true(&value) {
            return value;
        }
        let name = Ident::new(format!("{}{i}{ENABLE}", self.prefix), quiet(&self.network.nodes[i]));
        self.push(StmtKind::Let(name.clone(), value), span);
        variable(&name)
    }

    /// Returns whether an input is EN, and not a parameter that the block declares under this name.
    fn is_enable(&self, block: &Block, input: &Input) -> bool {
        let declares = |c: &super::Callee| c.inputs.iter().any(|name| name.eq_ignore_ascii_case("EN"));
        input.is_enable() && !self.callees.find(&block.callee).is_some_and(declares)
    }

    /// Returns the arguments of the connected inputs, with the height of the tallest.
    fn args(&mut self, i: usize, block: &Block, span: Span) -> (Vec<Arg>, u32) {
        let inputs: Vec<&Input> = block.inputs.iter().collect();
        let n_arguments = inputs.iter().filter(|input| !self.is_enable(block, input)).count() + block.in_outs.len();
        let (mut args, mut height) = (Vec::new(), 1);
        for (at, input) in inputs.into_iter().chain(&block.in_outs).enumerate() {
            if self.is_enable(block, input) && at < block.inputs.len() {
                continue;
            }
            let is_in_out = block.inputs.len() <= at;
            let value = match is_in_out.then(|| self.place(i, at)).flatten() {
                Some(place) => Some(place),
                // The block changes the variable itself, not a hidden copy of its value.
                None if is_in_out && !input.pin.wires.is_empty() => {
                    let message = format!("the in-out `{}` needs a variable", input.name.text);
                    let finding = Diagnostic::error(codes::NETWORK_PIN, input.pin.span, message, "a value, not a variable");
                    self.reports.push(finding.help("wire the variable itself to it"));
                    Some(Expr::error(input.pin.span))
                }
                None => self.pin(i, at, &input.pin),
            };
            let Some(value) = value else { continue };
            for link in self.links.into[i].get(at).into_iter().flatten() {
                let from = self.values[link.from.node].get(link.from.output).and_then(Option::as_ref);
                height = height.max(from.map_or(1, |v| v.height + 1));
            }
            let value = self.modified(value, input.modifiers, i, &format!("i{at}"), span);
            // A single argument needs no name: drawings name the inputs of operators differently.
            let is_alone = n_arguments == 1 && block.instance.is_none();
            args.push(if input.name.text.is_empty() || is_alone {
                Arg::Positional(value)
            } else {
                Arg::Input(input.name.clone(), value)
            });
        }
        (args, height)
    }

    /// Returns the variable itself that is wired to an in-out: the value of a wire cannot stand for it.
    fn place(&self, i: usize, at: usize) -> Option<Expr> {
        let mut link: Link = match self.links.into[i].get(at)?.as_slice() {
            [link] => *link,
            _ => return None,
        };
        // A wire may lead through other in-outs and through connectors.
        const LONGEST: usize = 64;
        for _ in 0..LONGEST {
            if let (Kind::Block(_), Some(value)) = (&self.network.nodes[link.from.node].kind, self.far_end(link)) {
                return Some(value);
            }
            let into = &self.links.into[link.from.node];
            #[expect(clippy::wildcard_enum_match_arm, reason = "other elements are no variables, which is reported")]
            let next = match &self.network.nodes[link.from.node].kind {
                Kind::Source { value, modifiers } | Kind::Both { place: value, read: modifiers, .. } => {
                    return (*modifiers == Default::default()).then(|| value.clone());
                }
                Kind::Block(block) => {
                    let at = link.from.output.checked_sub(block.outputs.len())?;
                    into.get(block.inputs.len() + at)?
                }
                Kind::Connector { .. } | Kind::Continuation { .. } => into.first()?,
                _ => return None,
            };
            link = *next.first()?;
        }
        None
    }

    /// Returns the variable of an in-out whose block has run.
    fn far_end(&self, link: Link) -> Option<Expr> {
        let Kind::Block(block) = &self.network.nodes[link.from.node].kind else { return None };
        let value = self.values[link.from.node].get(link.from.output)?.as_ref()?;
        (block.outputs.len() <= link.from.output).then(|| value.expr.clone())
    }

    // -- instances --------------------------------------------------------------------------------

    fn instance(&mut self, i: usize, block: &Block, instance: &Name, enable: Expr, span: Span) {
        let (args, _) = self.args(i, block, span);
        if args.iter().any(|arg| matches!(arg, Arg::Positional(_))) {
            let message = "an input of this instance has no name";
            let finding = Diagnostic::error(codes::NETWORK_PIN, span, message, "which input is it?");
            self.reports.push(finding.help("export the program again"));
        }
        let mut body = vec![Stmt { kind: StmtKind::Call(instance.clone(), args), span }];
        for output in &block.outputs {
            if let (Some(target), false) = (&output.target, self.is_eno(block, output)) {
                body.push(self.written(target, part(instance, &output.name), output, span));
            }
        }
        self.run_if(i, &enable, body);
        for (at, output) in block.outputs.iter().enumerate() {
            if self.is_eno(block, output) {
                self.eno(i, at, output, &enable, span);
            } else if 0 < self.links.n_uses[i][at] {
                let value = self.output_value(part(instance, &output.name), output, i, span);
                let value = self.bind(i, at, value, span);
                let guard = name_of(&enable);
                self.values[i][at] = Some(Value { expr: value, guard, height: 1 });
            }
        }
        self.in_outs_pass(i, block);
    }

    /// Returns an output of an instance that has not run yet: its value in the cycle before.
    pub(super) fn before(&mut self, block: &Block, output: usize, span: Span) -> Expr {
        match (&block.instance, block.outputs.get(output)) {
            (Some(instance), Some(output)) if !self.is_eno(block, output) && output.modifiers.edge.is_none() => {
                // A drawing shows it as the value of this wire only: other wires may carry the value of this cycle.
                let mut value = part(instance, &output.name);
                value.span = span;
                if let ExprKind::Name(name) = &mut value.kind {
                    name.span = span;
                }
                not_if(output.modifiers.negated, value)
            }
            _ => {
                self.gap("feedback of this output", span);
                Expr::error(span)
            }
        }
    }

    // -- functions --------------------------------------------------------------------------------

    fn function(&mut self, i: usize, turn: usize, block: &Block, enable: Expr, span: Span) {
        let (mut args, height) = self.args(i, block, span);
        let result = self.result_of(block);
        let mut after = Vec::new();
        for (at, output) in block.outputs.iter().enumerate() {
            if Some(at) == result || self.is_eno(block, output) {
                continue;
            }
            if let Some(name) = self.extra_output(i, at, block, &enable, span) {
                after.extend(output.target.iter().map(|target| Stmt::assign(target.clone(), variable(&name), span)));
                let (target, negated) = (Some(variable(&name)), output.modifiers.negated);
                args.push(Arg::Output { name: output.name.clone(), target, negated });
            }
        }
        let call = Expr { kind: ExprKind::Call(Box::new(block.callee.clone()), args.clone()), span };
        let is_used = result.filter(|&at| 0 < self.links.n_uses[i][at] || block.outputs[at].target.is_some());
        let Some(at) = is_used else {
            let mut body = vec![Stmt { kind: StmtKind::Call(block.callee.clone(), args), span }];
            body.append(&mut after);
            self.run_if(i, &enable, body);
            return self.functions_eno(i, block, &enable, span);
        };
        let output = &block.outputs[at];
        let is_plain = output.modifiers == Default::default() && output.target.is_none() && after.is_empty();
        if is_plain && height < TALLEST && self.stands_alone(i, at, turn, !is_true(&enable)) {
            self.values[i][at] = Some(Value { expr: call, guard: name_of(&enable), height });
            return self.functions_eno(i, block, &enable, span);
        }
        let value = self.output_value(call, output, i, span);
        let hidden = self.hidden(i, at);
        // While the block is skipped, its result keeps the value of the last run.
        let keeps = !is_true(&enable) && !self.feeds_variables(i, at);
        if keeps && !self.has_memory {
            self.gap("result of a block that may be skipped, in a function", span);
        }
        let kind = if keeps { StmtKind::Keep(hidden.clone(), value) } else { StmtKind::Let(hidden.clone(), value) };
        let mut body = vec![Stmt { kind, span }];
        if let Some(target) = &output.target {
            body.push(Stmt::assign(target.clone(), variable(&hidden), span));
        }
        body.append(&mut after);
        self.run_if(i, &enable, body);
        self.values[i][at] = Some(Value { expr: variable(&hidden), guard: name_of(&enable), height: 1 });
        self.functions_eno(i, block, &enable, span);
    }

    fn functions_eno(&mut self, i: usize, block: &Block, enable: &Expr, span: Span) {
        for (at, output) in block.outputs.iter().enumerate().filter(|(_, o)| o.is_enable()) {
            self.eno(i, at, output, enable, span);
        }
        self.in_outs_pass(i, block);
    }

    /// Returns the output that is the function's result: named like the function, without a name, or as tools call it.
    /// If the function's declaration is known, an output that it declares is not the result.
    fn result_of(&self, block: &Block) -> Option<usize> {
        let callee = self.callees.find(&block.callee);
        let own_name = block.callee.path.last().map_or(block.callee.root.text.as_str(), |_| "");
        let is_result = |name: &str| match callee {
            Some(callee) => callee.has_result && !callee.outputs.iter().any(|(output, _)| output.eq_ignore_ascii_case(name)),
            None => {
                name.eq_ignore_ascii_case(own_name)
                    || ["", "OUT", "OUT1", "RET_VAL", "RESULT", "Q", "O"].iter().any(|usual| usual.eq_ignore_ascii_case(name))
            }
        };
        block.outputs.iter().position(|o| !o.is_enable() && is_result(&o.name.text))
    }

    /// Adds the statements of an element that runs under a condition.
    fn run_if(&mut self, i: usize, enable: &Expr, body: Vec<Stmt>) {
        self.out.stmts.extend(when(enable.clone(), body, self.network.nodes[i].extent));
    }

    /// Returns a hidden variable for an output of a function besides its result, if the output is used.
    fn extra_output(&mut self, i: usize, at: usize, block: &Block, enable: &Expr, span: Span) -> Option<Ident> {
        let output = &block.outputs[at];
        if self.links.n_uses[i][at] == 0 && output.target.is_none() {
            return None;
        }
        let find = |c: &super::Callee| c.outputs.iter().find(|(name, _)| name.eq_ignore_ascii_case(&output.name.text)).cloned();
        let Some((_, ty)) = self.callees.find(&block.callee).and_then(find) else {
            self.gap("output of a function whose declaration is in another file", span);
            return None;
        };
        if !is_true(enable) && !self.has_memory {
            self.gap("output of a block that may be skipped, in a function", span);
        }
        let name = self.hidden(i, at);
        self.out.vars.push(VarDecl::new(name.clone(), ty, span));
        self.values[i][at] = Some(Value { expr: variable(&name), guard: name_of(enable), height: 1 });
        Some(name)
    }

    /// Returns whether the call can stand as an expression in the next element, so that its literals get their types there.
    fn stands_alone(&self, i: usize, at: usize, turn: usize, is_guarded: bool) -> bool {
        // A drawing finds its value by its place.
        let is_shared = self.shared.contains(&self.network.nodes[i].span);
        if self.links.n_uses[i][at] != 1 || is_shared {
            return false;
        }
        let node = |j: usize| -> &Node { &self.network.nodes[j] };
        let rest = self.order.get(turn + 1..).unwrap_or_default().iter().copied();
        let Some(next) = rest.take(64).find(|&j| !matches!(node(j).kind, Kind::Source { .. } | Kind::LeftRail)) else {
            return false;
        };
        let comes_from_here = |links: &[Link]| links.len() == 1 && links[0].from.node == i && links[0].from.output == at;
        let Some(input) = self.links.into[next].iter().position(|links| comes_from_here(links)) else { return false };
        #[expect(clippy::wildcard_enum_match_arm, reason = "a call that stands alone is always right")]
        match &node(next).kind {
            Kind::Sink { modifiers, .. } => *modifiers == Default::default(),
            Kind::Block(consumer) => {
                let is_plain = consumer.inputs.get(input).is_some_and(|p| p.modifiers == Default::default());
                is_plain && !is_guarded && !consumer.inputs.iter().any(|p| self.is_enable(consumer, p))
            }
            _ => false,
        }
    }

    /// Returns whether an output is wired to variables only, which are not written while the block is skipped.
    fn feeds_variables(&self, i: usize, at: usize) -> bool {
        self.links.n_sinks[i][at] == self.links.n_uses[i][at]
    }

    // -- outputs ----------------------------------------------------------------------------------

    fn is_eno(&self, block: &Block, output: &Output) -> bool {
        let declares = |c: &super::Callee| c.outputs.iter().any(|(name, _)| name.eq_ignore_ascii_case("ENO"));
        output.is_enable() && !self.callees.find(&block.callee).is_some_and(declares)
    }

    fn eno(&mut self, i: usize, at: usize, output: &Output, enable: &Expr, span: Span) {
        let value = self.output_value(enable.clone(), output, i, span);
        if let Some(target) = &output.target {
            self.out.stmts.push(Stmt::assign(target.clone(), value.clone(), span));
        }
        self.values[i][at] = Some(Value { expr: value, guard: None, height: 1 });
    }

    /// Returns the value behind an output pin.
    fn output_value(&mut self, value: Expr, output: &Output, i: usize, span: Span) -> Expr {
        self.modified(value, output.modifiers, i, "o", span)
    }

    fn written(&mut self, target: &Expr, value: Expr, output: &Output, span: Span) -> Stmt {
        if output.modifiers.edge.is_some() || output.modifiers.storage.is_some() {
            self.gap("edge or storage of an output pin", span);
        }
        Stmt::assign(target.clone(), not_if(output.modifiers.negated, value), span)
    }

    /// Gives the output side of each in-out the variable of its input side.
    fn in_outs_pass(&mut self, i: usize, block: &Block) {
        for at in 0..block.in_outs.len() {
            let place = block.in_outs[at].pin.value.clone().or_else(|| self.place(i, block.inputs.len() + at));
            if let Some(expr) = place {
                self.values[i][block.outputs.len() + at] = Some(Value { expr, guard: None, height: 1 });
            }
        }
    }
}

fn name_of(enable: &Expr) -> Option<Ident> {
    if let ExprKind::Name(name) = &enable.kind { Some(name.root.clone()) } else { None }
}

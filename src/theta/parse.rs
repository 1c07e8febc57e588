//! Tokens as processes: declarations, locations, edges and statements. Expressions are in [`super::expression`].
//!
//! Never fails: a mistake is a finding with its place, and reading goes on at the next declaration.

use std::collections::BTreeMap;

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::Span;

use super::ast::{Edge, Expr, Loc, Node, Process, Stmt, StmtKind, Var};
use super::lex::{Kind, Token};
use crate::expr::{FloatSort, Sort};

/// Findings that are told; whoever mends these will see the others.
const MOST_FINDINGS: usize = 50;
/// Edges of one model.
const MOST_EDGES: usize = 200_000;

/// What was read: the process that runs, and the names of others.
pub(super) struct Read {
    /// `None` if there is none, or it has no start or no error location.
    pub(super) main: Option<Process>,
    /// Processes that do not run.
    pub(super) others: Vec<(String, Span)>,
}

pub(super) struct Parser<'a, 'f> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) at: usize,
    pub(super) nodes: Vec<Node>,
    /// Parentheses and the like that are open.
    pub(super) depth: usize,
    pub(super) findings: &'f mut Vec<Diagnostic>,
    globals: Vec<Var>,
}

/// A process as it is written: names are not resolved.
struct Body<'a> {
    process: Process,
    span: Span,
    inits: Vec<usize>,
    finals: usize,
    errors: Vec<usize>,
    edges: Vec<Draft<'a>>,
}

/// An edge as it is written.
struct Draft<'a> {
    source: (&'a str, Span),
    target: (&'a str, Span),
    stmts: Vec<(Written<'a>, Span)>,
}

/// A statement as it is written.
enum Written<'a> {
    Assume(Expr),
    Assign((&'a str, Span), Expr),
    Havoc((&'a str, Span)),
}

/// All of a text.
pub(super) fn parse<'a>(tokens: &'a [Token<'a>], findings: &mut Vec<Diagnostic>) -> Read {
    let mut parser = Parser { tokens, at: 0, nodes: Vec::new(), depth: 0, findings, globals: Vec::new() };
    let mut mains: Vec<Body<'a>> = Vec::new();
    let mut others: Vec<(String, Span)> = Vec::new();
    while parser.peek() != Kind::End {
        let start = parser.here();
        if parser.eat_word("var") {
            if let Some(var) = parser.variable() {
                parser.globals.push(var);
            }
            continue;
        }
        let is_main = parser.eat_word("main");
        if parser.eat_word("process") {
            let nodes = parser.nodes.len();
            let Some(body) = parser.process(start) else { continue };
            if is_main {
                mains.push(body);
            } else {
                others.push((body.process.name.clone(), body.span));
                parser.nodes.truncate(nodes);
            }
            continue;
        }
        parser.expected("`main process`, `process` or `var`");
        parser.skip(&["main", "process", "var"]);
    }
    let main = match mains.len() {
        1 => mains.pop().and_then(|body| parser.resolved(body)),
        0 => {
            if !parser.has_errors() {
                let span = others.first().map_or(parser.here(), |other| other.1);
                let finding = Diagnostic::error("P6006", span, "no process is the main one", "this one does not run");
                parser.report(finding.help("write `main process`"));
            }
            None
        }
        _ => {
            let spans: Vec<Span> = mains.iter().map(|body| body.span).collect();
            let finding = Diagnostic::error("P6006", spans[1], "more than one process is the main one", "a second one");
            parser.report(finding.label(spans[0], "the first one").help("one process can run: take `main` from the others"));
            None
        }
    };
    Read { main, others }
}

impl<'a> Parser<'a, '_> {
    fn token(&self) -> Token<'a> {
        // The last token is the end, and nothing goes beyond it.
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }
    pub(super) fn peek(&self) -> Kind<'a> {
        self.token().kind
    }
    pub(super) fn peek_behind(&self, n: usize) -> Kind<'a> {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)].kind
    }
    /// The word or the symbol that comes next; empty for anything else.
    pub(super) fn text(&self) -> &'a str {
        match self.peek() {
            Kind::Word(text) => text,
            Kind::Symbol(text) => text,
            Kind::Number(_) | Kind::Bits(..) | Kind::End => "",
        }
    }
    pub(super) fn here(&self) -> Span {
        self.token().span
    }
    /// From the beginning of `start` to the end of the last token.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span)
    }
    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.token();
        self.at += 1;
        token
    }
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Kind::Word(word);
        self.at += usize::from(found);
        found
    }
    pub(super) fn eat(&mut self, symbol: &'static str) -> bool {
        let found = self.peek() == Kind::Symbol(symbol);
        self.at += usize::from(found);
        found
    }
    pub(super) fn report(&mut self, finding: Diagnostic) {
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        }
    }
    pub(super) fn expected(&mut self, what: &str) {
        let finding = Diagnostic::error("P6002", self.here(), format!("{what} is expected"), "here");
        self.report(finding);
    }
    fn has_errors(&self) -> bool {
        !self.findings.is_empty()
    }
    pub(super) fn expect(&mut self, symbol: &'static str) -> Option<()> {
        if self.eat(symbol) {
            return Some(());
        }
        self.expected(&format!("`{symbol}`"));
        None
    }
    pub(super) fn expect_word(&mut self, word: &str) -> Option<()> {
        if self.eat_word(word) {
            return Some(());
        }
        self.expected(&format!("`{word}`"));
        None
    }
    fn name(&mut self, of: &str) -> Option<(&'a str, Span)> {
        let token = self.token();
        if let Kind::Word(name) = token.kind {
            self.at += 1;
            return Some((name, token.span));
        }
        self.expected(&format!("the name of {of}"));
        None
    }
    pub(super) fn number(&mut self, of: &str) -> Option<u32> {
        let token = self.token();
        if let Kind::Number(digits) = token.kind {
            self.at += 1;
            // Numbers of bits: larger ones are refused by whoever asked.
            return Some(digits.parse().unwrap_or(u32::MAX));
        }
        self.expected(of);
        None
    }
    /// To the next of these words, or the end of the text.
    fn skip(&mut self, to: &[&str]) {
        self.at += 1;
        while !matches!(self.peek(), Kind::End) && !matches!(self.peek(), Kind::Word(word) if to.contains(&word)) {
            self.at += 1;
        }
    }
    /// Something that Theta has and we do not.
    pub(super) fn refuse(&mut self, span: Span, what: &str, help: &str) {
        let finding = Diagnostic::error("P6005", span, format!("{what} cannot be verified yet"), "this");
        self.report(finding.help(help));
    }

    fn variable(&mut self) -> Option<Var> {
        let (name, span) = self.name("a variable")?;
        self.expect(":")?;
        let sort = self.sort()?;
        Some(Var { name: name.to_owned(), sort, span })
    }
    /// A type; `None` after saying what is wrong with it.
    pub(super) fn sort(&mut self) -> Option<Sort> {
        let start = self.here();
        if self.eat("[") {
            let index = self.sort()?;
            self.expect("]")?;
            self.expect("->")?;
            let element = self.sort()?;
            let span = self.since(start);
            return match (index.scalar(), element.scalar()) {
                (Some(index), Some(element)) => Some(Sort::Array(index, element)),
                (_, _) => {
                    self.refuse(span, "an array of arrays", "use an array for each row, or one with wider indices");
                    None
                }
            };
        }
        if self.peek() == Kind::Symbol("(") {
            self.refuse(start, "a function type", "write out what the function does");
            return None;
        }
        match self.peek() {
            Kind::Word("bool") => {
                self.at += 1;
                Some(Sort::Bool)
            }
            Kind::Word("int") => {
                self.at += 1;
                Some(Sort::Int)
            }
            Kind::Word("rat") => {
                self.refuse(start, "a rational number", "use `int` or a float");
                None
            }
            Kind::Word("bv") => {
                self.at += 1;
                Some(Sort::BitVec(self.bv_width()?))
            }
            Kind::Word("fp") => {
                self.at += 1;
                Some(Sort::Float(self.float_format()?))
            }
            Kind::Word(_) | Kind::Number(_) | Kind::Bits(..) | Kind::Symbol(_) | Kind::End => {
                self.expected("a type (`bool`, `int`, `bv[8]`, `fp[8:24]`, `[int] -> int`)");
                None
            }
        }
    }
    /// `[8]` of a bit vector.
    pub(super) fn bv_width(&mut self) -> Option<u16> {
        let start = self.here();
        self.expect("[")?;
        let width = self.number("a number of bits")?;
        self.expect("]")?;
        self.checked_width(width, start)
    }
    pub(super) fn checked_width(&mut self, width: u32, start: Span) -> Option<u16> {
        match width {
            1..=128 => Some(width as u16),
            0 => {
                let finding = Diagnostic::error("P6004", self.since(start), "a bit vector has at least one bit", "this has none");
                self.report(finding);
                None
            }
            _ => {
                let span = self.since(start);
                self.refuse(span, "a bit vector of more than 128 bits", "use several narrower ones");
                None
            }
        }
    }
    /// `[8:24]` or `[8,24]` of a float.
    pub(super) fn float_format(&mut self) -> Option<FloatSort> {
        let start = self.here();
        self.expect("[")?;
        let exponent = self.number("the number of exponent bits")?;
        if !self.eat(":") && !self.eat(",") {
            self.expected("`:`");
            return None;
        }
        let significand = self.number("the number of significand bits")?;
        self.expect("]")?;
        self.checked_format(exponent, significand, start)
    }
    pub(super) fn checked_format(&mut self, exponent: u32, significand: u32, start: Span) -> Option<FloatSort> {
        let format = FloatSort::new(exponent, significand);
        if format.is_none() {
            let span = self.since(start);
            let limits = "2 to 30 bits of exponent, 2 to 113 of significand (with the hidden one), 128 in all";
            self.refuse(span, "a float of this format", limits);
        }
        format
    }

    fn process(&mut self, start: Span) -> Option<Body<'a>> {
        let (name, _) = self.name("a process")?;
        let mut body = Body {
            process: Process { name: name.to_owned(), ..Process::default() },
            span: self.since(start),
            inits: Vec::new(),
            finals: 0,
            errors: Vec::new(),
            edges: Vec::new(),
        };
        if self.eat("(") && !self.eat(")") {
            // Nobody gives the main process its parameters: they have any values.
            while let Some(var) = self.variable() {
                body.process.vars.push(var);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")");
        }
        if self.expect("{").is_none() {
            self.skip(&["main", "process"]);
            return None;
        }
        while !self.eat("}") {
            if self.peek() == Kind::End {
                self.expected("`}` at the end of the process");
                break;
            }
            if self.member(&mut body).is_none() {
                self.recover();
            }
        }
        Some(body)
    }
    /// To what may be the next member of a process.
    fn recover(&mut self) {
        loop {
            match self.peek() {
                Kind::End | Kind::Symbol("}") => return,
                Kind::Word("var" | "loc" | "init" | "final" | "error") => return,
                Kind::Word(_) if self.peek_behind(1) == Kind::Symbol("->") => return,
                Kind::Word(_) | Kind::Number(_) | Kind::Bits(..) | Kind::Symbol(_) => self.at += 1,
            }
        }
    }
    /// One declaration or edge.
    fn member(&mut self, body: &mut Body<'a>) -> Option<()> {
        if self.eat_word("var") {
            let var = self.variable()?;
            body.process.vars.push(var);
            return Some(());
        }
        let n = body.process.locs.len();
        match (self.peek(), self.peek_behind(1)) {
            (Kind::Word("init"), Kind::Word("loc")) => body.inits.push(n),
            (Kind::Word("final"), Kind::Word("loc")) => body.finals += 1,
            (Kind::Word("error"), Kind::Word("loc")) => body.errors.push(n),
            (Kind::Word("loc"), Kind::Word(_)) => {}
            _ => return self.edge(body),
        }
        self.at += 1;
        self.eat_word("loc");
        let (name, span) = self.name("a location")?;
        body.process.locs.push(Loc { name: name.to_owned(), span });
        Some(())
    }
    fn edge(&mut self, body: &mut Body<'a>) -> Option<()> {
        if !matches!(self.peek(), Kind::Word(_)) {
            self.expected("a variable (`var`), a location (`loc`) or an edge (`A -> B { … }`)");
            return None;
        }
        let source = self.name("a location")?;
        self.expect("->")?;
        let target = self.name("a location")?;
        let mut stmts = Vec::new();
        if self.eat("{") {
            while !self.eat("}") {
                let start = self.here();
                let Some(stmt) = self.statement() else {
                    self.recover();
                    self.eat("}");
                    break;
                };
                stmts.push((stmt, self.since(start)));
                self.eat(";");
            }
        }
        if body.edges.len() == MOST_EDGES {
            let span = source.1;
            self.refuse(span, "a model of more than 200000 edges", "split it");
        }
        if body.edges.len() <= MOST_EDGES {
            body.edges.push(Draft { source, target, stmts });
        }
        Some(())
    }
    fn statement(&mut self) -> Option<Written<'a>> {
        let start = self.here();
        if self.eat_word("assume") {
            return Some(Written::Assume(self.expression()?));
        }
        if self.eat_word("havoc") {
            return Some(Written::Havoc(self.name("a variable")?));
        }
        if self.eat_word("return") {
            self.refuse(start, "`return`", "no process calls another, so end with an edge to the final location");
            return None;
        }
        if self.peek_behind(1) != Kind::Symbol(":=") {
            self.expected("a statement (`x := …`, `assume …`, `havoc x`) or `}`");
            return None;
        }
        let var = self.name("a variable")?;
        self.expect(":=")?;
        Some(Written::Assign(var, self.expression()?))
    }

    /// Names become numbers; what must be there once is.
    fn resolved(&mut self, body: Body<'a>) -> Option<Process> {
        let Body { mut process, span, inits, finals, errors, edges } = body;
        // What the process declares stands before what all share.
        let own = process.vars.len();
        process.vars.append(&mut self.globals);
        let mut vars: BTreeMap<String, usize> = BTreeMap::new();
        for (i, var) in process.vars.iter().enumerate() {
            match vars.get(&var.name) {
                Some(&first) if (i < own) == (first < own) => {
                    let finding = Diagnostic::error("P6003", var.span, format!("`{}` is declared twice", var.name), "again");
                    let first = process.vars[first].span;
                    self.report(finding.label(first, "first"));
                }
                Some(_) => {}
                None => {
                    vars.insert(var.name.clone(), i);
                }
            }
        }
        let mut locs: BTreeMap<String, usize> = BTreeMap::new();
        for (i, loc) in process.locs.iter().enumerate() {
            if let Some(first) = locs.insert(loc.name.clone(), i) {
                let finding = Diagnostic::error("P6003", loc.span, format!("`{}` is declared twice", loc.name), "again");
                self.report(finding.label(process.locs[first].span, "first"));
            }
        }
        let mut nodes = std::mem::take(&mut self.nodes);
        for node in &mut nodes {
            if let super::ast::NodeKind::Var(name, var) = &mut node.kind {
                *var = self.named(&vars, name, node.span, "variable");
            }
        }
        process.nodes = nodes;
        for Draft { source, target, stmts } in edges {
            let span = source.1.to(target.1);
            let (from, to) =
                (self.named(&locs, source.0, source.1, "location"), self.named(&locs, target.0, target.1, "location"));
            let mut all = Vec::with_capacity(stmts.len());
            for (stmt, span) in stmts {
                let kind = match stmt {
                    Written::Assume(e) => Some(StmtKind::Assume(e)),
                    Written::Assign(var, e) => self.named(&vars, var.0, var.1, "variable").map(|var| StmtKind::Assign(var, e)),
                    Written::Havoc(var) => self.named(&vars, var.0, var.1, "variable").map(StmtKind::Havoc),
                };
                all.extend(kind.map(|kind| Stmt { kind, span }));
            }
            if let (Some(source), Some(target)) = (from, to) {
                process.edges.push(Edge { source, target, stmts: all, span });
            }
        }
        let place = |i: usize| process.locs.get(i).map_or(span, |loc: &Loc| loc.span);
        match inits.as_slice() {
            [one] => process.init = *one,
            [] => self.report(
                Diagnostic::error("P6006", span, "the process has no initial location", "this one")
                    .help("mark the location where runs start: `init loc L0`"),
            ),
            [first, second, ..] => self.report(
                Diagnostic::error("P6006", place(*second), "the process has more than one initial location", "another one")
                    .label(place(*first), "the first one"),
            ),
        }
        if 1 < finals {
            self.report(Diagnostic::error("P6006", span, "the process has more than one final location", "this one"));
        }
        match errors.as_slice() {
            [one] => process.error = *one,
            [] => self.report(
                Diagnostic::error("P6006", span, "there is nothing to check: the model has no error location", "this process")
                    .help("mark the location that must not be reached: `error loc ERR`"),
            ),
            [first, second, ..] => self.report(
                Diagnostic::error("P6006", place(*second), "the process has more than one error location", "another one")
                    .label(place(*first), "the first one")
                    .help("lead edges from all of them to one location"),
            ),
        }
        if self.has_errors() { None } else { Some(process) }
    }
    fn named(&mut self, names: &BTreeMap<String, usize>, name: &str, span: Span, of: &str) -> Option<usize> {
        let found = names.get(name).copied();
        if found.is_none() {
            self.report(Diagnostic::error("P6003", span, format!("no {of} has the name `{name}`"), "used here"));
        }
        found
    }
}

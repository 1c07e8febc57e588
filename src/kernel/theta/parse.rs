//! Parser of processes: declarations, locations, edges and statements. [`super::expression`] parses expressions;
//! `resolve` resolves names.
//!
//! The parser never fails. A mistake becomes a finding with its place, and parsing continues at the next declaration.

use plc_frontend::diagnostic::Diagnostic;
use plc_frontend::source::Span;

use super::ast::{Expr, Loc, Node, Process, Var};
use super::lex::{Kind, Token};

/// Maximum number of edges of one model.
const MOST_EDGES: usize = 200_000;

/// Result of parsing: the process that runs, and the names of others.
pub(super) struct Read {
    /// Process that runs; `None` if there is none, or if it has no start or no error location.
    pub(super) main: Option<Process>,
    /// Processes that do not run.
    pub(super) others: Vec<(String, Span)>,
}

pub(super) struct Parser<'a, 'f> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) at: usize,
    pub(super) nodes: Vec<Node>,
    /// Open parentheses and brackets.
    pub(super) depth: usize,
    pub(super) findings: &'f mut Vec<Diagnostic>,
    pub(super) globals: Vec<Var>,
}

/// A written process, with names that are not resolved.
pub(super) struct Body<'a> {
    pub(super) process: Process,
    pub(super) span: Span,
    pub(super) inits: Vec<usize>,
    pub(super) finals: usize,
    pub(super) errors: Vec<usize>,
    pub(super) edges: Vec<Draft<'a>>,
}

/// A written edge.
pub(super) struct Draft<'a> {
    pub(super) source: (&'a str, Span),
    pub(super) target: (&'a str, Span),
    pub(super) stmts: Vec<(Written<'a>, Span)>,
}

/// A written statement.
pub(super) enum Written<'a> {
    Assume(Expr),
    Assign((&'a str, Span), Expr),
    Havoc((&'a str, Span)),
}

/// Parses all tokens of a text.
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
            parser.report(finding.label(spans[0], "the first one").help("one process can run: remove `main` from the others"));
            None
        }
    };
    Read { main, others }
}

impl<'a> Parser<'a, '_> {
    fn variable(&mut self) -> Option<Var> {
        let (name, span) = self.name("a variable")?;
        self.expect(":")?;
        let sort = self.sort()?;
        Some(Var { name: name.to_owned(), sort, span })
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
            // The parameters of the main process may have any value.
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
    /// Skips to a possible next member of a process.
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
    /// Returns one declaration or edge.
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
}

//! Paths to variables and the arguments of calls.

use super::parser::{Parser, Tree};
use crate::ast::{Arg, Expr, Name, NameElem};
use crate::lang::common::address;
use crate::lang::common::lexer::Flavour;
use crate::lang::common::token::Tok;
use crate::text::{Diagnostic, Span};

impl Parser<'_> {
    /// Reads `a.b[i, j].3^`; the current token is its first word.
    pub(super) fn path(&mut self) -> Tree<Name> {
        let start = self.here();
        let is_global = self.at_global();
        if is_global {
            self.bump();
        }
        let first = self.bump();
        let mut root = self.ident(first);
        if is_global {
            root.text.insert(0, '.');
        }
        let mut name = Tree { node: Name { root, path: Vec::new(), span: start }, height: 0 };
        self.selections(&mut name, start);
        name
    }

    /// Returns whether a point begins a name: of CODESYS and TwinCAT, `.n` is the global variable even beside a local one.
    pub(super) fn at_global(&mut self) -> bool {
        let has_it = !matches!(self.flavour, Flavour::Scl | Flavour::Logix);
        has_it && self.at(Tok::Dot) && self.peek(1).kind == Tok::Word
    }

    /// Reads a path, with its arguments if it is called: `a.b(x).c(y)`. The part behind a call selects from its result.
    pub(super) fn use_of_name(&mut self) -> (Tree<Name>, Option<Tree<Vec<Arg>>>) {
        let start = self.here();
        let mut name = self.path();
        while self.at(Tok::LParen) && !self.is_lost() {
            let place = self.here();
            let args = self.arguments();
            if self.is_lost() || !self.at_any(&[Tok::Dot, Tok::Caret, Tok::LBracket]) {
                return (name, Some(args));
            }
            name.height = name.height.max(args.height);
            name.node.path.push(NameElem::Call(args.node, self.since(place)));
            self.selections(&mut name, start);
        }
        (name, None)
    }

    /// Reads fields, indices, bits and dereferences.
    fn selections(&mut self, name: &mut Tree<Name>, start: Span) {
        let Tree { node: Name { path, .. }, height } = name;
        while !self.is_lost() {
            let place = self.here();
            if self.eat(Tok::Dot) {
                path.extend(self.selected());
            } else if self.eat(Tok::Caret) {
                path.push(NameElem::Deref(place));
            } else if self.at(Tok::LBracket) {
                let indices = self.indices();
                *height = (*height).max(indices.height);
                path.push(NameElem::Index(indices.node, self.since(place)));
            } else {
                break;
            }
        }
        path.shrink_to_fit();
        name.node.span = self.since(start);
    }

    /// Reads the part behind a dot.
    fn selected(&mut self) -> Option<NameElem> {
        let place = self.here();
        if self.at(Tok::Word) {
            let token = self.bump();
            return Some(NameElem::Field(self.ident(token)));
        }
        if !self.at_any(&[Tok::Number, Tok::Address]) {
            self.expected("a field or a bit number", "a dot selects a field `.name` or a bit `.3`");
            return None;
        }
        if self.is_scl() && self.at_absolute_access() {
            self.is_absolute = true;
            self.bump();
            return None;
        }
        self.bump();
        match address::bits(self.text_of(place)) {
            Ok((number, width)) => Some(NameElem::Bits { number, width, span: place }),
            Err(wrong) => {
                self.malformed(place, wrong);
                None
            }
        }
    }

    fn indices(&mut self) -> Tree<Vec<Expr>> {
        let open = self.here();
        self.bump();
        let mut height = 0;
        let indices = self.with_commas(|p| {
            let index = p.deeper(Parser::tree).unwrap_or_else(|| p.no_tree());
            height = height.max(index.height);
            Some(index.node)
        });
        self.close(Tok::RBracket, open);
        Tree { node: indices, height }
    }

    /// Reads `(a, in := b, out => c, NOT out => d)`; the current token is the parenthesis.
    pub(super) fn arguments(&mut self) -> Tree<Vec<Arg>> {
        let open = self.here();
        self.bump();
        let mut args = Vec::new();
        let mut height = 0;
        if self.eat(Tok::RParen) {
            return Tree { node: args, height };
        }
        loop {
            let arg = self.deeper(Parser::argument).unwrap_or(Tree { node: None, height: 0 });
            height = height.max(arg.height);
            args.extend(arg.node);
            // Vendors allow a comma behind the last argument.
            if self.is_lost() || !self.eat(Tok::Comma) || self.at(Tok::RParen) {
                break;
            }
        }
        self.close(Tok::RParen, open);
        args.shrink_to_fit();
        Tree { node: args, height }
    }

    /// Reads one argument; `None` for `name :=` with nothing behind it, which gives the parameter nothing.
    pub(super) fn argument(&mut self) -> Tree<Option<Arg>> {
        let negated = self.at(Tok::Not) && self.peek(1).kind == Tok::Word && self.peek(2).kind == Tok::Arrow;
        if negated {
            self.bump();
        }
        let is_reference = self.at(Tok::Word) && self.peek(1).kind == Tok::Word && self.at_reference_argument();
        let behind = if is_reference {
            Tok::Assign
        } else if self.at(Tok::Word) {
            self.peek(1).kind
        } else {
            Tok::End
        };
        if behind != Tok::Arrow && behind != Tok::Assign {
            let value = self.tree();
            return Tree { node: Some(Arg::Positional(value.node)), height: value.height };
        }
        let token = self.bump();
        let name = self.ident(token);
        self.bump();
        if is_reference {
            self.bump();
        }
        let is_empty = self.at_any(&[Tok::Comma, Tok::RParen]);
        if behind == Tok::Assign {
            if is_empty {
                return Tree { node: None, height: 0 };
            }
            let value = self.tree();
            return Tree { node: Some(Arg::Input(name, value.node)), height: value.height };
        }
        if is_empty {
            return Tree { node: Some(Arg::Output { name, target: None, negated }), height: 0 };
        }
        let target = self.place();
        Tree { node: Some(Arg::Output { name, target: Some(target.node), negated }), height: target.height }
    }

    /// Returns whether `name REF=` stands here: a reference that is given a variable refers to it, as with `:=`.
    fn at_reference_argument(&mut self) -> bool {
        let (word, sign) = (self.peek(1), self.peek(2));
        let is_sign = word.kind == Tok::Word && sign.kind == Tok::Eq && sign.start == word.end;
        let text = self.text.get(word.start as usize..word.end as usize).unwrap_or_default();
        self.at(Tok::Word) && is_sign && text.eq_ignore_ascii_case("REF")
    }

    /// Reads the variable that an output is written to.
    fn place(&mut self) -> Tree<Expr> {
        let start = self.here();
        let is_variable = self.at_any(&[Tok::Word, Tok::Address]) || self.at_global();
        let tree = self.tree();
        if !is_variable {
            let place = self.since(start);
            let diagnostic = Diagnostic::error("P1032", place, "an output goes to a variable", "not a variable");
            self.report(diagnostic.help("name a variable behind `=>`"));
        }
        tree
    }
}

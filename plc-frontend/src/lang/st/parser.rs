//! The machinery of the ST parser: the current token, errors, recovery and the height limit.
//!
//! After an error the parser is *lost*: it reports nothing more until it stands again at the start
//! of a statement or declaration, so one mistake is one finding. Knows no construct of the language.

mod mistakes;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::decl::Scouted;
use super::member::Members;
use crate::ast::{Arg, Chart, Ident, Item, StmtKind, VarBlock};
use crate::lang::BodyLanguage;
use crate::lang::common::lexer::{Asides, FILLER, Flavour, LONGEST_NAME, Lexer};
use crate::lang::common::token::{Set, Tok, Token};
use crate::text::{Diagnostic, FileId, Span};

/// The levels of the tallest tree: statements in statements plus operands in operands. Later passes recurse over the tree.
pub(super) const TALLEST: u32 = 512;

/// The height of a level. An operator more in a chain `a OR b OR c …` counts 1, so chains of this many times [`TALLEST`] are read.
pub(super) const LEVEL: u32 = 128;

/// An expression with the height of its tree.
pub(super) struct Tree<T> {
    pub(super) node: T,
    pub(super) height: u32,
}

/// A construct with an end of its own that statements may stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The keyword that starts it.
    pub(super) start: Tok,
    /// The keywords at which it goes on or ends.
    pub(super) awaits: &'static [Tok],
    /// The keyword that ends it.
    pub(super) end: Tok,
}

pub(super) struct Parser<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) flavour: Flavour,
    lexer: Lexer<'t>,
    pub(super) asides: Asides,
    ahead: VecDeque<Token>,
    token: Token,
    prev_end: usize,
    lost: bool,
    depth: u32,
    /// The text is too deep: the ends of open constructs are not missed until the POU ends.
    pub(super) overflowed: bool,
    /// Open IF, CASE, FOR, WHILE, REPEAT.
    pub(super) open: Vec<Block>,
    /// Assertions and conditions may use `-->`.
    pub(super) implication: bool,
    /// Declarations of kinds that are not modelled, found inside a POU.
    pub(super) aside_items: Vec<Item>,
    /// The last look ahead for the end of declarations.
    pub(super) scouted: Option<Scouted>,
    /// Declarations found among statements.
    pub(super) misplaced_vars: Vec<VarBlock>,
    /// Methods, properties and actions of the open POU or interface.
    pub(super) members: Members,
    /// Statements to insert before the one being read: the inner assignments of a chain.
    pub(super) chained: Vec<StmtKind>,
    /// The path that was read last has a part of a data block by its number.
    pub(super) is_absolute: bool,
    /// Steps and transitions of the body being read.
    pub(super) chart: Option<Chart>,
    /// Timers of SCL, each with the kind that its calls name.
    pub(super) timers: BTreeMap<String, Option<&'static str>>,
    /// Arguments behind the type that was read last: `Block(a := 1)`.
    pub(super) instance_args: Vec<Arg>,
    /// The statements here belong to a member of a POU.
    pub(super) in_member: bool,
    /// The text is a piece of a program: the last words of its constructs may be missing.
    pub(super) is_piece: bool,
    /// No declaration stands before the one that is read.
    pub(super) is_first_item: bool,
    /// The file is a part of a program: variables and actions may stand outside of any POU.
    pub(super) is_part: bool,
    /// The statements here have no POU around them: a declaration ends them.
    pub(super) is_headless: bool,
    /// Programs without a header so far.
    pub(super) n_headless: usize,
    /// Language of all bodies, if they are not detected one by one.
    pub(super) body_language: Option<&'static BodyLanguage>,
}

impl<'t> Parser<'t> {
    /// Returns a parser for the bytes `start..end` of `text`.
    pub(super) fn new(file: FileId, text: &'t str, start: usize, end: usize) -> Self {
        Parser::flavoured(file, text, start..end, Flavour::Iec)
    }

    /// Returns a parser for the bytes of the range, in this flavour.
    pub(super) fn flavoured(file: FileId, text: &'t str, range: Range<usize>, flavour: Flavour) -> Self {
        let Range { start, end } = range;
        let mut lexer = Lexer::new(file, text, start, end).flavoured(flavour);
        let mut asides = Asides::default();
        let token = lexer.next(&mut asides);
        Parser {
            file,
            text,
            flavour,
            lexer,
            asides,
            ahead: VecDeque::new(),
            token,
            prev_end: start,
            lost: false,
            depth: 0,
            overflowed: false,
            open: Vec::new(),
            implication: false,
            aside_items: Vec::new(),
            scouted: None,
            misplaced_vars: Vec::new(),
            members: Members::default(),
            chained: Vec::new(),
            is_absolute: false,
            chart: None,
            timers: BTreeMap::new(),
            instance_args: Vec::new(),
            in_member: false,
            is_piece: false,
            is_first_item: false,
            is_part: false,
            is_headless: false,
            n_headless: 0,
            body_language: None,
        }
    }

    /// Returns a parser for a part of the same text that stands as deep as this one.
    pub(super) fn part(&self, span: Span) -> Parser<'t> {
        let mut part = Parser::flavoured(self.file, self.text, span.start as usize..span.end as usize, self.flavour);
        part.depth = self.depth;
        part
    }

    // -- tokens ---------------------------------------------------------------------------------

    pub(super) fn kind(&self) -> Tok {
        self.token.kind
    }
    pub(super) fn at(&self, kind: Tok) -> bool {
        self.token.kind == kind
    }
    pub(super) fn at_any(&self, kinds: &[Tok]) -> bool {
        kinds.contains(&self.token.kind)
    }
    pub(super) fn at_set(&self, kinds: Set) -> bool {
        kinds.has(self.token.kind)
    }
    pub(super) fn token(&self) -> Token {
        self.token
    }
    /// Returns the current token's bytes.
    pub(super) fn here(&self) -> Span {
        self.span_of(self.token)
    }
    pub(super) fn span_of(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }
    /// Returns the place directly behind the previous token.
    pub(super) fn after_prev(&self) -> Span {
        Span::new(self.file, self.prev_end, self.prev_end)
    }
    /// Returns the place from `start`, once the current token, to the end of the previous token; empty if nothing was read.
    pub(super) fn since(&self, start: Span) -> Span {
        let end = self.prev_end as u32;
        Span { start: start.start.min(end), end, ..start }
    }
    pub(super) fn text_of(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
    /// Returns the current token's text.
    pub(super) fn word(&self) -> &'t str {
        self.text_of(self.here())
    }
    /// Returns whether the current token is the name `word`, in any case.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at(Tok::Word) && self.word().eq_ignore_ascii_case(word)
    }
    pub(super) fn at_any_word(&self, words: &[&str]) -> bool {
        words.iter().any(|w| self.at_word(w))
    }
    /// Returns the token `n` behind the current one.
    pub(super) fn peek(&mut self, n: usize) -> Token {
        if n == 0 {
            return self.token;
        }
        while self.ahead.len() < n {
            let token = self.lexer.next(&mut self.asides);
            self.ahead.push_back(token);
        }
        self.ahead.get(n - 1).copied().unwrap_or(self.token)
    }
    pub(super) fn bump(&mut self) -> Token {
        let token = self.token;
        self.prev_end = token.end as usize;
        self.token = match self.ahead.pop_front() {
            Some(next) => next,
            None => self.lexer.next(&mut self.asides),
        };
        token
    }
    /// Counts the text up to the end of `place` as read; it holds no token.
    pub(super) fn read_up_to(&mut self, place: Span) {
        self.prev_end = self.prev_end.max(place.end as usize);
    }
    pub(super) fn eat(&mut self, kind: Tok) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }
    /// Eats the name `word`, in any case.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }
    /// Reads elements with commas between them, until none is read or the parser is lost.
    pub(super) fn with_commas<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Vec<T> {
        let mut list = Vec::new();
        while let Some(element) = read(self) {
            list.push(element);
            if self.lost || !self.eat(Tok::Comma) {
                break;
            }
        }
        list.shrink_to_fit();
        list
    }
    /// Returns the end of the text.
    pub(super) fn text_end(&self) -> usize {
        self.lexer.end()
    }
    /// Goes on at `pos`, behind text that another reader has read.
    pub(super) fn go_on_at(&mut self, pos: usize) {
        self.prev_end = pos;
        self.ahead.clear();
        self.lexer = self.lexer.at(pos);
        self.token = self.lexer.next(&mut self.asides);
    }
    /// Returns a copy of the lexer behind the tokens already read, to look far ahead.
    pub(super) fn scout(&self) -> Lexer<'t> {
        self.lexer.at(self.token.start as usize)
    }

    /// Reads a name; fails if there is none.
    pub(super) fn name(&mut self, what: &str) -> Option<Ident> {
        if self.at(Tok::Word) {
            let token = self.bump();
            return Some(self.ident(token));
        }
        let is_keyword = self.word().starts_with(|c: char| c.is_ascii_alphabetic()) && !self.at_any(&[Tok::Typed, Tok::End]);
        if is_keyword && !self.lost {
            let message = format!("expected {what}, found the keyword {}", self.found());
            let diagnostic = Diagnostic::error("P1028", self.here(), message, "a word of the language");
            self.fail(diagnostic.help("keywords, in any case, cannot be names: choose another name"));
        } else {
            self.expected(what, "a name starts with a letter or `_`");
        }
        None
    }
    pub(super) fn ident(&self, token: Token) -> Ident {
        let span = self.span_of(token);
        let mut text = self.text_of(span);
        if LONGEST_NAME < text.len() {
            // The lexer has reported it.
            text = text.char_indices().nth(LONGEST_NAME / 4).and_then(|(at, _)| text.get(..at)).unwrap_or("");
        }
        if self.flavour == Flavour::Scl {
            // A keyword in the place of a name is the word of an operator or a type.
            let is_name = token.kind == Tok::Word;
            let text = if is_name { super::scl::name_of(text, self.is_piece) } else { text.to_owned() };
            return Ident { text, span };
        }
        let text = text.strip_prefix('`').and_then(|text| text.strip_suffix('`')).unwrap_or(text);
        let text = if text.contains(FILLER) { text.replace(FILLER, "") } else { text.to_owned() };
        Ident { text, span }
    }

    // -- recovery -------------------------------------------------------------------------------

    /// Skips to the next token of `kinds`, or the end.
    pub(super) fn skip_to(&mut self, kinds: Set) {
        while !self.at(Tok::End) && !self.at_set(kinds) {
            self.bump();
        }
    }

    /// Ends the state of being lost at the next token of `kinds`, or behind it if it is a semicolon.
    pub(super) fn recover(&mut self, kinds: Set) {
        if self.lost {
            self.skip_to(kinds);
            self.eat(Tok::Semicolon);
            self.lost = false;
        }
    }

    // -- height ---------------------------------------------------------------------------------

    /// Reads something one level deeper; `None` if that is too deep.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if !self.fits(LEVEL) {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        Some(result)
    }
    /// Returns whether a tree of `height` may stand here; if not, fails.
    pub(super) fn fits(&mut self, height: u32) -> bool {
        let fits = self.depth * LEVEL + height <= TALLEST * LEVEL;
        if !fits && !self.overflowed {
            self.overflowed = true;
            let message = format!("this is nested more than {TALLEST} levels deep");
            let diagnostic = Diagnostic::error("P1020", self.here(), message, "one level too many");
            self.fail(
                diagnostic
                    .help("split it: keep parts of a long expression in variables, move inner statements into a function block"),
            );
        }
        self.lost |= !fits;
        fits
    }
}

//! Graphs in a few words, one element a line:
//!
//! - `1 rail`
//! - `2 contact:N a <1`, with modifiers behind the colon: `!` negated, `P` and `N` edges, `S` and `R` storage
//! - `3 block TON t1 IN:!<2 PT=T#5s ~io<7 -> Q ET>y`
//! - `4 coil:S x <2,3.Q`
//! - `5 var a.b[3]`
//! - `6 out y <3.ET`
//! - `7 label l @0,50 #3`, with position and execution order

use std::collections::BTreeMap;

use super::super::graph::*;
use super::super::{Callee, Callees, Lowered, Surroundings, lower};
use super::print::stmts;
use crate::ast::{Edge, Expr, ExprKind, Ident, Name, TypeSpec, TypeSpecKind};
use crate::lang::parse_expression;
use crate::text::{FileId, LineCol, Span, line_col};

pub(super) fn expr(text: &str, at: Span) -> Expr {
    let mut parsed = parse_expression(at.file, text).value.unwrap_or_else(|| panic!("`{text}` is no expression"));
    parsed.span = at;
    parsed
}

fn name(text: &str, at: Span) -> Name {
    if text.chars().all(char::is_alphanumeric) {
        // Operators are keywords in expressions.
        return Name { root: ident(text, at), path: Vec::new(), span: at };
    }
    let ExprKind::Name(name) = expr(text, at).kind else { panic!("`{text}` is no name") };
    name
}

fn ident(text: &str, span: Span) -> Ident {
    Ident { text: text.into(), span }
}

fn modifiers(text: &str) -> Modifiers {
    let mut all = Modifiers::default();
    for c in text.chars() {
        match c {
            '!' => all.negated = true,
            'P' => all.edge = Some(Edge::Rising),
            'N' => all.edge = Some(Edge::Falling),
            'S' => all.storage = Some(Storage::Set),
            'R' => all.storage = Some(Storage::Reset),
            other => panic!("{other}"),
        }
    }
    all
}

fn wires(text: &str, span: Span) -> Vec<Wire> {
    text.split(',')
        .filter(|w| !w.is_empty())
        .map(|wire| {
            let (from, output) = wire.split_once('.').map_or((wire, None), |(from, output)| (from, Some(output)));
            Wire { from: from.parse().unwrap(), output: output.map(|o| ident(o, span)), span }
        })
        .collect()
}

fn pin(text: &str, span: Span) -> Pin {
    match text.strip_prefix('=') {
        Some(value) => Pin { wires: Vec::new(), value: Some(expr(value, span)), span },
        None => Pin { wires: wires(text.trim_start_matches('<'), span), value: None, span },
    }
}

fn input(word: &str, span: Span) -> Input {
    let end = word.find(['<', '=']).unwrap_or(word.len());
    let (name, modified) = word[..end].split_once(':').unwrap_or((&word[..end], ""));
    Input { name: ident(name, span), modifiers: modifiers(modified), pin: pin(&word[end..], span) }
}

fn output(word: &str, span: Span) -> Output {
    let (head, target) = word.split_once('>').map_or((word, None), |(head, target)| (head, Some(expr(target, span))));
    let (name, modified) = head.split_once(':').unwrap_or((head, ""));
    Output { name: ident(if name == "_" { "" } else { name }, span), modifiers: modifiers(modified), target }
}

fn block(words: &[&str], span: Span) -> Block {
    let is_call = words.get(1).is_none_or(|w| w.contains(['<', '=', '~']) || *w == "->" || w.ends_with('?'));
    let (instance, rest) = if is_call { (None, &words[1..]) } else { (Some(name(words[1], span)), &words[2..]) };
    let arrow = rest.iter().position(|w| *w == "->").unwrap_or(rest.len());
    let (in_outs, inputs): (Vec<&str>, Vec<&str>) = rest[..arrow].iter().partition(|w| w.starts_with('~'));
    Block {
        callee: name(words[0], span),
        instance,
        inputs: inputs.iter().map(|w| input(w.trim_end_matches('?'), span)).collect(),
        in_outs: in_outs.iter().map(|w| input(&w[1..], span)).collect(),
        outputs: rest.get(arrow + 1..).unwrap_or_default().iter().map(|w| output(w, span)).collect(),
    }
}

fn node(line: &str, span: Span) -> Node {
    let (mut order, mut at) = (None, Some((0, 0)));
    let mut words: Vec<&str> = Vec::new();
    for word in line.split_whitespace() {
        if let Some(n) = word.strip_prefix('#') {
            order = Some(n.parse().unwrap());
        } else if let Some(place) = word.strip_prefix('@') {
            at = place.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
        } else {
            words.push(word);
        }
    }
    let (kind, modified) = words[1].split_once(':').unwrap_or((words[1], ""));
    let modified = modifiers(modified);
    let word = |i: usize| words.get(i).copied().unwrap_or("");
    let wired = || words.get(2).map(|w| pin(w, span));
    let kind = match kind {
        "rail" => Kind::LeftRail,
        "right" => Kind::RightRail(vec![pin(word(2), span)]),
        "contact" => Kind::Contact { operand: expr(word(2), span), modifiers: modified, input: pin(word(3), span) },
        "coil" => Kind::Coil { operand: expr(word(2), span), modifiers: modified, input: pin(word(3), span) },
        "var" => Kind::Source { value: expr(word(2), span), modifiers: modified },
        "out" => Kind::Sink { target: expr(word(2), span), modifiers: modified, input: pin(word(3), span) },
        "both" => {
            Kind::Both { place: expr(word(2), span), written: modified, read: Modifiers::default(), input: pin(word(3), span) }
        }
        "block" => Kind::Block(block(&words[2..], span)),
        "connector" => Kind::Connector { name: ident(word(2), span), input: pin(word(3), span) },
        "continuation" => Kind::Continuation { name: ident(word(2), span) },
        "jump" => {
            Kind::Jump { label: ident(word(2), span), negated: modified.negated, input: words.get(3).map(|w| pin(w, span)) }
        }
        "label" => Kind::Label(ident(word(2), span)),
        "return" => Kind::Return { negated: modified.negated, input: wired() },
        "comment" => Kind::Comment(line.to_owned()),
        "odd" => Kind::Unmodelled("odd element"),
        other => panic!("{other}"),
    };
    Node { id: words[0].parse().unwrap(), kind, order, at, size: (0, 0), span, extent: span }
}

pub(super) fn network(text: &str, language: Language) -> Network {
    let mut nodes = Vec::new();
    for line in text.lines() {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        if !line.trim().is_empty() {
            nodes.push(node(line, Span::new(FileId(0), start, start + line.len())));
        }
    }
    Network { language, nodes }
}

pub(super) fn lowered(text: &str, language: Language, has_memory: bool) -> Lowered {
    let span = Span::none();
    let ty = TypeSpec { kind: TypeSpecKind::Name(ident("INT", span)), span };
    let split = Callee { has_result: true, inputs: vec!["A".into()], outputs: vec![("REST".into(), ty)] };
    let own_en = Callee { has_result: false, inputs: vec!["EN".into()], outputs: Vec::new() };
    let callees = BTreeMap::from([("split".to_owned(), split), ("gated".to_owned(), own_en)]);
    let callees = Callees(&callees);
    lower(&[network(text, language)], &Surroundings { prefix: "_w1_", has_memory, callees: &callees, text: &|_| String::new() })
}

#[track_caller]
fn check(text: &str, language: Language, expected: &str) {
    let lowered = lowered(text, language, true);
    let mut found = stmts(&lowered.stmts);
    for finding in &lowered.diagnostics {
        let LineCol { line, .. } = line_col(text, finding.span().start as usize);
        found += &format!("\n{}@{line}", finding.code);
    }
    let trim = |s: &str| s.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(trim(&found), trim(expected), "\n{text}\n{:#?}", lowered.diagnostics);
}

/// Checks a ladder: its statements, then its findings with their lines.
#[track_caller]
pub(super) fn ladder(text: &str, expected: &str) {
    check(text, Language::Ladder, expected);
}

/// Checks a function block diagram in the same way.
#[track_caller]
pub(super) fn blocks(text: &str, expected: &str) {
    check(text, Language::Blocks, expected);
}

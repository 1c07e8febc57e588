//! Sheets of a diagram as an export has them: references, connectors, blocks and wires.

use std::collections::BTreeMap;

use super::Gap;
use crate::ast::Expr;
use crate::lang::logix::calls::Scope;
use crate::lang::logix::gaps::words_of;
use crate::lang::logix::{Reader, attribute, key};
use crate::lang::xml::Element;
use crate::text::Span;

/// Elements and wires of all sheets; connectors are replaced by wires.
#[derive(Default)]
pub(super) struct Sheets {
    pub(super) nodes: Vec<Node>,
    pub(super) wires: Vec<Wire>,
}

pub(super) struct Node {
    pub(super) kind: Kind,
    /// Sheet from 0, and the place on it.
    pub(super) sheet: usize,
    pub(super) at: (i32, i32),
    pub(super) span: Span,
}

pub(super) enum Kind {
    Input(Expr),
    Output(Expr),
    Block(Block),
}

/// Block or Add-On Instruction with its tag.
pub(super) struct Block {
    /// Name of the instruction.
    pub(super) name: String,
    pub(super) is_add_on: bool,
    pub(super) tag: Expr,
    /// Arguments of InOut parameters.
    pub(super) references: Vec<(String, Expr)>,
}

/// Beginning of a wire.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) node: usize,
    pub(super) pin: String,
}

pub(super) struct Wire {
    pub(super) from: Source,
    pub(super) to: usize,
    pub(super) to_pin: String,
    /// It carries the value of the scan before.
    pub(super) is_feedback: bool,
    pub(super) span: Span,
}

/// End of a wire as the export has it.
enum End {
    Node(usize),
    /// Connector, by its name.
    Connector(String),
}

/// Wire before connectors are joined.
struct Line {
    from: (usize, u64, String),
    to: (usize, u64, String),
    is_feedback: bool,
    span: Span,
}

const WRONG: &str = "wire of a diagram between elements that it cannot join";

impl Reader {
    /// Reads the sheets of a routine.
    pub(super) fn sheets(&mut self, routine: Element<'_>, scope: &Scope<'_>) -> Result<Sheets, Gap> {
        let mut contents = routine.children_named("FBDContent");
        let content = contents.next().ok_or(("diagram without content", routine.tag_span()))?;
        let is_edited = attribute(content, "OnlineEditType").is_some_and(|ty| ty != "Original");
        if contents.next().is_some() || is_edited {
            return Err(("diagram with pending edits", content.tag_span()));
        }
        let mut sheets = Sheets::default();
        let (mut ends, mut lines) = (BTreeMap::new(), Vec::new());
        for (number, sheet) in content.children_named("Sheet").enumerate() {
            for element in sheet.children() {
                let span = element.tag_span();
                let place = |name: &str| element.parsed::<i32>(name).unwrap_or(0);
                let end = match element.name() {
                    "Wire" | "FeedbackWire" => {
                        lines.push(line(element, number)?);
                        continue;
                    }
                    "TextBox" | "Attachment" | "Description" => continue,
                    "ICon" | "OCon" => {
                        End::Connector(key(&attribute(element, "Name").ok_or(("connector without a name", span))?))
                    }
                    _ => {
                        let kind = self.element_of(element, scope)?;
                        sheets.nodes.push(Node { kind, sheet: number, at: (place("X"), place("Y")), span });
                        End::Node(sheets.nodes.len() - 1)
                    }
                };
                let id = element.parsed::<u64>("ID").ok_or(("element of a diagram without a number", span))?;
                if ends.insert((number, id), end).is_some() {
                    return Err(("number of several elements of a diagram", span));
                }
            }
        }
        sheets.join(&ends, &lines)?;
        Ok(sheets)
    }

    fn element_of(&mut self, element: Element<'_>, scope: &Scope<'_>) -> Result<Kind, Gap> {
        let span = element.tag_span();
        Ok(match element.name() {
            "IRef" => Kind::Input(self.operand_of(element, "Operand", scope)?),
            "ORef" => Kind::Output(self.operand_of(element, "Operand", scope)?),
            "Block" => {
                let name = attribute(element, "Type").ok_or(("block without a type", span))?;
                let is_tuned = element.filled("AutotuneTag").is_some();
                if is_tuned || element.children_named("Array").next().is_some() {
                    return Err((words_of(&name).unwrap_or("block with an array"), span));
                }
                let tag = self.operand_of(element, "Operand", scope)?;
                Kind::Block(Block { name: key(&name), is_add_on: false, tag, references: Vec::new() })
            }
            "AddOnInstruction" => {
                let name = attribute(element, "Name").ok_or(("block without a type", span))?;
                let tag = self.operand_of(element, "Operand", scope)?;
                let mut references = Vec::new();
                for parameter in element.children_named("InOutParameter") {
                    let name = attribute(parameter, "Name").ok_or(("parameter without a name", span))?;
                    references.push((name, self.operand_of(parameter, "Argument", scope)?));
                }
                Kind::Block(Block { name, is_add_on: true, tag, references })
            }
            "Function" => return Err(("function of a diagram, which has no tag", span)),
            "JSR" | "SBR" | "RET" => return Err(("call of a routine in a diagram", span)),
            _ => return Err(("element of a diagram that is not known", span)),
        })
    }
}

fn line(element: Element<'_>, sheet: usize) -> Result<Line, Gap> {
    let span = element.tag_span();
    let end = |id: &str, pin: &str| {
        let id = element.parsed::<u64>(id).ok_or(("wire of a diagram without ends", span))?;
        Ok((sheet, id, attribute(element, pin).unwrap_or_default()))
    };
    let is_feedback = element.name() == "FeedbackWire";
    Ok(Line { from: end("FromID", "FromParam")?, to: end("ToID", "ToParam")?, is_feedback, span })
}

impl Sheets {
    /// Makes wires of lines: a connector passes the value of the only line that leads to its name.
    fn join(&mut self, ends: &BTreeMap<(usize, u64), End>, lines: &[Line]) -> Result<(), Gap> {
        let find = |end: &(usize, u64, String), span| ends.get(&(end.0, end.1)).ok_or((WRONG, span));
        let mut carried: BTreeMap<&str, (Source, bool)> = BTreeMap::new();
        for line in lines {
            let End::Connector(name) = find(&line.to, line.span)? else { continue };
            let End::Node(node) = find(&line.from, line.span)? else { return Err((WRONG, line.span)) };
            let source = Source { node: *node, pin: line.from.2.clone() };
            if carried.insert(name, (source, line.is_feedback)).is_some() {
                return Err(("name of several output connectors", line.span));
            }
        }
        for line in lines {
            let End::Node(to) = find(&line.to, line.span)? else { continue };
            let (from, marked) = match find(&line.from, line.span)? {
                End::Node(node) => (Source { node: *node, pin: line.from.2.clone() }, false),
                End::Connector(name) => {
                    carried.get(name.as_str()).cloned().ok_or(("input connector without an output connector", line.span))?
                }
            };
            let is_feedback = line.is_feedback || marked;
            let is_twice = self.wires.iter().any(|wire| wire.to == *to && wire.to_pin.eq_ignore_ascii_case(&line.to.2));
            if is_twice {
                return Err(("several wires at one pin", line.span));
            }
            self.wires.push(Wire { from, to: *to, to_pin: line.to.2.clone(), is_feedback, span: line.span });
        }
        Ok(())
    }
}

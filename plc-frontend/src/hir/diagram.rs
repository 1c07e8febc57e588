//! Drawings of networks and charts, with the sources of the values that they show in a run.
//!
//! Flat data for drawing: coordinates are those of the file where it has them, else a grid's. Nothing is decided with it.

use crate::text::Span;

/// One network, or one chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The action or transition whose body it is; `None` for the body of the POU.
    pub home: Option<String>,
    /// Name that the program gives it, such as the number of a rung with its comment.
    pub title: Option<String>,
    /// Its elements, in the order in which they run if they run in one.
    pub elements: Vec<DrawnElement>,
    /// In no particular order.
    pub wires: Vec<DrawnWire>,
}

/// An element of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnElement {
    /// The kind of symbol.
    pub shape: Shape,
    /// Its variable, name or type.
    pub label: String,
    /// Text in it beside the label: `/`, `P`, `S`, an instance, a qualifier.
    pub mark: String,
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// At least 1.
    pub width: i32,
    /// At least 1.
    pub height: i32,
    /// Names of the inputs from top to bottom; empty for elements that have one at most.
    pub inputs: Vec<String>,
    /// Names of the outputs from top to bottom.
    pub outputs: Vec<String>,
    /// Source of its output value: the power behind a contact, the first output of a block, a step's flag.
    pub carrier: Carrier,
    /// The value of its own variable when it was read or written.
    pub operand: Carrier,
    /// Its place in the source.
    pub span: Span,
    /// The place of its statements; `None` if it has none.
    pub statement: Option<Span>,
    /// Operands that stand in a box, from top to bottom.
    pub rows: Vec<DrawnRow>,
}

/// An operand in a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnRow {
    /// Its name and its text: `Source A x`.
    pub text: String,
    /// Source of its value when the instruction read or wrote it.
    pub carrier: Carrier,
    /// Path of its variable, whose value at the end of the cycle stands in where the instruction did not use it.
    pub path: Option<String>,
}

impl DrawnElement {
    /// Returns an element without pins and values, with its upper left corner, its width and height, and its place in the file.
    pub fn new(shape: Shape, label: String, (x, y): (i32, i32), (width, height): (i32, i32), span: Span) -> DrawnElement {
        let (mark, inputs, outputs) = (String::new(), Vec::new(), Vec::new());
        let (carrier, operand) = (Carrier::Unknown, Carrier::Unknown);
        DrawnElement {
            shape,
            label,
            mark,
            x,
            y,
            width,
            height,
            inputs,
            outputs,
            carrier,
            operand,
            span,
            statement: None,
            rows: Vec::new(),
        }
    }
}

/// A wire from an output to an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnWire {
    /// Index of the element it comes from.
    pub from: usize,
    /// Position of its output.
    pub output: usize,
    /// Index of the element it leads to.
    pub to: usize,
    /// Position of its input.
    pub input: usize,
    /// Source of its value.
    pub carrier: Carrier,
}

/// Source of a value that a drawing shows, in a run of the body.
///
/// Soundness: the last event of this kind in an execution of the network is the value at the moment that the drawing means. A
/// value is `Unknown` if two elements would share its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// TRUE whenever the network runs: the left rail.
    Always,
    /// A hidden variable of the body, by its name: the value written or read last.
    Hidden(String),
    /// The expression at this place: the value it had last.
    Expression(Span),
    /// The BOOL expression at this place, whose NOT was computed last.
    Complement(Span),
    /// The variable at this place: the value written to it last.
    Written(Span),
    /// A variable of the instance, by its path: its value at the end of the cycle.
    State(String),
    /// Not a single value, or not known.
    Unknown,
}

/// Symbol of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The bar on the left.
    LeftRail,
    /// The bar on the right.
    RightRail,
    /// `┤ ├`
    Contact,
    /// `( )`
    Coil,
    /// A value or variable.
    Variable,
    /// A box with pins.
    Block,
    /// A name at which a wire ends or goes on.
    Connector,
    /// `>>`
    Jump,
    /// A target of jumps.
    Label,
    /// `<RETURN>`
    Return,
    /// A symbol of something that is not modelled.
    Other,
    /// A box of a chart.
    Step,
    /// The same with a double frame.
    InitialStep,
    /// A bar between steps.
    Transition,
    /// A box beside a step.
    Action,
}

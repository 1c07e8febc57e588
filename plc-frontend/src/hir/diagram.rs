//! What a network or chart looked like, with the variables that carry the power of its wires.
//!
//! Flat data for drawing: coordinates are those of the file where it has them, else a grid's. Nothing is decided with it.

use crate::source::Span;

/// One network, or one chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The action or transition whose body it is; of the POU itself, nothing.
    pub home: Option<String>,
    /// In the order in which they run, where they do.
    pub elements: Vec<DrawnElement>,
    /// In no particular order.
    pub wires: Vec<DrawnWire>,
}

/// An element of a drawing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnElement {
    /// What is drawn.
    pub shape: Shape,
    /// Its variable, name or type.
    pub label: String,
    /// What stands in it beside the label: `/`, `P`, `S`, an instance, a qualifier.
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
    /// What is TRUE while it is alive: the power behind it, a step's flag. A path inside of the POU.
    pub carrier: Option<String>,
    /// Its place in the source.
    pub span: Span,
}

/// A wire from an output to an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnWire {
    /// Index of the element it comes from.
    pub from: usize,
    /// Which output of it.
    pub output: usize,
    /// Index of the element it leads to.
    pub to: usize,
    /// Which input of it.
    pub input: usize,
    /// What carries it.
    pub carrier: Carrier,
}

/// Where the power of a wire can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// From the left rail: always.
    Always,
    /// A variable of the POU, by its path.
    Variable(String),
    /// Not a single variable.
    Unknown,
}

/// What an element looks like.
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
    /// A place that jumps go to.
    Label,
    /// `<RETURN>`
    Return,
    /// What is not modelled.
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

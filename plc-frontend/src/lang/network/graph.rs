//! Elements of networks, the same for all graphical languages.

use crate::ast::{Edge, Expr, Ident, Name, Stmt};
use crate::text::Span;

/// One sheet of elements. Each group of elements that wires connect, directly or through others, is a network of its own.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// Meaning of several wires on one input.
    pub(crate) language: Language,
    /// In the order of the file.
    pub(crate) nodes: Vec<Node>,
}

/// Meaning of several wires on one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// LD: parallel branches, power flows if it flows in one of them.
    Ladder,
    /// FBD: a mistake.
    Blocks,
}

/// An element.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Number by which wires refer to it.
    pub(crate) id: u64,
    pub(crate) kind: Kind,
    /// Its turn among the elements, if the drawing numbers them.
    pub(crate) order: Option<u32>,
    /// Its upper left corner.
    pub(crate) at: Option<(i32, i32)>,
    /// Width and height, 0 if unknown.
    pub(crate) size: (i32, i32),
    /// Place for findings about it.
    pub(crate) span: Span,
    /// All of it.
    pub(crate) extent: Span,
}

impl Node {
    /// Returns an element without turn, position and size.
    pub(crate) fn new(id: u64, kind: Kind, span: Span) -> Node {
        Node { id, kind, order: None, at: None, size: (0, 0), span, extent: span }
    }
}

/// Kind of an element.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    LeftRail,
    RightRail(Vec<Pin>),
    Contact {
        operand: Expr,
        modifiers: Modifiers,
        input: Pin,
    },
    Coil {
        operand: Expr,
        modifiers: Modifiers,
        input: Pin,
    },
    /// A variable or value that is read.
    Source {
        value: Expr,
        modifiers: Modifiers,
    },
    /// A variable that is written.
    Sink {
        target: Expr,
        modifiers: Modifiers,
        input: Pin,
    },
    /// A variable that is written if its input is connected, and read.
    Both {
        place: Expr,
        written: Modifiers,
        read: Modifiers,
        input: Pin,
    },
    Block(Block),
    /// The end of a wire that goes on at the continuations of its name.
    Connector {
        name: Ident,
        input: Pin,
    },
    Continuation {
        name: Ident,
    },
    /// Without an input, it is always taken.
    Jump {
        label: Ident,
        negated: bool,
        input: Option<Pin>,
    },
    Label(Ident),
    /// Without an input, it is always taken.
    Return {
        negated: bool,
        input: Option<Pin>,
    },
    /// Text for readers.
    Comment(String),
    /// A comment with `//#ASSERT`: checked where it stands among the networks.
    Assertions(Vec<Stmt>),
    /// An element that is read and not modelled, in the user's words.
    Unmodelled(&'static str),
}

/// A call of a function or of an instance.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The function, or the instance's type.
    pub(crate) callee: Name,
    /// The instance, if it is one.
    pub(crate) instance: Option<Name>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) in_outs: Vec<Input>,
    pub(crate) outputs: Vec<Output>,
}

/// An input of a block.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The parameter; empty if the drawing does not name it.
    pub(crate) name: Ident,
    pub(crate) modifiers: Modifiers,
    pub(crate) pin: Pin,
}

/// An output of a block.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The parameter; empty if the drawing does not name it.
    pub(crate) name: Ident,
    pub(crate) modifiers: Modifiers,
    /// A variable written at the pin.
    pub(crate) target: Option<Expr>,
}

/// Input at which wires end.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    pub(crate) wires: Vec<Wire>,
    /// A value written at the pin.
    pub(crate) value: Option<Expr>,
    pub(crate) span: Span,
}

/// A wire, seen from its end.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    /// The element it comes from.
    pub(crate) from: u64,
    /// Output of that element.
    pub(crate) output: Option<Ident>,
    pub(crate) span: Span,
}

/// Changes of a value on its way through a pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Modifiers {
    pub(crate) negated: bool,
    pub(crate) edge: Option<Edge>,
    pub(crate) storage: Option<Storage>,
}

/// Form of storing a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// The variable becomes TRUE if the value is.
    Set,
    /// The variable becomes FALSE if the value is TRUE.
    Reset,
}

impl Kind {
    /// Returns all inputs, those of a block in the order inputs, in-outs.
    pub(crate) fn pins(&self) -> Vec<&Pin> {
        match self {
            Kind::RightRail(pins) => pins.iter().collect(),
            Kind::Contact { input, .. }
            | Kind::Coil { input, .. }
            | Kind::Sink { input, .. }
            | Kind::Both { input, .. }
            | Kind::Connector { input, .. } => vec![input],
            Kind::Jump { input, .. } | Kind::Return { input, .. } => input.iter().collect(),
            Kind::Block(block) => block.inputs.iter().chain(&block.in_outs).map(|i| &i.pin).collect(),
            Kind::LeftRail
            | Kind::Source { .. }
            | Kind::Continuation { .. }
            | Kind::Label(_)
            | Kind::Comment(_)
            | Kind::Assertions(_)
            | Kind::Unmodelled(_) => Vec::new(),
        }
    }
    /// Returns the number of outputs that wires can come from, those of a block in the order outputs, in-outs.
    pub(crate) fn n_outputs(&self) -> usize {
        #[expect(clippy::wildcard_enum_match_arm, reason = "a wire from any other element is reported")]
        match self {
            Kind::Block(block) => block.outputs.len() + block.in_outs.len(),
            Kind::LeftRail | Kind::Contact { .. } | Kind::Coil { .. } | Kind::Continuation { .. } => 1,
            Kind::Source { .. } | Kind::Both { .. } => 1,
            _ => 0,
        }
    }
    /// Returns the operand that the element shows: a variable or value, read or written.
    pub(crate) fn operand(&self) -> Option<&Expr> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "other elements show none")]
        match self {
            Kind::Contact { operand, .. } | Kind::Coil { operand, .. } => Some(operand),
            Kind::Sink { target: operand, .. } | Kind::Source { value: operand, .. } | Kind::Both { place: operand, .. } => {
                Some(operand)
            }
            _ => None,
        }
    }
    /// Returns whether its outputs have values before it runs: those of its last run, or of its variable.
    pub(crate) fn remembers(&self) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only instances and variables have memory")]
        match self {
            Kind::Block(block) => block.instance.is_some(),
            Kind::Both { read, input, .. } => !input.is_open() && read.edge.is_none(),
            _ => false,
        }
    }
    /// Returns whether it has an effect besides its outputs.
    pub(crate) fn acts(&self) -> bool {
        match self {
            Kind::Coil { .. } | Kind::Sink { .. } | Kind::Block(_) | Kind::Jump { .. } | Kind::Return { .. } => true,
            Kind::Both { input, .. } => !input.is_open(),
            Kind::Unmodelled(_) | Kind::Assertions(_) => true,
            Kind::LeftRail
            | Kind::RightRail(_)
            | Kind::Contact { .. }
            | Kind::Source { .. }
            | Kind::Connector { .. }
            | Kind::Continuation { .. }
            | Kind::Label(_)
            | Kind::Comment(_) => false,
        }
    }
}

impl Pin {
    /// Returns a pin that nothing is connected to.
    pub(crate) fn open(span: Span) -> Pin {
        Pin { wires: Vec::new(), value: None, span }
    }
    /// Returns a pin with a value written at it.
    pub(crate) fn of_value(value: Expr, span: Span) -> Pin {
        Pin { wires: Vec::new(), value: Some(value), span }
    }
    /// Returns a pin with one wire.
    pub(crate) fn of_wire(from: u64, output: Option<Ident>, span: Span) -> Pin {
        Pin { wires: vec![Wire { from, output, span }], value: None, span }
    }
    /// Returns whether nothing is connected.
    pub(crate) fn is_open(&self) -> bool {
        self.wires.is_empty() && self.value.is_none()
    }
}

impl Input {
    /// Returns whether the input is EN, the condition under which the block runs.
    pub(crate) fn is_enable(&self) -> bool {
        self.name.text.eq_ignore_ascii_case("EN")
    }
}

impl Output {
    /// Returns whether the output is ENO, TRUE if the block ran.
    pub(crate) fn is_enable(&self) -> bool {
        self.name.text.eq_ignore_ascii_case("ENO")
    }
}

//! Program with classes as data, complete enough to execute it.

use std::collections::BTreeMap;

/// Types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Bool,
    Int,
    /// `STRUCT a : INT; on : BOOL; END_STRUCT`
    Pair,
    /// `ARRAY [0..2] OF INT`
    Row,
    /// An instance of a class.
    Block(usize),
    /// `ARRAY [1..2] OF` a class.
    Blocks(usize),
    /// REFERENCE TO
    Ref(To),
    /// POINTER TO or REF_TO
    Ptr(To),
    /// A variable of an interface.
    Any(usize),
}

/// Type of the targets of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    Int,
    Pair,
    Block(usize),
}

impl To {
    pub(super) fn ty(self) -> Ty {
        match self {
            To::Int => Ty::Int,
            To::Pair => Ty::Pair,
            To::Block(class) => Ty::Block(class),
        }
    }
}

/// Section of the declaration of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Input,
    Output,
    InOut,
    Local,
    Temp,
    /// VAR_STAT: one for all calls, and for all instances.
    Static,
    /// `VAR_INPUT r : REFERENCE TO …` of a function or method: the variable itself.
    Handed,
}

impl Section {
    /// Returns the words that open the section.
    pub(super) fn words(self) -> &'static str {
        match self {
            Section::Input | Section::Handed => "VAR_INPUT",
            Section::Output => "VAR_OUTPUT",
            Section::InOut => "VAR_IN_OUT",
            Section::Local => "VAR",
            Section::Temp => "VAR_TEMP",
            Section::Static => "VAR_STAT",
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) section: Section,
    /// Initial value of a scalar; argument of FB_init for instances.
    pub(super) init: Option<i64>,
}

/// A class: a function block. The last one is the main program.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) name: String,
    pub(super) base: Option<usize>,
    pub(super) is_abstract: bool,
    /// 0 is `IPut`, 1 is `ITake`, which extends it.
    pub(super) interface: Option<usize>,
    /// Persistent fields, inherited ones first.
    pub(super) fields: Vec<Var>,
    /// VAR_IN_OUT of the body, inherited ones first.
    pub(super) in_outs: Vec<Var>,
    /// Number of inherited fields and of inherited VAR_IN_OUT.
    pub(super) inherited: (usize, usize),
    /// Members by name; those without a unit are ABSTRACT.
    pub(super) members: BTreeMap<&'static str, Option<Unit>>,
    /// FB_init, which runs before the first cycle.
    pub(super) start: Option<Unit>,
    /// TRUE if instances are declared with an argument of FB_init.
    pub(super) is_started: bool,
    pub(super) body: Unit,
}

/// Executable part: a body, a member, a function.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    /// Parameters first, then the result, then local variables.
    pub(super) vars: Vec<Var>,
    pub(super) result: Option<usize>,
    pub(super) body: Vec<Stmt>,
}

/// Root of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// A variable of the call.
    Frame(usize),
    /// A field of the instance, by offset.
    This(usize),
    /// A global variable, by address.
    Fixed(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    At(usize),
    Index { index: Box<Ex>, low: i64, stride: usize },
    Deref,
}

#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) root: Root,
    pub(super) steps: Vec<Step>,
    pub(super) ty: Ty,
}

/// An expression of type INT or BOOL.
#[derive(Clone, Debug)]
pub(super) struct Ex {
    pub(super) text: String,
    pub(super) kind: ExKind,
}

#[derive(Clone, Debug)]
pub(super) enum ExKind {
    Literal(i64),
    Read(Place),
    Op(&'static str, Box<Ex>, Box<Ex>),
    Not(Box<Ex>),
    Limit(i64, Box<Ex>, i64),
    Call(Box<Call>),
    /// A reference has a target, or it has none.
    Refers(Place, bool),
    /// Two references refer to the same.
    Same(Place, Place),
}

/// The value of a reference.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) text: String,
    pub(super) kind: LinkKind,
}

#[derive(Clone, Debug)]
pub(super) enum LinkKind {
    Null,
    To(Place),
    Copy(Place),
}

#[derive(Clone, Debug)]
pub(super) enum Arg {
    Value(Ex),
    Link(Link),
}

/// Owner of the called member.
#[derive(Clone, Debug)]
pub(super) enum Receiver {
    /// The caller's own instance; of no meaning for functions.
    This,
    /// An instance, found after the inputs have their values.
    Place(Place),
    /// Target of a reference, which is read before the inputs have their values.
    Behind(Place),
}

#[derive(Clone, Debug)]
pub(super) enum Callee {
    /// The member that the instance's class has under this name.
    Member(&'static str),
    /// Member of an ancestor.
    Of(usize, &'static str),
    /// The body of an ancestor.
    BodyOf(usize),
    Function(usize),
}

/// Parameters are variables of the callee's call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) receiver: Receiver,
    pub(super) callee: Callee,
    pub(super) inputs: Vec<(usize, Arg)>,
    pub(super) in_outs: Vec<(usize, Place)>,
    pub(super) outputs: Vec<(usize, Place)>,
}

#[derive(Clone, Debug)]
pub(super) enum Stmt {
    Assign(Place, Ex),
    /// A structure, whole.
    Copy(Place, Place),
    Bind(Place, Link),
    Call(Call),
    /// A call of an instance: inputs and outputs are fields, by offset.
    Run {
        instance: Place,
        inputs: Vec<(usize, Arg)>,
        in_outs: Vec<(usize, Place)>,
        outputs: Vec<(usize, Place)>,
    },
    If(Ex, Vec<Stmt>, Vec<Stmt>),
    For {
        control: Place,
        to: Ex,
        body: Vec<Stmt>,
    },
    Exit,
    Return,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) classes: Vec<Class>,
    pub(super) functions: Vec<Unit>,
    /// Global variables with their addresses.
    pub(super) globals: Vec<(Var, usize)>,
    /// The first address behind them.
    pub(super) end: usize,
}

impl Plan {
    /// Returns values of a type. An instance begins with its class.
    pub(super) fn size(&self, ty: Ty) -> usize {
        match ty {
            Ty::Bool | Ty::Int | Ty::Ref(_) | Ty::Ptr(_) | Ty::Any(_) => 1,
            Ty::Pair => 2,
            Ty::Row => 3,
            Ty::Block(class) => 1 + self.classes[class].fields.iter().map(|var| self.size(var.ty)).sum::<usize>(),
            Ty::Blocks(class) => 2 * self.size(Ty::Block(class)),
        }
    }

    /// Returns the position of a field of a class.
    pub(super) fn offset(&self, class: usize, field: usize) -> usize {
        1 + self.classes[class].fields[..field].iter().map(|var| self.size(var.ty)).sum::<usize>()
    }

    /// Returns a class and its ancestors.
    pub(super) fn chain(&self, class: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(class), |class| self.classes[*class].base)
    }

    /// Returns the class in the chain that defines the member.
    pub(super) fn definer(&self, class: usize, name: &str) -> Option<usize> {
        self.chain(class).find(|c| self.classes[*c].members.contains_key(name))
    }

    pub(super) fn implements(&self, class: usize, interface: usize) -> bool {
        self.chain(class).any(|c| self.classes[c].interface.is_some_and(|own| interface <= own))
    }

    /// Returns true if a reference to the class `wanted` may refer to an instance of `class`.
    pub(super) fn fits(&self, wanted: usize, class: usize) -> bool {
        self.chain(class).any(|c| c == wanted)
    }

    /// Returns the number of instances of a class.
    pub(super) fn count(&self, class: usize) -> usize {
        let main = self.classes.last().map_or(&[][..], |main| main.fields.as_slice());
        let globals = self.globals.iter().map(|(var, _)| var.ty);
        globals.chain(main.iter().map(|var| var.ty)).map(|ty| self.count_in(ty, class)).sum()
    }

    fn count_in(&self, ty: Ty, class: usize) -> usize {
        match ty {
            Ty::Bool | Ty::Int | Ty::Pair | Ty::Row | Ty::Ref(_) | Ty::Ptr(_) | Ty::Any(_) => 0,
            Ty::Blocks(of) => 2 * self.count_in(Ty::Block(of), class),
            Ty::Block(of) => {
                let inner = self.classes[of].fields.iter().map(|var| self.count_in(var.ty, class));
                usize::from(of == class) + inner.sum::<usize>()
            }
        }
    }

    /// Returns true if another class extends it.
    pub(super) fn has_heirs(&self, class: usize) -> bool {
        (0..self.classes.len()).any(|c| c != class && self.fits(class, c))
    }
}

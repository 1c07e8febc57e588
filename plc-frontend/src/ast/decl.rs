//! Declarations.

use super::config::Configuration;
use super::expr::{Arg, Expr, Ident, Initializer, Name};
use super::pou::{Access, Assumed, Interface, Pou};
use crate::hir::{Address, Retain};
use crate::text::{FileId, Ignored, Span};

/// One file, as far as it could be read.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file.
    pub file: FileId,
    /// Its declarations in order.
    pub items: Vec<Item>,
    /// Parts of the file that belong to no program; they go to the ledger.
    pub ignored: Vec<Ignored>,
    /// Conditions of all answers about the program.
    pub assumed: Vec<Assumed>,
    /// Names of variables beside their own, without variables of their own.
    pub aliases: Vec<Alias>,
}

/// Other name of a variable, which conditions may use.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Program that has the name; `None` for a global one.
    pub program: Option<String>,
    /// The name.
    pub name: Ident,
    /// The variable, or a part of one.
    pub target: Name,
}

/// A declaration of a file.
#[derive(Clone, Debug)]
pub enum Item {
    /// PROGRAM, FUNCTION_BLOCK, FUNCTION.
    Pou(Pou),
    /// One declaration of a TYPE block.
    Type(TypeDecl),
    /// VAR_GLOBAL of the file.
    Globals(VarBlock),
    /// INTERFACE.
    Interface(Interface),
    /// CONFIGURATION.
    Configuration(Configuration),
    /// NAMESPACE with its declarations.
    Namespace(Namespace),
    /// `USING a.b;` of the file.
    Using(Name),
    /// A declaration that is read but not modelled: its kind, name and place.
    Unsupported(&'static str, Span),
}

impl Unit {
    /// Returns all POUs, also those of namespaces, to change.
    pub fn pous_mut(&mut self) -> Vec<&mut Pou> {
        let mut pous = Vec::new();
        let mut waiting: Vec<&mut Item> = self.items.iter_mut().collect();
        while let Some(item) = waiting.pop() {
            if let Item::Pou(pou) = item {
                pous.push(pou);
            } else if let Item::Namespace(namespace) = item {
                waiting.extend(&mut namespace.items);
            }
        }
        pous
    }
}

impl Item {
    /// Returns the place of the declaration.
    pub fn span(&self) -> Span {
        match self {
            Item::Pou(Pou { span, .. })
            | Item::Type(TypeDecl { span, .. })
            | Item::Globals(VarBlock { span, .. })
            | Item::Interface(Interface { span, .. })
            | Item::Configuration(Configuration { span, .. })
            | Item::Namespace(Namespace { span, .. })
            | Item::Using(Name { span, .. })
            | Item::Unsupported(_, span) => *span,
        }
    }

    /// Returns the place of text that is not modelled; a text with a colon is a rule that is taken for granted.
    ///
    /// Nothing says which words of such text are names.
    pub(crate) fn not_modelled(&self) -> Option<Span> {
        match self {
            Item::Unsupported(words, span) => (!words.contains(": ")).then_some(*span),
            Item::Pou(_)
            | Item::Type(_)
            | Item::Globals(_)
            | Item::Interface(_)
            | Item::Configuration(_)
            | Item::Namespace(_)
            | Item::Using(_) => None,
        }
    }

    /// Returns the name of a POU, type or interface.
    pub fn name(&self) -> Option<&Ident> {
        match self {
            Item::Pou(Pou { name, .. }) | Item::Type(TypeDecl { name, .. }) | Item::Interface(Interface { name, .. }) => {
                Some(name)
            }
            Item::Globals(_) | Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => None,
        }
    }

    /// Returns the names behind EXTENDS and IMPLEMENTS.
    pub fn bases(&self) -> Vec<&Name> {
        match self {
            Item::Pou(pou) => pou.extends.iter().chain(&pou.implements).collect(),
            Item::Type(decl) => decl.extends.iter().collect(),
            Item::Interface(interface) => interface.extends.iter().collect(),
            Item::Globals(_) | Item::Configuration(_) | Item::Namespace(_) | Item::Using(_) | Item::Unsupported(..) => Vec::new(),
        }
    }
}

impl TypeSpec {
    /// Returns the name of another type in it: of the type itself, or of the base of a subrange or enumeration.
    pub fn name(&self) -> Option<&Ident> {
        if let TypeSpecKind::Name(name) | TypeSpecKind::Subrange(name, ..) | TypeSpecKind::Enum(_, Some(name)) = &self.kind {
            Some(name)
        } else {
            None
        }
    }
}

/// `NAMESPACE a.b … END_NAMESPACE`.
#[derive(Clone, Debug)]
pub struct Namespace {
    /// Its name.
    pub name: Name,
    /// Its declarations; USING among them.
    pub items: Vec<Item>,
    /// All of it.
    pub span: Span,
}

/// A declaration section.
#[derive(Clone, Debug)]
pub struct VarBlock {
    /// Its keyword.
    pub section: Section,
    /// CONSTANT
    pub constant: bool,
    /// RETAIN, PERSISTENT, NON_RETAIN
    pub retain: Retain,
    /// PUBLIC, PRIVATE …
    pub access: Access,
    /// The variables, one per name.
    pub vars: Vec<VarDecl>,
    /// Of global variables: the named list they are in.
    pub list: Option<GlobalList>,
    /// All of it.
    pub span: Span,
}

/// A named list of global variables (GVL): `Pumps.x` means its variable `x`.
#[derive(Clone, Debug)]
pub struct GlobalList {
    /// Its name.
    pub name: Ident,
    /// `{attribute 'qualified_only'}`: `x` alone does not mean it.
    pub qualified_only: bool,
}

/// The section's keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// VAR
    Var,
    /// VAR_INPUT
    Input,
    /// VAR_OUTPUT
    Output,
    /// VAR_IN_OUT
    InOut,
    /// VAR_TEMP
    Temp,
    /// VAR_EXTERNAL
    External,
    /// VAR_GLOBAL
    Global,
    /// VAR_STAT: persists, also in functions and methods, one for all calls (S7: in the block's instance).
    Stat,
    /// VAR_INST: persists per instance, declared in a method.
    Inst,
    /// VAR_CONFIG: addresses and initial values of variables by their full path.
    Config,
    /// VAR_ACCESS: names for communication partners.
    Access,
}

/// R_EDGE and F_EDGE of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// R_EDGE: TRUE only in the call that sees a rising edge.
    Rising,
    /// F_EDGE: TRUE only in the call that sees a falling edge.
    Falling,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// Its name.
    pub name: Ident,
    /// AT.
    pub address: Option<(Address, Span)>,
    /// `x AT y`: the variable whose memory it is, seen as another type.
    pub view_of: Option<Ident>,
    /// Tag or part of one that it is another name of, as Logix has them: conditions mean that tag.
    pub alias_of: Option<Name>,
    /// Its type.
    pub ty: TypeSpec,
    /// R_EDGE, F_EDGE.
    pub edge: Option<Edge>,
    /// Arguments of the instance's constructor, `x : Block(a := 1);`.
    pub args: Vec<Arg>,
    /// Its initial value.
    pub init: Option<Initializer>,
    /// With `{stopwatch}` before it.
    pub stopwatch: bool,
    /// All of it.
    pub span: Span,
}

/// A declaration of a TYPE block.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// EXTENDS, of a structure.
    pub extends: Option<Name>,
    /// The type it stands for.
    pub ty: TypeSpec,
    /// The initial value of its variables.
    pub init: Option<Initializer>,
    /// All of it.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// Its form.
    pub kind: TypeSpecKind,
    /// Its bytes.
    pub span: Span,
}

/// Dimensions of a parameter that takes arrays of any bounds.
#[derive(Clone, Debug)]
pub struct AnyBounds {
    /// Number of dimensions.
    pub n_dims: usize,
    /// Bounds of the smallest array that it takes, if its declaration states them.
    pub smallest: Option<Vec<(Expr, Expr)>>,
}

/// Forms of types.
#[derive(Clone, Debug)]
pub enum TypeSpecKind {
    /// An elementary or declared name.
    Name(Ident),
    /// `INT (0..100)`: base type, first and last value.
    Subrange(Ident, Box<(Expr, Expr)>),
    /// `ARRAY [a..b, c..d] OF t`
    Array(Vec<(Expr, Expr)>, Box<TypeSpec>),
    /// `STRUCT … END_STRUCT`
    Struct(Vec<VarDecl>),
    /// `(Red, Green := 5) INT`: variants with their values, base type.
    Enum(Vec<(Ident, Option<Expr>)>, Option<Ident>),
    /// STRING, STRING[80], STRING(80), WSTRING …
    String {
        /// WSTRING
        wide: bool,
        /// A constant expression.
        length: Option<Box<Expr>>,
    },
    /// `POINTER TO t`: read with `^`.
    Pointer(Box<TypeSpec>),
    /// `REF_TO t`: read with `^`, assigned with REF().
    RefTo(Box<TypeSpec>),
    /// `REFERENCE TO t`: read like the variable it refers to, assigned with `REF=`.
    Reference(Box<TypeSpec>),
    /// `ARRAY [*, *] OF t`
    OpenArray(AnyBounds, Box<TypeSpec>),
    /// `UNION … END_UNION`
    Union(Vec<VarDecl>),
    /// Read, not modelled. Its words.
    Opaque(String),
    /// Could not be read.
    Error,
}

impl TypeSpecKind {
    /// Returns the kind of type in a user's words.
    pub fn words(&self) -> String {
        match self {
            TypeSpecKind::Name(name) | TypeSpecKind::Subrange(name, ..) => name.text.clone(),
            TypeSpecKind::Array(..) => "ARRAY".to_owned(),
            TypeSpecKind::Struct(_) => "STRUCT".to_owned(),
            TypeSpecKind::Enum(..) => "an enumeration".to_owned(),
            TypeSpecKind::String { wide: false, .. } => "STRING".to_owned(),
            TypeSpecKind::String { wide: true, .. } => "WSTRING".to_owned(),
            TypeSpecKind::Pointer(target) => format!("POINTER TO {}", target.kind.words()),
            TypeSpecKind::RefTo(target) => format!("REF_TO {}", target.kind.words()),
            TypeSpecKind::Reference(target) => format!("REFERENCE TO {}", target.kind.words()),
            TypeSpecKind::OpenArray(..) => "ARRAY [*]".to_owned(),
            TypeSpecKind::Union(_) => "UNION".to_owned(),
            TypeSpecKind::Opaque(words) => words.clone(),
            TypeSpecKind::Error => "a type that could not be read".to_owned(),
        }
    }
}

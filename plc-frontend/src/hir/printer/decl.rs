//! Declarations: types, variables, POUs.

use super::Printer;
use super::literal::{self, Prefix};
use crate::hir::{
    Address, AddressArea, AddressSize, Init, Parts, Pou, PouId, PouKind, Retain, Section, Type, TypeDef, TypeId, Value, Var,
};

impl<'p> Printer<'p> {
    pub(super) fn types(&mut self) {
        let declared: Vec<&TypeDef> = self.project.types.iter().filter(|def| is_declared(def)).collect();
        if declared.is_empty() {
            return;
        }
        self.put_line("TYPE");
        self.indent += 1;
        for def in declared {
            self.line().put_args(format_args!("{} : ", def.name.as_deref().unwrap_or(""))).definition(&def.ty).put(";\n");
        }
        self.indent -= 1;
        self.put_line("END_TYPE\n");
    }

    pub(super) fn globals(&mut self) {
        let globals: Vec<&Var> = self.project.globals.iter().collect();
        self.sections(&globals);
        if !globals.is_empty() {
            self.put("\n");
        }
    }

    pub(super) fn pou_decl(&mut self, id: PouId, pou: &'p Pou) {
        self.pou = Some(id);
        let (keyword, result) = match pou.kind {
            PouKind::Program => ("PROGRAM", None),
            PouKind::FunctionBlock => ("FUNCTION_BLOCK", None),
            PouKind::Function(result) => ("FUNCTION", result),
        };
        self.line().put_args(format_args!("{keyword} {}", pou.name));
        if let Some(result) = result {
            self.put(" : ").type_ref(pou.vars[result].ty);
        }
        let vars: Vec<&Var> = pou.vars.iter().filter(|var| var.section != Section::Result).collect();
        self.put("\n").sections(&vars);
        self.block(&pou.body).put_line(&format!("END_{keyword}\n"));
        self.pou = None;
    }

    /// Puts variables; neighbours of one section share it.
    fn sections(&mut self, vars: &[&Var]) {
        for group in vars.chunk_by(|a, b| head(a) == head(b)) {
            let Some(first) = group.first() else { continue };
            self.line().put(match first.section {
                Section::Input => "VAR_INPUT",
                Section::Output => "VAR_OUTPUT",
                Section::InOut => "VAR_IN_OUT",
                Section::Temp => "VAR_TEMP",
                Section::Global => "VAR_GLOBAL",
                Section::Local | Section::Result => "VAR",
            });
            self.put(if first.constant { " CONSTANT" } else { "" });
            self.put(match first.retain {
                Retain::Unspecified => "\n",
                Retain::Retain => " RETAIN\n",
                Retain::NonRetain => " NON_RETAIN\n",
            });
            self.indent += 1;
            for var in group {
                self.var(var);
            }
            self.indent -= 1;
            self.put_line("END_VAR");
        }
    }

    fn var(&mut self, var: &Var) {
        self.line().put(if var.stopwatch { "{stopwatch} " } else { "" });
        // A variable without a name is known by its address.
        let is_named = !var.name.starts_with('%');
        self.put(if is_named { &var.name } else { "" });
        if let Some(address) = &var.address {
            self.put(if is_named { " AT " } else { "AT " }).put(&address_text(address));
        }
        self.put(" : ").type_ref(var.ty).init(var.ty, &var.init).put(";\n");
    }

    fn init(&mut self, ty: TypeId, init: &Init) -> &mut Self {
        if *init == Init::Default { self } else { self.put(" := ").init_value(ty, init) }
    }

    fn init_value(&mut self, ty: TypeId, init: &Init) -> &mut Self {
        if let (Some(text), Init::Array(items)) = (self.project.text(ty), init) {
            let code = |item: &Init| item.scalar().and_then(Value::as_int).and_then(|code| u16::try_from(code).ok()).unwrap_or(0);
            let chars: Vec<u16> = items.iter().map(code).take_while(|code| *code != 0).collect();
            return self.put(&literal::quoted(&chars, text.bits == 16));
        }
        match (init, &self.project.types[ty].ty) {
            (Init::Scalar(value), _) => self.put(&literal::literal(self.project, ty, *value, Prefix::Given)),
            (Init::Array(items), Type::Array { elem, .. }) => {
                let n = items.iter().rposition(|item| *item != Init::Default).map_or(0, |last| last + 1);
                let runs = items[..n].chunk_by(|a, b| a == b);
                self.put("[").list(runs, ", ", |p, run| p.repeated(*elem, run)).put("]")
            }
            (Init::Struct(items), Type::Struct { fields }) => {
                let given = fields.iter().zip(items).filter(|(_, init)| **init != Init::Default);
                self.put("(");
                self.list(given, ", ", |p, (field, init)| {
                    p.put_args(format_args!("{} := ", field.name)).init_value(field.ty, init)
                });
                self.put(")")
            }
            (Init::Instance(items), Type::FunctionBlock(pou)) => {
                let vars = &self.project.pous[*pou].vars;
                self.put("(");
                self.list(items, ", ", |p, (id, init)| {
                    p.put_args(format_args!("{} := ", vars[*id].name)).init_value(vars[*id].ty, init)
                });
                self.put(")")
            }
            (Init::Default, _) => self.default_value(ty),
            (Init::Array(_) | Init::Struct(_) | Init::Instance(_), ty) => unreachable!("{init:?} is no initial value of {ty:?}"),
        }
    }

    /// Puts equal neighbours: `3(0)`.
    fn repeated(&mut self, elem: TypeId, run: &[Init]) -> &mut Self {
        match run {
            [] => self,
            [one] => self.init_value(elem, one),
            [first, ..] => self.put_args(format_args!("{}(", run.len())).init_value(elem, first).put(")"),
        }
    }

    /// Puts the default of a type, for elements of an array that must be written because others follow them.
    fn default_value(&mut self, ty: TypeId) -> &mut Self {
        match self.project.types[ty].ty.parts() {
            Parts::Elements(..) => self.put("[]"),
            Parts::Fields(_) | Parts::Variables(_) => self.put("()"),
            Parts::Scalar => match self.project.default_value(ty) {
                Some(value) => self.put(&literal::literal(self.project, ty, value, Prefix::Given)),
                None => self,
            },
        }
    }

    /// Puts a type's name, or its definition.
    pub(super) fn type_ref(&mut self, ty: TypeId) -> &mut Self {
        let def = &self.project.types[ty];
        if let Some(text) = self.project.text(ty) {
            return self.put_args(format_args!("{}[{}]", if text.bits == 8 { "STRING" } else { "WSTRING" }, text.length));
        }
        match &def.name {
            Some(name) => self.put(name),
            None => self.definition(&def.ty),
        }
    }

    fn definition(&mut self, ty: &'p Type) -> &mut Self {
        match ty {
            Type::Enum { base, variants } => {
                self.put("(").list(variants, ", ", |p, (name, value)| p.put_args(format_args!("{name} := {value}"))).put(")");
                let is_int = self.project.types[*base].name.as_deref() == Some("INT");
                if is_int { self } else { self.put(" ").type_ref(*base) }
            }
            Type::Subrange { base, low, high } => self.type_ref(*base).put_args(format_args!(" ({low}..{high})")),
            Type::Array { dims, elem } => {
                self.put("ARRAY [").list(dims, ", ", |p, (low, high)| p.put_args(format_args!("{low}..{high}")));
                self.put("] OF ").type_ref(*elem)
            }
            Type::Struct { fields } => {
                self.put("STRUCT\n");
                self.indent += 1;
                for field in fields {
                    let at = field.address.as_ref().map_or(String::new(), |address| format!(" AT {}", address_text(address)));
                    self.line().put_args(format_args!("{}{at} : ", field.name));
                    self.type_ref(field.ty).init(field.ty, &field.init).put(";\n");
                }
                self.indent -= 1;
                self.line().put("END_STRUCT")
            }
            Type::FunctionBlock(pou) => self.put(&self.project.pous[*pou].name),
            Type::Opaque(words) => self.put(words),
            Type::Bool => self.put("BOOL"),
            Type::Time => self.put("TIME"),
            Type::LTime => self.put("LTIME"),
            Type::Char(bits) => self.put(if *bits == 8 { "CHAR" } else { "WCHAR" }),
            // Elementary types carry their names.
            Type::Int(_) | Type::Bits(_) | Type::Real(_) | Type::Date(_) => self,
        }
    }
}

/// Returns whether a row of the type table comes from a TYPE declaration.
fn is_declared(def: &TypeDef) -> bool {
    let can_be = matches!(def.ty, Type::Enum { .. } | Type::Subrange { .. } | Type::Array { .. } | Type::Struct { .. });
    can_be && def.name.is_some()
}

fn head(var: &Var) -> (Section, bool, Retain) {
    let section = if var.section == Section::Result { Section::Local } else { var.section };
    (section, var.constant, var.retain)
}

pub(crate) fn address_text(address: &Address) -> String {
    let area = match address.area {
        AddressArea::Input => "I",
        AddressArea::Output => "Q",
        AddressArea::Memory => "M",
    };
    let size = match address.size {
        AddressSize::Bit => "X",
        AddressSize::Byte => "B",
        AddressSize::Word => "W",
        AddressSize::DWord => "D",
        AddressSize::LWord => "L",
    };
    if address.path.is_empty() {
        return format!("%{area}*");
    }
    let path: Vec<String> = address.path.iter().map(u32::to_string).collect();
    format!("%{area}{size}{}", path.join("."))
}

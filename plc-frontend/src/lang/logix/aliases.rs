//! Aliases of tags: other names of tags or of parts of them.

use std::collections::{BTreeMap, BTreeSet};

use super::operands::class_of;
use super::types::{Members, Shape, Shapes};
use super::{Reader, attribute, ident_of, key, other_programs};
use crate::ast::{Alias, Body, Expr, ExprKind, Ident, Item, Name, Pou, PouKind, Stmt, StmtKind, TypeSpec, Unit, VarDecl, edit};
use crate::lang::st::embedded;
use crate::lang::xml::Element;
use crate::text::{Diagnostic, Span, codes};

/// Targets of aliases, by their names.
pub(super) type Aliases = BTreeMap<String, Name>;

impl Reader {
    /// Returns the aliases among tags; `outer` are those of the controller.
    ///
    /// Soundness: a program hides tags of the controller. An alias of a tag that the program hides names another one here, and
    /// answers say so.
    pub(super) fn aliases(&mut self, tags: &[Element<'_>], outer: &Aliases) -> Aliases {
        let own: Vec<String> = tags.iter().filter_map(|tag| ident_of(*tag)).map(|name| key(&name.text)).collect();
        let mut aliases: Aliases = outer.clone();
        aliases.retain(|name, _| !own.contains(name));
        let is_hidden = aliases.values().any(|target| own.contains(&key(&target.root.text)));
        if let Some(tag) = tags.first().filter(|_| is_hidden) {
            self.note("alias of a tag of the controller that the program hides", tag.tag_span());
        }
        for tag in tags {
            let Some(target) = self.target_of(*tag) else { continue };
            aliases.extend(ident_of(*tag).map(|name| (key(&name.text), target)));
        }
        let circular = without_circles(&mut aliases);
        for tag in tags.iter().filter(|tag| ident_of(**tag).is_some_and(|name| circular.contains(&key(&name.text)))) {
            self.circle(*tag);
        }
        aliases
    }

    /// Reports an alias that has no tag at its end.
    pub(super) fn circle(&mut self, tag: Element<'_>) {
        let (Some(target), Some(name)) = (tag.filled("AliasFor"), attribute(tag, "Name")) else { return };
        let message = format!("the alias `{name}` leads to itself");
        let error = Diagnostic::error(codes::ALIAS_CIRCLE, target.span, message, "it needs a tag at its end");
        self.findings.push(error.help("give `AliasFor` a tag that is no alias of this one"));
    }

    /// Gives the variable of an alias its target: requirements mean that tag, which may change before the next copy.
    pub(super) fn name_target(&self, var: &mut VarDecl, aliases: &Aliases, variables: &Members) {
        let Some(target) = aliases.get(&key(&var.name.text)) else { return };
        let mut copies = copies(&[(var.name.clone(), target.clone())]);
        self.shapes.put_hosts(variables, &mut copies, var.span);
        other_programs::put_paths(&self.shapes.others, &mut copies, var.span);
        if let Some(Stmt { kind: StmtKind::Assign(_, Expr { kind: ExprKind::Name(target), .. }), .. }) = copies.pop() {
            var.alias_of = Some(target);
        }
    }

    /// Notes the aliases that have no variable of their own: those of tags that are neither numbers nor bits.
    pub(super) fn name_wholes(&mut self, tags: &[Element<'_>], program: Option<&str>, aliases: &Aliases, variables: &Members) {
        for tag in tags.iter().filter(|tag| is_alias(**tag)) {
            let Some(name) = ident_of(*tag) else { continue };
            let is_whole = |shape: &Shape| class_of(&shape.ty).is_none() || !shape.dimensions.is_empty();
            if variables.get(&key(&name.text)).is_none_or(is_whole) {
                let mut var = VarDecl::new(name.clone(), TypeSpec::named("BOOL", name.span), name.span);
                self.name_target(&mut var, aliases, variables);
                let target = var.alias_of.into_iter();
                let program = program.map(str::to_owned);
                self.unit.aliases.extend(target.map(|target| Alias { program: program.clone(), name: name.clone(), target }));
            }
        }
    }

    /// Returns the target of a tag that is an alias.
    pub(super) fn target_of(&mut self, tag: Element<'_>) -> Option<Name> {
        let target = tag.filled("AliasFor")?;
        let parsed = embedded::logix_expression(self.unit.file, &self.plain, target.range.clone());
        if let Some(Expr { kind: ExprKind::Name(target), .. }) = parsed.value { Some(target) } else { None }
    }
}

/// Adds the shapes of aliases to the variables of a scope.
pub(super) fn add_shapes(aliases: &Aliases, shapes: &Shapes, variables: &mut Members) {
    let found: Vec<_> = aliases.iter().map(|(name, target)| (name.clone(), shapes.of(variables, target))).collect();
    for (name, shape) in found {
        match shape {
            Some(shape) => drop(variables.insert(name, shape)),
            None => drop(variables.remove(&name)),
        }
    }
}

/// Gives each alias the tag at the end of its chain. Returns the names of those without one, which are left out.
fn without_circles(aliases: &mut Aliases) -> BTreeSet<String> {
    let direct = std::mem::take(aliases);
    let mut circular = BTreeSet::new();
    for (name, first) in &direct {
        let (mut target, mut seen) = (first.clone(), BTreeSet::from([name.clone()]));
        while direct.contains_key(&key(&target.root.text)) && seen.insert(key(&target.root.text)) {
            replace(&direct, &mut target);
        }
        if direct.contains_key(&key(&target.root.text)) {
            circular.insert(name.clone());
        } else {
            aliases.insert(name.clone(), target);
        }
    }
    circular
}

/// Puts the target of an alias for its name.
fn replace(aliases: &Aliases, path: &mut Name) {
    let Some(target) = aliases.get(&key(&path.root.text)) else { return };
    let mut elements = target.path.clone();
    elements.append(&mut path.path);
    path.root = Ident::new(target.root.text.clone(), path.root.span);
    path.path = elements;
}

/// Puts the targets of aliases for their names in statements.
pub(super) fn substitute(aliases: &Aliases, stmts: &mut Vec<Stmt>, span: Span) {
    if !aliases.is_empty() {
        edit_paths(stmts, span, &mut |path| replace(aliases, path));
    }
}

/// Edits all names of variables in statements.
pub(super) fn edit_paths(stmts: &mut Vec<Stmt>, span: Span, edit: &mut dyn FnMut(&mut Name)) {
    let mut pou = Pou::new(PouKind::FunctionBlock, Ident::new("", span), span);
    pou.body = Body::Statements(std::mem::take(stmts));
    let mut unit = Unit::new(span.file);
    unit.items.push(Item::Pou(pou));
    edit::names(&mut unit, &mut |name| {
        if let edit::NameMut::Path(path) = name {
            edit(path);
        }
    });
    if let Some(Item::Pou(Pou { body: Body::Statements(edited), .. })) = unit.items.pop() {
        *stmts = edited;
    }
}

/// Returns whether a tag is an alias.
pub(super) fn is_alias(tag: Element<'_>) -> bool {
    attribute(tag, "TagType").as_deref() == Some("Alias")
}

/// Returns copies of the targets to aliases that are numbers or bits: requirements name them.
pub(super) fn copies(aliases: &[(Ident, Name)]) -> Vec<Stmt> {
    let copy = |(alias, target): &(Ident, Name)| {
        let value = Expr { kind: ExprKind::Name(target.clone()), span: alias.span };
        Stmt::assign(Expr::variable(alias.clone()), value, alias.span)
    };
    aliases.iter().map(copy).collect()
}

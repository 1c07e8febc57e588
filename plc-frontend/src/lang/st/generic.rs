//! Generic constants of blocks, `VAR_GENERIC CONSTANT` and `Buffer<3>` of TwinCAT and CODESYS: read, and not modelled.
//!
//! Soundness: the constants have an opaque type, and so has each variable of such a block: each use is a gap.

use super::parser::Parser;
use crate::ast::{Access, Section, TypeSpec, TypeSpecKind, VarBlock, VarDecl};
use crate::hir::Retain;
use crate::lang::common::token::Tok;

/// Words of the type of a generic constant.
const CONSTANT: &str = "of a generic constant";

impl Parser<'_> {
    /// Reads `VAR_GENERIC CONSTANT … END_VAR` behind the name of a block.
    pub(super) fn generic_constants(&mut self) -> Option<VarBlock> {
        if !self.at_word("VAR_GENERIC") {
            return None;
        }
        let start = self.here();
        let mut vars = Vec::new();
        while !self.at(Tok::End) && !self.at(Tok::EndVar) {
            if self.at(Tok::Word) && self.peek(1).kind == Tok::Colon {
                let token = self.bump();
                let name = self.ident(token);
                let span = name.span;
                let ty = TypeSpec { kind: TypeSpecKind::Opaque(CONSTANT.to_owned()), span };
                vars.push(VarDecl::new(name, ty, span));
            } else {
                self.bump();
            }
        }
        if !self.eat(Tok::EndVar) {
            self.missing_end(start, "VAR_GENERIC", "END_VAR", "write `END_VAR` where it ends");
        }
        self.eat(Tok::Semicolon);
        let span = self.since(start);
        let (access, retain) = (Access::Unspecified, Retain::Unspecified);
        Some(VarBlock { section: Section::Var, constant: false, retain, access, vars, list: None, span })
    }

    /// Reads `<3, x>` behind the name of a block; returns whether it stands here.
    pub(super) fn generic_arguments(&mut self) -> bool {
        /// Longer lists are not recognised: so reading stays linear.
        const LONGEST: usize = 64;
        if !self.at(Tok::Lt) {
            return false;
        }
        let is_end = |kind: Tok| matches!(kind, Tok::Semicolon | Tok::Colon | Tok::Assign | Tok::End);
        let kinds: Vec<Tok> = (1..LONGEST).map(|n| self.peek(n).kind).take_while(|kind| !is_end(*kind)).collect();
        let Some(end) = kinds.iter().position(|kind| *kind == Tok::Gt) else { return false };
        (0..end + 2).for_each(|_| _ = self.bump());
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::resolve::testing::loaded;

    #[test]
    fn blocks_with_generic_constants_are_read_and_their_uses_are_gaps() {
        let text = "FUNCTION_BLOCK Buffer\nVAR_GENERIC CONSTANT\n size : DINT := 2;\nEND_VAR\nVAR n : INT; items : ARRAY [0..size] OF INT; \
            END_VAR\nn := n + 1;\nitems[0] := 1;\nEND_FUNCTION_BLOCK\nFUNCTION_BLOCK Queue EXTENDS Buffer<4>\nEND_FUNCTION_BLOCK\n\
            PROGRAM Main\nVAR b : Buffer<3>; c : Buffer<3>(1, 2); q : Queue; END_VAR\nq();\nb();\nEND_PROGRAM";
        let loaded = loaded(text);
        assert!(!loaded.has_errors(), "{:#?}", loaded.diagnostics);
        let gaps: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
        assert!(gaps.iter().any(|gap| gap.contains("generic constant")), "{gaps:?}");
    }
}

//! Tokens of the textual languages: their kinds, spellings and keywords. Knows no grammar.

use crate::text::quoted;

/// A token and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: Tok,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// `{stopwatch}` stood directly before it.
    pub stopwatch: bool,
}

macro_rules! tokens {
    (keywords { $($kw:ident $kw_text:literal)* } others { $($tok:ident $text:literal)* }) => {
        /// Kind of a token.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Tok {
            $(#[doc = $kw_text] $kw,)*
            $(#[doc = $text] $tok,)*
        }
        impl Tok {
            /// Returns its spelling, or its name if it has many spellings.
            pub fn spelling(self) -> &'static str {
                match self {
                    $(Tok::$kw => $kw_text,)*
                    $(Tok::$tok => $text,)*
                }
            }
        }
        const KEYWORDS: &[(&str, Tok)] = &[$(($kw_text, Tok::$kw),)*];
    };
}

tokens! {
    // Sorted: `keyword` searches by halving.
    keywords {
        And "AND"
        AndThen "AND_THEN"
        Array "ARRAY"
        At "AT"
        By "BY"
        Case "CASE"
        Constant "CONSTANT"
        Continue "CONTINUE"
        Do "DO"
        Else "ELSE"
        Elsif "ELSIF"
        EndAction "END_ACTION"
        EndActions "END_ACTIONS"
        EndCase "END_CASE"
        EndClass "END_CLASS"
        EndConfiguration "END_CONFIGURATION"
        EndDataBlock "END_DATA_BLOCK"
        EndFor "END_FOR"
        EndFunction "END_FUNCTION"
        EndFunctionBlock "END_FUNCTION_BLOCK"
        EndGet "END_GET"
        EndIf "END_IF"
        EndInterface "END_INTERFACE"
        EndMethod "END_METHOD"
        EndNamespace "END_NAMESPACE"
        EndOrganizationBlock "END_ORGANIZATION_BLOCK"
        EndProgram "END_PROGRAM"
        EndProperty "END_PROPERTY"
        EndRegion "END_REGION"
        EndRepeat "END_REPEAT"
        EndResource "END_RESOURCE"
        EndSet "END_SET"
        EndStep "END_STEP"
        EndStruct "END_STRUCT"
        EndTransition "END_TRANSITION"
        EndType "END_TYPE"
        EndUnion "END_UNION"
        EndVar "END_VAR"
        EndWhile "END_WHILE"
        Exit "EXIT"
        False "FALSE"
        For "FOR"
        Function "FUNCTION"
        FunctionBlock "FUNCTION_BLOCK"
        If "IF"
        Mod "MOD"
        NonRetain "NON_RETAIN"
        Not "NOT"
        Of "OF"
        Or "OR"
        OrElse "OR_ELSE"
        Persistent "PERSISTENT"
        Program "PROGRAM"
        Repeat "REPEAT"
        Retain "RETAIN"
        Return "RETURN"
        Struct "STRUCT"
        Then "THEN"
        To "TO"
        True "TRUE"
        Type "TYPE"
        Until "UNTIL"
        Var "VAR"
        VarAccess "VAR_ACCESS"
        VarConfig "VAR_CONFIG"
        VarExternal "VAR_EXTERNAL"
        VarGlobal "VAR_GLOBAL"
        VarInput "VAR_INPUT"
        VarInst "VAR_INST"
        VarInOut "VAR_IN_OUT"
        VarOutput "VAR_OUTPUT"
        VarStat "VAR_STAT"
        VarTemp "VAR_TEMP"
        While "WHILE"
        Xor "XOR"
    }
    others {
        End "the end of the text"
        Word "a name"
        Number "a number"
        Typed "a typed literal"
        Text "a string"
        Address "a direct address"
        Assign ":="
        Arrow "=>"
        Implies "-->"
        TryAssign "?="
        Compound "a compound assignment"
        LParen "("
        RParen ")"
        LBracket "["
        RBracket "]"
        Comma ","
        Semicolon ";"
        Colon ":"
        Dot "."
        DotDot ".."
        Caret "^"
        Plus "+"
        Minus "-"
        Star "*"
        Power "**"
        Slash "/"
        Eq "="
        Ne "<>"
        Lt "<"
        Le "<="
        Gt ">"
        Ge ">="
        Amp "&"
        EqEq "=="
        BangEq "!="
        AmpAmp "&&"
        PipePipe "||"
        Bang "!"
        Percent "%"
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set(u128);

impl Set {
    /// Returns the set of the kinds of a list.
    pub const fn of(kinds: &[Tok]) -> Set {
        let mut bits = 0;
        let mut i = 0;
        while i < kinds.len() {
            bits |= 1 << kinds[i] as u32;
            i += 1;
        }
        Set(bits)
    }
    /// Returns the set of the kinds in a table.
    pub const fn of_rows<T>(rows: &[(Tok, T)]) -> Set {
        let mut set = Set::of(&[]);
        let mut i = 0;
        while i < rows.len() {
            set = set.or(Set::of(&[rows[i].0]));
            i += 1;
        }
        set
    }
    /// Returns the kinds of both.
    pub const fn or(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }
    /// Returns whether the kind is among them.
    pub const fn has(self, kind: Tok) -> bool {
        self.0 >> kind as u32 & 1 == 1
    }
}

/// Keywords of statements.
pub const OF_STATEMENTS: Set = Set::of(&[
    Tok::And,
    Tok::By,
    Tok::Case,
    Tok::Do,
    Tok::Else,
    Tok::Elsif,
    Tok::EndCase,
    Tok::EndFor,
    Tok::EndIf,
    Tok::EndRepeat,
    Tok::EndWhile,
    Tok::Exit,
    Tok::False,
    Tok::For,
    Tok::If,
    Tok::Mod,
    Tok::Not,
    Tok::Of,
    Tok::Or,
    Tok::Repeat,
    Tok::Return,
    Tok::Then,
    Tok::To,
    Tok::True,
    Tok::Until,
    Tok::While,
    Tok::Xor,
]);

/// Spellings of other languages and typing habits, with the keyword that is meant.
const HABITS: &[(&str, Tok)] = &[
    ("ELIF", Tok::Elsif),
    ("ELSEIF", Tok::Elsif),
    ("ELSE_IF", Tok::Elsif),
    ("ENDCASE", Tok::EndCase),
    ("ENDFOR", Tok::EndFor),
    ("ENDIF", Tok::EndIf),
    ("ENDREPEAT", Tok::EndRepeat),
    ("ENDWHILE", Tok::EndWhile),
    ("ENDVAR", Tok::EndVar),
    ("END_PROG", Tok::EndProgram),
];

/// Meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// An identifier.
    Name,
    /// A keyword.
    Keyword(Tok),
    /// Not a keyword, but certainly meant to be this one.
    Meant(Tok),
}

/// Looks a word up, ignoring case.
pub fn spelling(word: &str) -> Spelling {
    const LONGEST: usize = "END_ORGANIZATION_BLOCK".len();
    let mut upper = [0; LONGEST];
    let Some(upper) = upper.get_mut(..word.len()) else { return Spelling::Name };
    upper.copy_from_slice(word.as_bytes());
    upper.make_ascii_uppercase();
    let find = |table: &[(&str, Tok)]| table.iter().find(|(text, _)| text.as_bytes() == upper).map(|(_, tok)| *tok);
    match KEYWORDS.binary_search_by(|(text, _)| text.as_bytes().cmp(upper)) {
        Ok(row) => KEYWORDS.get(row).map_or(Spelling::Name, |(_, tok)| Spelling::Keyword(*tok)),
        Err(_) => find(HABITS).map_or(Spelling::Name, Spelling::Meant),
    }
}

/// Returns whether a word is a keyword.
pub(crate) fn is_keyword(word: &str) -> bool {
    spelling(word) != Spelling::Name
}

/// Returns the identifier of a name of Siemens, which may have any character. All its forms have the same one: with and without
/// quotes, in sources, exports and requirements.
pub fn identifier(name: &str) -> String {
    quoted::identifier(name, matches!(spelling(name), Spelling::Keyword(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_and_found_in_any_case() {
        assert!(KEYWORDS.windows(2).all(|w| w[0].0 < w[1].0));
        for (text, tok) in KEYWORDS {
            assert_eq!(spelling(text), Spelling::Keyword(*tok));
            assert_eq!(spelling(&text.to_lowercase()), Spelling::Keyword(*tok));
            assert_eq!(tok.spelling(), *text);
        }
        assert_eq!(spelling("ElseIf"), Spelling::Meant(Tok::Elsif));
        for name in ["Motor", "end_", "", "END_ORGANIZATION_BLOCKS", "ÄND"] {
            assert_eq!(spelling(name), Spelling::Name, "{name}");
        }
    }
}

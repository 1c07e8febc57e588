//! All diagnostic codes: what each means and what to do, for reference pages and `--explain`.

/// Code, title, what to do. Codes are stable and never reused.
pub const CODES: &[(&str, &str, &str)] = &[
    // P0xxx: text.
    (
        "P0001",
        "The file is not UTF-8",
        "It was read as Windows-1252 or damaged UTF-16. Check names and comments with special characters, or save the file as UTF-8.",
    ),
    ("P0002", "The file is not text", "Export the program as text from the engineering system; project archives cannot be read."),
    (
        "P0003",
        "The file contains no program",
        "Upload the source that holds a PROGRAM, FUNCTION_BLOCK, FUNCTION, TYPE or VAR_GLOBAL.",
    ),
    ("P0004", "The file's language is unknown", "Export the program in one of the languages that the message names."),
    ("P0005", "The file is too large", "Upload the sources of the program only."),
    ("P0006", "An XML file is damaged", "Export the file again from the engineering system."),
    (
        "P0007",
        "An XML file declares or uses entities",
        "Remove the `<!DOCTYPE …>`, and write characters themselves or by number; only `&lt; &gt; &amp; &quot; &apos;` have names.",
    ),
    ("P0008", "An XML file is nested too deeply or has too many parts", "Export parts of the program as files of their own."),
    ("P0009", "A file of an engineering system that is not text", "Export the program as text; the message names the way."),
    ("P0010", "An XML file is not of a kind that is read", "Take the files that the message names."),
    ("P0011", "A part of an object is missing", "Save the object in the engineering system and take the file again."),
    ("P0012", "A file holds more than it may", "Split it: one object in each file."),
    ("P0013", "A file that the project compiles was not given", "Give the whole folder of the project, or a zip of it."),
    // P1xxx: syntax.
    ("P1001", "A character has no meaning", "Remove it; type plain quotes and dashes."),
    ("P1002", "A comment has no end", "End it with `*)` or `*/`; comments nest."),
    ("P1003", "A pragma has no end", "End it with `}`."),
    ("P1004", "A string has no end", "End it on the same line; a quote inside is written `$'`."),
    ("P1005", "A literal is malformed", "Write numbers as 10, 16#FF or 1.5E3, durations as T#1h30m."),
    ("P1006", "An address is malformed", "Write it as %IX0.3, %QW4 or %I*."),
    ("P1010", "Something else was expected", "The message names what was expected and what was found."),
    ("P1011", "A semicolon is missing", "End each statement and each declaration with `;`."),
    ("P1012", "A bracket has no partner", "Add the missing bracket or remove the superfluous one."),
    ("P1013", "THEN, DO or OF is missing", "Write IF … THEN, WHILE … DO, FOR … DO, CASE … OF, ARRAY […] OF."),
    ("P1014", "An end is missing", "Write END_IF, END_VAR, END_PROGRAM … where the construct ends."),
    ("P1015", "An end belongs to nothing", "Remove it, or add the start of what it ends."),
    ("P1016", "`=` stands where `:=` is meant", "Write `:=` to assign; `=` compares."),
    ("P1017", "`:=` stands in a condition", "Write `=` to compare; `:=` assigns."),
    ("P1018", "A word or operator of another language", "Write the one of Structured Text that the message names."),
    ("P1019", "ELSE IF instead of ELSIF", "Write ELSIF, or end the inner IF with its own END_IF."),
    ("P1020", "The program is nested too deeply", "Split long expressions; move inner statements into a function block."),
    ("P1021", "There are more errors than shown", "Mend the first ones; often they cause the others."),
    (
        "P1022",
        "Something stands outside of any program",
        "Put statements and variables into PROGRAM, FUNCTION_BLOCK or FUNCTION.",
    ),
    ("P1023", "A declaration follows statements", "Move declaration sections before the first statement."),
    ("P1024", "An assertion is misplaced", "Write //#ASSERT on a line of its own between statements."),
    ("P1025", "`-->` stands in a program", "Write NOT a OR b; `-->` is for assertions and requirements."),
    ("P1026", "A sign before a power is ambiguous", "Write -(a ** b) or (-a) ** b."),
    ("P1027", "A declaration is too large", "Declare the type in a TYPE block and use its name."),
    ("P1028", "A keyword is used as a name", "Choose another name."),
    ("P1029", "The wrong end", "Each construct has its own end: IF END_IF, FOR END_FOR, PROGRAM END_PROGRAM."),
    (
        "P1030",
        "Conditional compilation",
        "The branch of undefined names is read. Upload the text that the controller runs, without {IF …} pragmas.",
    ),
    ("P1031", "A part of a call's result", "Assign the result to a variable and select the part from it."),
    ("P1032", "An output needs a variable", "Name a variable behind `=>`."),
    ("P1033", "A name alone does nothing", "Assign it with `:=` or call it with `(…)`."),
    ("P1034", "A name is too long", "Choose a shorter name."),
    (
        NOT_IN_DIALECT,
        "The chosen dialect has no such construct",
        "Write it in the chosen dialect, or choose the dialect that the program is written in.",
    ),
    ("P1036", "Statements stand beside a sequential function chart", "Move them into an ACTION of the chart."),
    ("P1037", "SCL that cannot be read exactly", "Write it as the message says; otherwise it would be read as something else."),
    ("P1038", "A comment is nearly an assertion", "Write `//#ASSERT condition : name`; this one is not checked."),
    // P11xx: networks of LD, FBD and SFC.
    (NETWORK_DANGLING, "A wire comes from nothing", "Connect it in the engineering system and export the program again."),
    (NETWORK_TWO_WIRES, "Two wires end at one input", "Connect one of them, or join both with an OR block."),
    (NETWORK_OPEN, "An element is not connected", "Connect it, or remove it."),
    (
        NETWORK_LOOP,
        "Wires form a loop without memory",
        "Lead the value through a variable: it has the value of the cycle before.",
    ),
    (NETWORK_MODIFIERS, "A pin is modified in two ways", "Negate with an element of its own."),
    (NETWORK_LABEL, "A jump goes to no label", "Draw the label, or remove the jump."),
    (NETWORK_DUPLICATE, "Two elements have one name or number", "Rename one of them, or export the program again."),
    (NETWORK_MEMORY, "An edge stands where nothing is remembered", "Use a function block."),
    (NETWORK_NO_POSITION, "An element has no position", "The order of the file counts; export the program again with positions."),
    (NETWORK_PIN, "A pin cannot be used like this", "Name the parameter, and wire variables to in-outs."),
    ("P1210", "A line of an instruction list starts with no instruction", "Write one instruction on a line, the operator first."),
    ("P1211", "The operands of an instruction do not suit it", "Give the operands that the message names."),
    ("P1212", "An instruction needs a current result", "Load a value first: LD x."),
    ("P1213", "A result crosses a label", "Store it before the jumps and load it behind the label."),
    // P2xxx: names.
    (UNKNOWN_NAME, "A name is not declared", "Declare the variable, or mend its spelling."),
    (UNKNOWN_TYPE, "A type or function block is not declared", "Upload the file that declares it, or mend its spelling."),
    (UNKNOWN_FUNCTION, "A function is not declared", "Upload the file that declares it, or mend its spelling."),
    (UNKNOWN_PART, "A structure, block or enumeration has no such part", "Use one of the parts that the message names."),
    (UNKNOWN_PARAMETER, "A call names a parameter that does not exist", "Use the parameters of the function or block."),
    (UNKNOWN_ENTRY, "The chosen entry does not exist", "Choose one of the programs and function blocks that the message names."),
    (NO_ENTRY, "Nothing says what runs", "Upload a PROGRAM, or choose a FUNCTION_BLOCK with --entry NAME."),
    (AMBIGUOUS_NAME, "A name has several meanings", "Write it with the name of its program or enumeration."),
    (
        NOT_A_VALUE,
        "Something without a value stands where a value is needed",
        "Use a variable, or read an output after the call.",
    ),
    (
        STANDARD_NAME_TAKEN,
        "A declaration has the name of a standard function or block",
        "Yours is used. Rename it if the standard one is meant.",
    ),
    (
        NO_GLOBAL,
        "VAR_EXTERNAL names a global variable that does not exist",
        "Declare it in VAR_GLOBAL, or upload the file that does.",
    ),
    (NOT_ACCESSIBLE, "A variable is not visible from here", "Use the inputs and outputs of the block."),
    (NOT_PUBLIC, "A method or property is PRIVATE or PROTECTED", "Call it from the block itself, or declare it PUBLIC."),
    // P3xxx: types.
    (TYPE_MISMATCH, "A value has the wrong type", "Convert it with the function that the message names."),
    (
        NO_COMMON_TYPE,
        "Operands have types that do not go together",
        "Convert one of them with the function that the message names.",
    ),
    (LITERAL_RANGE, "A literal does not fit its type", "Use a type that holds it."),
    (
        OPERAND_TYPE,
        "An operator or function is not defined for this type",
        "Convert the operand with the function that the message names.",
    ),
    (LITERAL_TYPE, "A literal is of the wrong kind", "Write it in the form that the message names."),
    (NOT_CONSTANT, "A constant is needed", "Use literals, enumeration values and CONSTANT variables."),
    (CONSTANT_RANGE, "A constant expression has no value in its type", "Use a wider type, or mend the expression."),
    (BAD_BOUNDS, "A range is empty", "Write the smaller bound first."),
    (BAD_INDEX, "An index does not suit the array", "Give one integer for each dimension."),
    (BAD_BITS, "A part of a value does not exist", "Name bits inside of the value's width."),
    (ARGUMENTS, "The arguments of a call do not suit its parameters", "Give each parameter once, by position or by name."),
    (NOT_CALLABLE, "Something is called that cannot be called", "Call a function, or an instance of a function block."),
    (NOT_A_PLACE, "A variable is needed", "Name a variable that can be written."),
    (
        BAD_INITIALIZER,
        "An initial value does not suit its variable",
        "Write values as the type needs them: one value, [list], (field := value).",
    ),
    (BAD_ADDRESS, "An address does not suit its variable", "Use the size that the type needs: X, B, W, D or L."),
    (EXTERNAL_TYPE, "VAR_EXTERNAL and VAR_GLOBAL have different types", "Declare both with the same type."),
    (PROGRAM_AS_TYPE, "A PROGRAM or FUNCTION is used as a type", "Only a FUNCTION_BLOCK has instances."),
    (
        INSTANCE_SECTION,
        "A function block instance is declared where nothing persists",
        "Declare it in VAR, or pass it as VAR_IN_OUT.",
    ),
    (TYPE_CYCLE, "A type contains itself", "Break the cycle; a structure cannot be its own field."),
    (CONSTANT_CYCLE, "A constant needs its own value", "Give one of the constants a literal."),
    (SIDE_EFFECT, "A condition changes variables", "Assign the result in the program and name the variable."),
    // P4xxx: rules.
    (RECURSION, "A POU calls or contains itself", "Use a loop, or move what both need into a third block."),
    (DUPLICATE_NAME, "A name is declared twice", "Rename one of the two."),
    (CONSTANT_ASSIGNED, "A CONSTANT is written", "Remove CONSTANT, or assign another variable."),
    (CONTROL_ASSIGNED, "A control variable is written in its loop", "Use EXIT to leave early, or WHILE to count otherwise."),
    (OUTSIDE_LOOP, "EXIT or CONTINUE stands outside of a loop", "Use RETURN to leave the POU, or IF to skip statements."),
    (NO_RESULT, "A function never assigns its result", "Assign the function's name in its body."),
    (DUPLICATE_LABEL, "Two labels of a CASE match the same value", "Remove the value from one of them."),
    (STATE_SIZE, "The program has too many values", "Verify with smaller arrays or fewer instances."),
    (ZERO_STEP, "A FOR loop has a step of 0", "Use a step that is not 0."),
    (OUTPUT_ASSIGNED, "An output of an instance is written from outside", "Copy it to a variable of your own."),
    (BAD_JUMP, "A jump has no label to go to", "Jump to a label in the same list of statements or in one around it."),
    (INITIAL_STEP, "A chart has no initial step, or several", "Declare one step as INITIAL_STEP."),
    (UNKNOWN_STEP, "A transition names a step that does not exist", "Declare the step, or mend its spelling."),
    (TRANSITION_ENDS, "A transition lacks a step on one side, or names one twice", "Name each step before and behind it once."),
    (UNREACHABLE_STEP, "No transition leads to a step", "Add a transition to it, or remove it."),
    (ACTION_TIME, "An action's qualifier and its time do not go together", "Give L, D, SD, DS and SL a time, the others none."),
    (CHART_PLACE, "A chart stands where nothing keeps its steps", "Move it into a FUNCTION_BLOCK or PROGRAM."),
    (BAD_EXTENDS, "A block cannot extend what it names", "Extend another FUNCTION_BLOCK that is not FINAL."),
    (ABSTRACT_INSTANCE, "An ABSTRACT block has an instance", "Declare an instance of a block that extends it."),
    (MISSING_METHOD, "A block lacks a method that it must have", "Write the method, or declare the block ABSTRACT."),
    (OVERRIDE, "A method does not suit the one that it replaces", "Give both the same parameters and result."),
    (NO_INSTANCE, "THIS or SUPER stands where there is none", "Use them in function blocks that have, or extend, something."),
    (
        BAD_TASK,
        "A task or program of a configuration is wrong",
        "Write TASK name (INTERVAL := T#10ms, PRIORITY := 1); and PROGRAM name WITH task : Type;.",
    ),
    (
        OTHER_APPLICATION,
        "A project holds several applications that use the same names",
        "Export the application that is meant alone, or choose one of its programs as the entry.",
    ),
    // P5xxx: limits, not modelled.
    (TOO_DEEP, "Declarations or expressions stand on each other too deeply", "Split them with auxiliary variables or types."),
    (TOO_LARGE, "A type or initial value is too large", "Use smaller bounds."),
    (TOO_MANY_FINDINGS, "There are more findings than listed", "Mend the first ones; often they cause the others."),
    (NOT_MODELLED, "A condition depends on something that is not modelled", "State it with variables that are modelled."),
];

/// The chosen dialect has no such construct.
pub const NOT_IN_DIALECT: &str = "P1035";
/// A wire comes from nothing.
pub const NETWORK_DANGLING: &str = "P1101";
/// Two wires end at one input.
pub const NETWORK_TWO_WIRES: &str = "P1102";
/// An element is not connected.
pub const NETWORK_OPEN: &str = "P1103";
/// Wires form a loop without memory.
pub const NETWORK_LOOP: &str = "P1104";
/// A pin is modified in two ways.
pub const NETWORK_MODIFIERS: &str = "P1105";
/// A jump goes to no label.
pub const NETWORK_LABEL: &str = "P1106";
/// Two elements have one name or number.
pub const NETWORK_DUPLICATE: &str = "P1107";
/// An edge stands where nothing is remembered.
pub const NETWORK_MEMORY: &str = "P1108";
/// An element has no position.
pub const NETWORK_NO_POSITION: &str = "P1109";
/// A pin cannot be used like this.
pub const NETWORK_PIN: &str = "P1110";

/// A name is not declared.
pub const UNKNOWN_NAME: &str = "P2001";
/// A type or function block is not declared.
pub const UNKNOWN_TYPE: &str = "P2002";
/// A function is not declared.
pub const UNKNOWN_FUNCTION: &str = "P2003";
/// A structure, block or enumeration has no such part.
pub const UNKNOWN_PART: &str = "P2004";
/// A call names a parameter that does not exist.
pub const UNKNOWN_PARAMETER: &str = "P2005";
/// The chosen entry does not exist.
pub const UNKNOWN_ENTRY: &str = "P2006";
/// Nothing says what runs.
pub const NO_ENTRY: &str = "P2007";
/// A name has several meanings.
pub const AMBIGUOUS_NAME: &str = "P2008";
/// Something without a value stands where a value is needed.
pub const NOT_A_VALUE: &str = "P2009";
/// A declaration has the name of a standard function or block.
pub const STANDARD_NAME_TAKEN: &str = "P2010";
/// VAR_EXTERNAL names a global variable that does not exist.
pub const NO_GLOBAL: &str = "P2011";
/// A variable is not visible from here.
pub const NOT_ACCESSIBLE: &str = "P2012";
/// A method or property that is PRIVATE or PROTECTED.
pub const NOT_PUBLIC: &str = "P2030";

/// A value has the wrong type.
pub const TYPE_MISMATCH: &str = "P3001";
/// Operands have types that do not go together.
pub const NO_COMMON_TYPE: &str = "P3002";
/// A literal does not fit its type.
pub const LITERAL_RANGE: &str = "P3003";
/// An operator or function is not defined for this type.
pub const OPERAND_TYPE: &str = "P3004";
/// A literal is of the wrong kind.
pub const LITERAL_TYPE: &str = "P3005";
/// A constant is needed.
pub const NOT_CONSTANT: &str = "P3006";
/// A constant expression has no value in its type.
pub const CONSTANT_RANGE: &str = "P3007";
/// A range is empty.
pub const BAD_BOUNDS: &str = "P3008";
/// An index does not suit the array.
pub const BAD_INDEX: &str = "P3009";
/// A part of a value does not exist.
pub const BAD_BITS: &str = "P3010";
/// The arguments of a call do not suit its parameters.
pub const ARGUMENTS: &str = "P3011";
/// Something is called that cannot be called.
pub const NOT_CALLABLE: &str = "P3012";
/// A variable is needed.
pub const NOT_A_PLACE: &str = "P3013";
/// An initial value does not suit its variable.
pub const BAD_INITIALIZER: &str = "P3014";
/// An address does not suit its variable.
pub const BAD_ADDRESS: &str = "P3015";
/// VAR_EXTERNAL and VAR_GLOBAL have different types.
pub const EXTERNAL_TYPE: &str = "P3016";
/// A PROGRAM or FUNCTION is used as a type.
pub const PROGRAM_AS_TYPE: &str = "P3017";
/// A function block instance is declared where nothing persists.
pub const INSTANCE_SECTION: &str = "P3018";
/// A type contains itself.
pub const TYPE_CYCLE: &str = "P3019";
/// A constant needs its own value.
pub const CONSTANT_CYCLE: &str = "P3020";
/// A condition changes variables.
pub const SIDE_EFFECT: &str = "P3021";

/// A POU calls or contains itself.
pub const RECURSION: &str = "P4001";
/// A name is declared twice.
pub const DUPLICATE_NAME: &str = "P4002";
/// A CONSTANT is written.
pub const CONSTANT_ASSIGNED: &str = "P4003";
/// A control variable is written in its loop.
pub const CONTROL_ASSIGNED: &str = "P4004";
/// EXIT or CONTINUE stands outside of a loop.
pub const OUTSIDE_LOOP: &str = "P4005";
/// A function never assigns its result.
pub const NO_RESULT: &str = "P4006";
/// Two labels of a CASE match the same value.
pub const DUPLICATE_LABEL: &str = "P4007";
/// The program has too many values.
pub const STATE_SIZE: &str = "P4008";
/// A FOR loop has a step of 0.
pub const ZERO_STEP: &str = "P4009";
/// An output of an instance is written from outside.
pub const OUTPUT_ASSIGNED: &str = "P4010";
/// A jump to a label that is not there, or not reachable from there.
pub const BAD_JUMP: &str = "P4020";

/// A chart has no initial step, or several.
pub const INITIAL_STEP: &str = "P4060";
/// A transition names a step that does not exist.
pub const UNKNOWN_STEP: &str = "P4061";
/// A transition lacks a step on one side, or names one twice.
pub const TRANSITION_ENDS: &str = "P4062";
/// No transition leads to a step.
pub const UNREACHABLE_STEP: &str = "P4063";
/// An action's qualifier and its time do not go together.
pub const ACTION_TIME: &str = "P4064";
/// A chart stands where nothing keeps its steps.
pub const CHART_PLACE: &str = "P4065";
/// A block cannot extend what it names.
pub const BAD_EXTENDS: &str = "P4101";
/// An ABSTRACT block has an instance.
pub const ABSTRACT_INSTANCE: &str = "P4102";
/// A block lacks a method that it must have.
pub const MISSING_METHOD: &str = "P4103";
/// A method does not suit the one that it replaces.
pub const OVERRIDE: &str = "P4104";
/// THIS or SUPER stands where there is none.
pub const NO_INSTANCE: &str = "P4105";
/// A task or program of a configuration is wrong.
pub const BAD_TASK: &str = "P4106";
/// One of several applications of a project is read.
pub const OTHER_APPLICATION: &str = "P4107";

/// Declarations or expressions stand on each other too deeply.
pub const TOO_DEEP: &str = "P5001";
/// A type or initial value is too large.
pub const TOO_LARGE: &str = "P5002";
/// There are more findings than listed.
pub const TOO_MANY_FINDINGS: &str = "P5003";
/// A condition depends on something that is not modelled.
pub const NOT_MODELLED: &str = "P5004";

/// Title and remedy of a code.
pub fn explain(code: &str) -> Option<(&'static str, &'static str)> {
    CODES.iter().find(|(c, _, _)| *c == code).map(|(_, title, remedy)| (*title, *remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_sorted() {
        for pair in CODES.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} before {}", pair[0].0, pair[1].0);
        }
        for (code, title, remedy) in CODES {
            assert!(code.len() == 5 && code.starts_with('P') && code[1..].bytes().all(|b| b.is_ascii_digit()), "{code}");
            assert!(!title.ends_with('.') && remedy.ends_with('.'), "{code}");
            assert_eq!(explain(code), Some((*title, *remedy)));
        }
        assert_eq!(explain("P9999"), None);
    }
}

//! All codes of findings with their titles and remedies, for reference pages and `--explain`.

/// Defines the table, and a constant for each code with a name.
macro_rules! codes {
    ($($code:literal $($name:ident)?: $title:literal, $remedy:literal;)*) => {
        /// Code, title and remedy. Codes are stable and never reused.
        pub const CODES: &[(&str, &str, &str)] = &[$(($code, $title, $remedy)),*];
        $($(
            #[doc = $title]
            pub const $name: &str = $code;
        )?)*
    };
}

codes! {
    // P0xxx: text.
    "P0001": "The file is not UTF-8",
        "It was read as Windows-1252 or damaged UTF-16. Check names and comments with special characters, or save the file as UTF-8.";
    "P0002": "The file is not text", "Export the program as text from the engineering system; project archives cannot be read.";
    "P0003": "The file contains no program",
        "Upload the source that holds a PROGRAM, FUNCTION_BLOCK, FUNCTION, TYPE or VAR_GLOBAL.";
    "P0004": "The file's language is unknown", "Export the program in one of the languages that the message names.";
    "P0005": "The file is too large", "Upload the sources of the program only.";
    "P0006" DAMAGED: "An XML file or a text export is damaged or cut off", "Export the file again from the engineering system.";
    "P0007": "An XML file declares or uses entities",
        "Remove the `<!DOCTYPE …>`, and write characters themselves or by number; only `&lt; &gt; &amp; &quot; &apos;` have names.";
    "P0008" TOO_MANY_PARTS: "An XML file is nested too deeply or has too many parts", "Export parts of the program as files of their own.";
    "P0009": "A file of an engineering system that is not text", "Export the program as text; the message names the way.";
    "P0010": "An XML file is not of a kind that is read", "Take the files that the message names.";
    "P0011": "A part of an object is missing", "Save the object in the engineering system and take the file again.";
    "P0012": "A file holds more than it may", "Split it: one object in each file.";
    "P0013" NOT_GIVEN: "A file that the project compiles was not given", "Give the whole folder of the project, or a zip of it.";
    "P0014": "A character of an XML file stands as itself", "Write `&amp;` for `&`, and remove control characters.";
    "P0015" TURNED_TEXT: "Signs change the direction of text",
        "The text is compiled in another order than an editor shows it. Remove these signs, and read the lines with them again.";
    // P1xxx: syntax.
    "P1001": "A character has no meaning", "Remove it; type plain quotes and dashes.";
    "P1002" OPEN_COMMENT: "A comment has no end", "End it with `*)` or `*/`; comments nest.";
    "P1003" OPEN_PRAGMA: "A pragma has no end", "End it with `}`.";
    "P1004": "A string has no end", "End it on the same line; a quote inside is written `$'`.";
    "P1005": "A literal is malformed", "Write numbers as 10, 16#FF or 1.5E3, durations as T#1h30m.";
    "P1006": "An address is malformed", "Write it as %IX0.3, %QW4 or %I*.";
    "P1010": "Something else was expected", "The message names what was expected and what was found.";
    "P1011": "A semicolon is missing", "End each statement and each declaration with `;`.";
    "P1012": "A bracket has no partner", "Add the missing bracket or remove the superfluous one.";
    "P1013": "THEN, DO or OF is missing", "Write IF … THEN, WHILE … DO, FOR … DO, CASE … OF, ARRAY […] OF.";
    "P1014": "An end is missing", "Write END_IF, END_VAR, END_PROGRAM … where the construct ends.";
    "P1015": "An end belongs to nothing", "Remove it, or add the start of what it ends.";
    "P1016": "`=` stands where `:=` is meant", "Write `:=` to assign; `=` compares.";
    "P1017": "`:=` stands in a condition", "Write `=` to compare; `:=` assigns.";
    "P1018": "A word or operator of another language", "Write the one of Structured Text that the message names.";
    "P1019": "ELSE IF instead of ELSIF", "Write ELSIF, or end the inner IF with its own END_IF.";
    "P1020": "The program is nested too deeply", "Split long expressions; move inner statements into a function block.";
    "P1021" MORE_ERRORS: "There are more errors than shown", "Mend the first ones; often they cause the others.";
    "P1022": "Something stands outside of any program", "Put statements and variables into PROGRAM, FUNCTION_BLOCK or FUNCTION.";
    "P1023": "A declaration follows statements", "Move declaration sections before the first statement.";
    "P1024": "An assertion is misplaced", "Write //#ASSERT on a line of its own between statements.";
    "P1025": "`-->` stands in a program", "Write NOT a OR b; `-->` is for assertions and requirements.";
    "P1026": "A sign before a power is ambiguous", "Write -(a ** b) or (-a) ** b.";
    "P1027": "A declaration is too large", "Declare the type in a TYPE block and use its name.";
    "P1028": "A keyword is used as a name", "Choose another name.";
    "P1029": "The wrong end", "Each construct has its own end: IF END_IF, FOR END_FOR, PROGRAM END_PROGRAM.";
    "P1030" CONDITIONAL_TEXT: "Conditional compilation",
        "The branch of undefined names is read. Upload the text that the controller runs, without {IF …} pragmas.";
    "P1031": "A part of a call's result", "Assign the result to a variable and select the part from it.";
    "P1032": "An output needs a variable", "Name a variable behind `=>`.";
    "P1033": "A name alone does nothing", "Assign it with `:=` or call it with `(…)`.";
    "P1034": "A name is too long", "Choose a shorter name.";
    "P1035" NOT_IN_DIALECT: "The chosen dialect has no such construct",
        "Write it in the chosen dialect, or choose the dialect that the program is written in.";
    "P1036": "Statements stand beside a sequential function chart", "Move them into an ACTION of the chart.";
    "P1037": "SCL that cannot be read exactly", "Write it as the message says; otherwise it would be read as something else.";
    "P1038": "A comment is nearly an assertion", "Write `//#ASSERT condition : name`; this one is not checked.";
    // P11xx: networks of LD, FBD and SFC.
    "P1101" NETWORK_DANGLING: "A wire comes from nothing", "Connect it in the engineering system and export the program again.";
    "P1102" NETWORK_TWO_WIRES: "Two wires end at one input", "Connect one of them, or join both with an OR block.";
    "P1103" NETWORK_OPEN: "An element is not connected", "Connect it, or remove it.";
    "P1104" NETWORK_LOOP: "Wires form a loop without memory",
        "Lead the value through a variable: it has the value of the cycle before.";
    "P1105" NETWORK_MODIFIERS: "A pin is modified in two ways", "Negate with an element of its own.";
    "P1106" NETWORK_LABEL: "A jump goes to no label", "Draw the label, or remove the jump.";
    "P1107" NETWORK_DUPLICATE: "Two elements have one name or number", "Rename one of them, or export the program again.";
    "P1108" NETWORK_MEMORY: "An edge stands where nothing is remembered", "Use a function block.";
    "P1109" NETWORK_NO_POSITION: "An element has no position",
        "The order of the file counts; export the program again with positions.";
    "P1110" NETWORK_PIN: "A pin cannot be used like this", "Name the parameter, and wire variables to in-outs.";
    "P1210": "A line of an instruction list starts with no instruction", "Write one instruction on a line, the operator first.";
    "P1211": "The operands of an instruction do not suit it", "Give the operands that the message names.";
    "P1212": "An instruction needs a current result", "Load a value first: LD x.";
    // P2xxx: names.
    "P2001" UNKNOWN_NAME: "A name is not declared", "Declare the variable, or mend its spelling.";
    "P2002" UNKNOWN_TYPE: "A type or function block is not declared", "Upload the file that declares it, or mend its spelling.";
    "P2003" UNKNOWN_FUNCTION: "A function is not declared", "Upload the file that declares it, or mend its spelling.";
    "P2004" UNKNOWN_PART: "A structure, block or enumeration has no such part", "Use one of the parts that the message names.";
    "P2005" UNKNOWN_PARAMETER: "A call names a parameter that does not exist", "Use the parameters of the function or block.";
    "P2006" UNKNOWN_ENTRY: "The chosen entry does not exist",
        "Choose one of the programs and function blocks that the message names.";
    "P2007" NO_ENTRY: "Nothing says what runs", "Upload a PROGRAM, or choose a FUNCTION_BLOCK with --entry NAME.";
    "P2008" AMBIGUOUS_NAME: "A name has several meanings", "Write it with the name of its program or enumeration.";
    "P2009" NOT_A_VALUE: "Something without a value stands where a value is needed",
        "Use a variable, or read an output after the call.";
    "P2010" STANDARD_NAME_TAKEN: "A declaration has the name of a standard function or block",
        "Yours is used. Rename it if the standard one is meant.";
    "P2011" NO_GLOBAL: "VAR_EXTERNAL names a global variable that does not exist",
        "Declare it in VAR_GLOBAL, or upload the file that does.";
    "P2012" NOT_ACCESSIBLE: "A variable is not visible from here", "Use the inputs and outputs of the block.";
    "P2013" ALIAS_CIRCLE: "An alias leads to itself", "Give it a tag that is no alias of this one.";
    "P2030" NOT_PUBLIC: "A method or property is PRIVATE or PROTECTED", "Call it from the block itself, or declare it PUBLIC.";
    // P3xxx: types.
    "P3001" TYPE_MISMATCH: "A value has the wrong type", "Convert it with the function that the message names.";
    "P3002" NO_COMMON_TYPE: "Operands have types that do not go together",
        "Convert one of them with the function that the message names.";
    "P3003" LITERAL_RANGE: "A literal does not fit its type", "Use a type that holds it.";
    "P3004" OPERAND_TYPE: "An operator or function is not defined for this type",
        "Convert the operand with the function that the message names.";
    "P3005" LITERAL_TYPE: "A literal is of the wrong kind", "Write it in the form that the message names.";
    "P3006" NOT_CONSTANT: "A constant is needed", "Use literals, enumeration values and CONSTANT variables.";
    "P3007" CONSTANT_RANGE: "A constant expression has no value in its type", "Use a wider type, or mend the expression.";
    "P3008" BAD_BOUNDS: "A range is empty", "Write the smaller bound first.";
    "P3009" BAD_INDEX: "An index does not suit the array", "Give one integer for each dimension.";
    "P3010" BAD_BITS: "A part of a value does not exist", "Name bits inside of the value's width.";
    "P3011" ARGUMENTS: "The arguments of a call do not suit its parameters", "Give each parameter once, by position or by name.";
    "P3012" NOT_CALLABLE: "Something is called that cannot be called", "Call a function, or an instance of a function block.";
    "P3013" NOT_A_PLACE: "A variable is needed", "Name a variable that can be written.";
    "P3014" BAD_INITIALIZER: "An initial value does not suit its variable",
        "Write values as the type needs them: one value, [list], (field := value).";
    "P3015" BAD_ADDRESS: "An address does not suit its variable", "Use the size that the type needs: X, B, W, D or L.";
    "P3016" EXTERNAL_TYPE: "VAR_EXTERNAL and VAR_GLOBAL have different types", "Declare both with the same type.";
    "P3017" PROGRAM_AS_TYPE: "A PROGRAM or FUNCTION is used as a type", "Only a FUNCTION_BLOCK has instances.";
    "P3018" INSTANCE_SECTION: "A function block instance is declared where nothing persists",
        "Declare it in VAR, or pass it as VAR_IN_OUT.";
    "P3019" TYPE_CYCLE: "A type contains itself", "Break the cycle; a structure cannot be its own field.";
    "P3020" CONSTANT_CYCLE: "A constant needs its own value", "Give one of the constants a literal.";
    "P3021" SIDE_EFFECT: "A condition changes variables", "Assign the result in the program and name the variable.";
    // P4xxx: rules.
    "P4001" RECURSION: "A POU calls or contains itself", "Use a loop, or move what both need into a third block.";
    "P4002" DUPLICATE_NAME: "A name is declared twice", "Rename one of the two.";
    "P4003" CONSTANT_ASSIGNED: "A CONSTANT is written", "Remove CONSTANT, or assign another variable.";
    "P4004" CONTROL_ASSIGNED: "A control variable is written in its loop",
        "Use EXIT to leave early, or WHILE to count otherwise.";
    "P4005" OUTSIDE_LOOP: "EXIT or CONTINUE stands outside of a loop", "Use RETURN to leave the POU, or IF to skip statements.";
    "P4006" NO_RESULT: "A function never assigns its result", "Assign the function's name in its body.";
    "P4007" DUPLICATE_LABEL: "Two labels of a CASE match the same value", "Remove the value from one of them.";
    "P4008" STATE_SIZE: "The program has too many values", "Verify with smaller arrays or fewer instances.";
    "P4009" ZERO_STEP: "A FOR loop has a step of 0", "Use a step that is not 0.";
    "P4010" OUTPUT_ASSIGNED: "An output of an instance is written from outside", "Copy it to a variable of your own.";
    "P4020" BAD_JUMP: "A jump has no label to go to", "Jump to a label in the same list of statements or in one around it.";
    "P4060" INITIAL_STEP: "A chart has no initial step, or several", "Declare one step as INITIAL_STEP.";
    "P4061" UNKNOWN_STEP: "A transition names a step that does not exist", "Declare the step, or mend its spelling.";
    "P4062" TRANSITION_ENDS: "A transition lacks a step on one side, or names one twice",
        "Name each step before and behind it once.";
    "P4063" UNREACHABLE_STEP: "No transition leads to a step", "Add a transition to it, or remove it.";
    "P4064" ACTION_TIME: "An action's qualifier and its time do not go together",
        "Give L, D, SD, DS and SL a time, the others none.";
    "P4065" CHART_PLACE: "A chart stands where nothing keeps its steps", "Move it into a FUNCTION_BLOCK or PROGRAM.";
    "P4101" BAD_EXTENDS: "A block cannot extend what it names", "Extend another FUNCTION_BLOCK that is not FINAL.";
    "P4102" ABSTRACT_INSTANCE: "An ABSTRACT block has an instance", "Declare an instance of a block that extends it.";
    "P4103" MISSING_METHOD: "A block lacks a method that it must have", "Write the method, or declare the block ABSTRACT.";
    "P4104" OVERRIDE: "A method does not suit the one that it replaces", "Give both the same parameters and result.";
    "P4105" NO_INSTANCE: "THIS or SUPER stands where there is none",
        "Use them in function blocks that have, or extend, something.";
    "P4106" BAD_TASK: "A task or program of a configuration is wrong",
        "Write TASK name (INTERVAL := T#10ms, PRIORITY := 1); and PROGRAM name WITH task : Type;.";
    "P4107" OTHER_APPLICATION: "A project holds several applications that use the same names",
        "Export the application that is meant alone, or choose one of its programs as the entry.";
    "P4108" SEVERAL_PROJECTS: "An upload holds several projects", "Choose one with --project NAME or `project: NAME`.";
    "P4109" UNKNOWN_PROJECT: "No project has the chosen name", "Choose one of the names that the message lists.";
    "P4110" MISSING_PROGRAM: "A task runs a program that no file declares", "Upload the file that declares it.";
    // P5xxx: limits, not modelled.
    "P5001" TOO_DEEP: "Declarations or expressions stand on each other too deeply",
        "Split them with auxiliary variables or types.";
    "P5002" TOO_LARGE: "A type or initial value is too large", "Use smaller bounds.";
    "P5003" TOO_MANY_FINDINGS: "There are more findings than listed", "Mend the first ones; often they cause the others.";
    "P5004" NOT_MODELLED: "A condition depends on something that is not modelled", "State it with variables that are modelled.";
    "P5005" LEFT_OUT: "A statement uses something that has an error", "Mend the declaration that it uses.";
}

/// Returns title and remedy of a code.
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

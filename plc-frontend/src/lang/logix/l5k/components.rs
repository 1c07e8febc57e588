//! Components of a controller: data types, Add-On Instructions, programs and tasks.

use std::collections::BTreeSet;
use std::ops::Range;

use super::lost_parts::LostPart;
use super::scan::{Attribute, Scanner, find};
use crate::lang::xml::{Builder, Document};
use crate::text::FileId;

/// Export while its elements are built.
pub(super) struct Export<'t> {
    pub(super) scanner: Scanner<'t>,
    pub(super) builder: Builder,
    /// Names of data types that the export defines.
    pub(super) types: BTreeSet<String>,
    /// The first component without an end.
    pub(super) open: Option<LostPart>,
}

/// Components that the reader skips as a whole: they hold no logic, or logic of connections outside of programs.
const SKIPPED: &[&str] = &["CONFIG", "TREND", "QUICK_WATCH", "AUTHENTICATION_CODE", "ALARM_DEFINITION", "HISTORY_ENTRY"];

/// Returns the elements of an export, and its first component without an end.
pub(super) fn document(file: FileId, text: &str) -> (Document, Option<LostPart>) {
    let builder = Builder::new(file, super::routines::without_marks(text));
    let mut export = Export { scanner: Scanner { text, at: 0 }, builder, types: BTreeSet::new(), open: None };
    export.builder.open("RSLogix5000Content", &(0..0));
    while export.scanner.peek().is_some() {
        if export.scanner.take_word("CONTROLLER") {
            export.controller();
        } else {
            export.scanner.skip();
        }
    }
    (export.builder.finish(), export.open)
}

impl Export<'_> {
    /// Opens the element of a component: its name, then its attributes.
    pub(super) fn begin(&mut self, element: &str) -> (Range<usize>, Vec<Attribute>) {
        let name = self.scanner.word().unwrap_or(self.scanner.at..self.scanner.at);
        let attributes = self.scanner.attributes();
        self.builder.open(element, &name);
        self.builder.attribute("Name", &name);
        (name, attributes)
    }

    /// Closes the element of a component.
    pub(super) fn end(&mut self) {
        self.builder.close(self.scanner.at);
    }

    /// Opens a list of components.
    pub(super) fn list(&mut self, name: &str) {
        let at = self.scanner.at;
        self.builder.open(name, &(at..at));
    }

    /// Adds an attribute that is `Yes`, `No`, `1` or `0` in the export.
    pub(super) fn flag(&mut self, name: &str, attributes: &[Attribute], known: &str) {
        let is_on = find(attributes, known)
            .is_some_and(|value| matches!(self.scanner.of(value).to_ascii_lowercase().as_str(), "yes" | "1" | "true"));
        self.builder.word(name, if is_on { "true" } else { "false" });
    }

    /// Adds an attribute if the export has it.
    pub(super) fn copy(&mut self, name: &str, attributes: &[Attribute], known: &str) {
        if let Some(value) = find(attributes, known) {
            self.builder.attribute(name, value);
        }
    }

    fn controller(&mut self) {
        let (name, attributes) = self.begin("Controller");
        for option in ["SFCExecutionControl", "SFCRestartPosition", "SFCLastScan", "SafetyTagMap"] {
            self.copy(option, &attributes, option);
        }
        // The export holds all tasks, also if there are none.
        self.list("Tasks");
        self.end();
        loop {
            let Some(word) = self.scanner.word() else {
                if self.scanner.peek().is_none() {
                    self.open.get_or_insert(LostPart::AtEnd(name));
                    return self.end();
                }
                self.scanner.skip();
                continue;
            };
            match self.scanner.of(&word) {
                "END_CONTROLLER" => return self.end(),
                "DATATYPE" => self.within("DataTypes", Self::data_type),
                "ADD_ON_INSTRUCTION_DEFINITION" => self.within("AddOnInstructionDefinitions", Self::add_on),
                "ENCODED_DATA" => self.within("AddOnInstructionDefinitions", Self::encoded),
                "TAG" => self.tags("Tags", "Tag", "END_TAG"),
                "PROGRAM" => self.within("Programs", Self::program),
                "TASK" => self.within("Tasks", Self::task),
                "MODULE" => self.skip_to("END_MODULE"),
                "PARAMETER_CONNECTION" => self.within("ParameterConnections", Self::connection),
                word if SKIPPED.contains(&word) => self.skip_to(&format!("END_{word}")),
                _ => self.misplaced(&word),
            }
        }
    }

    /// Reads a component inside of a list of its own; the reader joins lists of one name.
    fn within(&mut self, list: &str, read: fn(&mut Self)) {
        self.list(list);
        read(self);
        self.end();
    }

    fn data_type(&mut self) {
        let (name, _) = self.begin("DataType");
        self.types.insert(self.scanner.of(&name).to_ascii_uppercase());
        self.list("Members");
        while self.scanner.peek().is_some() && !self.scanner.take_word("END_DATATYPE") {
            self.member();
        }
        self.end();
        self.end();
    }

    /// Reads `DINT x[3] (Hidden := 1);` or `BIT b Host : 0;`
    fn member(&mut self) {
        let (Some(ty), Some(name)) = (self.scanner.word(), self.scanner.word()) else { return self.scanner.skip() };
        let dimension = self.dimensions();
        let host = if self.scanner.of(&ty) == "BIT" { self.scanner.word() } else { None };
        if host.is_some() && self.scanner.take(":") {
            self.scanner.word();
        }
        let attributes = self.scanner.attributes();
        self.scanner.take(";");
        self.builder.open("Member", &name);
        self.builder.attribute("Name", &name);
        self.builder.attribute("DataType", &ty);
        if let Some(dimension) = dimension {
            self.builder.attribute("Dimension", &dimension);
        }
        if let Some(host) = host {
            self.builder.attribute("Target", &host);
        }
        self.flag("Hidden", &attributes, "Hidden");
        self.end();
    }

    /// Takes `[3]` or `[3,2]`, without the brackets.
    pub(super) fn dimensions(&mut self) -> Option<Range<usize>> {
        if !self.scanner.take("[") {
            return None;
        }
        let range = self.scanner.value(&[']']);
        self.scanner.take("]");
        Some(range)
    }

    fn add_on(&mut self) {
        let (_, attributes) = self.begin("AddOnInstructionDefinition");
        for flag in ["ExecutePrescan", "ExecutePostscan", "ExecuteEnableInFalse"] {
            self.flag(flag, &attributes, flag);
        }
        loop {
            let Some(word) = self.scanner.word() else {
                if self.scanner.peek().is_none() {
                    return self.end();
                }
                self.scanner.skip();
                continue;
            };
            match self.scanner.of(&word) {
                "END_ADD_ON_INSTRUCTION_DEFINITION" => return self.end(),
                "PARAMETERS" => self.tags("Parameters", "Parameter", "END_PARAMETERS"),
                "LOCAL_TAGS" => self.tags("LocalTags", "LocalTag", "END_LOCAL_TAGS"),
                "HISTORY_ENTRY" => self.skip_to("END_HISTORY_ENTRY"),
                kind => self.routine(kind, &word),
            }
        }
    }

    /// Reads a component whose source is encoded: its attributes have its name.
    pub(super) fn encoded(&mut self) {
        let at = self.scanner.at;
        let attributes = self.scanner.attributes();
        self.builder.open("EncodedData", &(at..at));
        self.copy("Name", &attributes, "Name");
        self.copy("EncodedType", &attributes, "EncodedType");
        self.skip_to("END_ENCODED_DATA");
        self.end();
    }

    fn program(&mut self) {
        let (_, attributes) = self.begin("Program");
        self.copy("MainRoutineName", &attributes, "MAIN");
        self.copy("FaultRoutineName", &attributes, "FAULT");
        self.flag("Disabled", &attributes, "DisableFlag");
        loop {
            let Some(word) = self.scanner.word() else {
                if self.scanner.peek().is_none() {
                    return self.end();
                }
                self.scanner.skip();
                continue;
            };
            match self.scanner.of(&word) {
                "END_PROGRAM" => return self.end(),
                "TAG" => self.tags("Tags", "Tag", "END_TAG"),
                "ENCODED_DATA" => self.within("Routines", Self::encoded),
                "CHILD_PROGRAMS" => self.skip_to("END_CHILD_PROGRAMS"),
                kind => self.routine(kind, &word),
            }
        }
    }

    fn task(&mut self) {
        let (_, attributes) = self.begin("Task");
        self.copy("Type", &attributes, "Type");
        self.copy("Priority", &attributes, "Priority");
        self.copy("Rate", &attributes, "Rate");
        self.flag("InhibitTask", &attributes, "InhibitTask");
        self.list("ScheduledPrograms");
        while self.scanner.peek().is_some() && !self.scanner.take_word("END_TASK") {
            match self.scanner.word() {
                Some(name) => {
                    self.misplaced(&name);
                    self.builder.open("ScheduledProgram", &name);
                    self.builder.attribute("Name", &name);
                    self.end();
                }
                None => self.scanner.skip(),
            }
        }
        self.end();
        self.end();
    }

    fn connection(&mut self) {
        let at = self.scanner.at;
        let attributes = self.scanner.attributes();
        self.builder.open("ParameterConnection", &(at..at));
        self.copy("EndPoint1", &attributes, "EndPoint1");
        self.copy("EndPoint2", &attributes, "EndPoint2");
        self.skip_to("END_PARAMETER_CONNECTION");
        self.end();
    }
}

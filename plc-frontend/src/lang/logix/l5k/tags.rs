//! Tags, parameters and local tags with their data.

use std::ops::Range;

use super::components::Export;
use super::scan::{Attribute, Scanner, find};

/// Most elements of an array whose data is read.
const MOST: usize = 4_096;

impl Export<'_> {
    /// Reads a list of tags up to its end word.
    pub(super) fn tags(&mut self, list: &str, element: &str, end: &str) {
        self.list(list);
        while self.scanner.peek().is_some() && !self.scanner.take_word(end) {
            match self.scanner.word() {
                Some(name) => self.tag(element, &name),
                None => self.scanner.skip(),
            }
        }
        self.end();
    }

    /// Reads `name : TYPE[3] (attributes) := data;` or `name OF target (attributes);`
    fn tag(&mut self, element: &str, name: &Range<usize>) {
        if !matches!(self.scanner.peek(), Some(':')) {
            self.misplaced(name);
        }
        let alias = if self.scanner.take_word("OF") { Some(self.scanner.value(&['(', ';'])) } else { None };
        let ty = if alias.is_none() && self.scanner.take(":") { self.scanner.word() } else { None };
        let dimensions = self.dimensions();
        let attributes = self.scanner.attributes();
        self.builder.open(element, name);
        self.builder.attribute("Name", name);
        let is_consumed = find(&attributes, "Producer").or_else(|| find(&attributes, "RemoteTag")).is_some();
        let kind = if alias.is_some() { "Alias" } else { "Base" };
        self.builder.word("TagType", if is_consumed { "Consumed" } else { kind });
        if let Some(alias) = &alias {
            self.builder.attribute("AliasFor", alias);
        }
        if let Some(ty) = &ty {
            self.builder.attribute("DataType", ty);
        }
        if let Some(dimensions) = &dimensions {
            self.builder.attribute("Dimensions", dimensions);
        }
        self.copy("Usage", &attributes, "Usage");
        if find(&attributes, "Usage").is_none() {
            self.copy("Usage", &attributes, "Type");
        }
        self.flag("Required", &attributes, "Required");
        let own = if self.scanner.take(":=") { Some(self.scanner.value(&[',', ';'])) } else { None };
        let data = own.or_else(|| find(&attributes, "DefaultData").cloned());
        if let (Some(data), Some(ty)) = (data, ty) {
            let name = if element == "Tag" { "Data" } else { "DefaultData" };
            self.data(name, &ty, dimensions.as_ref(), &data);
        }
        self.forces(&attributes);
        self.scanner.take(";");
        self.end();
    }

    /// Skips the data of forces behind the data of a tag.
    fn forces(&mut self, _attributes: &[Attribute]) {
        while self.scanner.take(",") {
            self.scanner.word();
            if self.scanner.take(":=") {
                self.scanner.value(&[',', ';']);
            }
        }
    }

    /// Adds the data of a tag in the form that XML has: numbers, arrays of numbers, timers and counters.
    ///
    /// Soundness: other data stands in a form that is not read, unless it is zero throughout.
    fn data(&mut self, name: &str, ty: &Range<usize>, dimensions: Option<&Range<usize>>, data: &Range<usize>) {
        let word = self.scanner.of(ty).to_ascii_uppercase();
        let is_number = matches!(word.as_str(), "BOOL" | "SINT" | "INT" | "DINT" | "LINT" | "REAL" | "LREAL");
        let is_zero = self.scanner.of(data).split(|c: char| "[], \t\r\n".contains(c)).all(is_zero);
        if is_zero && (is_number || word == "STRING" || self.types.contains(&word)) {
            return;
        }
        self.builder.open(name, data);
        let values = elements(self.scanner.text, data);
        match (dimensions, values) {
            (None, _) if is_number && !self.scanner.of(data).starts_with('[') => {
                self.builder.word("Format", "Decorated");
                self.value("DataValue", ty, data);
            }
            // Bits may be packed, so each element has a value of its own.
            (Some(length), Some(values))
                if is_number && self.scanner.of(length).parse() == Ok(values.len()) && values.len() <= MOST =>
            {
                self.builder.word("Format", "Decorated");
                self.builder.open("Array", data);
                self.builder.attribute("DataType", ty);
                self.builder.word("Dimensions", &values.len().to_string());
                for (at, value) in values.iter().enumerate() {
                    self.builder.open("Element", value);
                    self.builder.word("Index", &format!("[{at}]"));
                    self.builder.attribute("Value", value);
                    self.builder.close(value.end);
                }
                self.builder.close(data.end);
            }
            (None, Some(values)) if matches!(word.as_str(), "TIMER" | "COUNTER") => self.counted(ty, data, &values),
            _ => self.builder.word("Format", "L5K"),
        }
        self.builder.close(data.end);
    }

    /// Adds the data of a timer or counter: its bits as a number, its preset, its value.
    fn counted(&mut self, ty: &Range<usize>, data: &Range<usize>, values: &[Range<usize>]) {
        let [bits, preset, value] = values else { return self.builder.word("Format", "L5K") };
        if !is_zero(self.scanner.of(bits)) {
            return self.builder.word("Format", "L5K");
        }
        self.builder.word("Format", "Decorated");
        self.builder.open("Structure", data);
        self.builder.attribute("DataType", ty);
        for (name, value) in [("PRE", preset), ("ACC", value)] {
            self.builder.open("DataValueMember", value);
            self.builder.word("Name", name);
            self.builder.word("DataType", "DINT");
            self.builder.attribute("Value", value);
            self.builder.close(value.end);
        }
        self.builder.close(data.end);
    }

    fn value(&mut self, element: &str, ty: &Range<usize>, value: &Range<usize>) {
        self.builder.open(element, value);
        self.builder.attribute("DataType", ty);
        self.builder.attribute("Value", value);
        self.builder.close(value.end);
    }
}

/// Returns whether a number is zero, or no number at all.
fn is_zero(text: &str) -> bool {
    let digits = text.split_once('#').map_or(text, |(_, digits)| digits);
    let mantissa = digits.split(['e', 'E']).next().unwrap_or("");
    mantissa.chars().all(|c| matches!(c, '0' | '.' | '_'))
}

/// Returns the values of a list without nested lists.
fn elements(text: &str, data: &Range<usize>) -> Option<Vec<Range<usize>>> {
    let inside = text.get(data.clone())?.strip_prefix('[')?.strip_suffix(']')?;
    if inside.contains(['[', '\'']) {
        return None;
    }
    let mut scanner = Scanner { text: text.get(..data.end - 1)?, at: data.start + 1 };
    let mut values = Vec::new();
    while scanner.peek().is_some() {
        values.push(scanner.value(&[',']));
        scanner.take(",");
    }
    Some(values)
}

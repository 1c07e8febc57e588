//! Files that are not well-formed: sections and elements without an end, broken markup.

use super::{Builder, CDATA, Next};

impl Builder<'_> {
    /// Goes on behind a CDATA section that starts at `start` and has no end of its own.
    pub(super) fn unclosed_cdata(&mut self, start: usize, end: Option<usize>) -> Next {
        // It may be cut off, or misspelled: `<![`.
        let written = self.text.get(start..).unwrap_or("").bytes();
        let inside = start + written.zip(CDATA.bytes()).take_while(|(found, wanted)| found == wanted).count();
        self.refuse("P0006", start..inside, "this CDATA section has no end", "`]]>` is missing");
        let content = inside..end.unwrap_or(self.text.len()).max(inside);
        self.keep_text(content.clone());
        if let (Some(from), Some(to)) = (self.text.get(content.clone()), self.plain.get_mut(content)) {
            to.copy_from_slice(from.as_bytes());
        }
        match end {
            Some(end) => Next::From(end),
            None => {
                self.unclosed();
                Next::Stop
            }
        }
    }

    /// Returns the place in `content` at which the innermost open element ends.
    pub(super) fn end_tag_in(&self, content: &str) -> Option<usize> {
        let at = self.open.last()?;
        content.find(&format!("</{}>", self.document.name_of(*at)))
    }

    pub(super) fn broken(&mut self, error: &quick_xml::Error, at: usize) -> Next {
        use quick_xml::errors::SyntaxError;
        self.end_run();
        let at = at.min(self.text.len());
        let rest = self.text.get(at..).unwrap_or("");
        let message = match error {
            quick_xml::Error::Syntax(SyntaxError::UnclosedCData) => {
                let end = self.end_tag_in(rest).map(|end| at + end);
                return self.unclosed_cdata(at, end);
            }
            quick_xml::Error::Syntax(SyntaxError::UnclosedComment) => "this comment has no end",
            quick_xml::Error::Syntax(SyntaxError::UnclosedDoctype) => {
                self.refuse("P0007", at..at, "this file has a document type definition (DTD)", "it has no end");
                self.unclosed();
                return Next::Stop;
            }
            quick_xml::Error::Syntax(SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl) => {
                "this processing instruction has no end"
            }
            quick_xml::Error::Syntax(
                SyntaxError::UnclosedSingleQuotedAttributeValue | SyntaxError::UnclosedDoubleQuotedAttributeValue,
            ) => "an attribute of this tag has no closing quote",
            quick_xml::Error::Syntax(SyntaxError::UnclosedTag) => "this tag has no end",
            quick_xml::Error::Syntax(SyntaxError::InvalidBangMarkup)
            | quick_xml::Error::Io(_)
            | quick_xml::Error::IllFormed(_)
            | quick_xml::Error::InvalidAttr(_)
            | quick_xml::Error::Encoding(_)
            | quick_xml::Error::Escape(_)
            | quick_xml::Error::Namespace(_) => "this is not well-formed XML",
        };
        self.refuse("P0006", at..at, message, "not read from here on");
        Next::Stop
    }

    /// Reports the innermost element without an end, at the end of the file.
    pub(super) fn unclosed(&mut self) {
        if let Some(at) = self.open.last().copied() {
            let tag = self.document.nodes[at as usize].start_tag.clone();
            let message = format!("`<{}>` has no end", self.document.name_of(at));
            self.refuse("P0006", tag.start as usize..tag.end as usize, &message, "starts here");
        }
    }
}

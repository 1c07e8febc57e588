//! Pins of instances without names: their place among the pins of their side stands for the name until declarations are known.

/// A pin of a block that its file does not name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnnamedPin {
    pub(crate) is_input: bool,
    /// Its place on its side, from 0.
    pub(crate) at: usize,
    /// Number of pins on its side.
    pub(crate) of: usize,
    /// The other side's number of pins.
    pub(crate) opposite: usize,
    /// The block's type as written.
    pub(crate) callee: String,
}

/// Beginning of these names; no identifier has it.
const MARK: &str = "<pin ";

impl UnnamedPin {
    /// Returns the name that stands for the pin.
    pub(crate) fn name(&self) -> String {
        let side = if self.is_input { "in" } else { "out" };
        format!("{MARK}{side} {} {} {} {}", self.at, self.of, self.opposite, self.callee)
    }

    /// Returns the pin that a name stands for.
    pub(crate) fn of_name(name: &str) -> Option<UnnamedPin> {
        let mut words = name.strip_prefix(MARK)?.splitn(5, ' ');
        let is_input = words.next()? == "in";
        let mut number = || words.next()?.parse().ok();
        let (at, of, opposite) = (number()?, number()?, number()?);
        Some(UnnamedPin { is_input, at, of, opposite, callee: words.next()?.to_owned() })
    }
}

/// Returns whether a name stands for a pin.
pub(crate) fn is_unnamed(name: &str) -> bool {
    name.starts_with(MARK)
}

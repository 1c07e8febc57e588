//! Memory of formulas about the past during a replay: evaluated cycle by cycle on the interpreter, from the definition of each
//! operator. It shares no code with the model's monitors.

use plc_frontend::hir::Expr;

use kernel::property::formula::Formula;

/// Past of one claim's formulas, in the order in which they are asked.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Memory of each past operator at the end of the last cycle.
    before: Vec<Memory>,
    /// The same for the present cycle.
    now: Vec<Memory>,
    /// Conditions at the beginning of this cycle, in reading order, and how many have been read again.
    began: Vec<bool>,
    n_read: usize,
}

/// Memory of one operator.
#[derive(Clone, Copy, Debug)]
enum Memory {
    /// Its value at the end of the last cycle.
    Was(bool),
    /// Nanoseconds for which it has been true; `None` if it was not.
    Since(Option<i128>),
}

impl History {
    /// Reads conditions about the beginning of a cycle.
    pub(super) fn begin<E>(&mut self, formula: &Formula, read: &mut dyn FnMut(&Expr) -> Result<bool, E>) -> Result<(), E> {
        match formula {
            Formula::Now(_) => {}
            Formula::Began(expr) => {
                let value = read(expr)?;
                self.began.push(value);
            }
            Formula::Not(a) | Formula::Previous(a) | Formula::Once(a) | Formula::Held(a, _) => self.begin(a, read)?,
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Since(a, b) => {
                self.begin(a, read)?;
                self.begin(b, read)?;
            }
        }
        Ok(())
    }

    /// Returns the formula's value at the end of a cycle that took `dt_ns`. Formulas are evaluated in the same order in every
    /// cycle.
    pub(super) fn value<E>(
        &mut self,
        formula: &Formula,
        dt_ns: i64,
        read: &mut dyn FnMut(&Expr) -> Result<bool, E>,
    ) -> Result<bool, E> {
        Ok(match formula {
            Formula::Now(expr) => read(expr)?,
            Formula::Began(_) => {
                let value = self.began.get(self.n_read).copied().unwrap_or(false);
                self.n_read += 1;
                value
            }
            Formula::Not(a) => !self.value(a, dt_ns, read)?,
            // Both sides are always evaluated: each has a past of its own.
            Formula::And(a, b) => self.value(a, dt_ns, read)? & self.value(b, dt_ns, read)?,
            Formula::Or(a, b) => self.value(a, dt_ns, read)? | self.value(b, dt_ns, read)?,
            Formula::Previous(a) => {
                let value = self.value(a, dt_ns, read)?;
                let was = self.was();
                self.now.push(Memory::Was(value));
                was
            }
            Formula::Once(a) => {
                let value = self.value(a, dt_ns, read)?;
                let ever = value || self.was();
                self.now.push(Memory::Was(ever));
                ever
            }
            Formula::Since(a, b) => {
                let (a, b) = (self.value(a, dt_ns, read)?, self.value(b, dt_ns, read)?);
                let value = b || (a && self.was());
                self.now.push(Memory::Was(value));
                value
            }
            Formula::Held(a, ms) => {
                let value = self.value(a, dt_ns, read)?;
                let before = match self.before.get(self.now.len()) {
                    Some(Memory::Since(before)) => *before,
                    Some(Memory::Was(_)) | None => None,
                };
                let since = value.then(|| before.map_or(0, |ns| ns + i128::from(dt_ns)));
                self.now.push(Memory::Since(since));
                since.is_some_and(|ns| i128::from(*ms) * 1_000_000 <= ns)
            }
        })
    }

    /// Returns the memory of the next operator.
    fn was(&self) -> bool {
        matches!(self.before.get(self.now.len()), Some(Memory::Was(true)))
    }

    /// Ends the cycle.
    pub(super) fn end(&mut self) {
        self.before = std::mem::take(&mut self.now);
        self.began.clear();
        self.n_read = 0;
    }
}

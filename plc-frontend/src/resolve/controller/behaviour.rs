//! Controller-dependent behaviour: manuals leave it to the controller, are silent or contradict each other.
//!
//! A behaviour is recorded at the place where a program depends on it. Each answer that rests on such a place names it.
//! `docs/dialects.md` quotes the public manuals and gives the modelled behaviour.

use crate::dialect::{Dialect, FirstScan, Loops, Overflow, TextEnd};

/// A behaviour that differs between the controllers of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Behaviour {
    /// F_TRIG at its first call.
    FirstFall,
    /// An up counter at PV.
    Counter,
    /// A PT that changes while the timer runs.
    TimerTime,
    /// A PT of zero.
    ZeroTime,
    /// The date and time that RTC gives while IN is FALSE.
    Clock,
    /// The width of arithmetic beyond 32 bits.
    Width,
    /// The width of arithmetic on operands with this number of bits.
    Promotion(u8),
    /// A shift by a large count, or a shift whose bits beyond the operand are used.
    Shift,
    /// A large unsigned operand beside a signed one.
    Signs,
    /// A TIME multiplied by a number.
    TimeProduct,
    /// An operand that C code computes twice.
    Twice,
    /// Inputs of a call, one of which reads another.
    InputOrder,
    /// An argument of a call that the called code uses by another name.
    CopiedArgument,
    /// LIMIT whose lower bound may be greater than its upper bound.
    Limit,
    /// A variable of a subrange.
    Subrange,
    /// A string function that MATIEC computes in its own way.
    TextFunction,
    /// An index into a string, which may reach bytes behind its text.
    TextIndex,
    /// The last value and the step of a FOR that may change.
    LoopBound,
    /// The control variable after its FOR.
    LoopVariable,
    /// A FOR whose first round may be its last one.
    SingleRound,
    /// A call on the right of AND or OR.
    ShortCircuit,
    /// The first call of a chart.
    FirstChartCall,
    /// Inputs of an instance whose EN is FALSE.
    DisabledInputs,
    /// The target of a function whose EN is FALSE.
    DisabledResult,
    /// A value of a call whose function declares no result.
    FirstOutput,
    /// Addresses of different sizes at the same place.
    SharedAddresses,
    /// Precision and rounding of NORM_X and SCALE_X.
    Scaling,
    /// LREAL that an assignment makes a REAL.
    ShortReal,
    /// DINT or UDINT that an assignment makes a REAL.
    RoundedInteger,
}

impl Behaviour {
    /// Returns the condition as a short phrase about `name`, and the reason for it.
    pub(crate) fn words(self, name: &str, dialect: &Dialect) -> (String, String) {
        (self.condition(name, dialect), self.reason(dialect).to_owned())
    }

    /// Returns the condition as a short phrase; `name` is its subject.
    fn condition(self, name: &str, dialect: &Dialect) -> String {
        match self {
            Behaviour::FirstFall => match dialect.f_trig {
                FirstScan::Silent => format!("no falling edge of `{name}` at its first call"),
                FirstScan::Pulse => format!("falling edge of `{name}` at its first call"),
            },
            Behaviour::Counter => format!("`{name}` counts beyond PV"),
            Behaviour::TimerTime => format!("the preset of timer `{name}` takes effect at once"),
            Behaviour::ZeroTime => format!("a zero preset of timer `{name}` is over at once"),
            Behaviour::Clock => format!("the clock of `{name}` stands still while IN is FALSE"),
            Behaviour::Width => "arithmetic that wraps at 32 bits".to_owned(),
            Behaviour::Promotion(bits) => format!("arithmetic that wraps at {bits} bits"),
            Behaviour::Shift if dialect.compiles_to_c() => "shift by less than 32 or the operand's width".to_owned(),
            Behaviour::Shift => "shift at 32 or 64 bits by the lowest bits of its count".to_owned(),
            Behaviour::Signs => "signed computation of an unsigned and a signed operand".to_owned(),
            Behaviour::TimeProduct => "exact product of a TIME".to_owned(),
            Behaviour::Twice => "the call in an operand of XOR or MOD happens once".to_owned(),
            Behaviour::InputOrder => "inputs of a call are read before they are assigned".to_owned(),
            Behaviour::CopiedArgument => "the called code uses this argument by its parameter only".to_owned(),
            Behaviour::Limit => "LIMIT with MN up to MX".to_owned(),
            Behaviour::Subrange => format!("values of `{name}` stay as they are outside of its subrange"),
            Behaviour::TextFunction => format!("{name} as in the standard"),
            Behaviour::TextIndex => match dialect.text_end {
                TextEnd::Zero => "bytes behind the text of a string are 0 where an index reaches them".to_owned(),
                TextEnd::Length => "an index stays inside of the text of its string, and no character 0 is written".to_owned(),
            },
            Behaviour::LoopBound => match dialect.loops {
                Loops::Once => "last value and step of a FOR are computed once".to_owned(),
                Loops::EachRound => "last value and step of a FOR are computed before every round".to_owned(),
            },
            Behaviour::LoopVariable => "control variable one step beyond the last value behind its FOR".to_owned(),
            Behaviour::SingleRound => "FOR with a single round".to_owned(),
            Behaviour::ShortCircuit => "the call on the right of AND or OR always happens".to_owned(),
            Behaviour::FirstChartCall => format!("the first call of chart `{name}` evaluates no transition"),
            Behaviour::DisabledInputs => format!("inputs of `{name}` keep their values while EN is FALSE"),
            Behaviour::DisabledResult => format!("the target of `{name}` keeps its value while EN is FALSE"),
            Behaviour::FirstOutput => format!("the value of `{name}` is its first output"),
            Behaviour::SharedAddresses => format!("{name} share memory"),
            Behaviour::Scaling => format!("{name} computes with the precision of its arguments and rounds to the nearest number"),
            Behaviour::ShortReal => "an LREAL becomes the nearest REAL".to_owned(),
            Behaviour::RoundedInteger => "an integer of 32 bits becomes the nearest REAL".to_owned(),
        }
    }

    /// Returns a sentence about the modelled behaviour and the behaviour of other controllers.
    fn reason(self, dialect: &Dialect) -> &'static str {
        match self {
            Behaviour::FirstFall => match dialect.f_trig {
                FirstScan::Silent => {
                    "an input that is FALSE at the first call has not fallen; other versions of these systems see an edge there"
                }
                FirstScan::Pulse => {
                    "an input that is FALSE at the first call has fallen, as the standard writes it; some systems see no edge there"
                }
            },
            Behaviour::Counter => "the counter goes on up to the largest value of its type; on some controllers it stops at PV",
            Behaviour::TimerTime => {
                "a PT that changes while the timer runs counts at once; on some controllers it counts from the next start on"
            }
            Behaviour::ZeroTime => {
                "a timer whose PT is T#0s ends in the call in which it starts; in MATIEC (OpenPLC, Beremiz) it ends in the next call"
            }
            Behaviour::Clock => "CDT keeps its value while IN is FALSE; in MATIEC CDT then shows the clock of the controller",
            Behaviour::Width if dialect.overflow == Overflow::Unstated => {
                "the result keeps its low 32 bits; the manuals do not state the result of an overflow, which is a minor fault"
            }
            Behaviour::Width => "the result wraps at 32 bits; controllers with 64 bits may compute with 64 bits",
            Behaviour::Promotion(_) => {
                "the result keeps the width of its operands; the C code of MATIEC computes at 32 bits or more until a variable takes it"
            }
            Behaviour::Shift if dialect.compiles_to_c() => {
                "a larger count shifts everything out; in the C code of MATIEC its result is undefined"
            }
            Behaviour::Shift => {
                "it is done at 32 bits, or 64 for LWORD and the like, by the lowest 5 or 6 bits of the count; controllers may shift \
                 everything out"
            }
            Behaviour::Signs => "both are computed with a sign, at the wider of their widths",
            Behaviour::TimeProduct => {
                "the product is exact; MATIEC computes the part below a second in 32 bits, which may overflow"
            }
            Behaviour::Twice => "the C code of MATIEC computes the left side of XOR and the right side of MOD twice",
            Behaviour::InputOrder => {
                "all inputs are computed before one is assigned; MATIEC assigns them one by one in the order of their declarations"
            }
            Behaviour::CopiedArgument => {
                "S7 controllers copy a simple VAR_IN_OUT to the call and back, and give a function its structures by address; here \
                 VAR_IN_OUT are addresses and inputs are copies"
            }
            Behaviour::Limit => "if MN is greater than MX, the result is MX; in MATIEC it is MN, or MX if IN is greater than MN",
            Behaviour::Subrange => "an assignment does not check the subrange; MATIEC cuts the value to it",
            Behaviour::TextFunction => {
                "the function does what the standard says; in MATIEC results differ at the ends of a string and for repeated parts"
            }
            Behaviour::TextIndex => match dialect.text_end {
                TextEnd::Zero => "a text ends at its first character 0; controllers may keep bytes of earlier texts behind it",
                TextEnd::Length => {
                    "here a text ends at its first character 0, and zeros follow; the controller stores its length, which an index \
                     does not change"
                }
            },
            Behaviour::LoopBound => match dialect.loops {
                Loops::Once => "both are computed before the first round; some controllers compute them before every round",
                Loops::EachRound => "both are computed before every round; some controllers compute them once",
            },
            Behaviour::LoopVariable => {
                "after the loop it is the first value beyond the last one; on some controllers it is the last value in range"
            }
            Behaviour::SingleRound => {
                "a FOR whose first value is its last one has one round, as in OpenPLC; newer versions of MATIEC leave it out"
            }
            Behaviour::ShortCircuit => "the standard lets a controller skip the call if it cannot change the result",
            Behaviour::FirstChartCall => {
                "transitions are tested from the second call on, as the standard says; MATIEC (OpenPLC, Beremiz) tests them in the first \
                 call, too"
            }
            Behaviour::DisabledInputs => {
                "nothing is assigned while EN is FALSE; MATIEC (OpenPLC, Beremiz) assigns the inputs and skips the body"
            }
            Behaviour::DisabledResult => {
                "nothing is assigned while EN is FALSE; in MATIEC (OpenPLC, Beremiz) the function returns the initial value of its type"
            }
            Behaviour::FirstOutput => {
                "it declares no result; TwinCAT 3 then returns the first VAR_OUTPUT, as users report and no manual says"
            }
            Behaviour::SharedAddresses => {
                "both mean the same memory; in OpenPLC and Beremiz each address is a variable of its own"
            }
            Behaviour::Scaling => {
                "the manual gives the formula; it does not tell the precision inside, and how integers are rounded"
            }
            Behaviour::ShortReal | Behaviour::RoundedInteger => {
                "the assignment converts it by itself without the IEC check; no manual tells the rounding"
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Random exports of Studio 5000: rungs with branches, zones and jumps, a routine that is called, an Add-On Instruction.

use super::rng::Rng;

const INPUTS: &[&str] = &["a", "b", "c"];
const BITS: &[&str] = &["p", "q", "s", "u", "x.0", "y.3"];
const NUMBERS: &[&str] = &["x", "y", "z", "t.ACC", "k.ACC", "3", "-1", "100"];
const TARGETS: &[&str] = &["x", "y", "z", "l[1]", "t.PRE"];

/// Returns an export with rungs of this seed.
pub fn export(seed: u64) -> String {
    let mut rungs = Rungs { rng: Rng::new(seed), n_storage: 0, labels: 0 };
    let main = rungs.routine("Main", 4, true);
    let other = rungs.routine("Other", 2, false);
    let logic = rungs.instruction("Logic");
    let disabled = rungs.instruction("EnableInFalse");
    let is_on = rungs.rng.chance(50);
    let storage: String = (0..rungs.n_storage).map(|n| tag(&format!("ons{n}"), "BOOL", "", "0")).collect();
    let inputs: String = INPUTS.iter().map(|name| tag(name, "BOOL", " Usage=\"Input\"", "0")).collect();
    let bits: String = ["p", "q", "s", "u"].iter().map(|name| tag(name, "BOOL", "", "0")).collect();
    let numbers = [tag("x", "DINT", "", "5"), tag("y", "DINT", "", "-3"), tag("z", "DINT", "", "0")].concat();
    let list = "<Tag Name=\"l\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"3\"/>";
    let timers: String =
        ["t", "h", "f"].iter().map(|name| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"TIMER\"/>")).collect();
    let rest = "<Tag Name=\"k\" TagType=\"Base\" DataType=\"COUNTER\"/><Tag Name=\"block\" TagType=\"Base\" DataType=\"Block\"/>";
    let parameters =
        [("EnableIn", "Input", false), ("EnableOut", "Output", false), ("In", "Input", true), ("Out", "Output", true)];
    let parameters: String = parameters.iter().map(|(name, usage, required)| parameter(name, usage, *required)).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content><Controller Use=\"Context\" Name=\"C\"><AddOnInstructionDefinitions>\
         <AddOnInstructionDefinition Name=\"Block\" ExecuteEnableInFalse=\"{is_on}\"><Parameters>{parameters}</Parameters>\
         <LocalTags><LocalTag Name=\"n\" DataType=\"DINT\"/><LocalTag Name=\"m\" DataType=\"BOOL\"/></LocalTags>\
         <Routines>{logic}{disabled}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Programs>\
         <Program Use=\"Target\" Name=\"P\" MainRoutineName=\"Main\"><Tags>{inputs}{bits}{storage}{numbers}{list}{timers}{rest}</Tags>\
         <Routines>{main}{other}</Routines></Program></Programs></Controller></RSLogix5000Content>"
    )
}

fn tag(name: &str, ty: &str, usage: &str, value: &str) -> String {
    format!(
        "<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\"{usage}><Data Format=\"Decorated\"><DataValue DataType=\"{ty}\" \
         Value=\"{value}\"/></Data></Tag>"
    )
}

fn parameter(name: &str, usage: &str, required: bool) -> String {
    format!("<Parameter Name=\"{name}\" TagType=\"Base\" DataType=\"BOOL\" Usage=\"{usage}\" Required=\"{required}\"/>")
}

struct Rungs {
    rng: Rng,
    n_storage: usize,
    labels: usize,
}

impl Rungs {
    fn routine(&mut self, name: &str, n_rungs: usize, is_main: bool) -> String {
        let mut texts = Vec::new();
        // A routine has zones or jumps.
        let has_zones = self.rng.chance(50);
        for _ in 0..=self.rng.below(n_rungs) {
            let rung = self.rung(is_main);
            match self.rng.below(6) {
                0 if has_zones => texts.extend([format!("{}MCR();", self.contact()), rung, "MCR();".to_owned()]),
                1 if !has_zones => {
                    self.labels += 1;
                    let label = format!("L{}", self.labels);
                    texts.extend([format!("{}JMP({label});", self.contact()), rung, format!("LBL({label});")]);
                }
                2 if !is_main => texts.extend([format!("{}TND();", self.contact()), rung]),
                _ => texts.push(rung),
            }
        }
        routine(name, &texts)
    }

    /// Returns a routine of the Add-On Instruction.
    fn instruction(&mut self, name: &str) -> String {
        const TEXTS: &[&str] =
            &["XIC(In)OTE(Out);", "ADD(n,1,n);", "XIC(In)ONS(m)ADD(n,2,n);", "GEQ(n,3)OTL(Out);", "OTU(Out)CLR(n);"];
        let texts: Vec<String> = (0..=self.rng.below(2)).map(|_| (*self.rng.pick(TEXTS)).to_owned()).collect();
        routine(name, &texts)
    }

    fn rung(&mut self, is_main: bool) -> String {
        let condition = self.condition(2);
        let output = self.output(is_main);
        if self.rng.chance(25) {
            format!("{condition}[{output},{}{}];", self.contact(), self.output(is_main))
        } else {
            format!("{condition}{output};")
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        match self.rng.below(5) {
            0 | 1 if 0 < depth => {
                let levels: Vec<String> = (0..2).map(|_| self.condition(depth - 1)).collect();
                format!("[{}]{}", levels.join(","), self.condition(depth - 1))
            }
            2 => {
                let name = *self.rng.pick(&["EQU", "NEQ", "LES", "GRT", "LEQ", "GEQ"]);
                format!("{name}({},{})", self.rng.pick(NUMBERS), self.rng.pick(NUMBERS))
            }
            3 => {
                let (low, test, high) =
                    (self.rng.pick(NUMBERS), self.rng.pick(&["x", "y", "z"]), self.rng.pick(&["0", "4", "y"]));
                format!("LIM({low},{test},{high})")
            }
            _ => self.contact(),
        }
    }

    fn contact(&mut self) -> String {
        let name = *self.rng.pick(&["XIC", "XIO"]);
        let bits =
            if self.rng.chance(60) { INPUTS } else { &["p", "q", "s", "u", "x.0", "t.DN", "h.TT", "f.DN", "k.DN", "block.Out"] };
        format!("{name}({})", self.rng.pick(bits))
    }

    fn output(&mut self, is_main: bool) -> String {
        let bit = *self.rng.pick(BITS);
        let (left, right, target) = (*self.rng.pick(NUMBERS), *self.rng.pick(NUMBERS), *self.rng.pick(TARGETS));
        match self.rng.below(14) {
            0 => format!("OTE({bit})"),
            1 => format!("OTL({bit})"),
            2 => format!("OTU({bit})"),
            3 => {
                self.n_storage += 1;
                format!("ONS(ons{})OTE({bit})", self.n_storage - 1)
            }
            4 => {
                self.n_storage += 1;
                format!("{}(ons{},{bit})", self.rng.pick(&["OSR", "OSF"]), self.n_storage - 1)
            }
            5 => (*self.rng.pick(&["TON(t,?,?)", "RTO(h,?,?)", "TOF(f,?,?)"])).to_owned(),
            6 => (*self.rng.pick(&["CTU(k,?,?)", "CTD(k,?,?)"])).to_owned(),
            7 => format!("RES({})", self.rng.pick(&["t", "h", "k"])),
            8 => format!("MOV({left},{target})"),
            9 => {
                let name = *self.rng.pick(&["ADD", "SUB", "MUL", "DIV", "MOD", "AND", "OR", "XOR"]);
                format!("{name}({left},{right},{target})")
            }
            10 => format!("MVM({left},12,{target})"),
            11 => format!("CPT({target},({left}+{right})/z)"),
            12 if is_main => "JSR(Other,0)".to_owned(),
            13 if is_main => format!("Block(block,{},{})", self.rng.pick(INPUTS), self.rng.pick(&["p", "q", "s", "u"])),
            _ => format!("FLL({left},l[0],2)"),
        }
    }
}

fn routine(name: &str, texts: &[String]) -> String {
    let rungs: String = texts.iter().map(|text| format!("<Rung Type=\"N\"><Text><![CDATA[{text}]]></Text></Rung>")).collect();
    format!("<Routine Name=\"{name}\" Type=\"RLL\"><RLLContent>{rungs}</RLLContent></Routine>")
}

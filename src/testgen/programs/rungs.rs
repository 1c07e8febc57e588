//! Random exports of Studio 5000: rungs with branches, zones, jumps, shift registers and stacks, and routines that are called
//! with and without parameters, several times, and in loops of loops. Routines share storage bits of one-shots. Also blocks of Structured Text, an Add-On Instruction, texts, and two programs in tasks
//! with tags that both of them write.

use super::rng::Rng;

const INPUTS: &[&str] = &["a", "b", "c"];
const BITS: &[&str] = &["p", "q", "s", "u", "x.0", "y.3", "shared"];
const NUMBERS: &[&str] = &["x", "y", "z", "t.ACC", "k.ACC", "sum", "str.LEN", "3", "-1", "100"];
const TARGETS: &[&str] = &["x", "y", "z", "l[1]", "t.PRE", "sum"];

/// Short texts.
const TEXT_TYPE: &str = "<DataTypes><DataType Name=\"STR_5\" Family=\"StringFamily\"><Members><Member Name=\"LEN\" DataType=\"DINT\" \
    Dimension=\"0\" Hidden=\"false\"/><Member Name=\"DATA\" DataType=\"SINT\" Dimension=\"5\" Radix=\"ASCII\" Hidden=\"false\"/></Members>\
    </DataType></DataTypes>";

/// Two texts, and a longer one.
const TEXTS: &str = "<Tag Name=\"code\" TagType=\"Base\" DataType=\"STR_5\"><Data Format=\"Decorated\"><Structure DataType=\"STR_5\">\
    <DataValueMember Name=\"LEN\" DataType=\"DINT\" Value=\"2\"/><DataValueMember Name=\"DATA\" DataType=\"STR_5\" Radix=\"ASCII\">\
    <![CDATA['a7']]></DataValueMember></Structure></Data></Tag><Tag Name=\"tail\" TagType=\"Base\" DataType=\"STR_5\"/>\
    <Tag Name=\"str\" TagType=\"Base\" DataType=\"STRING\"><Data Format=\"String\" Length=\"3\"><![CDATA['a7B']]></Data></Tag>";

/// Instructions with texts; conditions before them keep most of them within the limits of their texts.
const OF_TEXTS: &[&str] = &[
    "CONCAT(code,tail,str)",
    "CONCAT(code,code,str)LES(str.LEN,9)CONCAT(str,code,str)",
    "GEQ(str.LEN,2)MID(str,2,1,tail)",
    "LIM(3,str.LEN,9)MID(str,1,3,code)",
    "GEQ(str.LEN,1)DELETE(str,1,1,str)",
    "GEQ(str.LEN,2)LES(str.LEN,9)INSERT(str,code,2,str)",
    "UPPER(code,code)",
    "LOWER(str,str)",
    "DTOS(y,str)",
    "LIM(-99,x,999)DTOS(x,code)",
    "GEQ(tail.LEN,1)GEQ(str.LEN,1)FIND(str,tail,1,z)",
    "GEQ(code.LEN,1)STOD(code,z)",
    "STOD(str,x)",
    "EQU(code,tail)OTE(s)",
    "NEQ(str,code)OTE(u)",
];

/// Returns an export with rungs of this seed.
pub fn export(seed: u64) -> String {
    let mut rungs = Rungs { rng: Rng::new(seed), n_storage: 0, labels: 0 };
    let main = rungs.routine("Main", 4, true);
    let other = rungs.routine("Other", 2, false);
    let logic = rungs.instruction("Logic");
    let disabled = rungs.instruction("EnableInFalse");
    let is_on = rungs.rng.chance(50);
    let (prescan, is_prescanned) = (rungs.prescan(), rungs.rng.chance(50));
    let routines = [main, other, rungs.subroutine(), rungs.looped(), rungs.inner(), rungs.structured()].concat();
    let (second, tasks) = rungs.tasks();
    let storage: String = (0..rungs.n_storage).map(|n| tag(&format!("ons{n}"), "BOOL", "", "0")).collect();
    let inputs: String = INPUTS.iter().map(|name| tag(name, "BOOL", " Usage=\"Input\"", "0")).collect();
    let bits: String = ["p", "q", "s", "u"].iter().map(|name| tag(name, "BOOL", "", "0")).collect();
    let numbers = [tag("x", "DINT", "", "5"), tag("y", "DINT", "", "-3"), tag("z", "DINT", "", "0")].concat();
    let list = "<Tag Name=\"l\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"3\"/>\
                <Tag Name=\"m\" TagType=\"Base\" DataType=\"DINT\" Dimensions=\"3\"/>\
                <Tag Name=\"j\" TagType=\"Base\" DataType=\"INT\" Dimensions=\"4\"/>";
    let timers: String =
        ["t", "h", "f"].iter().map(|name| format!("<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"TIMER\"/>")).collect();
    let rest = "<Tag Name=\"k\" TagType=\"Base\" DataType=\"COUNTER\"/><Tag Name=\"block\" TagType=\"Base\" DataType=\"Block\"/>\
                <Tag Name=\"up\" TagType=\"Base\" DataType=\"FBD_COUNTER\"/><Tag Name=\"off\" TagType=\"Base\" DataType=\"FBD_TIMER\"/>\
                <Tag Name=\"rise\" TagType=\"Base\" DataType=\"FBD_ONESHOT\"/><Tag Name=\"fall\" TagType=\"Base\" DataType=\"FBD_ONESHOT\"/>";
    let more = [
        control("g"),
        control("e"),
        tag("w", "INT", "", "300"),
        tag("r", "REAL", "", "2.25"),
        tag("i", "DINT", "", "0"),
        tag("o", "DINT", "", "1"),
    ];
    let rest = [more.concat(), rest.to_owned()].concat();
    let global = [tag("shared", "BOOL", "", "0"), tag("sum", "DINT", "", "2")].concat();
    let parameters = [
        ("EnableIn", "Input", false),
        ("EnableOut", "Output", false),
        ("In", "Input", true),
        ("Out", "Output", true),
        ("Io", "InOut", true),
    ];
    let parameters: String = parameters.iter().map(|(name, usage, required)| parameter(name, usage, *required)).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<RSLogix5000Content><Controller Use=\"Context\" Name=\"C\">{TEXT_TYPE}<AddOnInstructionDefinitions>\
         <AddOnInstructionDefinition Name=\"Block\" ExecuteEnableInFalse=\"{is_on}\" ExecutePrescan=\"{is_prescanned}\"><Parameters>{parameters}</Parameters>\
         <LocalTags><LocalTag Name=\"n\" DataType=\"DINT\"/><LocalTag Name=\"m\" DataType=\"BOOL\"/></LocalTags>\
         <Routines>{logic}{disabled}{prescan}</Routines></AddOnInstructionDefinition></AddOnInstructionDefinitions><Tags>{global}</Tags><Programs>\
         <Program Use=\"Target\" Name=\"P\" MainRoutineName=\"Main\"><Tags>{inputs}{bits}{storage}{numbers}{list}{timers}{rest}{TEXTS}</Tags>\
         <Routines>{routines}</Routines></Program>{second}</Programs>{tasks}</Controller></RSLogix5000Content>"
    )
}

fn tag(name: &str, ty: &str, usage: &str, value: &str) -> String {
    format!(
        "<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"{ty}\"{usage}><Data Format=\"Decorated\"><DataValue DataType=\"{ty}\" \
         Value=\"{value}\"/></Data></Tag>"
    )
}

fn control(name: &str) -> String {
    let member =
        |name: &str, ty: &str, value: u8| format!("<DataValueMember Name=\"{name}\" DataType=\"{ty}\" Value=\"{value}\"/>");
    let bits: String = ["EN", "EU", "DN", "EM", "ER", "UL", "IN", "FD"].iter().map(|bit| member(bit, "BOOL", 0)).collect();
    format!(
        "<Tag Name=\"{name}\" TagType=\"Base\" DataType=\"CONTROL\"><Data Format=\"Decorated\"><Structure DataType=\"CONTROL\">{}{}{bits}\
         </Structure></Data></Tag>",
        member("LEN", "DINT", 3),
        member("POS", "DINT", 0)
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
        const TEXTS: &[&str] = &[
            "XIC(In)OTE(Out);",
            "ADD(n,1,n);",
            "XIC(In)ONS(m)ADD(n,2,n);",
            "GEQ(n,3)OTL(Out);",
            "OTU(Out)CLR(n);",
            "XIC(Io)OTE(Out);",
            "XIC(In)OTE(Io);",
        ];
        let texts: Vec<String> = (0..=self.rng.below(2)).map(|_| (*self.rng.pick(TEXTS)).to_owned()).collect();
        routine(name, &texts)
    }

    /// Returns the routine for the prescan of the Add-On Instruction.
    fn prescan(&mut self) -> String {
        const LINES: &[&str] = &["Out := In;", "n := n + 5;", "Io := NOT Io;", "IF In THEN m := 0; END_IF;"];
        let line = self.rng.pick(LINES);
        format!("<Routine Name=\"Prescan\" Type=\"ST\"><STContent><Line><![CDATA[{line}]]></Line></STContent></Routine>")
    }

    /// Returns the routine that is called with parameters.
    fn subroutine(&mut self) -> String {
        let early = format!("{}RET(z,q);", self.contact());
        routine("Sub", &["SBR(z,q);".to_owned(), self.rung(false), early, self.rung(false), "RET(z,q);".to_owned()])
    }

    /// Returns the routine that a loop calls; in it another loop runs, or a routine is called.
    fn looped(&mut self) -> String {
        let stop = format!("{}GEQ(i,1)BRK();", self.contact());
        let call = match self.rng.below(4) {
            0 => format!("{}JSR(Other,0);", self.contact()),
            1 => "NOP();".to_owned(),
            2 => format!("{}FOR(Inner,o,{},0,-1);", self.contact(), self.rng.below(3)),
            _ => format!("FOR(Inner,o,0,{},1);", self.rng.below(3)),
        };
        let mut texts = vec!["ADD(x,i,x);".to_owned(), stop, call, self.rung(false)];
        // The break may come before or behind the inner loop.
        if self.rng.chance(50) {
            texts.swap(1, 2);
        }
        routine("Loop", &texts)
    }

    /// Returns the routine of the inner loop.
    fn inner(&mut self) -> String {
        let stop = format!("{}GEQ(o,{})BRK();", self.contact(), self.rng.below(2));
        let call = if self.rng.chance(30) { "JSR(Other,0);" } else { "ADD(z,o,z);" };
        let mut texts = vec![stop, call.to_owned(), self.rung(false)];
        if self.rng.chance(50) {
            texts.rotate_left(1);
        }
        routine("Inner", &texts)
    }

    /// Returns the storage bit of a one-shot: a new one, or that of another one-shot in any routine.
    fn storage(&mut self) -> usize {
        if 0 < self.n_storage && self.rng.chance(30) {
            return self.rng.below(self.n_storage);
        }
        self.n_storage += 1;
        self.n_storage - 1
    }

    /// Returns a routine of Structured Text with blocks.
    fn structured(&mut self) -> String {
        const LINES: &[&str] = &[
            "rise.InputBit := a; OSRI(rise); IF rise.OutputBit THEN x := x + 1; END_IF;",
            "fall.InputBit := b; OSFI(fall); q := fall.OutputBit;",
            "up.CUEnable := a; up.CDEnable := b; up.Reset := c; up.PRE := 2; CTUD(up); y := up.ACC;",
            "off.TimerEnable := a; off.PRE := 150; off.Reset := c; TOFR(off); s := off.DN;",
            "z := x / y; IF z MOD x > 1 THEN p [:=] NOT p; END_IF;",
            "w := 16#1234; SWPB(w, REVERSE, w); x := w;",
            "r := SQRT(r * r + 1.5); z := r;",
        ];
        let lines = (0..=self.rng.below(3)).map(|_| format!("<Line><![CDATA[{}]]></Line>", self.rng.pick(LINES)));
        let lines: String = lines.collect();
        format!("<Routine Name=\"Text\" Type=\"ST\"><STContent>{lines}</STContent></Routine>")
    }

    /// Returns a second program and tasks, for some of the exports.
    fn tasks(&mut self) -> (String, String) {
        if self.rng.chance(50) {
            return (String::new(), String::new());
        }
        const SHARED: &[&str] =
            &["XIC(d)OTE(shared);", "XIC(d)OTL(shared);", "OTU(shared);", "ADD(sum,n,sum);", "XIC(shared)CLR(sum);"];
        let rungs = [
            "ADD(n,1,n);".to_owned(),
            format!("XIC(d)ONS(o){};", self.rng.pick(&["OTE(v)", "OTL(v)", "CLR(n)", "TON(t,?,?)"])),
            (*self.rng.pick(SHARED)).to_owned(),
            format!("XIC(shared)GRT(sum,{})OTE(v);", self.rng.below(4)),
        ];
        let tags = [
            tag("d", "BOOL", " Usage=\"Input\"", "0"),
            tag("o", "BOOL", "", "0"),
            tag("v", "BOOL", "", "0"),
            tag("n", "DINT", "", "0"),
        ];
        let second = format!(
            "<Program Use=\"Target\" Name=\"Q\" MainRoutineName=\"Main\"><Tags>{}<Tag Name=\"t\" TagType=\"Base\" DataType=\"TIMER\"/></Tags>\
             <Routines>{}</Routines></Program>",
            tags.concat(),
            routine("Main", &rungs)
        );
        let task = |name: &str, rate: usize, priority: usize, program: &str| {
            format!(
                "<Task Name=\"{name}\" Type=\"PERIODIC\" Rate=\"{rate}\" Priority=\"{priority}\"><ScheduledPrograms>\
                 <ScheduledProgram Name=\"{program}\"/></ScheduledPrograms></Task>"
            )
        };
        let (rate, priority) = (10 * (1 + self.rng.below(3)), 1 + self.rng.below(9));
        (second, format!("<Tasks>{}{}</Tasks>", task("Fast", 10, 5, "P"), task("Slow", rate, priority, "Q")))
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
        let bits = if self.rng.chance(60) {
            INPUTS
        } else {
            &["p", "q", "s", "u", "x.0", "t.DN", "h.TT", "f.DN", "k.DN", "block.Out", "shared"]
        };
        format!("{name}({})", self.rng.pick(bits))
    }

    /// Returns a call of the Add-On Instruction.
    fn call(&mut self) -> String {
        const OWN: &[&str] = &["p", "q", "s", "u"];
        format!("Block(block,{},{},{})", self.rng.pick(INPUTS), self.rng.pick(OWN), self.rng.pick(OWN))
    }

    fn output(&mut self, is_main: bool) -> String {
        let bit = *self.rng.pick(BITS);
        let (left, right, target) = (*self.rng.pick(NUMBERS), *self.rng.pick(NUMBERS), *self.rng.pick(TARGETS));
        match self.rng.below(44) {
            0 => format!("OTE({bit})"),
            1 => format!("OTL({bit})"),
            2 => format!("OTU({bit})"),
            3 => format!("ONS(ons{})OTE({bit})", self.storage()),
            4 => format!("{}(ons{},{bit})", self.rng.pick(&["OSR", "OSF"]), self.storage()),
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
            12 | 43 if is_main => "JSR(Other,0)".to_owned(),
            13 if is_main => self.call(),
            14 if is_main => "JSR(Sub,2,x,a,y,p)".to_owned(),
            15 if is_main => format!("FOR(Loop,i,0,{},1)", self.rng.below(3)),
            16 | 17 if is_main => "JSR(Text,0)".to_owned(),
            18 => format!("{}(l[0],g,{},?)", self.rng.pick(&["BSL", "BSR"]), self.rng.pick(&["a", "b", "p", "q"])),
            19 => (*self.rng.pick(&["FFL(x,l[0],e,?,?)", "LFL(y,l[0],e,?,?)"])).to_owned(),
            20 => (*self.rng.pick(&["FFU(l[0],z,e,?,?)", "LFU(l[0],z,e,?,?)"])).to_owned(),
            21 => format!("BTD({left},{},y,{},{})", self.rng.below(20), self.rng.below(32), 1 + self.rng.below(10)),
            22 => format!("SWPB(x,{},z)", self.rng.pick(&["REVERSE", "WORD", "HIGHLOW"])),
            23 => "MOV(x,r)SQR(r,r)MOV(r,y)".to_owned(),
            24 => format!("FLL({left},l[{}],2)", self.rng.below(2)),
            25 => format!("COP(l[{}],m[{}],{})", self.rng.below(2), self.rng.below(2), 1 + self.rng.below(2)),
            26 => format!("{}(m[0],j[{}],{})", self.rng.pick(&["COP", "CPS"]), self.rng.below(2), 1 + self.rng.below(3)),
            27 => format!("COP(j[0],l[{}],1)", self.rng.below(3)),
            28 => "GSV(Program,THIS,LastScanTime,z)".to_owned(),
            30 => {
                let name = *self.rng.pick(&["ADD", "SUB", "MUL", "DIV", "AND"]);
                let flag = *self.rng.pick(&["S:V", "S:Z", "S:N"]);
                format!("{name}({left},{right},{target})XIC({flag})OTE({bit})")
            }
            29 => "GSV(Task,THIS,Priority,w)MOV(w,y)".to_owned(),
            31 => format!("SQR({left},{target})"),
            32 => {
                // Without a model: each tag that they write has any value.
                let rungs = ["FAL(e,3,0,inc,m[0],l[0]+1)", "BTD(w,10,y,0,9)", "CMP(x>a)"];
                format!("{}OTE({bit})", self.rng.pick(&rungs))
            }
            // The sequencer has a step behind the array: a fault in some runs.
            34 if self.rng.chance(30) => "SQL(l[0],z,e,?,?)".to_owned(),
            34 => format!("SQO(l[0],{},{target},e,?,?)", self.rng.pick(&["-1", "6", "y"])),
            35 => format!("SQI(l[0],{},x,e,?,?)OTE({bit})", self.rng.pick(&["-1", "1", "y"])),
            36 => "FAL(e,3,0,ALL,m[e.POS],l[e.POS]+x)".to_owned(),
            37 => "FAL(g,3,0,ALL,z,z+l[g.POS]/y)".to_owned(),
            40..=42 => (*self.rng.pick(OF_TEXTS)).to_owned(),
            38 => format!("{}(l[i].0)OTE({bit})", self.rng.pick(&["XIC", "XIO"])),
            39 => format!("EQU(l[i],{left})OTE({bit})"),
            33 => format!("NEG({left},{target})ABS({right},{target})"),
            _ => "MOV(x,r)DIV(r,3,r)TRN(r,y)".to_owned(),
        }
    }
}

fn routine(name: &str, texts: &[String]) -> String {
    let rungs: String = texts.iter().map(|text| format!("<Rung Type=\"N\"><Text><![CDATA[{text}]]></Text></Rung>")).collect();
    format!("<Routine Name=\"{name}\" Type=\"RLL\"><RLLContent>{rungs}</RLLContent></Routine>")
}

//! Projects of Beremiz and of the OpenPLC Editor.

use super::*;

/// A program of PLCopen XML.
const PLC: &str = "<project xmlns=\"http://www.plcopen.org/xml/tc6_0201\"><types><dataTypes/><pous><pou name=\"Main\" pouType=\"program\">\
                   <interface><outputVars><variable name=\"y\"><type><BOOL/></type></variable></outputVars></interface>\
                   <body><ST><xhtml:p xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">y := TRUE;</xhtml:p></ST></body></pou></pous></types></project>";

/// The header of the program does not matter.
#[test]
fn the_program_of_a_project_of_beremiz_is_of_matiec() {
    let plc = "<project xmlns=\"http://www.plcopen.org/xml/tc6_0201\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\"><types><dataTypes/><pous>\
               <pou name=\"P\" pouType=\"program\"><interface/><body><ST><xhtml:p><![CDATA[;]]></xhtml:p></ST></body></pou></pous></types>\
               <instances><configurations/></instances></project>";
    let settings = "<?xml version='1.0'?>\n<BeremizRoot URI_location=\"LOCAL://\"/>";
    let check = |files: &[(&str, &str)], expected: crate::dialect::DialectId| {
        let mut sources = crate::text::SourceSet::default();
        files.iter().for_each(|(name, text)| _ = sources.add(*name, *text));
        assert_eq!(crate::load(&sources, &crate::LoadOptions::default()).value.dialect, expected, "{files:?}");
    };
    use crate::dialect::DialectId::{Iec, Matiec};
    check(&[("Fan/plc.xml", plc), ("Fan/beremiz.xml", settings)], Matiec);
    check(&[("Fan/plc.xml", plc)], Iec);
    check(&[("Fan/plc.xml", plc), ("Fan/beremiz.xml", "<project/>")], Iec);
}

#[test]
fn a_file_of_settings_lists_a_project_of_beremiz() {
    let plc = "<project><types><pous><pou name=\"Main\" pouType=\"program\"/></pous></types></project>";
    let settings = "<?xml version='1.0'?>\n<BeremizRoot URI_location=\"LOCAL://\"/>";
    let fan = [("Fan/beremiz.xml", settings), ("Fan/plc.xml", plc)];
    check(&fan, "Fan:1+0", Choice::One(0));
    let built = [fan[0], fan[1], ("Fan/build/generated_plc.st", MAIN)];
    check(&built, "Fan:1+0", Choice::One(0));
    let loaded =
        load_isolated(&set(&[fan[0], ("Fan/plc.xml", PLC), built[2], ("Fan/build/POUS.c", "int y;")]), &LoadOptions::default());
    assert_eq!((loaded.value.project.pous.len(), loaded.value.left_out.len()), (1, 0), "{:?}", loaded.diagnostics);
    let two = [fan[0], fan[1], ("Pump/beremiz.xml", settings), ("Pump/plc.xml", plc)];
    check(&two, "Fan:1+0 Pump:1+0", Choice::Several(vec![0, 1]));
    // C code is no program of its own, and a condition of the program that it belongs to.
    let code = "<?xml version='1.0'?>\n<CFile><variables/></CFile>";
    let extended = [fan[0], ("Fan/plc.xml", PLC), ("Fan/c_ext@c_ext/cfile.xml", code)];
    check(&extended, "Fan:1+0", Choice::One(0));
    let loaded = load_isolated(&set(&extended), &LoadOptions::default());
    let told: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(told, ["C code of Beremiz writes inputs (%I) only"]);
    assert_eq!(loaded.value.ledger.ignored.iter().filter(|ignored| ignored.what == "C code of Beremiz").count(), 1);
    // So is Python code. Settings of a field bus are no condition.
    let node = "<?xml version='1.0'?>\n<BaseParams IEC_Channel='0' Name='p'/>";
    let python = "<?xml version='1.0'?>\n<PyFile><variables/><start><p>PLCGlobals.n = 5</p></start></PyFile>";
    let bus = "<?xml version='1.0'?>\n<ModbusRoot><x/></ModbusRoot>";
    let extended = [
        fan[0],
        ("Fan/plc.xml", PLC),
        ("Fan/p@py_ext/baseconfnode.xml", node),
        ("Fan/p@py_ext/pyfile.xml", python),
        ("Fan/m@modbus/confnode.xml", bus),
    ];
    check(&extended, "Fan:1+0", Choice::One(0));
    let loaded = load_isolated(&set(&extended), &LoadOptions::default());
    assert!(loaded.value.runs, "{:?}", loaded.diagnostics);
    let told: Vec<&str> = loaded.value.ledger.gaps.iter().map(|gap| gap.construct.as_str()).collect();
    assert_eq!(told, ["Python code of Beremiz writes no variables of the program"]);
    // Settings without the program beside them list nothing.
    check(&[fan[0], ("Fan/main.st", MAIN)], ":1+0", Choice::One(0));
}

/// A server of Modbus lets other devices write variables at addresses.
#[test]
fn a_field_bus_writes_variables_at_addresses() {
    let settings = "<?xml version='1.0'?>\n<BeremizRoot URI_location=\"LOCAL://\"/>";
    let bus = "<?xml version='1.0'?>\n<ModbusServerNode Local_Port_Number=\"502\"/>";
    let plc = PLC.replace("name=\"y\"", "name=\"y\" address=\"%MX0.0.0.0\"");
    let told = |plc: &str, node: &str| {
        let files = [("Fan/beremiz.xml", settings), ("Fan/plc.xml", plc), ("Fan/m@modbus/s@server/confnode.xml", node)];
        let loaded = load_isolated(&set(&files), &LoadOptions::default()).value;
        assert!(loaded.runs);
        let gaps = loaded.ledger.gaps.iter().filter(|gap| gap.construct.contains("field bus"));
        gaps.map(|gap| loaded.project.beside.get(&gap.span).cloned()).collect::<Vec<_>>()
    };
    let y = BTreeSet::from(["Main.y".to_owned()]);
    assert_eq!(told(&plc.replace("outputVars", "localVars"), bus), [Some(crate::hir::Extent::Leaves(y))]);
    assert_eq!(told(PLC, bus), []);
    assert_eq!(told(&plc.replace("outputVars", "localVars"), "<?xml version='1.0'?>\n<BaseParams Name='p'/>"), []);
}

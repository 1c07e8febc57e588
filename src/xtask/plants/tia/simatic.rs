//! SimaticML objects of a cell: a data block, a block and a function of ladder networks, an instance data block.

use crate::plants::{PlantFile, each};

/// Element of an object, the namespace of its interface, and its sections.
const OBJECT: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<Document>
  <Engineering version="V17" />
  <SW.Blocks.{kind} ID="0">
    <AttributeList>
      {of}<Interface><Sections xmlns="http://www.siemens.com/automation/Openness/SW/Interface/v5">
{sections}      </Sections></Interface>
      <MemoryLayout>Optimized</MemoryLayout>
      <Name>{name}</Name>
      <Number>{c}</Number>
      <ProgrammingLanguage>{language}</ProgrammingLanguage>
    </AttributeList>
    <ObjectList>
{networks}    </ObjectList>
  </SW.Blocks.{kind}>
</Document>
"#;

/// A network with `{parts}` and `{wires}`; `{i}` is its number.
const NETWORK: &str = r#"      <SW.Blocks.CompileUnit ID="A{i}" CompositionName="CompileUnits">
        <AttributeList>
          <NetworkSource><FlgNet xmlns="http://www.siemens.com/automation/Openness/SW/NetworkSource/FlgNet/v4">
            <Parts>
              <Access Scope="LocalVariable" UId="21"><Symbol><Component Name="enable" /></Symbol></Access>
              <Access Scope="GlobalVariable" UId="22"><Symbol><Component Name="start_{c}" /></Symbol></Access>
              <Access Scope="LocalVariable" UId="23"><Symbol><Component Name="lamp{i}" /></Symbol></Access>
              <Access Scope="LocalVariable" UId="24"><Symbol><Component Name="level" /></Symbol></Access>
              <Access Scope="LiteralConstant" UId="25"><Constant><ConstantType>Int</ConstantType><ConstantValue>{i}</ConstantValue></Constant></Access>
              <Access Scope="LocalVariable" UId="26"><Symbol><Component Name="value{i}" /></Symbol></Access>
              <Part Name="Contact" UId="35" />
              <Part Name="Contact" UId="36"><Negated Name="operand" /></Part>
              <Part Name="Coil" UId="37" />
              <Part Name="Eq" UId="38"><TemplateValue Name="SrcType" Type="Type">Int</TemplateValue></Part>
              <Part Name="Move" UId="39" DisabledENO="true"><TemplateValue Name="Card" Type="Cardinality">1</TemplateValue></Part>
            </Parts>
            <Wires>
              <Wire UId="44"><Powerrail /><NameCon UId="35" Name="in" /><NameCon UId="38" Name="pre" /></Wire>
              <Wire UId="45"><IdentCon UId="21" /><NameCon UId="35" Name="operand" /></Wire>
              <Wire UId="46"><NameCon UId="35" Name="out" /><NameCon UId="36" Name="in" /></Wire>
              <Wire UId="47"><IdentCon UId="22" /><NameCon UId="36" Name="operand" /></Wire>
              <Wire UId="48"><NameCon UId="36" Name="out" /><NameCon UId="37" Name="in" /></Wire>
              <Wire UId="49"><IdentCon UId="23" /><NameCon UId="37" Name="operand" /></Wire>
              <Wire UId="50"><IdentCon UId="24" /><NameCon UId="38" Name="in1" /></Wire>
              <Wire UId="51"><IdentCon UId="25" /><NameCon UId="38" Name="in2" /></Wire>
              <Wire UId="52"><NameCon UId="38" Name="out" /><NameCon UId="39" Name="en" /></Wire>
              <Wire UId="53"><IdentCon UId="24" /><NameCon UId="39" Name="in" /></Wire>
              <Wire UId="54"><NameCon UId="39" Name="out1" /><IdentCon UId="26" /></Wire>
            </Wires>
          </FlgNet></NetworkSource>
          <ProgrammingLanguage>LAD</ProgrammingLanguage>
        </AttributeList>
        <ObjectList>
          <MultilingualText ID="B{i}" CompositionName="Title">
            <ObjectList><MultilingualTextItem ID="C{i}" CompositionName="Items"><AttributeList><Culture>en-US</Culture><Text>Lamp {i}</Text></AttributeList></MultilingualTextItem></ObjectList>
          </MultilingualText>
        </ObjectList>
      </SW.Blocks.CompileUnit>
"#;

/// A tag with an address.
const TAG: &str = r#"      <SW.Tags.PlcTag ID="A{i}{type}" CompositionName="Tags">
        <AttributeList>
          <DataTypeName>{type}</DataTypeName>
          <LogicalAddress>{address}</LogicalAddress>
          <Name>{name}_{i}</Name>
        </AttributeList>
      </SW.Tags.PlcTag>
"#;

/// Networks of a ladder block.
const NETWORKS: usize = 12;

/// Returns the objects of a cell: paths and texts with `{c}` for its number.
pub(super) fn objects() -> Vec<(String, String)> {
    let networks = each(1..=NETWORKS, NETWORK);
    let locals = each(1..=NETWORKS, &(member("lamp{i}", "Bool") + &member("value{i}", "Int")));
    let input = section("Input", &(member("enable", "Bool") + &member("start", "Bool") + &member("level", "Int")));
    let object = |kind: &str, name: &str, language: &str, sections: &str, of: &str, networks: &str| {
        let text = OBJECT.replace("{kind}", kind).replace("{name}", name).replace("{language}", language);
        text.replace("{sections}", sections).replace("{of}", of).replace("{networks}", networks)
    };
    let data = member("count", "DInt")
        + &member("recipe", "&quot;typeRecipe_{c}&quot;")
        + &member("machines", "Array[0..9] of &quot;typeSettings_{c}&quot;");
    let of = "<InstanceOfName>FB_Ladder_{c}</InstanceOfName>\n      <InstanceOfType>FB</InstanceOfType>\n      ";
    let block = format!("{input}{}{}", section("Output", &member("done", "Bool")), section("Static", &locals));
    let objects = [
        ("Data_DB.xml", object("GlobalDB", "Data_{c}_DB", "DB", &section("Static", &data), "", "")),
        ("FB_Ladder.xml", object("FB", "FB_Ladder_{c}", "LAD", &block, "", &networks)),
        ("FB_Lamps.xml", object("FB", "FB_Lamps_{c}", "FBD", &block, "", &networks)),
        ("Ladder_DB.xml", object("InstanceDB", "Ladder_{c}_DB", "DB", "", of, "")),
        ("FC_Copy.xml", object("FC", "FC_Copy_{c}", "LAD", &copy_interface(), "", &networks)),
    ];
    objects.into_iter().map(|(path, text)| (path.to_owned(), text)).collect()
}

/// Returns the interface of the function: all names of its networks are temporary.
fn copy_interface() -> String {
    let locals = each(1..=NETWORKS, &(member("lamp{i}", "Bool") + &member("value{i}", "Int")));
    section("Temp", &(member("enable", "Bool") + &member("level", "Int") + &locals))
}

/// Returns a section of an interface.
fn section(name: &str, members: &str) -> String {
    format!("        <Section Name=\"{name}\">\n{members}        </Section>\n")
}

/// Returns a member of a section.
fn member(name: &str, ty: &str) -> String {
    format!("          <Member Name=\"{name}\" Datatype=\"{ty}\" />\n")
}

/// Returns the table of the tags that all cells read.
pub(super) fn tags(cells: usize) -> PlantFile {
    let tag = |name: &str, ty: &str, address: String, cell: usize| {
        let text = TAG.replace("{type}", ty).replace("{name}", name).replace("{address}", &address);
        text.replace("{i}", &cell.to_string())
    };
    let of_cell = |cell: usize| {
        let byte = cell * 4;
        tag("enable", "Bool", format!("%I{byte}.0"), cell)
            + &tag("start", "Bool", format!("%I{byte}.1"), cell)
            + &tag("level", "Int", format!("%IW{}", byte + 2), cell)
    };
    let tags: String = (1..=cells).map(of_cell).collect();
    let head = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Document>\n  <Engineering version=\"V17\" />\n  <SW.Tags.PlcTagTable ID=\"0\">\n    \
         <AttributeList>\n      <Name>Inputs</Name>\n    </AttributeList>\n    <ObjectList>\n";
    PlantFile::new("Inputs.xml", format!("{head}{tags}    </ObjectList>\n  </SW.Tags.PlcTagTable>\n</Document>\n"))
}

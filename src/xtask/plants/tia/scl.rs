//! SCL sources of a cell.

use crate::plants::each;

/// Call of a cell by the organization block.
pub(super) const CELL_CALL: &str = "\"Machine_{i}_DB\"(enable := \"enable_{i}\", start := \"start_{i}\", stop := NOT \"enable_{i}\", \
     level := \"level_{i}\");\n\"Ladder_{i}_DB\"(enable := \"enable_{i}\", start := \"start_{i}\", level := \"level_{i}\");\n\"FC_Copy_{i}\"();\n";

/// Types of a cell.
const SETTINGS: &str = "TYPE \"typeSettings_{c}\"
VERSION : 0.1
   STRUCT
      high : Int := 100;   // highest level
      low : Int;
      ramp : Real := 1.5;
      delay : Time := T#5s;
      limits : Array[0..3] of Int;
      axis : Struct
         position : DInt;
         velocity : Real;
         isHomed : Bool;
      END_STRUCT;
   END_STRUCT;
END_TYPE
";

/// Type that nests the other one.
const RECIPE: &str = "TYPE \"typeRecipe_{c}\"
VERSION : 0.1
   STRUCT
      steps : Array[0..9] of \"typeSettings_{c}\";
      last : \"typeSettings_{c}\";
      count : Int;
      name : String[20] := 'cell';
   END_STRUCT;
END_TYPE
";

/// A function of a cell.
const SCALE: &str = "FUNCTION \"FC_Scale_{c}\" : Int
{ S7_Optimized_Access := 'TRUE' }
VERSION : 0.1
   VAR_INPUT
      value : Int;
      within : \"typeSettings_{c}\";
   END_VAR
BEGIN
    IF #value > #within.high THEN
        #FC_Scale_{c} := #within.high;
    ELSIF #value < #within.low THEN
        #FC_Scale_{c} := #within.low;
    ELSE
        #FC_Scale_{c} := #value;
    END_IF;
END_FUNCTION
";

/// Interface of a station; `{name}` is its name, `{missing}` more variables.
const STATION: &str = "FUNCTION_BLOCK \"{name}_{c}\"
{ S7_Optimized_Access := 'TRUE' }
VERSION : 0.1
   VAR_INPUT
      enable : Bool;
      start : Bool;
      stop : Bool;
      level : Int;
   END_VAR
   VAR_OUTPUT
      done : Bool;
      fault : Bool;
      position : Int;
   END_VAR
   VAR_IN_OUT
      recipe : \"typeRecipe_{c}\";
   END_VAR
   VAR
      statMode : Int;
      statDelay {InstructionName := 'TON_TIME'; LibVersion := '1.0'} : TON_TIME;
      statWatch {InstructionName := 'TOF_TIME'; LibVersion := '1.0'} : TOF_TIME;
      statTrace : Array[0..15] of Int;
      statSettings : \"typeSettings_{c}\";
      statSum : DInt;
{missing}   END_VAR
   VAR_TEMP
      tempValue : Int;
      tempIndex : Int;
   END_VAR
   VAR CONSTANT
      IDLE : Int := 0;
      FILL : Int := 10;
      HEAT : Int := 20;
   END_VAR
BEGIN
    REGION delays
        #statDelay(IN := #enable AND NOT #stop, PT := T#5s);
        #statWatch(IN := #statDelay.Q, PT := T#20s);
    END_REGION
    CASE #statMode OF
        #IDLE:
            IF #start THEN #statMode := #FILL; END_IF;
        #FILL:
            IF #level > #recipe.last.high THEN #statMode := #HEAT; END_IF;
        #HEAT:
            IF #statDelay.Q THEN #statMode := #IDLE; END_IF;
    ELSE
        #statMode := #IDLE;
    END_CASE;
{missing calls}{steps}    FOR #tempIndex := 0 TO 3 DO
        #statSettings.limits[#tempIndex] := #recipe.steps[#tempIndex].low;
    END_FOR;
    #position := #statTrace[3];
    #done := #statDelay.Q AND #statMode = #IDLE;
END_FUNCTION_BLOCK
";

/// Some statements of a station; `{i}` is a number.
const STEP: &str = "    // step {i} of the recipe
    IF #enable AND #recipe.steps[{i}].high > #level THEN
        #tempValue := \"FC_Scale_{c}\"(value := #level + {i}, within := #recipe.steps[{i}]);
        #statTrace[{i}] := #tempValue;
        \"Data_{c}_DB\".machines[{i}].axis.position := INT_TO_DINT(#tempValue);
    ELSIF #statMode = #HEAT OR (#statWatch.Q AND NOT #stop) THEN
        #statSum := #statSum + INT_TO_DINT(#statTrace[{i}]) / 2;
    END_IF;
";

/// Block with instances of the stations.
const MACHINE: &str = "FUNCTION_BLOCK \"FB_Machine_{c}\"
{ S7_Optimized_Access := 'TRUE' }
VERSION : 0.1
   VAR_INPUT
      enable : Bool;
      start : Bool;
      stop : Bool;
      level : Int;
   END_VAR
   VAR_OUTPUT
      done : Bool;
   END_VAR
   VAR
      instTank : \"FB_Tank_{c}\";
      instPump : \"FB_Pump_{c}\";
      instRow : Array[0..2] of \"FB_Pump_{c}\";
      statRecipe : \"typeRecipe_{c}\";
   END_VAR
   VAR_TEMP
      i : Int;
   END_VAR
BEGIN
    #instTank(enable := #enable, start := #start, stop := #stop, level := #level, recipe := #statRecipe);
    #instPump(enable := #instTank.done, start := #start, stop := #stop, level := #level, recipe := #statRecipe);
    FOR #i := 0 TO 2 DO
        #instRow[#i](enable := #instPump.done, start := #start, stop := #stop, level := #level, recipe := #statRecipe);
    END_FOR;
    \"Data_{c}_DB\".count := \"Data_{c}_DB\".count + 1;
    #done := #instTank.done AND #instPump.done;
END_FUNCTION_BLOCK
";

/// Instance data block of the machine.
const INSTANCE: &str = "DATA_BLOCK \"Machine_{c}_DB\"
{ S7_Optimized_Access := 'TRUE' }
VERSION : 0.1
NON_RETAIN
\"FB_Machine_{c}\"

BEGIN
END_DATA_BLOCK
";

/// Variables of a station whose types are in no file.
const MISSING: &str = "      statFilter{i} : \"LPlant_Filter{i}\";\n";

/// Uses of these variables.
const MISSING_CALL: &str =
    "    #statFilter{i}(enable := #enable, mode := #LPLANT_MODE_{i}, value := \"LPlant_Data\".value[{i}]);\n";

/// Returns the sources of a cell: paths and texts with `{c}` for its number. Each station uses `n_missing` types that no file has.
pub(super) fn sources(n_missing: usize) -> Vec<(String, String)> {
    let steps = each(0..=9, STEP);
    let station = |name: &str| {
        let text = STATION.replace("{name}", name).replace("{steps}", &steps).replace("{missing}", &each(1..=n_missing, MISSING));
        text.replace("{missing calls}", &each(1..=n_missing, MISSING_CALL))
    };
    let sources = [
        ("typeSettings.udt", SETTINGS.to_owned()),
        ("typeRecipe.udt", RECIPE.to_owned()),
        ("FC_Scale.scl", SCALE.to_owned()),
        ("FB_Tank.scl", station("FB_Tank")),
        ("FB_Pump.scl", station("FB_Pump")),
        ("FB_Machine.scl", MACHINE.to_owned()),
        ("Machine_DB.db", INSTANCE.to_owned()),
    ];
    sources.into_iter().map(|(path, text)| (path.to_owned(), text)).collect()
}

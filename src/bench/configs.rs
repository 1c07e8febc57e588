//! Configurations that are compared: built-in sets by name, or a YAML file.
//!
//! The sets `rq1` … `rq6` vary what the six research questions of the paper vary (JAR 2020, §4.1.4, Figs. 9–14), under its
//! names. All other options stay fixed: breadth-first search, sequence interpolation, at most ten enumerated successors with
//! explicit values. Each location has a precision ("a local precision granularity is used for PLC models"), each step one
//! operation, as in the paper's automata. `rq1-lbe` and so on are the same with large blocks, the default of the tool.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::run::job::Strategy;
use search::engine::ENGINES;

/// A configuration with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// As it is called in tables.
    pub name: String,
    /// The engine with its options.
    pub strategy: Strategy,
}

/// Names of the built-in sets, with their descriptions.
pub const SETS: &[(&str, &str)] = &[
    ("default", "what is done without any choice"),
    ("all-engines", "each engine with its default options, and the default"),
    ("rq1", "explicit values: how many successors are enumerated, with breadth-first and depth-first search"),
    ("rq2", "the order of exploration, in three domains"),
    ("rq3", "what becomes of predicates and of states in predicate abstraction"),
    ("rq4", "backward and forward binary interpolation and sequences, in three domains"),
    ("rq5", "one or many counterexamples for each refinement, in three domains"),
    ("rq6", "two refinements of one counterexample combined, in three domains"),
    ("table4", "the four configurations that the paper compares with other tools"),
    ("bam", "block-abstraction memoization beside CEGAR with cuts at calls: domain, cache, reduction, blocks"),
    ("locks", "large blocks with Boolean, single operations with Cartesian abstraction (FMCAD 2009, Table I)"),
];

/// Ending of the names of sets with large blocks.
const LARGE: &str = "-lbe";

/// The domains that are compared where the question is not about domains.
const DOMAINS: [&str; 3] = ["PRED_BOOL", "PRED_CART", "EXPL"];

type Pairs<'p> = &'p [(&'p str, &'p str)];

/// Returns a built-in set. The error is one sentence that names the unknown set.
pub fn set(name: &str) -> Result<Vec<Config>, String> {
    let (base, encoding) = match name.strip_suffix(LARGE) {
        Some(base) if base.starts_with("rq") || base == "table4" => (base, "LBE"),
        _ => (name, "SBE"),
    };
    let fixed = [("encoding", encoding), ("prec-granularity", "LOCAL")];
    let cegar = |name: String, options: Pairs<'_>| config(name, "cegar", &[&fixed, options].concat());
    let of_domains = |option: &str, words: &[&str]| -> Vec<Config> {
        let one =
            |domain: &'static str, word: &str| cegar(format!("{domain}_{word}"), &[values(domain), &[(option, word)]].concat());
        DOMAINS.iter().flat_map(|domain| words.iter().map(|word| one(domain, word))).collect()
    };
    Ok(match base {
        "default" => vec![Config { name: "default".to_owned(), strategy: Strategy::default() }],
        "all-engines" => {
            let engines = ENGINES.iter().map(|engine| config(engine.name.to_owned(), engine.name, &[]));
            set("default")?.into_iter().chain(engines).collect()
        }
        "rq1" => {
            let limits = [("01*", "1*"), ("01", "1"), ("05", "5"), ("10", "10"), ("50", "50"), ("0", "0")];
            let one = |search: &str, (name, limit): (&str, &str)| {
                cegar(format!("{search}_{name}"), &[("domain", "EXPL"), ("search", search), ("maxenum", limit)])
            };
            ["BFS", "DFS"].iter().flat_map(|search| limits.into_iter().map(|limit| one(search, limit))).collect()
        }
        "rq2" => of_domains("search", &["BFS", "DFS", "ERR", "ERR_DFS", "DFS_ERR"]),
        "rq3" => {
            let one =
                |domain: &str, split: &str| cegar(format!("{domain}_{split}"), &[("domain", domain), ("pred-split", split)]);
            let domains = ["PRED_BOOL", "PRED_CART", "PRED_SPLIT"];
            domains
                .iter()
                .flat_map(|domain| ["ATOMS", "CONJUNCTS", "WHOLE"].into_iter().map(|split| one(domain, split)))
                .collect()
        }
        "rq4" => of_domains("refinement", &["FW_BIN_ITP", "BW_BIN_ITP", "SEQ_ITP"]),
        "rq5" => of_domains("refinement", &["SEQ_ITP", "MULTI_SEQ"]),
        "rq6" => of_domains("refinement", &["BW_BIN_ITP", "FW_BIN_ITP", "MAX_PRUNE", "MIN_PRUNE"]),
        "table4" => {
            let pred = [("domain", "PRED_CART"), ("pred-split", "WHOLE")];
            let far = [("refinement", "BW_BIN_ITP"), ("search", "ERR")];
            let many = [("domain", "EXPL"), ("maxenum", "1"), ("refinement", "MULTI_SEQ"), ("search", "ERR")];
            vec![
                cegar("theta-pred-seq".to_owned(), &[("domain", "PRED_CART")]),
                cegar("theta-expl-seq".to_owned(), &[("domain", "EXPL"), ("maxenum", "1*")]),
                cegar("theta-pred-bw".to_owned(), &[pred, far].concat()),
                cegar("theta-expl-multiseq".to_owned(), &many),
            ]
        }
        "bam" => {
            let domains: [(&str, Pairs<'_>); 3] = [
                ("PRED_BOOL", &[]),
                ("EXPL", &[("domain", "EXPL"), ("maxenum", "10")]),
                ("EXPL_PRED_BOOL", &[("domain", "EXPL_PRED_BOOL"), ("maxenum", "10")]),
            ];
            let variants: [(&str, Pairs<'_>); 5] = [
                ("", &[]),
                (" cache=off", &[("cache", "off")]),
                (" reduce=identity", &[("reduce", "identity")]),
                (" blocks=calls", &[("blocks", "calls")]),
                (" blocks=loops", &[("blocks", "loops")]),
            ];
            let one = |(domain, first): (&str, Pairs<'_>), (variant, second): (&str, Pairs<'_>)| {
                config(format!("bam {domain}{variant}"), "bam", &[first, second].concat())
            };
            let cuts = [("domain", "PRED_BOOL"), ("encoding", "ABE"), ("blk", "lf")];
            let cegar = config("cegar PRED_BOOL blk=lf".to_owned(), "cegar", &cuts);
            let all = domains.into_iter().flat_map(|domain| variants.into_iter().map(move |variant| one(domain, variant)));
            std::iter::once(cegar).chain(all).collect()
        }
        "locks" => vec![
            config("LBE_PRED_BOOL".to_owned(), "cegar", &[("domain", "PRED_BOOL"), ("encoding", "LBE")]),
            config("SBE_PRED_CART".to_owned(), "cegar", &[("domain", "PRED_CART"), ("encoding", "SBE")]),
        ],
        _ => {
            let known: Vec<&str> = SETS.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "there is no set of configurations `{name}`; the sets: {}, those of a research question with {LARGE} behind it for \
                 large blocks, or a YAML file",
                known.join(", ")
            ));
        }
    })
}

/// Returns a domain, with a limit on enumeration where it needs one.
fn values(domain: &'static str) -> Pairs<'static> {
    match domain {
        "PRED_BOOL" => &[("domain", "PRED_BOOL")],
        "PRED_CART" => &[("domain", "PRED_CART")],
        _ => &[("domain", "EXPL"), ("maxenum", "10")],
    }
}

fn config(name: String, engine: &str, options: Pairs<'_>) -> Config {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Config { name, strategy: Strategy { engine: Some(engine.to_owned()), options, ..Strategy::default() } }
}

/// Returns the configurations of a file: `name: {engine: cegar, options: {domain: EXPL}}`, one after the other.
pub fn from_yaml(text: &str) -> Result<Vec<Config>, String> {
    let File(rows) = serde_saphyr::from_str(text).map_err(|e| e.to_string())?;
    let mut configs = Vec::with_capacity(rows.len());
    for (name, row) in rows {
        let options = row.options.into_iter().map(|(option, value)| (option, value.0)).collect();
        let strategy = Strategy { engine: row.engine, options, ..Strategy::default() };
        crate::run::engine_choice::validate(&strategy).map_err(|e| format!("configuration `{name}`: {e}"))?;
        configs.push(Config { name, strategy });
    }
    if configs.is_empty() {
        Err("there is no configuration in it; write `name: {engine: cegar, options: {domain: EXPL}}`".to_owned())
    } else {
        Ok(configs)
    }
}

/// The configurations in the order of the file: tables keep it.
struct File(Vec<(String, ConfigEntry)>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigEntry {
    engine: Option<String>,
    #[serde(default)]
    options: BTreeMap<String, Word>,
}

/// A value of an option; `maxenum: 5` is a number in YAML.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(i64),
            Text(String),
        }
        Ok(Word(match Either::deserialize(deserializer)? {
            Either::Number(number) => number.to_string(),
            Either::Text(text) => text,
        }))
    }
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<File, D::Error> {
        struct Rows;
        impl<'de> Visitor<'de> for Rows {
            type Value = File;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("configurations by their names")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = map.next_entry()? {
                    rows.push(row);
                }
                Ok(File(rows))
            }
        }
        deserializer.deserialize_map(Rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_configuration_of_every_set_can_be_run_and_has_a_name_of_its_own() {
        for (name, n) in
            [("rq1", 12), ("rq2", 15), ("rq3", 9), ("rq4", 9), ("rq5", 6), ("rq6", 12), ("table4", 4), ("locks", 2), ("bam", 16)]
        {
            for set_name in [name.to_owned(), format!("{name}{LARGE}")] {
                if ["locks-lbe", "bam-lbe"].contains(&set_name.as_str()) {
                    continue;
                }
                let configs = set(&set_name).unwrap();
                assert_eq!(configs.len(), n, "{set_name}");
                for config in &configs {
                    assert_eq!(crate::run::engine_choice::validate(&config.strategy), Ok(()), "{set_name} {}", config.name);
                    assert_eq!(configs.iter().filter(|other| other.name == config.name).count(), 1, "{}", config.name);
                    assert_eq!(configs.iter().filter(|other| other.strategy == config.strategy).count(), 1, "{}", config.name);
                }
            }
        }
        assert!(SETS.iter().all(|(name, _)| set(name).is_ok()));
        assert_eq!(set("all-engines").unwrap().len(), ENGINES.len() + 1);
        assert!(set("rq7").unwrap_err().contains("`rq7`"));
        assert!(set("default-lbe").unwrap_err().contains("`default-lbe`"));
    }

    #[test]
    fn a_file_keeps_its_order_and_what_it_gets_wrong_is_named() {
        let configs = from_yaml("z: {engine: cegar, options: {maxenum: 5}}\na: {}\n").unwrap();
        assert_eq!(configs.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["z", "a"]);
        assert_eq!(configs[0].strategy.options["maxenum"], "5");
        let check = |text: &str, words: &[&str]| {
            let refused = from_yaml(text).unwrap_err();
            assert!(words.iter().all(|word| refused.contains(word)), "{text}: {refused}");
        };
        check("a: {engine: magic}", &["`a`", "`magic`"]);
        check("a: {engine: cegar, options: {serach: BFS}}", &["`a`", "`serach`"]);
        check("a: {engine: cegar, options: {search: BSF}}", &["`search`", "`BSF`"]);
        check("a: {engin: cegar}", &["engin"]);
        check("a: {}\na: {}", &["a"]);
        check("[a]", &["line"]);
        check("{}", &["no configuration"]);
    }
}

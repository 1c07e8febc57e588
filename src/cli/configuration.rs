//! Settings of the service: defaults, then the configuration file, then the environment, then flags; the later one wins.
//!
//! The flags of `serve` are the only list of settings: keys of the file and variables of the environment are read from it.
//! **Invariant:** a key that is not known is an error, never ignored.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Failure;
use super::serve::ServeArgs;

/// File that is read if none is named.
const DEFAULT_FILE: &str = "/etc/scanproof/scanproof.toml";
/// Settings whose values are never printed.
pub(super) const SECRETS: &[&str] = &["metrics_token", "fleet_token", "oidc_client_secret"];

/// Origin of the value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Built in.
    Default,
    /// Line of the configuration file.
    File(PathBuf, usize),
    /// Variable of the environment.
    Environment(String),
    /// Flag of the command line.
    Flag,
}

/// A setting as it is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Key of the file; the flag is the same with two dashes.
    pub(super) key: String,
    /// Values as texts; none where nothing is set.
    pub(super) values: Vec<String>,
    /// Origin.
    pub(super) origin: Origin,
}

/// Values that stand before those of the environment, by the id of the argument.
type Given = BTreeMap<String, (Vec<String>, Origin)>;

fn command() -> Command {
    ServeArgs::augment_args(Command::new("scanproof serve").no_binary_name(true))
}

/// Returns the settings of a command line, with the origin of each.
pub(super) fn effective(words: impl IntoIterator<Item = OsString>) -> Result<(ServeArgs, Vec<Setting>), Failure> {
    let words: Vec<OsString> = words.into_iter().collect();
    let first = parse(command(), &words)?;
    let named: Option<&PathBuf> = first.get_one("config");
    let file = named.cloned().or_else(|| Some(PathBuf::from(DEFAULT_FILE)).filter(|file| file.exists()));
    let mut given = match &file {
        Some(file) => read_file(file)?,
        None => Given::new(),
    };
    read_secret_files(&mut given, &|name| std::env::var_os(name))?;
    let mut command = command();
    for (id, (values, _)) in &given {
        command = command.mut_arg(id, |arg| arg.default_values(values));
    }
    let matches = parse(command.clone(), &words)?;
    let args = ServeArgs::from_arg_matches(&matches).map_err(Failure::usage)?;
    Ok((args, settings(&command, &matches, &given)))
}

fn parse(command: Command, words: &[OsString]) -> Result<ArgMatches, Failure> {
    command.try_get_matches_from(words).map_err(|error| {
        let text = error.to_string();
        Failure::usage(text.strip_prefix("error: ").unwrap_or(&text).trim_end().to_owned())
    })
}

fn settings(command: &Command, matches: &ArgMatches, given: &Given) -> Vec<Setting> {
    let arguments = command.get_arguments().filter(|arg| arg.get_long().is_some_and(|long| long != "help" && long != "config"));
    let setting = |arg: &clap::Arg| {
        let id = arg.get_id().as_str();
        let values = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy().into_owned()).collect();
        let origin = match matches.value_source(id) {
            Some(ValueSource::CommandLine) => Origin::Flag,
            Some(ValueSource::EnvVariable) => {
                Origin::Environment(arg.get_env().map(|env| env.to_string_lossy().into_owned()).unwrap_or_default())
            }
            _ => given.get(id).map_or(Origin::Default, |(_, origin)| origin.clone()),
        };
        Setting { key: arg.get_long().unwrap_or(id).to_owned(), values, origin }
    };
    arguments.map(setting).collect()
}

/// Reads secrets from files that the environment names: `SCANPROOF_X_FILE` for the setting of `SCANPROOF_X`.
fn read_secret_files(given: &mut Given, environment: &dyn Fn(&str) -> Option<OsString>) -> Result<(), Failure> {
    for arg in command().get_arguments() {
        let Some(name) = arg.get_env().and_then(|env| env.to_str()) else { continue };
        let variable = format!("{name}_FILE");
        let Some(file) = environment(&variable) else { continue };
        if environment(name).is_some() {
            return Err(Failure::usage(format!("{name} and {variable} are both set: choose one")));
        }
        let text = std::fs::read_to_string(&file)
            .map_err(|error| Failure::usage(format!("{variable}: {}: {error}", Path::new(&file).display())))?;
        let value = text.trim_end_matches(['\r', '\n']).to_owned();
        given.insert(arg.get_id().to_string(), (vec![value], Origin::Environment(variable)));
    }
    Ok(())
}

/// Reads a configuration file. Each mistake is told with its line.
fn read_file(file: &Path) -> Result<Given, Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    let line = |offset: usize| 1 + text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count();
    let wrong = |offset: usize, words: String| Failure::usage(format!("{} line {}: {words}", file.display(), line(offset)));
    let table =
        DeTable::parse(&text).map_err(|error| wrong(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
    let command = command();
    let mut given = Given::new();
    for (key, value) in table.get_ref() {
        let (name, at) = (key.get_ref().as_ref(), key.span().start);
        let known = |long: &str| long != "config" && long != "help" && long != "demo";
        let found = command.get_arguments().find(|arg| arg.get_long().is_some_and(|long| known(long) && long == name));
        let Some(arg) = found else {
            let longs = command.get_arguments().filter_map(|arg| arg.get_long()).filter(|long| known(long));
            return Err(wrong(
                at,
                format!("there is no setting `{name}`; settings are {}", longs.collect::<Vec<_>>().join(", ")),
            ));
        };
        let values = texts(value)
            .ok_or_else(|| wrong(value.span().start, format!("`{name}` is a text, a number, true, false, or a list of texts")))?;
        let words = values.iter().map(|value| format!("--{name}={value}"));
        if let Err(error) = self::command().try_get_matches_from(words) {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            return Err(wrong(value.span().start, first.strip_prefix("error: ").unwrap_or(first).to_owned()));
        }
        given.insert(arg.get_id().to_string(), (values, Origin::File(file.to_owned(), line(at))));
    }
    Ok(given)
}

/// Returns the values of a key as texts.
fn texts(value: &Spanned<DeValue<'_>>) -> Option<Vec<String>> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "settings have no other types")]
    let one = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(value) => Some(value.to_string()),
        _ => None,
    };
    match value.get_ref().as_array() {
        Some(list) => list.iter().map(|value| one(value.get_ref())).collect(),
        None => Some(vec![one(value.get_ref())?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("scanproof.toml");
        std::fs::write(&file, text).unwrap();
        (dir, file)
    }

    fn with(text: &str, line: &str) -> Result<(ServeArgs, Vec<Setting>), String> {
        let (_dir, file) = file(text);
        let words = [OsString::from("--config"), file.into()].into_iter().chain(line.split_whitespace().map(OsString::from));
        effective(words).map_err(|failure| failure.message)
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let text =
            "# the service of hall 3\nlisten = \"0.0.0.0:80\"\naccounts = true\nworkers = 3\nhost = [\"a.local\", \"b.local\"]\n";
        let (args, settings) = with(text, "--workers 5").unwrap();
        assert_eq!((args.listen.to_string().as_str(), args.accounts, args.workers), ("0.0.0.0:80", true, Some(5)));
        assert_eq!((args.host, args.open), (vec!["a.local".to_owned(), "b.local".to_owned()], false));
        let origin = |key: &str| settings.iter().find(|setting| setting.key == key).unwrap().origin.clone();
        assert!(matches!(origin("listen"), Origin::File(_, 2)), "{:?}", origin("listen"));
        assert!(matches!(origin("host"), Origin::File(_, 5)));
        assert_eq!((origin("workers"), origin("open")), (Origin::Flag, Origin::Default));
        // A flag takes back what the file says.
        assert!(!with(text, "--accounts=false").unwrap().0.accounts);
    }

    #[test]
    fn mistakes_in_the_file_are_told_with_their_line() {
        for (text, expected) in [
            ("listen = \"127.0.0.1:80\"\n\nacounts = true\n", "line 3: there is no setting `acounts`; settings are listen, data"),
            ("config = \"x\"\n", "line 1: there is no setting `config`"),
            ("demo = true\n", "line 1: there is no setting `demo`"),
            ("\n[server]\nlisten = \"127.0.0.1:80\"\n", "line 2: there is no setting `server`"),
            ("workers = 0\n", "line 1: invalid value '0' for '--workers"),
            ("workers = \"many\"\n", "line 1: invalid value 'many'"),
            ("listen = \"here\"\n", "line 1: invalid value 'here'"),
            ("accounts = \"perhaps\"\n", "line 1: invalid value 'perhaps'"),
            ("\nworkers = 1.5\n", "line 2: `workers` is a text"),
            ("workers = [1, 2]\n", "line 1: the argument '--workers"),
            ("workers = 1\nworkers = 2\n", "line 2: duplicate key"),
            ("\n\nlisten = \n", "line 3: "),
        ] {
            let words = with(text, "").map(|_| ()).unwrap_err();
            assert!(words.contains(expected), "{text}: {words}");
        }
        let absent = effective([OsString::from("--config=/nowhere/scanproof.toml")]).map(|_| ()).unwrap_err();
        assert!(absent.message.contains("/nowhere/scanproof.toml"), "{}", absent.message);
    }

    #[test]
    fn secrets_come_from_files_that_the_environment_names() {
        let (_dir, path) = file("127.0.0.1:99\n");
        let value = |wanted: &'static str, path: &Path| {
            let path = path.as_os_str().to_owned();
            move |name: &str| (name == wanted).then(|| path.clone())
        };
        let mut given = Given::new();
        read_secret_files(&mut given, &value("SCANPROOF_LISTEN_FILE", &path))
            .unwrap_or_else(|failure| panic!("{}", failure.message));
        let expected = (vec!["127.0.0.1:99".to_owned()], Origin::Environment("SCANPROOF_LISTEN_FILE".into()));
        assert_eq!(given.get("listen"), Some(&expected));
        assert!(read_secret_files(&mut given, &value("SCANPROOF_DATA_FILE", Path::new("/nowhere"))).is_err());
        let both = |name: &str| name.starts_with("SCANPROOF_DATA").then(|| path.clone().into_os_string());
        assert!(read_secret_files(&mut given, &both).unwrap_err().message.contains("both set"));
    }
}

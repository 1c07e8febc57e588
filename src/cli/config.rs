//! `scanproof config show`: each setting of the service as it is in force, and where it comes from.

use std::ffi::OsString;

use clap::{Args, Subcommand};

use super::Failure;
use super::configuration::{Origin, SECRETS, Setting, effective};
use super::print::out;

/// Arguments of `config`.
#[derive(Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Print each setting with its origin, as a configuration file; secrets are hidden
    Show {
        /// Flags as for `scanproof serve`
        #[arg(value_name = "FLAGS", trailing_var_arg = true, allow_hyphen_values = true)]
        flags: Vec<OsString>,
    },
}

/// Prints the settings.
pub(super) fn run(args: ConfigArgs) -> Result<u8, Failure> {
    let ConfigCommand::Show { flags } = args.command;
    let (_, settings) = effective(flags)?;
    settings.iter().for_each(|setting| out(&line(setting)));
    Ok(0)
}

/// Returns a setting as a line of a configuration file, with its origin as a comment.
pub(super) fn line(setting: &Setting) -> String {
    let origin = match &setting.origin {
        Origin::Default => "default".to_owned(),
        Origin::File(file, line) => format!("{} line {line}", file.display()),
        Origin::Environment(name) => format!("environment {name}"),
        Origin::Flag => format!("flag --{}", setting.key),
    };
    let key = &setting.key;
    if key == DEMO {
        let value = setting.values.first().map_or("", String::as_str);
        return format!("# {key}: {value}, a flag only  # {origin}");
    }
    if SECRETS.contains(&key.replace('-', "_").as_str()) && !setting.values.is_empty() {
        return format!("# {key}: hidden  # {origin}");
    }
    let quoted: Vec<String> = setting.values.iter().map(|value| quoted(&without_user(value))).collect();
    match quoted.as_slice() {
        [] => format!("# {key} is not set  # {origin}"),
        [one] => format!("{key} = {one}  # {origin}"),
        all => format!("{key} = [{}]  # {origin}", all.join(", ")),
    }
}

/// Setting that no file has.
const DEMO: &str = "demo";
/// User and password of an address, as they are shown.
const HIDDEN: &str = "hidden";

/// Returns a value without the users and passwords of addresses in it: `nats://hidden@broker:4222`.
///
/// Soundness: an address that cannot be read loses too much. All before its last `@` goes, since a password may have any character.
fn without_user(value: &str) -> String {
    let Some((scheme, rest)) = value.split_once("//") else {
        // `user:password@host`: an address without its scheme.
        return match value.rsplit_once('@') {
            Some((user, host)) if user.contains(':') => format!("{HIDDEN}@{host}"),
            _ => value.to_owned(),
        };
    };
    // A list of addresses in one value: each has a user of its own, and passwords may have commas.
    match rest.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}//{HIDDEN}@{host}"),
        None => value.to_owned(),
    }
}

/// Returns a value as TOML: JSON texts are TOML texts.
fn quoted(value: &str) -> String {
    let is_plain = value.parse::<u64>().is_ok() || ["true", "false"].contains(&value);
    if is_plain { value.to_owned() } else { serde_json::Value::from(value).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_used_as_a_file_and_hides_secrets() {
        let words = ["--listen", "127.0.0.1:99", "--host", "a,b", "--accounts"].map(OsString::from);
        let (_, settings) = effective(words).unwrap_or_else(|failure| panic!("{}", failure.message));
        let lines: Vec<String> = settings.iter().map(line).collect();
        assert!(lines.contains(&"listen = \"127.0.0.1:99\"  # flag --listen".to_owned()), "{lines:?}");
        assert!(lines.contains(&"open = false  # default".to_owned()), "{lines:?}");
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("shown.toml");
        std::fs::write(&file, lines.join("\n")).unwrap();
        let (args, _) =
            effective([OsString::from("--config"), file.into()]).unwrap_or_else(|failure| panic!("{}", failure.message));
        assert_eq!((args.listen.port(), args.host, args.accounts), (99, vec!["a".to_owned(), "b".to_owned()], true));
        let secret = Setting { key: "metrics-token".into(), values: vec!["s3cret".into()], origin: Origin::Flag };
        assert_eq!(line(&secret), "# metrics-token: hidden  # flag --metrics-token");
    }
    #[test]
    fn users_and_passwords_of_addresses_are_hidden() {
        let check = |value: &str, expected: &str| {
            let setting = Setting { key: "broker".into(), values: vec![value.into()], origin: Origin::Flag };
            assert_eq!(line(&setting), format!("broker = \"{expected}\"  # flag --broker"));
        };
        check("nats://user:passw0rd@h:4222", "nats://hidden@h:4222");
        check("nats://t0ken@h", "nats://hidden@h");
        check("https://user:p/w?d@rest#@h/realm", "https://hidden@h/realm");
        check("nats://a:b@c,nats://d:e@f", "nats://hidden@f");
        check("user:passw0rd@h", "hidden@h");
        check("https://h:8443/realms/plant", "https://h:8443/realms/plant");
        check("127.0.0.1:99", "127.0.0.1:99");
        check("anna@plant.local", "anna@plant.local");
    }
}

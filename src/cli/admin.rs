//! `scanproof admin`: users and tokens from the command line, while the service is stopped.

use std::io::BufRead;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Failure;
use super::print::out;
use crate::store::access::tokens::{NewToken, Scope};
use crate::store::access::users::Role;
use crate::store::audit::chain::{Act, ActResult};
use crate::store::{Store, now_ms};
use crate::web::access::{password, random_id};

/// Arguments of `admin`.
#[derive(Args)]
pub struct AdminArgs {
    #[command(subcommand)]
    command: AdminCommand,
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Add a user; the password is the first line of standard input
    Create {
        /// Name for log-in
        name: String,
        /// viewer, engineer, admin or auditor
        #[arg(long, default_value = "admin", value_parser = role)]
        role: Role,
        /// Folder of the database
        #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
        data: PathBuf,
    },
    /// Make a token for programs, and print it once
    Token {
        /// User that the token belongs to
        name: String,
        /// read, run or admin
        #[arg(long, default_value = "read", value_parser = scope)]
        scope: Scope,
        /// Days until it expires
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=366))]
        days: u32,
        /// Folder of the database
        #[arg(long, value_name = "DIR", default_value = "scanproof-data", env = "SCANPROOF_DATA")]
        data: PathBuf,
    },
}

fn role(word: &str) -> Result<Role, String> {
    let word = if word == "administrator" { Role::Admin.word() } else { word };
    Role::from_word(word).ok_or_else(|| "one of viewer, engineer, admin, auditor".into())
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::from_word(word).ok_or_else(|| "one of read, run, admin".into())
}

/// Changes users in the database.
pub(super) fn run(args: &AdminArgs) -> Result<u8, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(Failure::internal)?;
    match &args.command {
        AdminCommand::Create { name, role, data } => runtime.block_on(create(name, *role, data))?,
        AdminCommand::Token { name, scope, days, data } => runtime.block_on(token(name, *scope, *days, data))?,
    }
    Ok(0)
}

async fn create(name: &str, role: Role, data: &std::path::Path) -> Result<(), Failure> {
    let mut password = String::new();
    std::io::stdin().lock().read_line(&mut password).map_err(Failure::internal)?;
    let password = password.trim_end_matches(['\r', '\n']);
    if let Some(problem) = password::problem(name, password) {
        return Err(Failure::bad_input(problem));
    }
    let hash = password::hash(password).map_err(Failure::internal)?;
    let store = Store::open(data).map_err(Failure::bad_input)?;
    // The first user is an administrator, here as on the page of the first start.
    let is_added = match role {
        Role::Admin => store.add_user(name.into(), hash, role, now_ms()).await,
        Role::Viewer | Role::Engineer | Role::Auditor if store.has_users().await.map_err(Failure::internal)? => {
            store.add_user(name.into(), hash, role, now_ms()).await
        }
        Role::Viewer | Role::Engineer | Role::Auditor => {
            return Err(Failure::bad_input("the first user has to be an administrator"));
        }
    };
    if !is_added.map_err(Failure::internal)? {
        return Err(Failure::bad_input(format!("the name {name} is taken")));
    }
    record(&store, "user added", format!("user {name}, {}", role.word())).await?;
    out(&format!("{name} was added as {}", role.word()));
    Ok(())
}

/// Adds a row to the audit log.
async fn record(store: &Store, action: &str, object: String) -> Result<(), Failure> {
    let (who, address) = (String::new(), String::new());
    let act = Act { who, via: "command line".into(), address, action: action.into(), object, result: ActResult::Done };
    store.record(act, now_ms()).await.map_err(Failure::internal)?;
    Ok(())
}

async fn token(name: &str, scope: Scope, days: u32, data: &std::path::Path) -> Result<(), Failure> {
    let store = Store::open(data).map_err(Failure::bad_input)?;
    let found = store.user_with_password(name).await.map_err(Failure::internal)?;
    let Some((user, _)) = found.filter(|(user, _)| !user.disabled) else {
        return Err(Failure::bad_input(format!("there is no user {name} who may log in")));
    };
    let random = || random_id().map_err(Failure::internal);
    let (id, secret) = (random()?.chars().take(16).collect::<String>(), random()?);
    let expires_ms = now_ms() + i64::from(days) * 86_400_000;
    let line = format!("sp_{id}_{secret}");
    let token = NewToken { id, secret, user: user.id, label: "command line".into(), scope, expires_ms };
    let object = format!("token {} of {name}, {}, {days} days", token.id, scope.word());
    store.add_token(token, now_ms()).await.map_err(Failure::internal)?;
    record(&store, "token made", object).await?;
    out(&line);
    Ok(())
}

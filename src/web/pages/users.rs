//! Users, for administrators: the list, and a new user.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::account::private;
use super::{When, page_with, user, when};
use crate::store::access::users::Role;
use crate::store::now_ms;
use crate::web::access::accounts;
use crate::web::access::trail::noted;
use crate::web::error::WebError;
use crate::web::read::FormBody;
use crate::web::state::AppState;

#[derive(Template)]
#[template(path = "pages/users.html")]
struct UsersPage {
    /// Name of the only way to log in: users come from there.
    only_way: Option<String>,
    rows: Vec<UserRow>,
    /// Name of a new user, as typed.
    name: String,
    error: Option<String>,
}

struct UserRow {
    id: i64,
    name: String,
    role: &'static str,
    state: &'static str,
    created: When,
}

fn only_way(state: &AppState) -> Option<String> {
    state.config.only_way().map(|oidc| oidc.title().to_owned())
}

async fn list(state: &AppState, status: StatusCode, name: String, error: Option<String>) -> Result<Response, WebError> {
    let now = now_ms();
    let rows = state.store.listed_users().await?.into_iter().map(|row| UserRow {
        id: row.user.id,
        name: row.user.name,
        role: row.user.role.title(),
        state: match row.code_expires_ms {
            _ if row.user.disabled => "switched off",
            None if row.is_external => "active, by single sign-on",
            None => "active",
            Some(end) if now < end => "has a code, no password yet",
            Some(_) => "the code has expired",
        },
        created: when(row.created_ms),
    });
    let page = UsersPage { only_way: only_way(state), rows: rows.collect(), name, error };
    Ok(private(page_with(status, &page)?))
}

/// Answers `GET /users`
pub(crate) async fn get(State(state): State<AppState>) -> Result<Response, WebError> {
    list(&state, StatusCode::OK, String::new(), None).await
}

/// Answers `POST /users`: adds a user and shows the one-time code.
pub(crate) async fn add(State(state): State<AppState>, form: FormBody) -> Result<Response, WebError> {
    let added = match Role::from_word(form.field("role")) {
        Some(role) => accounts::add(&state, form.field("name"), role).await,
        None => Err(WebError::User("Choose a role.".into())),
    };
    match added {
        Ok((user, code)) => {
            let object = accounts::words(&user);
            Ok(noted(user::show(user, code)?, None, object))
        }
        Err(error @ (WebError::User(_) | WebError::UserConflict(_))) => {
            list(&state, error.kind().status, form.field("name").to_owned(), Some(error.to_string())).await
        }
        Err(error) => Err(error),
    }
}

//! The policy: one row per address and method. An address without a row is refused.

use axum::http::Method;

use super::CurrentUser;
use crate::store::access::tokens::Scope;
use crate::store::access::users::Role;

/// Right that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// None: health, static files, log-in.
    Open,
    /// To read programs and results.
    Read,
    /// To upload, to run, to cancel.
    Run,
    /// To delete, and to change what a project states. No token for runs has it. [`governed`] says whose things.
    Change,
    /// To change a user's own password, to log out, to make tokens. No token has it.
    Own,
    /// To see and end a user's own sessions and tokens.
    Account,
    /// To add and change users and webhooks.
    Manage,
    /// To read the audit log.
    Audit,
}

use Permission::{Account, Audit, Change, Manage, Open, Own, Read, Run};

/// All addresses, as the router spells them.
pub(crate) const ROWS: &[(Method, &str, Permission)] = &[
    (Method::GET, "/", Read),
    (Method::POST, "/check", Run),
    (Method::POST, "/samples/{*path}", Run),
    (Method::GET, "/programs/{id}", Read),
    (Method::POST, "/programs/{id}/requirements", Run),
    // It starts a worker that reads the program.
    (Method::POST, "/programs/{id}/preview", Run),
    (Method::GET, "/programs/{id}/delete", Change),
    (Method::POST, "/programs/{id}/delete", Change),
    (Method::GET, "/runs/{id}/delete", Change),
    (Method::POST, "/runs/{id}/delete", Change),
    (Method::GET, "/runs/{id}", Read),
    (Method::POST, "/runs/{id}/cancel", Run),
    (Method::GET, "/runs/{id}/requirements/{number}", Read),
    (Method::POST, "/runs/{id}/requirements/{number}/kept", Run),
    (Method::POST, "/projects/{id}/findings/{finding}/end", Run),
    (Method::GET, "/help", Open),
    (Method::GET, "/help/{page}", Open),
    (Method::GET, "/help/pictures/{file}", Open),
    (Method::GET, "/problems/{slug}", Open),
    (Method::GET, "/static/{file}", Open),
    (Method::POST, "/csp-report", Open),
    (Method::GET, "/setup", Open),
    (Method::POST, "/setup", Open),
    (Method::GET, "/login", Open),
    (Method::POST, "/login", Open),
    (Method::GET, "/login/oidc", Open),
    (Method::GET, "/login/oidc/callback", Open),
    (Method::POST, "/logout", Own),
    (Method::GET, "/code", Open),
    (Method::POST, "/code", Open),
    (Method::GET, "/account", Account),
    (Method::POST, "/account/password", Own),
    (Method::POST, "/account/sessions/{id}", Account),
    (Method::POST, "/account/tokens", Own),
    (Method::POST, "/account/tokens/{id}", Account),
    (Method::GET, "/users", Manage),
    (Method::POST, "/users", Manage),
    (Method::GET, "/users/{id}", Manage),
    (Method::POST, "/users/{id}", Manage),
    (Method::POST, "/users/{id}/code", Manage),
    (Method::GET, "/webhooks", Manage),
    (Method::POST, "/webhooks", Manage),
    (Method::POST, "/webhooks/{id}/remove", Manage),
    (Method::GET, "/api/v1/webhooks", Manage),
    (Method::POST, "/api/v1/webhooks", Manage),
    (Method::DELETE, "/api/v1/webhooks/{id}", Manage),
    (Method::GET, "/api/v1/webhooks/{id}/deliveries", Manage),
    (Method::GET, "/audit", Audit),
    (Method::GET, "/audit.jsonl", Audit),
    (Method::GET, "/api/v1/audit", Audit),
    (Method::GET, "/api/v1/users", Manage),
    (Method::POST, "/api/v1/users", Manage),
    (Method::GET, "/api/v1/users/{id}", Manage),
    (Method::PATCH, "/api/v1/users/{id}", Manage),
    (Method::POST, "/api/v1/users/{id}/code", Manage),
    (Method::GET, "/api/v1/tokens", Account),
    (Method::POST, "/api/v1/tokens", Own),
    (Method::DELETE, "/api/v1/tokens/{id}", Account),
    (Method::GET, "/api/v1/sessions", Account),
    (Method::DELETE, "/api/v1/sessions/{id}", Account),
    (Method::GET, "/projects", Read),
    (Method::POST, "/runs/{id}/project", Run),
    (Method::GET, "/projects/{id}", Read),
    (Method::GET, "/projects/{id}/versions", Read),
    (Method::POST, "/projects/{id}/versions", Run),
    (Method::POST, "/projects/{id}/runs", Run),
    (Method::GET, "/projects/{id}/comparison", Read),
    (Method::GET, "/projects/{id}/statements/{part}", Read),
    (Method::POST, "/projects/{id}/statements/{part}", Change),
    (Method::GET, "/projects/{id}/settings", Change),
    (Method::POST, "/projects/{id}/settings", Change),
    (Method::POST, "/projects/{id}/delete", Change),
    (Method::GET, "/api/v1/projects", Read),
    (Method::POST, "/api/v1/projects", Run),
    (Method::GET, "/api/v1/projects/{id}", Read),
    (Method::PATCH, "/api/v1/projects/{id}", Change),
    (Method::DELETE, "/api/v1/projects/{id}", Change),
    (Method::GET, "/api/v1/projects/{id}/comparison", Read),
    (Method::GET, "/api/v1/projects/{id}/findings", Read),
    (Method::POST, "/api/v1/projects/{id}/findings", Run),
    (Method::GET, "/api/v1/projects/{id}/findings/{finding}", Read),
    (Method::DELETE, "/api/v1/projects/{id}/findings/{finding}", Run),
    (Method::GET, "/api/v1/projects/{id}/versions", Read),
    (Method::POST, "/api/v1/projects/{id}/versions", Run),
    (Method::GET, "/api/v1/projects/{id}/requirements", Read),
    (Method::PUT, "/api/v1/projects/{id}/requirements", Change),
    (Method::GET, "/api/v1/projects/{id}/environment", Read),
    (Method::PUT, "/api/v1/projects/{id}/environment", Change),
    (Method::POST, "/api/v1/programs", Run),
    (Method::GET, "/api/v1/programs/{id}", Read),
    (Method::DELETE, "/api/v1/programs/{id}", Change),
    (Method::DELETE, "/api/v1/jobs/{id}", Change),
    (Method::GET, "/api/v1/programs/{id}/import", Read),
    (Method::GET, "/api/v1/jobs", Read),
    (Method::POST, "/api/v1/jobs", Run),
    (Method::GET, "/api/v1/jobs/{id}", Read),
    (Method::POST, "/api/v1/jobs/{id}/cancel", Run),
    (Method::GET, "/api/v1/engines", Read),
    (Method::GET, "/api/v1/agents", Read),
    (Method::GET, "/agents", Read),
    (Method::GET, "/api/v1/signing-key", Read),
    (Method::GET, "/livez", Open),
    (Method::GET, "/readyz", Open),
    (Method::GET, "/version", Open),
    // It has a token of its own.
    (Method::GET, "/metrics", Open),
    (Method::GET, "/openapi.json", Open),
];

/// Folders of addresses that are only read: results of a job in many formats, one route each.
const READ_BELOW: &[&str] = &["/api/v1/jobs/{id}/"];

/// Returns the right that a route needs; `None` refuses it.
pub(crate) fn needed(method: &Method, route: &str) -> Option<Permission> {
    // The router answers HEAD as GET.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let row = ROWS.iter().find(|(m, path, _)| m == method && *path == route).map(|(_, _, permission)| *permission);
    row.or_else(|| (*method == Method::GET && READ_BELOW.iter().any(|folder| route.starts_with(folder))).then_some(Read))
}

/// Returns whether an address has a row for any method.
pub(crate) fn has_row(route: &str) -> bool {
    ROWS.iter().any(|(_, path, _)| *path == route) || READ_BELOW.iter().any(|folder| route.starts_with(folder))
}

/// Returns whether a role, by a token of this scope or by a session, has a right.
pub(crate) fn allows(role: Role, token: Option<Scope>, permission: Permission) -> bool {
    let of_role = match permission {
        Open | Read | Own | Account => true,
        Run | Change => matches!(role, Role::Engineer | Role::Admin),
        Manage => role == Role::Admin,
        Audit => matches!(role, Role::Admin | Role::Auditor),
    };
    let of_token = match (token, permission) {
        (None, _) | (Some(_), Open | Read) => true,
        (Some(scope), Run) => matches!(scope, Scope::Run | Scope::Admin),
        (Some(scope), Change | Account | Manage | Audit) => scope == Scope::Admin,
        (Some(_), Own) => false,
    };
    of_role && of_token
}

/// Returns the owner whose runs, programs and projects a user may stop and delete; `None` for those of all.
///
/// The store compares it with the owner of the thing, within the transaction that stops or deletes it.
pub(crate) fn governed(user: &CurrentUser) -> Option<String> {
    let is_limited = user.id.is_some() && user.role != Role::Admin;
    is_limited.then(|| user.name.clone())
}

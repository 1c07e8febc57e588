//! Addresses and layers.

use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use axum::{Router, body::Bytes};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::csrf::CsrfLayer;

use super::error::WebError;
use super::state::AppState;
use super::{access, api, assets, conditional, hosts, layers, once, pages, result};

/// Returns the pages: every address that a person may see.
fn page_routes() -> Router<AppState> {
    Router::new()
        .route("/", get(pages::home::get))
        .route("/check", post(pages::home::check))
        .route("/samples/{*path}", post(pages::home::sample))
        .route("/programs/{id}", get(pages::program::get))
        .route("/programs/{id}/requirements", post(pages::program::post))
        .route("/programs/{id}/preview", post(pages::preview::post))
        .route("/programs/{id}/delete", get(pages::deletion::program).post(pages::deletion::delete_program))
        .route("/runs/{id}/delete", get(pages::deletion::run).post(pages::deletion::delete_run))
        .route("/runs/{id}", get(pages::run::get))
        .route("/runs/{id}/cancel", post(pages::run::cancel))
        .route("/runs/{id}/requirements/{number}", get(result::get))
        .merge(project_routes())
        .merge(account_routes())
        .route("/help", get(pages::help::first))
        .route("/help/{page}", get(pages::help::get))
        .route("/help/pictures/{file}", get(pages::help::picture))
        .route("/problems/{slug}", get(pages::problem::get))
        .route("/static/{file}", get(assets::get))
        .route("/csp-report", post(csp_report))
}

/// Returns the pages of projects.
fn project_routes() -> Router<AppState> {
    Router::new()
        .route("/runs/{id}/requirements/{number}/kept", post(pages::kept::keep))
        .route("/projects/{id}/findings/{finding}/end", post(pages::kept::end))
        .route("/projects", get(pages::projects::get))
        .route("/runs/{id}/project", post(pages::projects::keep))
        .route("/projects/{id}", get(pages::project::get))
        .route("/projects/{id}/versions", get(pages::project_versions::get).post(pages::project::upload))
        .route("/projects/{id}/runs", post(pages::project::check_again))
        .route("/projects/{id}/comparison", get(pages::project_comparison::get))
        .route("/projects/{id}/statements/{part}", get(pages::project_statements::get).post(pages::project_statements::post))
        .route("/projects/{id}/settings", get(pages::project_settings::get).post(pages::project_settings::rename))
        .route("/projects/{id}/delete", post(pages::project_settings::delete))
}

/// Returns the pages of users.
fn account_routes() -> Router<AppState> {
    Router::new()
        .route("/setup", get(pages::setup::get).post(pages::setup::post))
        .route("/login", get(pages::login::get).post(pages::login::post))
        .route("/login/oidc", get(pages::oidc::begin))
        .route(crate::web::oidc::CALLBACK, get(pages::oidc::end))
        .route("/code", get(pages::code::get).post(pages::code::post))
        .route("/logout", post(pages::login::logout))
        .route("/account", get(pages::account::get))
        .route("/account/password", post(pages::account::change_password))
        .route("/account/sessions/{id}", post(pages::account::end_session))
        .route("/account/tokens", post(pages::account::add_token))
        .route("/account/tokens/{id}", post(pages::account::revoke_token))
        .route("/users", get(pages::users::get).post(pages::users::add))
        .route("/users/{id}", get(pages::user::get).post(pages::user::change))
        .route("/agents", get(pages::agents::get))
        .route("/audit", get(pages::audit::get))
        .route("/audit.jsonl", get(pages::audit::export))
        .route("/users/{id}/code", post(pages::user::renew_code))
        .route("/webhooks", get(pages::webhooks::get).post(pages::webhooks::add))
        .route("/webhooks/{id}/remove", post(pages::webhooks::remove))
}

/// Returns the whole service.
pub fn router(state: AppState) -> Router {
    Router::new()
        .merge(page_routes())
        .merge(api::router(state.config.access))
        .fallback(async || WebError::NoRoute)
        // Read from the inside out: the last layer sees a request first.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(state.clone(), once::once))
        .layer(from_fn(conditional::reads))
        .layer(from_fn_with_state(state.clone(), layers::bodies))
        .layer(from_fn_with_state(state.clone(), access::guard::check))
        .layer(CsrfLayer::new().with_rejection_response(layers::cross_site))
        .layer(from_fn_with_state(state.clone(), hosts::check))
        .layer(CatchPanicLayer::custom(layers::panicked))
        .layer(from_fn(layers::explain))
        .layer(from_fn_with_state(state.clone(), layers::secure))
        .layer(from_fn_with_state(state.clone(), layers::log))
        .with_state(state)
}

/// Logs the report of a browser that a page broke the content security policy.
async fn csp_report(request: Request) -> Result<StatusCode, WebError> {
    use axum::extract::FromRequest;
    let body = Bytes::from_request(request, &()).await.map_err(|e| WebError::BadRequest(e.body_text()))?;
    let words: String = String::from_utf8_lossy(&body).chars().filter(|c| !c.is_control()).take(500).collect();
    tracing::warn!("a page broke the content security policy: {words}");
    Ok(StatusCode::NO_CONTENT)
}

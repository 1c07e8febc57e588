//! The part of the OpenAPI document that no single handler knows: answers of the layers, names of operations, log-in, and links.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::{Value, json};
use utoipa::openapi::link::LinkBuilder;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

use crate::web::access::Access;
use crate::web::access::policy::{Permission, needed};

/// Addresses whose POST takes an `Idempotency-Key`.
const KEYED: [&str; 4] = ["/api/v1/programs", "/api/v1/jobs", "/api/v1/projects", "/api/v1/projects/{id}/versions"];

/// Name of the log-in by token.
const TOKEN: &str = "token";

/// Answers that name the id of a thing, and the addresses that take it.
struct LinkSource {
    method: Method,
    path: &'static str,
    statuses: &'static [&'static str],
    /// Parameters of the addresses below, with the places of their values.
    parameters: &'static [(&'static str, &'static str)],
    below: &'static str,
}

const ID: &[(&str, &str)] = &[("id", "$response.body#/id")];

const LINKS: &[LinkSource] = &[
    LinkSource {
        method: Method::POST,
        path: "/api/v1/programs",
        statuses: &["200", "201"],
        parameters: ID,
        below: "/api/v1/programs/{id}",
    },
    LinkSource {
        method: Method::POST,
        path: "/api/v1/jobs",
        statuses: &["200", "202"],
        parameters: ID,
        below: "/api/v1/jobs/{id}",
    },
    LinkSource {
        method: Method::POST,
        path: "/api/v1/projects",
        statuses: &["201"],
        parameters: ID,
        below: "/api/v1/projects/{id}",
    },
    LinkSource {
        method: Method::POST,
        path: "/api/v1/projects/{id}/versions",
        statuses: &["202"],
        parameters: &[("id", "$response.body#/job")],
        below: "/api/v1/jobs/{id}",
    },
    LinkSource {
        method: Method::POST,
        path: "/api/v1/projects/{id}/findings",
        statuses: &["201"],
        parameters: &[("id", "$request.path.id"), ("finding", "$response.body#/id")],
        below: "/api/v1/projects/{id}/findings/{finding}",
    },
    LinkSource {
        method: Method::GET,
        path: "/api/v1/jobs/{id}/results",
        statuses: &["200"],
        parameters: &[("id", "$request.path.id"), ("requirement", "1")],
        below: "/api/v1/jobs/{id}/results/{requirement}",
    },
    LinkSource {
        method: Method::POST,
        path: "/api/v1/users",
        statuses: &["201"],
        parameters: &[("id", "$response.body#/user/id")],
        below: "/api/v1/users/{id}",
    },
    LinkSource {
        method: Method::POST,
        path: "/api/v1/webhooks",
        statuses: &["201"],
        parameters: ID,
        below: "/api/v1/webhooks/{id}",
    },
];

/// Completes the document of a service with that access.
pub(super) fn complete(document: &mut OpenApi, access: Access) {
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(name(&method, path));
            add_answers(&method, path, operation);
            if access == Access::Accounts {
                let is_open = needed(&method, path) == Some(Permission::Open);
                let token = (!is_open).then(|| SecurityRequirement::new(TOKEN, Vec::<String>::new()));
                operation.security = Some(token.into_iter().collect());
            }
        }
    }
    if access == Access::Accounts
        && let Some(components) = &mut document.components
    {
        let words = "A token of a user, `sp_…`. It is made on the page of the user's account.";
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(words)).build();
        components.add_security_scheme(TOKEN, SecurityScheme::Http(scheme));
    }
    add_links(document);
}

/// Returns the operations of an address, with their methods.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    let all = [
        (Method::GET, &mut item.get),
        (Method::PUT, &mut item.put),
        (Method::POST, &mut item.post),
        (Method::DELETE, &mut item.delete),
        (Method::PATCH, &mut item.patch),
    ];
    all.into_iter().filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// Returns the name of an operation: `get_jobs_id_results`. Clients that are made of the document need each name once.
fn name(method: &Method, path: &str) -> String {
    let path = path.strip_prefix("/api/v1").unwrap_or(path);
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(method.as_str().to_ascii_lowercase()).chain(words.map(str::to_owned)).collect::<Vec<_>>().join("_")
}

/// Adds the answers that readers and layers around the handlers give.
fn add_answers(method: &Method, path: &str, operation: &mut Operation) {
    if !path.starts_with("/api/v1/") {
        return;
    }
    let given = operation.parameters.iter().flatten();
    let places: BTreeSet<&str> = given
        .filter_map(|given| match given {
            RefOr::T(given) => Some(place(&given.parameter_in)),
            RefOr::Ref(_) => None,
        })
        .collect();
    let mut added: Vec<(&str, &str)> = vec![
        ("401", "No log-in, or a token that does not count"),
        ("403", "The role or the scope of the token does not allow it, or the service has no accounts"),
        ("421", "The header Host names another service"),
        ("503", "The service is not set up, busy, or shutting down"),
    ];
    if places.contains("path") {
        added.push(("400", "The address cannot be read"));
    }
    if places.contains("query") {
        added.push(("422", "A parameter is not valid"));
    }
    if operation.request_body.is_some() {
        added.extend([
            ("400", "The body cannot be read, or does not have the expected fields"),
            ("408", "The body did not arrive within a minute"),
            ("413", "The body is too large, or the share of the disk is used up"),
            ("415", "The body has another type"),
            ("422", "The body is well-formed, and does not make sense"),
            ("429", "The share of the user is used up for now, or too many uploads at once"),
        ]);
    }
    if *method == Method::GET {
        added.push(("406", "The header Accept names no type that there is"));
        let known = ResponseBuilder::new().description("If-None-Match names the ETag of the answer").build();
        operation.responses.responses.entry("304".into()).or_insert(RefOr::T(known));
    }
    if *method == Method::POST && KEYED.contains(&path) {
        added.extend([
            ("409", "The same request with the same Idempotency-Key is at work"),
            ("422", "Another request had the Idempotency-Key"),
        ]);
    }
    for (status, words) in added {
        operation.responses.responses.entry(status.into()).or_insert(problem(words));
    }
}

fn place(place: &ParameterIn) -> &'static str {
    match place {
        ParameterIn::Path => "path",
        ParameterIn::Query | ParameterIn::QueryString => "query",
        ParameterIn::Header => "header",
        ParameterIn::Cookie => "cookie",
    }
}

fn problem(words: &str) -> RefOr<Response> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("ProblemDetails"))).build();
    RefOr::T(ResponseBuilder::new().description(words).content("application/problem+json", content).build())
}

/// Adds links from answers to the operations that take the ids in them.
fn add_links(document: &mut OpenApi) {
    let mut all: Vec<(Method, String)> = Vec::new();
    for (path, item) in &mut document.paths.paths {
        all.extend(operations(item).map(|(method, _)| (method, path.clone())));
    }
    for LinkSource { method, path, statuses, parameters, below } in LINKS {
        let fits = |target: &&(Method, String)| {
            let rest = target.1.strip_prefix(below);
            let holes = target.1.matches('{').count() == parameters.len();
            // One names a run of the project, which a new project does not have. The other ends something that can still be read.
            let is_finding = match target.0 {
                Method::POST => target.1 == "/api/v1/projects/{id}/findings",
                Method::DELETE => target.1 == "/api/v1/projects/{id}/findings/{finding}",
                _ => false,
            };
            holes
                && !is_finding
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                && (method, *path) != (&target.0, &target.1)
        };
        let targets: Vec<(String, Option<Value>)> = all.iter().filter(fits).map(|(to, path)| (name(to, path), None)).collect();
        // A program that is kept can be checked.
        let check = json!({
            "program": "$response.body#/id",
            "specification": { "checks": ["division_by_zero"] },
            "limits": { "wall_s": 10, "memory_mb": 512 },
        });
        let check = (*path == "/api/v1/programs").then(|| (name(&Method::POST, "/api/v1/jobs"), Some(check)));
        let Some(item) = document.paths.paths.get_mut(*path) else { continue };
        for (_, operation) in operations(item).filter(|(one, _)| one == method) {
            for status in *statuses {
                let Some(RefOr::T(response)) = operation.responses.responses.get_mut(*status) else { continue };
                for (target, body) in targets.iter().chain(&check) {
                    let mut link = LinkBuilder::new().operation_id(target.clone());
                    if body.is_none() {
                        link = parameters.iter().fold(link, |link, (name, value)| link.parameter(*name, *value));
                    }
                    let link = link.request_body(body.clone()).build();
                    response.links.insert(target.clone(), RefOr::T(link));
                }
            }
        }
    }
}

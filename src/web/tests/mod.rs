//! The service against a real database and real child processes, request by request.

mod access;
mod accounts;
mod api;
mod at_once;
mod attacks;
mod audit;
mod automation;
mod builder;
mod faults;
mod findings;
mod forms;
mod graphs;
mod hardening;
mod health;
mod limits;
mod long_pages;
mod oidc;
mod openapi;
mod pages;
mod projects;
mod projects_scale;
mod readers;
mod runs;
pub(crate) mod site;
mod threats;
mod webhooks;

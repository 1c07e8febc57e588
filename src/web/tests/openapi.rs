//! The OpenAPI document: it names every route, each operation once, and every reference and link in it leads somewhere.

use serde_json::{Value, json};

use super::site::Site;
use crate::export::FORMATS;
use crate::web::access::Access;
use crate::web::api::openapi;

/// Returns the operations of a document in order.
fn all_operations(document: &Value) -> impl Iterator<Item = &Value> {
    document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values())
}

fn operations(document: &Value) -> Vec<String> {
    all_operations(document).map(|operation| operation["operationId"].as_str().unwrap().to_owned()).collect()
}

/// Returns the names of operations that links lead to.
fn links(document: &Value) -> Vec<String> {
    let answers = all_operations(document).flat_map(|operation| operation["responses"].as_object().unwrap().values());
    let links = answers.flat_map(|answer| answer["links"].as_object().into_iter().flatten());
    let names: Vec<String> = links.map(|(_, link)| link["operationId"].as_str().unwrap().to_owned()).collect();
    assert!(20 < names.len(), "{names:?}");
    names
}

#[tokio::test]
async fn the_document_names_every_route_and_every_reference_is_there() {
    let document = serde_json::to_value(openapi(Access::Accounts)).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let answers = |path: &str, method: &str| document["paths"][path][method]["responses"].as_object().unwrap().clone();
    assert!(["304", "406"].iter().all(|status| answers("/api/v1/jobs", "get").contains_key(*status)));
    assert!(answers("/api/v1/programs", "post").contains_key("409") && !answers("/api/v1/tokens", "post").contains_key("406"));
    let paths: Vec<&String> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(
        paths,
        [
            "/api/v1/agents",
            "/api/v1/audit",
            "/api/v1/engines",
            "/api/v1/jobs",
            "/api/v1/jobs/{id}",
            "/api/v1/jobs/{id}/cancel",
            "/api/v1/jobs/{id}/events",
            "/api/v1/jobs/{id}/report.html",
            "/api/v1/jobs/{id}/report.json",
            "/api/v1/jobs/{id}/report.junit.xml",
            "/api/v1/jobs/{id}/report.sarif",
            "/api/v1/jobs/{id}/report.zip",
            "/api/v1/jobs/{id}/results",
            "/api/v1/jobs/{id}/results/{requirement}",
            "/api/v1/jobs/{id}/results/{requirement}/certificate",
            "/api/v1/jobs/{id}/results/{requirement}/graphs/{name}",
            "/api/v1/jobs/{id}/results/{requirement}/model",
            "/api/v1/jobs/{id}/results/{requirement}/st-test",
            "/api/v1/jobs/{id}/results/{requirement}/tcunit",
            "/api/v1/jobs/{id}/results/{requirement}/trace.csv",
            "/api/v1/jobs/{id}/results/{requirement}/trace.vcd",
            "/api/v1/programs",
            "/api/v1/programs/{id}",
            "/api/v1/programs/{id}/import",
            "/api/v1/projects",
            "/api/v1/projects/{id}",
            "/api/v1/projects/{id}/comparison",
            "/api/v1/projects/{id}/environment",
            "/api/v1/projects/{id}/findings",
            "/api/v1/projects/{id}/findings/{finding}",
            "/api/v1/projects/{id}/requirements",
            "/api/v1/projects/{id}/versions",
            "/api/v1/sessions",
            "/api/v1/sessions/{id}",
            "/api/v1/signing-key",
            "/api/v1/tokens",
            "/api/v1/tokens/{id}",
            "/api/v1/users",
            "/api/v1/users/{id}",
            "/api/v1/users/{id}/code",
            "/api/v1/webhooks",
            "/api/v1/webhooks/{id}",
            "/api/v1/webhooks/{id}/deliveries",
            "/livez",
            "/metrics",
            "/readyz",
            "/version",
        ]
    );
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(document.pointer(reference).is_some(), "{reference}");
    }
    let site = Site::new();
    let names = operations(&document);
    assert_eq!(names.len(), names.iter().collect::<std::collections::BTreeSet<_>>().len(), "{names:?}");
    assert!(names.contains(&"get_jobs_id_results_requirement_trace_csv".to_owned()), "{names:?}");
    for link in links(&document) {
        assert!(names.contains(&link), "{link}");
    }
    assert_eq!(document["paths"]["/api/v1/jobs"]["post"]["security"], json!([{ "token": [] }]));
    assert_eq!(document["paths"]["/livez"]["get"]["security"], json!([]));
    let open = serde_json::to_value(openapi(Access::Demo)).unwrap();
    assert_eq!(open["paths"]["/api/v1/jobs"]["post"]["security"], Value::Null);
    assert_eq!(site.get("/openapi.json").await.is(200).json(), open);
}

#[test]
fn the_document_names_every_format_of_models() {
    let document = serde_json::to_value(openapi(Access::Demo)).unwrap();
    let parameters = &document["paths"]["/api/v1/jobs/{id}/results/{requirement}/model"]["get"]["parameters"];
    let format = parameters.as_array().unwrap().iter().find(|one| one["name"] == "format").unwrap();
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(format["schema"]["pattern"], format!("^({})$", names.join("|")));
}

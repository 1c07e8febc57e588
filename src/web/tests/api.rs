//! The API, resource by resource.

use axum::http::Method;
use serde_json::{Value, json};

use super::site::{Site, request};
use crate::web::access::Access;
use crate::web::api::openapi;
use search::engine::ENGINES;
use search::engine::configurations::Configuration;

#[tokio::test]
async fn a_program_is_kept_once() {
    let site = Site::new();
    let body = json!({ "label": "Booster", "files": [{ "name": "../a.st", "text": "PROGRAM a END_PROGRAM" }] });
    let first = site.json("/api/v1/programs", body.clone()).await;
    first.is(201);
    let view = first.json();
    let address = first.header("location").to_string();
    assert_eq!(view["label"], "Booster");
    assert_eq!(view["files"][0]["name"], "a.st");
    assert_eq!(address, format!("/api/v1/programs/{}", view["id"].as_str().unwrap()));
    site.json("/api/v1/programs", body).await.is(200);
    assert_eq!(site.get(&address).await.is(200).json(), view);
    let same = site.multipart("/api/v1/programs", &[("file", Some("a.st"), b"PROGRAM a END_PROGRAM")]).await;
    assert_eq!(same.is(200).json()["id"], view["id"]);
    // Two files of one name in two folders.
    let files =
        [("file", Some("a/x.st"), b"PROGRAM a END_PROGRAM".as_slice()), ("file", Some("b/x.st"), b"PROGRAM b END_PROGRAM")];
    let view = site.multipart("/api/v1/programs", &files).await.is(201).json();
    assert_eq!((&view["files"][0]["name"], &view["files"][1]["name"]), (&json!("a/x.st"), &json!("b/x.st")));
    let files = files.map(|(_, name, text)| json!({ "name": name, "text": String::from_utf8_lossy(text) }));
    assert_eq!(site.json("/api/v1/programs", json!({ "files": files })).await.is(200).json()["id"], view["id"]);
}

#[tokio::test]
async fn a_zip_is_a_program() {
    let site = Site::new();
    let zip = self::zip(&[
        ("Plc/Main.st", b"PROGRAM Main END_PROGRAM"),
        ("Plc/README.md", b"# Plc"),
        ("../up.st", b"FUNCTION f : INT f := 1; END_FUNCTION"),
    ]);
    let view = site.multipart("/api/v1/programs", &[("file", Some("plc.zip"), &zip)]).await.is(201).json();
    let names: Vec<&str> = view["files"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Plc/Main.st", "Plc/README.md", "up.st"]);
    let packed = self::zip(&[("a.st", &vec![b' '; 8 << 20])]);
    for (bytes, words) in [(zip[..zip.len() - 5].to_vec(), "damaged"), (packed, "200 times")] {
        let problem = site.multipart("/api/v1/programs", &[("file", Some("plc.zip"), &bytes)]).await.is(422).json();
        assert!(problem["detail"].as_str().unwrap().contains(words), "{problem}");
    }
}

pub(super) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[tokio::test]
async fn what_is_not_a_program_is_refused() {
    let site = Site::new();
    let check = async |answer: super::site::Answer, status: u16, slug: &str| {
        answer.is(status);
        assert_eq!(answer.header("content-type"), "application/problem+json");
        let problem = answer.json();
        assert_eq!(problem["type"], format!("/problems/{slug}"), "{problem}");
        assert_eq!(problem["status"], status);
        // The type is a page of this service.
        site.get(problem["type"].as_str().unwrap()).await.is(200);
    };
    let programs = "/api/v1/programs";
    check(site.json(programs, json!({ "files": [] })).await, 422, "no-program").await;
    check(site.json(programs, json!({ "files": [{ "name": "", "text": "" }] })).await, 422, "no-program").await;
    check(site.json(programs, json!({ "nothing": 1 })).await, 400, "bad-request").await;
    let text = site.json(programs, json!("PROGRAM a END_PROGRAM")).await;
    let detail = text.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("expected an object at line 1") && !detail.contains("struct"), "{detail}");
    check(site.post(programs, "application/json", "{").await, 400, "bad-request").await;
    check(site.post(programs, "text/plain", "PROGRAM a").await, 415, "unsupported-media-type").await;
    check(site.post(programs, "multipart/form-data", "no boundary").await, 400, "bad-request").await;
    check(site.multipart(programs, &[("label", None, b"x")]).await, 422, "no-program").await;
    let parts: &[(&str, Option<&str>, &[u8])] =
        &[("file", Some("a.st"), b"PROGRAM a END_PROGRAM"), ("files", Some("b.st"), b"x")];
    let elsewhere = site.multipart(programs, parts).await.is(422).json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(elsewhere, "The file `b.st` came in the field `files`: send it in the field `file`.");
    check(site.get("/api/v1/programs/none").await, 404, "not-found").await;
    check(site.get("/api/v1/programs/none/import").await, 404, "not-found").await;
    check(site.get("/api/v1/nothing").await, 404, "not-found").await;
    check(site.send(request(Method::DELETE, "/api/v1/jobs", &[])).await, 405, "method-not-allowed").await;
    for wrong in ["limit=many", "limit=0", "limit=201", "cursor=", "cursor=last"] {
        check(site.get(&format!("/api/v1/jobs?{wrong}")).await, 422, "invalid-parameter").await;
    }
}

#[tokio::test]
async fn an_import_says_what_was_understood() {
    let site = Site::new();
    let program = site.program().await;
    for _ in 0..2 {
        let view = site.get(&format!("/api/v1/programs/{program}/import")).await.is(200).json();
        assert_eq!(view["verifiable"], true);
        assert_eq!(view["import"]["pous"][0]["name"], "Booster");
    }
}

#[tokio::test]
async fn a_job_runs_to_its_results() {
    let site = Site::new();
    let program = site.program().await;
    let specification = json!({ "requirements": [{ "id": "R1", "never": "PumpA AND NOT ValveFB" }] });
    let answer = site
        .json(
            "/api/v1/jobs",
            json!({ "program": program, "specification": specification, "limits": { "wall_s": 5, "memory_mb": 1 } }),
        )
        .await;
    answer.is(202);
    let job = answer.json();
    let address = answer.header("location").to_string();
    assert_eq!(job["links"]["self"], address.as_str());
    assert!(!answer.header("retry-after").is_empty());
    assert_eq!((job["state"].as_str(), &job["limits"]), (Some("queued"), &json!({ "wall_s": 5, "memory_mb": 256 })));
    assert_eq!(job["requirements"]["total"], 8);
    let results = job["links"]["results"].as_str().unwrap().to_string();
    assert_eq!(site.get(&results).await.is(409).json()["type"], "/problems/not-ended");

    site.work();
    assert_eq!(site.ended(job["id"].as_str().unwrap()).await, "succeeded");
    let list = site.get(&results).await.is(200).json();
    assert_eq!(list["tally"]["violated"], 1);
    let verdicts: Vec<&str> = list["results"].as_array().unwrap().iter().map(|r| r["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["violated", "holds", "unknown", "holds_bounded", "vacuous", "not_checked", "cancelled", "error"]);
    for (path, id) in [("R1", "R1"), ("1", "R1"), ("2", "R2"), ("assert-1", "assert-1")] {
        assert_eq!(site.get(&format!("{results}/{path}")).await.is(200).json()["id"], id);
    }
    for path in ["0", "9", "R9", "%2e%2e"] {
        site.get(&format!("{results}/{path}")).await.is(404);
    }
    let report = site.get(job["links"]["report"].as_str().unwrap()).await;
    assert!(report.is(200).header("content-disposition").starts_with("attachment"));
    let schema = crate::report::schema::outcome();
    assert!(jsonschema::draft202012::new(&schema).unwrap().is_valid(&report.json()));
    for (file, kind, words) in [
        ("report.html", "text/html; charset=utf-8", "<h1>! 1 of 8"),
        ("report.sarif", "application/sarif+json", "\"codeFlows\""),
        ("report.junit.xml", "application/xml; charset=utf-8", "<failure"),
        ("results/R1/trace.csv", "text/csv; charset=utf-8", "cycle,time_ms,StartCmd"),
        ("results/1/trace.vcd", "text/plain; charset=utf-8", "$enddefinitions"),
    ] {
        let answer = site.get(&format!("{address}/{file}")).await;
        assert_eq!(answer.is(200).header("content-type"), kind);
        assert!(answer.header("content-disposition").starts_with("attachment"), "{file}");
        assert!(answer.text.contains(words), "{file}: {}", answer.text);
    }
    // An answer without a run, and one that is not there.
    site.get(&format!("{results}/3/trace.csv")).await.is(404);
    site.get(&format!("{results}/99/trace.csv")).await.is(404);
    // Ended: neither stopped nor asked to come back.
    assert_eq!(site.json(&format!("{address}/cancel"), json!({})).await.is(409).json()["type"], "/problems/already-ended");
    assert_eq!(site.get(&address).await.header("retry-after"), "");
}

#[tokio::test]
async fn a_wrong_specification_is_told_before_anything_is_queued() {
    let site = Site::new();
    let program = site.program().await;
    let wrong = json!({ "program": program, "specification": { "assumptions": [{ "expr": "Unfit" }] } });
    let problem = site.json("/api/v1/jobs", wrong).await.is(422).json();
    assert_eq!(problem["type"], "/problems/invalid-requirements");
    assert_eq!(problem["errors"][0]["pointer"], "/assumptions/0/expr");
    assert!(problem["errors"][0]["help"].as_str().unwrap().contains("PumpA"));
    site.json("/api/v1/jobs", json!({ "program": "none" })).await.is(404);
    site.json("/api/v1/jobs", json!({ "program": program, "specification": { "cycle": "0ms" } })).await.is(400);
    site.json("/api/v1/jobs", json!({ "program": program, "specification": { "requirments": [] } })).await.is(400);
    assert_eq!(site.get("/api/v1/jobs").await.json()["jobs"], json!([]));
}

#[tokio::test]
async fn a_wrong_requirement_is_told_and_the_others_are_queued() {
    let wrong = |program: &str| json!({ "program": program, "specification": { "requirements": [{ "never": "Nonsense" }] } });
    let site = Site::new();
    let job = site.json("/api/v1/jobs", wrong(&site.program().await)).await.is(202).json();
    assert_eq!(job["not_checked"][0]["pointer"], "/requirements/0/never");
    assert!(job["not_checked"][0]["help"].as_str().unwrap().contains("PumpA"));
    // Without another one there is nothing to queue.
    let mut outcome = crate::report::example::booster();
    outcome.results.truncate(1);
    let site = Site::with(&outcome, |_| {});
    let problem = site.json("/api/v1/jobs", wrong(&site.program().await)).await.is(422).json();
    assert_eq!(problem["errors"][0]["pointer"], "/requirements/0/never");
    assert_eq!(site.get("/api/v1/jobs").await.json()["jobs"], json!([]));
}

#[tokio::test]
async fn nothing_to_check_is_said_before_anything_is_queued() {
    let site = Site::with(&crate::report::outcome::Outcome { results: Vec::new(), ..crate::report::example::booster() }, |_| {});
    let program = site.program().await;
    let problem = site.json("/api/v1/jobs", json!({ "program": program })).await.is(422).json();
    assert_eq!(problem["errors"][0]["pointer"], "/requirements");
    let page = site.form(&format!("/programs/{program}/requirements"), &[("action", "start")]).await;
    page.is(422).has(&["there is nothing to check", "State at least one requirement."]);
}

#[tokio::test]
async fn a_program_with_errors_is_not_queued() {
    let mut outcome = crate::report::example::booster();
    outcome.import.diagnostics[0].severity = "error".into();
    let site = Site::with(&outcome, |_| {});
    let program = site.program().await;
    let problem = site.json("/api/v1/jobs", json!({ "program": program })).await.is(422).json();
    assert_eq!(problem["type"], "/problems/program-errors");
    assert_eq!((&problem["errors"][0]["line"], &problem["errors"][0]["code"]), (&json!(11), &json!("P4001")));
    assert_eq!(site.get(&format!("/api/v1/programs/{program}/import")).await.json()["verifiable"], false);
}

#[tokio::test]
async fn a_full_queue_says_so() {
    let site = Site::with(&crate::report::example::booster(), |config| config.max_queued = 1);
    site.job(json!({})).await;
    let program = site.program().await;
    let full = site.json("/api/v1/jobs", json!({ "program": program })).await;
    assert_eq!(full.is(503).json()["type"], "/problems/queue-full");
    assert_eq!(full.header("retry-after"), "5");
}

#[tokio::test]
async fn lists_are_paged() {
    let site = Site::new();
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, site.job(json!({})).await);
    }
    let of =
        |list: &Value| list["jobs"].as_array().unwrap().iter().map(|j| j["id"].as_str().unwrap().to_string()).collect::<Vec<_>>();
    let first = site.get("/api/v1/jobs?limit=2&state=queued").await;
    assert_eq!(of(&first.json()), ids[..2]);
    let next = first.json()["next"].as_str().unwrap().to_string();
    assert_eq!(first.header("link"), format!("<{next}>; rel=\"next\""));
    let second = site.get(&next).await.json();
    assert_eq!((of(&second), &second["next"]), (ids[2..].to_vec(), &Value::Null));
    assert!(of(&site.get("/api/v1/jobs?state=failed").await.json()).is_empty());
    assert!(of(&site.get("/api/v1/jobs?program=x").await.json()).is_empty());
}

#[tokio::test]
async fn a_strategy_without_meaning_is_refused_by_the_name_of_the_option() {
    let site = Site::new();
    let program = site.program().await;
    for (strategy, words) in [
        (json!({ "engine": "magic" }), "`magic`"),
        (json!({ "engine": "cegar", "options": { "maxenum": "-1" } }), "`maxenum`"),
        (json!({ "engine": "cegar", "options": { "domain": "PRED_CART", "refinement": "UNSAT_CORE" } }), "`refinement`"),
        (json!({ "engine": "impact", "options": { "blk": "3" } }), "`blk`"),
        (json!({ "options": { "domain": "EXPL" } }), "`domain`"),
    ] {
        let specification = json!({ "requirements": [{ "id": "R1", "never": "PumpA AND NOT ValveFB" }] });
        let job = json!({ "program": program, "specification": specification, "strategy": strategy });
        let problem = site.json("/api/v1/jobs", job).await.is(422).json();
        assert!(problem["detail"].as_str().unwrap().contains(words), "{problem}");
        assert_eq!(problem["errors"][0]["pointer"], "/strategy");
        assert_eq!(problem["type"], "/problems/invalid-strategy", "{problem}");
    }
}

#[tokio::test]
async fn keys_that_nobody_reads_are_refused_by_their_names() {
    let site = Site::new();
    let program = site.program().await;
    let specification = json!({ "requirements": [{ "id": "R1", "never": "PumpA AND NOT ValveFB" }] });
    for (key, value) in [
        ("priority", json!({ "program": program, "specification": specification, "priority": 3 })),
        (
            "wall",
            json!({ "program": program, "specification": specification, "limits": { "wall_s": 9, "memory_mb": 900, "wall": 9 } }),
        ),
        ("option", json!({ "program": program, "specification": specification, "strategy": { "engine": "bmc", "option": {} } })),
        ("asume", json!({ "program": program, "specification": { "asume": [] } })),
    ] {
        let problem = site.json("/api/v1/jobs", value).await.is(400).json();
        assert!(problem["detail"].as_str().unwrap().contains(&format!("`{key}`")), "{problem}");
    }
}

#[tokio::test]
async fn health_and_version() {
    let site = Site::new();
    site.get("/livez").await.is(200);
    assert_eq!(site.get("/readyz").await.is(200).json()["status"], "pass");
    assert_eq!(site.get("/version").await.is(200).json()["version"], env!("CARGO_PKG_VERSION"));
    site.state.shutdown.cancel();
    assert_eq!(site.get("/readyz").await.is(503).json()["type"], "/problems/not-ready");
    site.get("/livez").await.is(200);
    let program = json!({ "program": site.program().await });
    site.json("/api/v1/jobs", program).await.is(503);
}

#[tokio::test]
async fn engines_are_those_of_the_table() {
    let site = Site::new();
    let listed = site.get("/api/v1/engines").await.is(200).json();
    let strategy = serde_json::to_value(openapi(Access::Accounts)).unwrap()["components"]["schemas"]["Strategy"].clone();
    let help = crate::run::engine_choice::engines();
    assert_eq!(listed["engines"].as_array().unwrap().len(), ENGINES.len());
    for (i, engine) in ENGINES.iter().enumerate() {
        let view = &listed["engines"][i];
        assert_eq!(view["name"], engine.name);
        assert_eq!(strategy["properties"]["engine"]["enum"][i + 1], engine.name);
        let documented = &strategy["properties"]["options"]["anyOf"][i]["properties"];
        assert_eq!(documented.as_object().map_or(0, serde_json::Map::len), engine.options.len(), "{}", engine.name);
        for (option, view) in engine.options.iter().zip(view["options"].as_array().unwrap()) {
            assert_eq!(view["name"], option.name);
            assert_eq!(documented[option.name]["default"], option.default);
            assert!(help.contains(&format!("--option {}=", option.name)), "{}", option.name);
        }
        let row = Configuration::of(engine.name);
        assert_eq!(view["configuration"]["approach"].as_str(), row.map(|row| row.approach), "{}", engine.name);
        for (column, value) in row.into_iter().flat_map(Configuration::columns) {
            assert_eq!(view["configuration"]["columns"][column], value, "{}", engine.name);
            assert!(help.contains(&format!("{column} {value}")), "{}", engine.name);
        }
        for absent in engine.absent {
            assert!(help.contains(&format!("absent: {}", absent.name)), "{}", absent.name);
            let (name, value) = absent.name.split_once('=').unwrap_or((absent.name, ""));
            let options = [(name.to_owned(), value.to_owned())].into();
            assert!(answer::decide::validate(Some(engine.name), &options).is_err(), "{} is there", absent.name);
        }
    }
}

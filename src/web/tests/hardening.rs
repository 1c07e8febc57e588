//! Hostile requests: headers, other sites, sizes, and texts with markup.

use axum::body::{Body, Bytes};
use axum::http::{Method, Request};
use serde_json::json;
use tokio_stream::wrappers::ReceiverStream;

use super::access::example;
use super::site::{Answer, Site, multipart, request};
use crate::report::outcome::Outcome;
use crate::web::access::policy::ROWS;

/// Returns every address with a method that it accepts.
fn addresses(job: &str, program: &str) -> Vec<(Method, String)> {
    let get = [
        "/".to_string(),
        format!("/programs/{program}"),
        format!("/runs/{job}"),
        format!("/runs/{job}/requirements/1"),
        format!("/runs/{job}/requirements/2"),
        format!("/runs/{job}/requirements/3"),
        "/problems/too-large".into(),
        crate::web::assets::url("style.css"),
        crate::web::assets::url("live.js"),
        crate::web::assets::url("icon.svg"),
        "/openapi.json".into(),
        "/livez".into(),
        "/readyz".into(),
        "/version".into(),
        "/api/v1/jobs".into(),
        format!("/api/v1/jobs/{job}"),
        format!("/api/v1/jobs/{job}/events"),
        format!("/api/v1/jobs/{job}/results"),
        format!("/api/v1/jobs/{job}/results/1"),
        format!("/api/v1/jobs/{job}/report.json"),
        format!("/api/v1/jobs/{job}/report.html"),
        format!("/api/v1/jobs/{job}/results/1/trace.csv"),
        format!("/api/v1/programs/{program}"),
        format!("/api/v1/programs/{program}/import"),
    ];
    let post = [
        "/check".to_string(),
        "/samples/pump/booster".into(),
        format!("/programs/{program}/requirements"),
        format!("/runs/{job}/cancel"),
        "/csp-report".into(),
        "/api/v1/programs".into(),
        "/api/v1/jobs".into(),
        format!("/api/v1/jobs/{job}/cancel"),
    ];
    let get = get.into_iter().map(|path| (Method::GET, path));
    get.chain(post.into_iter().map(|path| (Method::POST, path))).collect()
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let (site, job) = Site::finished().await;
    let program = site.program().await;
    let mut all = addresses(&job, &program);
    all.extend([(Method::GET, "/nothing".into()), (Method::PUT, "/".into()), (Method::GET, "/problems/none".into())]);
    for (method, path) in all {
        let answer = site.send(request(method.clone(), &path, &[])).await;
        let csp = answer.header("content-security-policy");
        assert!(csp.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{method} {path}: {csp}");
        assert!(!csp.contains("unsafe"), "{path}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("access-control-allow-origin", ""),
            ("server", ""),
        ] {
            assert_eq!(answer.header(name), value, "{method} {path}");
        }
        assert_eq!(answer.header("x-request-id").len(), 36, "{path}");
        assert!(!answer.header("cache-control").is_empty(), "{path}");
        assert!(!answer.text.contains("style=\"") && !answer.text.contains(" onclick"), "{path}: inline style or script");
    }
}

#[tokio::test]
async fn other_sites_change_nothing() {
    let (site, job) = Site::finished().await;
    let program = site.program().await;
    let cases: [(&[(&str, &str)], bool); 7] = [
        (&[("sec-fetch-site", "cross-site"), ("host", "localhost:8080")], false),
        (&[("sec-fetch-site", "same-site"), ("host", "localhost:8080")], false),
        (&[("origin", "https://evil.example"), ("host", "localhost:8080")], false),
        (&[("origin", "null"), ("host", "localhost:8080")], false),
        (&[("sec-fetch-site", "same-origin"), ("host", "localhost:8080")], true),
        (&[("origin", "http://localhost:8080"), ("host", "localhost:8080")], true),
        (&[("host", "localhost:8080")], true),
    ];
    for (method, path) in addresses(&job, &program) {
        for (headers, allowed) in cases {
            let answer = site.send(request(method.clone(), &path, headers)).await;
            let refused = answer.status == 403;
            assert_eq!(refused, method == Method::POST && !allowed, "{method} {path} {headers:?}: {}", answer.status);
            if refused {
                assert!(answer.text.contains("another site"), "{}", answer.text);
            }
        }
    }
    // Reading changes nothing: as many jobs and programs as before.
    assert_eq!(site.get("/api/v1/jobs").await.json()["jobs"].as_array().unwrap().len(), 1);
}

/// Returns the rows of all tables but those of the service itself. Those hold who looked, what was read of a program, and a write
/// that `/readyz` tries. The key of the service is made when it is first asked for.
async fn stored(site: &Site) -> Vec<String> {
    let read = site.state.store.call(|c| {
        let mut tables = c.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'audit%' \
             AND name NOT IN ('health', 'imports', 'signing_key') ORDER BY name",
        )?;
        let names = tables.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        let mut all = Vec::new();
        for name in names {
            let mut rows = c.prepare(&format!("SELECT * FROM \"{name}\""))?;
            let width = rows.column_count();
            let mut found = rows.query([])?;
            while let Some(row) = found.next()? {
                let cells = (0..width).map(|n| row.get_ref(n).map(|cell| format!("{cell:?}")));
                all.push(format!("{name}: {}", cells.collect::<Result<Vec<_>, _>>()?.join(", ")));
            }
        }
        Ok(all)
    });
    read.await.unwrap()
}

#[tokio::test]
async fn every_route_has_the_headers_refuses_other_sites_and_changes_nothing_when_read() {
    let (site, job) = Site::finished().await;
    let program = site.program().await;
    let before = stored(&site).await;
    assert!(before.iter().any(|row| row.starts_with("jobs: ")), "{before:?}");
    for (method, route, _) in ROWS {
        let id = if route.contains("programs") { &program } else { &job };
        let path = example(&route.replace("{id}", id).replace("{page}", "01-first-check"));
        let foreign = [("sec-fetch-site", "cross-site"), ("host", "localhost:8080")];
        let answer = site.send(request(method.clone(), &path, &foreign)).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{method} {route}");
        assert!(answer.header("content-security-policy").starts_with("default-src 'none'"), "{method} {route}");
        assert_eq!(answer.header("access-control-allow-origin"), "", "{method} {route}");
        let is_refused = answer.status == 403 && answer.text.contains("another site");
        assert_eq!(is_refused, *method != Method::GET, "{method} {route}: {}", answer.status);
    }
    let after = stored(&site).await;
    let changed: Vec<&String> = after.iter().filter(|row| !before.contains(row)).collect();
    assert!(changed.is_empty() && after.len() == before.len(), "{changed:?}");
}

#[tokio::test]
async fn names_of_other_hosts_read_nothing() {
    let site = Site::with(&crate::report::example::booster(), |config| {
        ["PLC-check.plant:8080", " ", ""].into_iter().for_each(|name| config.allow_host(name));
    });
    for (host, status) in
        [("plc-check.plant:8080", 200), ("10.0.0.7", 200), ("evil.example", 421), ("plc-check.plant.evil", 421), ("", 421)]
    {
        for path in ["/", "/api/v1/jobs", "/readyz", "/openapi.json"] {
            let answer = site.send(request(Method::GET, path, &[("host", host)])).await;
            assert_eq!(answer.status, status, "{host} {path}");
            if status == 421 {
                assert!(answer.text.contains("is not a name of this service"), "{}", answer.text);
            }
        }
    }
}

async fn upload(site: &Site, bytes: usize) -> Answer {
    let text = "// a comment of a very large program\n".repeat(bytes / 37 + 1);
    site.multipart("/check", &[("file", Some("large.st"), &text.as_bytes()[..bytes])]).await
}

#[tokio::test]
async fn uploads_have_a_limit_and_say_so() {
    let site = Site::new();
    upload(&site, 512 << 10).await.is(303);
    upload(&site, (20 << 20) - 200).await.is(303);
    for megabytes in [21, 25, 30, 100] {
        let answer = upload(&site, megabytes << 20).await;
        answer.is(413).has(&["The upload is too large", "At most 20 MB"]);
    }
    let json = format!("{{\"files\":[{{\"name\":\"a.st\",\"text\":\"{}\"}}]}}", " ".repeat(25 << 20));
    assert_eq!(site.post("/api/v1/programs", "application/json", json).await.is(413).json()["type"], "/problems/too-large");
    // Other addresses have much smaller limits.
    let (media_type, body) = multipart(&[("file", Some("a.st"), &vec![b' '; 65 << 10])]);
    site.post("/samples/pump/booster", &media_type, body).await.is(413).has(&["At most 64 KB"]);
    site.get("/readyz").await.is(200);
}

#[tokio::test]
async fn a_body_without_a_length_or_an_end_is_answered() {
    let site = Site::new();
    let endless = |megabytes: usize| {
        let (sender, receiver) = tokio::sync::mpsc::channel(2);
        tokio::spawn(async move {
            for _ in 0..megabytes {
                let chunk: Result<Bytes, std::io::Error> = Ok(Bytes::from(vec![b'x'; 1 << 20]));
                if sender.send(chunk).await.is_err() {
                    return;
                }
            }
        });
        Body::from_stream(ReceiverStream::new(receiver))
    };
    for megabytes in [21, 60, 1_000_000] {
        site.post("/check", "multipart/form-data; boundary=XX", endless(megabytes)).await.is(413);
    }
    let cut: Result<Bytes, std::io::Error> = Err(std::io::ErrorKind::ConnectionReset.into());
    site.post("/check", "multipart/form-data; boundary=XX", Body::from_stream(tokio_stream::iter([cut]))).await.is(400);
    let lying = Request::post("/check").header("content-length", "999999999999").body(Body::empty()).unwrap();
    site.send(lying).await.is(413);
    site.multipart("/check", &[("file", Some("a.st"), b"PROGRAM a END_PROGRAM")]).await.is(303);
}

/// Text that breaks pages that do not escape it.
const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}]]>--></textarea></title></svg>";

/// Returns the example with hostile text in every string.
fn hostile() -> Outcome {
    fn poison(value: &mut serde_json::Value, key: &str) {
        match value {
            serde_json::Value::String(text) => {
                let keep =
                    ["verdict", "role", "severity", "treatment", "sha256", "kind", "fate"].contains(&key) || text == "TRUE";
                if !keep {
                    text.push_str(HOSTILE);
                }
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(|v| poison(v, key)),
            serde_json::Value::Object(fields) => fields.iter_mut().for_each(|(key, v)| poison(v, key)),
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
        }
    }
    let mut value = serde_json::to_value(crate::report::example::booster()).unwrap();
    poison(&mut value, "");
    serde_json::from_value(value).unwrap()
}

#[tokio::test]
async fn nothing_of_the_users_becomes_markup() {
    let site = Site::with(&hostile(), |_| {});
    let file_name = HOSTILE.replace('"', "").replace('/', "_");
    let parts = [("file", Some(file_name.as_str()), HOSTILE.as_bytes()), ("label", None, HOSTILE.as_bytes())];
    let program = site.multipart("/check", &parts).await.is(303).header("location").to_string();
    let more = [
        ("r0-kind", "pattern-forbidden"),
        ("r0-part0", HOSTILE),
        ("r0-id", HOSTILE),
        ("r0-text", HOSTILE),
        ("a0-expr", HOSTILE),
        ("entry", HOSTILE),
        ("cycle", "100ms"),
    ];
    let built: Vec<_> = more.iter().copied().chain([("b0-left", HOSTILE), ("b0-right-2", HOSTILE)]).collect();
    let mut pages = vec![site.get(&program).await];
    for action in ["add-blank", "add-built", "preview", "yaml"] {
        let entered = if action == "yaml" { &more[..] } else { &built };
        let fields: Vec<_> = entered.iter().copied().chain([("action", action)]).collect();
        pages.push(site.form(&format!("{program}/requirements"), &fields).await);
    }
    // A part of a page, without a head.
    let part = site.form(&format!("{program}/preview"), &built).await;
    assert!(
        part.is(200).text.contains("b0-left") && !part.text.contains("<script") && !part.text.contains("<img"),
        "{}",
        part.text
    );
    let bad_cycle: Vec<_> =
        more.iter().copied().filter(|(n, _)| *n != "cycle").chain([("cycle", HOSTILE), ("action", "start")]).collect();
    pages.push(site.form(&format!("{program}/requirements"), &bad_cycle).await);
    let nonsense: Vec<_> = more.iter().copied().chain([("a1-expr", "Unfit"), ("action", "start")]).collect();
    pages.push(site.form(&format!("{program}/requirements"), &nonsense).await);
    let bad_yaml = [("mode", "yaml"), ("yaml", HOSTILE), ("action", "start")];
    pages.push(site.form(&format!("{program}/requirements"), &bad_yaml).await);
    let start: Vec<_> = more.iter().copied().chain([("action", "start")]).collect();
    let started = site.form(&format!("{program}/requirements"), &start).await;
    let run = started.is(303).header("location").to_string();
    pages.push(site.get(&run).await);
    site.work();
    assert_eq!(site.ended(run.rsplit('/').next().unwrap()).await, "succeeded");
    pages.push(site.get(&run).await);
    pages.push(site.get("/").await);
    for n in 1..=8 {
        pages.push(site.get(&format!("{run}/requirements/{n}")).await);
        pages.push(site.get(&format!("{run}/requirements/{n}?cycle=1&all=1")).await);
    }
    pages.push(site.get("/programs/%3Cscript%3Ealert(1)%3C%2Fscript%3E").await);
    pages.push(site.get("/runs/%22%3E%3Cimg%20src=x%3E").await);
    let mut seen = 0;
    for page in pages {
        assert!(page.header("content-type").starts_with("text/html"), "{}", page.text);
        let text = page.text.replace("<script type=\"module\" src=\"/static/", "");
        for markup in ["<script", "<img", "</textarea></title>", "49]]>"] {
            assert!(!text.contains(markup), "{markup} in\n{text}");
        }
        // Each element occurs once: the text did not close the element around it.
        for once in ["</title>\n<link", "<main", "</main>", "</html>"] {
            assert_eq!(text.matches(once).count(), 1, "{once} in\n{text}");
        }
        seen += usize::from(text.contains("&#60;script&#62;"));
    }
    assert!(20 < seen, "the hostile text is on {seen} pages");
}

#[tokio::test]
async fn paths_that_climb_find_nothing() {
    let (site, _) = Site::finished().await;
    for path in [
        "/static/../Cargo.toml",
        "/static/..%2f..%2fCargo.toml",
        "/static/%00",
        "/static/style.css",
        "/static/con",
        "/problems/..%2f..%2fetc%2fpasswd",
        "/runs/..%2f..%2fetc",
        "//etc/passwd",
        "/programs/%ff%fe",
    ] {
        let answer = site.get(path).await;
        assert!(answer.status == 404 || answer.status == 400, "{path}: {}", answer.status);
    }
}

#[tokio::test]
async fn failures_are_documents_for_programs_and_pages_for_people() {
    let site = Site::new();
    let check = async |path: &str, accept: &str, media_type: &str| {
        let answer = site.send(request(Method::GET, path, &[("accept", accept)])).await;
        assert!(answer.header("content-type").starts_with(media_type), "{path} {accept}");
        assert!(answer.text.contains(answer.header("x-request-id")), "{}", answer.text);
    };
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    check("/nothing", browser, "text/html").await;
    check("/nothing", "application/json", "application/problem+json").await;
    check("/api/v1/nothing", browser, "application/problem+json").await;
    check("/runs/none", "*/*", "text/html").await;
    // An internal error is written to the log and not shown to the user.
    site.state.store.call(|c| Ok(c.execute_batch("ALTER TABLE jobs RENAME TO lost")?)).await.unwrap();
    let answer = site.get("/api/v1/jobs").await;
    assert_eq!(answer.is(500).json()["type"], "/problems/internal");
    assert!(!answer.text.contains("jobs: ") && !answer.text.contains("no such table"), "{}", answer.text);
    site.get("/").await.is(500).has(&["Internal error", "The log has a line"]);
}

#[tokio::test]
async fn a_policy_report_is_taken() {
    let site = Site::new();
    site.post("/csp-report", "application/csp-report", json!({ "csp-report": {} }).to_string()).await.is(204);
}

#[tokio::test]
async fn a_body_of_another_kind_is_named_as_such() {
    let site = Site::new();
    let project = site.json("/api/v1/projects", json!({ "name": "Press" })).await.is(201).json();
    let id = project["id"].as_str().unwrap();
    let versions = format!("/api/v1/projects/{id}/versions");
    for path in ["/check", versions.as_str(), &format!("/projects/{id}/versions"), "/api/v1/programs"] {
        site.post(path, "text/plain", "{}").await.is(415);
        // The right kind, but without the boundary that it needs.
        site.post(path, "multipart/form-data", "x").await.is(400);
    }
    site.json("/check", json!({})).await.is(415);
    let answer = site.json(&versions, json!({})).await;
    assert_eq!(answer.is(415).header("content-type"), "application/problem+json");
    assert_eq!(answer.json()["type"], "/problems/unsupported-media-type");
    // A form without files.
    site.json(&format!("/projects/{id}/settings"), json!({})).await.is(415);
}

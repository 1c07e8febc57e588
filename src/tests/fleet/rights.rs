//! TLS, credentials and rights at the broker, with the configuration that `docker/nats.conf` documents.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::process::{Nats, Server, TOKEN, agent, expected, pump, requirements, wait_for};

/// Writes a certificate of 127.0.0.1 and its key, and returns their files.
fn certificate(folder: &Path) -> (PathBuf, PathBuf) {
    let (cert, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"])
        .args(["-subj", "/CN=broker", "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-out")
        .arg(&cert)
        .arg("-keyout")
        .arg(&key)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    (cert, key)
}

/// Returns the documented configuration without its store, with passwords.
fn documented() -> String {
    let text = include_str!("../../../docker/nats.conf").replace("$SERVER_PASSWORD", "of-the-server");
    let text = text.replace("$AGENT_PASSWORD", "of-the-agents");
    let (before, rest) = text.split_once("jetstream {").unwrap();
    format!("{before}{}", rest.split_once("\n}\n").unwrap().1)
}

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn flags(credentials: &str, ca: &str) -> Vec<String> {
    ["--broker-credentials", credentials, "--broker-ca", ca].map(str::to_owned).into()
}

/// Bytes after which the broker waits for a word of the reader: a sixteenth of 32 MiB.
const STEP: usize = 2 << 20;

/// Returns a program whose violation takes 500 cycles, with 30 inputs of long names each.
fn counter() -> String {
    let inputs: Vec<String> = (0..30).map(|n| format!("x{n}_{}", "a".repeat(200))).collect();
    format!(
        "PROGRAM P\nVAR_INPUT {} : BOOL; END_VAR\nVAR n : INT; END_VAR\n\
         IF n < 500 AND NOT ({}) THEN n := n + 1; END_IF\nEND_PROGRAM\n",
        inputs.join(", "),
        inputs.join(" AND "),
    )
}

/// Returns the size of the largest object at the broker.
fn largest_object(url: &str, cert: &Path) -> usize {
    use tokio_stream::StreamExt as _;
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let options = async_nats::ConnectOptions::with_user_and_password("server".into(), "of-the-server".into());
        let options = options.add_root_certificates(cert.to_owned()).custom_inbox_prefix("_INBOX.scanproof");
        let context = async_nats::jetstream::new(options.connect(url).await.unwrap());
        let bucket = context.get_object_store("scanproof-files").await.unwrap();
        let objects: Vec<_> = bucket.list().await.unwrap().collect().await;
        objects.into_iter().map(|object| object.unwrap().size).max().unwrap()
    })
}

#[test]
fn a_fleet_works_over_tls_with_the_documented_rights_and_without_them_nothing_is_reached() {
    let dir = tempfile::tempdir().unwrap();
    let (cert, key) = certificate(dir.path());
    let tls = format!("tls {{\n cert_file: \"{}\"\n key_file: \"{}\"\n}}\n", cert.display(), key.display());
    let nats = Nats::with(dir.path(), &format!("{tls}{}", documented()));
    let url = nats.url().replace("nats://", "tls://");
    let ca = cert.display().to_string();
    let of_server = file(dir.path(), "server.txt", "server:of-the-server\n");
    let of_agent = file(dir.path(), "agent.txt", "agent:of-the-agents\n");
    let server = Server::start(&dir.path().join("data"), &url, &flags(&of_server, &ca));
    let _one = agent(dir.path(), "one", &url, &flags(&of_agent, &ca));
    // Sources and evidence that are larger than a message.
    let large = format!("{}(* {} *)\n", pump(1), "x".repeat(600 << 10));
    for text in [pump(1), large] {
        let job = server.job(&text, &requirements(1));
        assert_eq!(server.ended(&job, 40), "succeeded");
        assert_eq!(server.verdicts(&job), expected());
    }
    // Evidence of megabytes: the broker sends it in steps, each after a word of the reader.
    let long = server.job_at(&counter(), &json!({ "requirements": [{ "never": "n >= 500" }] }), 60, &json!({}));
    assert_eq!(server.ended(&long, 90), "succeeded");
    assert_eq!(server.verdicts(&long), [("R1".to_owned(), "violated".to_owned())]);
    let most = largest_object(&url, &cert);
    assert!(STEP < most, "{most}");
    // A bench has the rights of the service.
    std::fs::write(dir.path().join("pump.st"), pump(3)).unwrap();
    std::fs::write(dir.path().join("pump.yaml"), serde_json::to_string(&requirements(3)).unwrap()).unwrap();
    let bench = Command::new(env!("CARGO_BIN_EXE_scanproof"))
        .args(["bench", "pump.st", "-q", "--out", "out", "--broker", &url])
        .args(flags(&of_server, &ca))
        .env("SCANPROOF_FLEET_TOKEN", TOKEN)
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(bench.status.success(), "{}", String::from_utf8_lossy(&bench.stderr));
    // No step waited for a right that it lacks.
    let said = std::fs::read_to_string(nats.folder.join("log")).unwrap();
    assert!(!said.contains("Violation"), "{said}");
    // The credentials of an agent make no server: no stream is made or deleted, no report is read.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let options = async_nats::ConnectOptions::with_user_and_password("agent".into(), "of-the-agents".into());
        let client =
            options.add_root_certificates(cert.clone()).custom_inbox_prefix("_INBOX.scanproof").connect(&url).await.unwrap();
        let second = std::time::Duration::from_secs(1);
        let context = async_nats::jetstream::ContextBuilder::new().timeout(second).ack_timeout(second).build(client);
        assert!(context.delete_stream("SCANPROOF_JOBS").await.is_err());
        assert!(context.create_stream("other").await.is_err());
        assert!(context.get_stream("SCANPROOF_REPORTS").await.is_err());
        let forged = context.publish("scanproof.job.x.y.1", "x".into()).await;
        assert!(match forged {
            Ok(confirmed) => confirmed.await.is_err(),
            Err(_) => true,
        });
    });
    let job = server.job(&pump(2), &requirements(2));
    assert_eq!(server.ended(&job, 40), "succeeded");
    // Without credentials, with a certificate that is not trusted, or with another token nothing is reached.
    let log = |agent_flags: &[String], token: &str, words: &str| {
        let said = dir.path().join("said");
        let mut child = Command::new(env!("CARGO_BIN_EXE_scanproof"))
            .args(["agent", "--name", "stranger", "--broker", &url, "--cache"])
            .arg(dir.path().join("cache-stranger"))
            .args(agent_flags)
            .env("SCANPROOF_FLEET_TOKEN", token)
            .env("SCANPROOF_LOG", "warn")
            .stderr(std::fs::File::create(&said).unwrap())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2500));
        let _ = child.kill();
        let _ = child.wait();
        let said = std::fs::read_to_string(said).unwrap();
        assert!(said.contains(words), "{words}: {said}");
        let agents = server.get("/api/v1/agents");
        agents["agents"].as_array().unwrap().iter().any(|row| row["name"] == "stranger")
    };
    let (other, _) = {
        let folder = dir.path().join("other");
        std::fs::create_dir(&folder).unwrap();
        certificate(&folder)
    };
    let other = other.display().to_string();
    let of_nobody = file(dir.path(), "nobody.txt", "agent:of-nobody\n");
    assert!(!log(&["--broker-ca".to_owned(), ca.clone()], TOKEN, "`broker-credentials` names the file of one"));
    assert!(!log(&flags(&of_nobody, &ca), TOKEN, &of_nobody));
    assert!(!log(&flags(&of_agent, &other), TOKEN, &other));
    assert!(!log(&flags(&of_agent, &ca), "another token of another fleet", "the service has another token"));
    wait_for("unreadable signs of life", 5, || (0.0 < server.metric("fleet_unreadable_messages_total")).then_some(()));
    assert!(log(&flags(&of_agent, &ca), TOKEN, ""));
}

#[test]
fn the_broker_and_the_disk_of_an_agent_hold_no_readable_source() {
    let dir = tempfile::tempdir().unwrap();
    let nats = Nats::start(dir.path());
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _one = agent(dir.path(), "one", &nats.url(), &[]);
    let text = format!("(* a word that is nowhere else: Quetzalcoatlus *)\n{}", pump(1));
    // A small text travels with its run, a large one is an object.
    let large = format!("{text}(* {} *)\n", "Quetzalcoatlus ".repeat(5000));
    for text in [&text, &large] {
        let job = server.job(text, &requirements(1));
        assert_eq!(server.ended(&job, 40), "succeeded");
    }
    let holds = |folder: &Path, word: &str| {
        let found = Command::new("grep").args(["-r", "-l", "-a", word]).arg(folder).output().unwrap();
        !found.stdout.is_empty()
    };
    assert!(holds(&dir.path().join("data"), "Quetzalcoatlus"));
    // The large text, and evidence of the run before.
    let kept = || std::fs::read_dir(dir.path().join("cache-one")).unwrap().count();
    let n_kept = kept();
    assert!((1..=2).contains(&n_kept), "{n_kept}");
    assert!(!holds(&dir.path().join("nats"), "Quetzalcoatlus") && !holds(&dir.path().join("cache-one"), "Quetzalcoatlus"));
    // Twice the same text travels once.
    let again = server.job(&large, &requirements(2));
    assert_eq!(server.ended(&again, 40), "succeeded");
    assert!(kept() <= n_kept + 1);
}

#[test]
fn settings_that_cannot_work_are_refused_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |args: &[&str], token: Option<&str>, words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scanproof"));
        command.args(args).env_remove("SCANPROOF_FLEET_TOKEN").current_dir(dir.path());
        token.iter().for_each(|token| {
            command.env("SCANPROOF_FLEET_TOKEN", token);
        });
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(words), "{args:?}: {said}");
    };
    refused(&["agent"], Some(TOKEN), "--broker names the broker");
    refused(&["agent", "--broker", "nats://127.0.0.1"], None, "needs the token of the fleet");
    refused(&["agent", "--broker", "nats://127.0.0.1"], Some("short"), "at least 24 characters");
    refused(&["agent", "--broker", "nats://a:b@127.0.0.1"], Some(TOKEN), "stand in a file");
    refused(&["agent", "--broker", "nats://127.0.0.1", "--name", "a.b"], Some(TOKEN), "letters, digits");
    refused(&["agent", "--broker", "nats://127.0.0.1", "--broker-credentials", "nowhere"], Some(TOKEN), "nowhere");
    for address in ["", "foo", "http://127.0.0.1", "127.0.0.1:4222"] {
        refused(&["agent", "--broker", address], Some(TOKEN), "nats://HOST:4222 or tls://HOST:4222");
        refused(&["serve", "--broker", address], Some(TOKEN), "nats://HOST:4222 or tls://HOST:4222");
    }
    let no_certificate = file(dir.path(), "ca.pem", "agent:word\n");
    let address = "tls://127.0.0.1";
    refused(&["agent", "--broker", address, "--broker-ca", &no_certificate], Some(TOKEN), "no certificate in PEM form");
    refused(&["serve", "--broker", "nats://127.0.0.1"], None, "needs the token of the fleet");
}

//! Benches whose cells the agents of a fleet measure.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use answer::VerdictWord::Holds;
use scanproof::fleet::agent::run as run_agent;
use scanproof::fleet::binary::fingerprint;
use scanproof::report::outcome::RequirementResult;
use tokio_util::sync::CancellationToken;

use super::process::{LONG, Nats, Process, Server, TOKEN, agent, expected, pump, requirements, wait_for};
use super::scripted::{runtime, says, scripted_agent};
use super::trust::{job as plain_job, own};

/// A model of Theta's text format whose error location is not reached, and one in which it is.
const SAFE: &str = "main process p {\n var x : int\n init loc A\n loc B\n error loc E\n A -> B { x := 0 }\n \
                    B -> B { x := 1 - x }\n B -> E { assume x = 2 }\n}\n";

/// Writes a suite with a proof, a violation, and two models; returns its folder.
fn suite(folder: &Path) -> PathBuf {
    let suite = folder.join("suite");
    std::fs::create_dir_all(&suite).unwrap();
    let write = |name: &str, text: &str| std::fs::write(suite.join(name), text).unwrap();
    write("pump.st", &pump(1));
    write("pump.yaml", &serde_json::to_string(&requirements(1)).unwrap());
    write("safe.cfa", SAFE);
    write("unsafe.cfa", &SAFE.replace("x = 2", "x = 1"));
    write("configs.yaml", "one: {engine: pdr}\ntwo: {engine: bmc}\n");
    suite
}

fn bench(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scanproof"));
    let suite = folder.join("suite");
    command.current_dir(&suite).args(["bench", "-q", "--configs", "configs.yaml"]).args(args);
    command.env("SCANPROOF_FLEET_TOKEN", TOKEN).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Returns fields of each measurement by the names of their columns.
fn rows(out: &Path, columns: &[&str]) -> Vec<Vec<String>> {
    let csv = std::fs::read_to_string(out.join("results.csv")).unwrap();
    let mut lines = csv.lines().map(|line| line.split('\t').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let at: Vec<usize> = columns.iter().map(|name| head.iter().position(|column| column == name).unwrap()).collect();
    lines.map(|row| at.iter().map(|at| row[*at].clone()).collect()).collect()
}

const ANSWERS: &[&str] = &["configuration", "name", "property", "status", "category"];

#[test]
fn a_bench_over_a_fleet_makes_the_table_of_one_machine() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path());
    let nats = Nats::start(dir.path());
    // A service has the same broker and the same agents.
    let server = Server::start(&dir.path().join("data"), &nats.url(), &[]);
    let _agents = ["one", "two"].map(|name| agent(dir.path(), name, &nats.url(), &[]));
    let (local, far) = (dir.path().join("local"), dir.path().join("far"));
    let paths = ["pump.st", "safe.cfa", "unsafe.cfa", "--repeat", "2", "--certificates"];
    let at_agents = bench(dir.path(), &[&paths[..], &["--out", far.to_str().unwrap(), "--broker", &nats.url()]].concat()).spawn();
    let job = server.job(&pump(2), &requirements(2));
    let at_agents = at_agents.unwrap().wait_with_output().unwrap();
    assert_eq!(server.ended(&job, 30), "succeeded");
    assert_eq!(server.verdicts(&job), expected());
    // Reports about cells are none about runs. On a slow machine the run has helpers, which may be late.
    assert_eq!(server.metric("fleet_unreadable_messages_total"), 0.0);
    assert_eq!(at_agents.status.code(), Some(0), "{}", text(&at_agents));
    let here = bench(dir.path(), &[&paths[..], &["--out", local.to_str().unwrap()]].concat()).output().unwrap();
    assert_eq!(here.status.code(), Some(0), "{}", text(&here));
    // Four cases, two configurations, twice.
    let table = rows(&far, ANSWERS);
    assert_eq!((&table, table.len()), (&rows(&local, ANSWERS), 16));
    let statuses: BTreeSet<String> = table.iter().map(|row| row[3].clone()).collect();
    assert!(statuses.contains("true") && statuses.contains("false"), "{statuses:?}");
    let hosts: BTreeSet<String> = rows(&far, &["host"]).into_iter().flatten().collect();
    assert_eq!(hosts, ["one", "two"].map(str::to_owned).into());
    assert!(rows(&far, &["cputime (s)"]).iter().all(|row| 0.0 < row[0].parse::<f64>().unwrap()));
    assert!(text(&at_agents).contains("measured by agents: one (") && text(&at_agents).contains("certified here"));
    let page = std::fs::read_to_string(far.join("index.html")).unwrap();
    assert!(page.contains("Cells by agents: one ("), "{page}");
    // The machine stands where the agent does.
    let machine = rustix::system::uname().nodename().to_string_lossy().split('.').next().unwrap().to_owned();
    assert!(rows(&local, &["host"]).iter().all(|row| row[0] == machine));
}

/// Cells of one configuration that the agents of a test measure.
fn start(folder: &Path, nats: &Nats, more: &[&str]) -> Process {
    let url = nats.url();
    let args = [&["--broker", &url, "--broker-patience-s", "2", "--out", "out"], more].concat();
    let child = bench(folder, &args).stdout(Stdio::null()).stderr(std::fs::File::create(folder.join("said")).unwrap()).spawn();
    Process(child.unwrap())
}

fn said(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("said")).unwrap()
}

#[test]
fn a_cell_whose_agent_is_lost_is_given_to_another_and_other_builds_take_none() {
    let dir = tempfile::tempdir().unwrap();
    let out = suite(dir.path()).join("out");
    std::fs::write(dir.path().join("suite/long.st"), LONG).unwrap();
    std::fs::write(dir.path().join("suite/long.yaml"), "requirements: [{ never: x }]").unwrap();
    std::fs::write(dir.path().join("suite/configs.yaml"), "one: {engine: pdr}\n").unwrap();
    let mut nats = Nats::start(dir.path());
    // The program of this agent has the same version, and is another file.
    let other = dir.path().join("other-build");
    let mut bytes = std::fs::read(env!("CARGO_BIN_EXE_scanproof")).unwrap();
    bytes.push(0);
    std::fs::write(&other, bytes).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&other, mode).unwrap();
    let _other = Process(
        Command::new(&other)
            .args(["agent", "--slots", "1", "--name", "other", "--broker", &nats.url(), "--cache"])
            .arg(dir.path().join("cache-other"))
            .env("SCANPROOF_FLEET_TOKEN", TOKEN)
            .env("SCANPROOF_LOG", "error")
            .stdout(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let mut running = start(dir.path(), &nats, &["long.st", "pump.st", "--time", "6s"]);
    wait_for("the reason why cells wait", 15, || said(dir.path()).contains("another program file (1)").then_some(()));
    let mut lost = agent(dir.path(), "lost", &nats.url(), &[]);
    std::thread::sleep(std::time::Duration::from_millis(2500));
    // It has the long cell; the broker dies with it, and loses its disk.
    lost.kill();
    nats.kill();
    nats.lose_disk();
    nats.restart();
    let _next = agent(dir.path(), "next", &nats.url(), &[]);
    let status = wait_for("the end of the bench", 40, || running.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(0), "{}", said(dir.path()));
    let statuses: Vec<Vec<String>> = rows(&out, &["status", "host"]);
    // Short cells may have ended at the agent that was lost.
    assert_eq!(statuses.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(), ["TIMEOUT", "true", "false"]);
    assert_eq!(statuses[0][1], "next");
}

#[test]
fn an_agent_that_lies_about_cells_gets_no_answer_into_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let out = suite(dir.path()).join("out");
    std::fs::write(dir.path().join("suite/configs.yaml"), "one: {engine: pdr}\n").unwrap();
    let nats = Nats::start(dir.path());
    let verified = own(&plain_job(&pump(1), &serde_json::to_string(&requirements(1)).unwrap())).results;
    // The proof of one requirement for both.
    let proof = verified[0].certificate.clone();
    let forged = verified.into_iter().map(|one| RequirementResult { verdict: Holds, certificate: proof.clone(), ..one });
    let binary = fingerprint(Path::new(env!("CARGO_BIN_EXE_scanproof"))).unwrap();
    let settings = scripted_agent(dir.path(), "liar", &nats.url(), &says(forged.collect()), "");
    let settings = scanproof::fleet::agent::AgentSettings { binary, ..settings };
    let (runtime, drain) = (runtime(), CancellationToken::new());
    let liar = runtime.spawn(run_agent(settings, drain.clone()));
    let output = bench(dir.path(), &["pump.st", "--out", "out", "--broker", &nats.url()]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("REFUSED: one pump.st idle: agent liar says true, and its evidence does not show it"));
    let answers: Vec<Vec<String>> = rows(&out, &["property", "status"]);
    assert_eq!(answers, [["bounded", "true"], ["idle", "ERROR"]]);
    drain.cancel();
    runtime.block_on(liar).unwrap().unwrap();
    // A bench that is stopped leaves nothing in the queue.
    let mut stopped = start(dir.path(), &nats, &["pump.st"]);
    wait_for("the reason why cells wait", 15, || said(dir.path()).contains("no agent takes cells").then_some(()));
    stopped.signal("TERM");
    let status = wait_for("the end of the bench", 15, || stopped.0.try_wait().unwrap());
    assert_eq!(status.code(), Some(130));
    let n_left = runtime.block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(nats.url()).await.unwrap());
        let messages = |name: &'static str| {
            let context = context.clone();
            async move { context.get_stream(name).await.unwrap().info().await.unwrap().state.messages }
        };
        messages("SCANPROOF_JOBS").await + messages("SCANPROOF_CELLS").await
    });
    assert_eq!(n_left, 0);
}

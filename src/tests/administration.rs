//! The service as an administrator starts it: who can reach it, its settings, its log, its demo, TLS.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

const PASSWORD: &str = "a long sentence";

fn scanproof(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scanproof"));
    command.args(args).env_remove("SCANPROOF_LISTEN");
    command
}

/// Returns the exit code and everything that was printed.
fn run(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// A service, with its log.
struct Serving {
    process: Child,
    origin: String,
    log: std::path::PathBuf,
}

impl Serving {
    fn start(folder: &Path, args: &[&str]) -> Serving {
        let log = folder.join("log");
        let mut process = scanproof(&["serve", "--listen", "127.0.0.1:0"])
            .args(args)
            .env("SCANPROOF_LOG", "trace")
            .env("TMPDIR", folder)
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let origin = line.trim().strip_prefix("Scanproof serves ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Serving { process, origin, log }
    }

    /// Returns the whole answer to a form, or to a GET without one.
    fn send(&self, path: &str, cookie: &str, form: Option<&str>) -> String {
        let address = self.origin.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let (method, body) = form.map_or(("GET", ""), |form| ("POST", form));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Ends the service as a system would, and returns its log.
    fn end(mut self) -> String {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
        assert!(self.process.wait().unwrap().success());
        std::fs::read_to_string(&self.log).unwrap()
    }
}

fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    text.split_once(begin).unwrap_or_else(|| panic!("no `{begin}` in {text}")).1.split_once(end).unwrap().0
}

#[test]
fn a_service_that_others_reach_needs_a_decision() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    let (code, said) = run(&mut scanproof(&["serve", "--listen", "0.0.0.0:0", "--data", data]));
    assert_eq!(code, Some(2), "{said}");
    for words in ["other machines can reach 0.0.0.0:0", "--accounts", "--open", "--listen 127.0.0.1:0"] {
        assert!(said.contains(words), "{said}");
    }
    assert!(!Path::new(data).exists(), "nothing is made");
    // A folder with users is not opened to all by a forgotten flag.
    let mut create = scanproof(&["admin", "create", "--data", data, "anna"]);
    let mut child = create.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(PASSWORD.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let (code, said) = run(&mut scanproof(&["serve", "--listen", "127.0.0.1:0", "--data", data]));
    assert!(code == Some(1) && said.contains("has users") && said.contains("--accounts"), "{said}");
}

#[test]
fn a_demo_says_what_it_is_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let service = Serving::start(folder.path(), &["--demo"]);
    assert!(service.send("/", "", None).contains("All data is thrown away when the service ends."));
    let made = || {
        std::fs::read_dir(folder.path()).unwrap().flatten().filter(|e| e.file_name().to_string_lossy().contains("demo")).count()
    };
    assert_eq!(made(), 1);
    service.end();
    assert_eq!(made(), 0);
    let (code, said) = run(&mut scanproof(&["serve", "--demo", "--data", "kept"]));
    assert!(code == Some(2) && said.contains("--demo keeps nothing"), "{said}");
}

#[test]
fn settings_are_shown_with_their_sources() {
    let folder = tempfile::tempdir().unwrap();
    let [file, secret] = ["scanproof.toml", "token"].map(|name| folder.path().join(name));
    std::fs::write(&file, "# hall 3\nworkers = 3\nopen = true\n").unwrap();
    std::fs::write(&secret, "a-token-for-metrics\n").unwrap();
    let mut show = scanproof(&["config", "show", "--open=false", "--kept-mb", "7"]);
    show.env("SCANPROOF_CONFIG", &file).env("SCANPROOF_METRICS_TOKEN_FILE", &secret).env("SCANPROOF_PROXY", "10.0.0.1,10.0.0.2");
    let (code, said) = run(&mut show);
    assert_eq!(code, Some(0), "{said}");
    for line in [
        "listen = \"127.0.0.1:8080\"  # default",
        &format!("workers = 3  # {} line 2", file.display()),
        "open = false  # flag --open",
        "kept-mb = 7  # flag --kept-mb",
        "proxy = [\"10.0.0.1\", \"10.0.0.2\"]  # environment SCANPROOF_PROXY",
        "# metrics-token: hidden  # environment SCANPROOF_METRICS_TOKEN_FILE",
    ] {
        assert!(said.lines().any(|found| found == line), "{line}:\n{said}");
    }
    assert!(!said.contains("a-token-for-metrics"));
    std::fs::write(&file, "workers = 3\n\nwokers = 4\n").unwrap();
    for command in [["config", "show"].as_slice(), &["serve"]] {
        let (code, said) = run(scanproof(command).env("SCANPROOF_CONFIG", &file));
        assert!(code == Some(2) && said.contains("scanproof.toml line 3: there is no setting `wokers`"), "{said}");
    }
}

#[test]
fn no_secret_is_in_the_log_and_the_audit_log_shows_tampering() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Serving::start(folder.path(), &["--accounts", "--data", data.to_str().unwrap()]);
    let code = std::fs::read_to_string(data.join("setup-code")).unwrap();
    let encoded = PASSWORD.replace(' ', "+");
    let made = service.send("/setup", "", Some(&format!("code={}&name=anna&password={encoded}", code.trim())));
    let cookie = between(&made, "set-cookie: ", ";").to_owned();
    let page = service.send("/account/tokens", &cookie, Some("label=ci&scope=admin&days=9"));
    let token = between(&page, "<code id=\"token\">", "<").to_owned();
    let page = service.send("/users", &cookie, Some("name=bert&role=engineer"));
    let user_code = between(&page, "<code id=\"code\">", "<").to_owned();
    service.send("/code", "", Some(&format!("name=bert&code={user_code}&new-password={encoded}&repeated={encoded}")));
    service.send("/login", "", Some("name=bert&password=wrong+password"));
    service.send(&format!("/?next={}", "x"), &cookie, None);
    let log = service.end();
    assert!(log.contains("POST /login 403"), "{log}");
    let session = cookie.split_once('=').unwrap().1;
    for secret in [PASSWORD, &encoded, session, token.rsplit('_').next().unwrap(), &user_code, "wrong password", "wrong+password"]
    {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    let mut diagnostics = scanproof(&["diagnostics", "--data", data.to_str().unwrap()]);
    let (status, said) = run(diagnostics.env("SCANPROOF_METRICS_TOKEN", "a-token-for-metrics"));
    assert_eq!(status, Some(0), "{said}");
    for words in ["== machine", "all pages are whole", "rows of users: 2", "audit log: whole, 6 rows", "# metrics-token: hidden"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    for secret in ["a-token-for-metrics", PASSWORD, session, &token, &user_code, "anna", "bert", "argon2"] {
        assert!(!said.contains(secret), "{secret} is in the diagnostics");
    }
    let file = folder.path().join("facts.txt");
    let facts = ["diagnostics", "--data", data.to_str().unwrap(), "--out", file.to_str().unwrap()];
    assert_eq!(run(&mut scanproof(&facts)).0, Some(0));
    assert!(std::fs::read_to_string(&file).unwrap().contains("== machine"));
    let verify = |more: &[&str]| run(scanproof(&["audit", "verify", "--data", data.to_str().unwrap()]).args(more));
    let (status, said) = verify(&[]);
    assert!(status == Some(0) && said.contains("the audit log is whole: 6 rows, the newest is 6:"), "{said}");
    let newest = between(&said, "the newest is ", "\n").to_owned();
    assert_eq!(verify(&["--known", &newest]).0, Some(0));
    let database = rusqlite::Connection::open(data.join("scanproof.db")).unwrap();
    database.execute("UPDATE audit SET who = 'eve' WHERE number = 3", []).unwrap();
    let (status, said) = verify(&[]);
    assert!(status == Some(40) && said.contains("tampered with: row 3 was changed"), "{said}");
}

#[test]
fn a_self_signed_service_speaks_tls_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let service = Serving::start(folder.path(), &["--tls-self-signed", "--data", data.to_str().unwrap()]);
    let address = service.origin.strip_prefix("https://").unwrap();
    let mut plain = TcpStream::connect(address).unwrap();
    plain.write_all(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    let certificate = data.join("tls-certificate.pem");
    let health = |more: &[&str]| run(scanproof(&["healthcheck", "--listen", address]).args(more));
    let known = ["--tls-cert", certificate.to_str().unwrap()];
    assert_eq!(health(&known), (Some(0), "ready\n".into()));
    let (code, said) = health(&[&known[..], &["--name", "other.example"]].concat());
    assert!(code == Some(1) && said.contains("not ready"), "{said}");
    assert_eq!(health(&[]).0, Some(1));
    assert_eq!(health(&["--tls-cert", "/nowhere.pem"]).0, Some(3));
    let log = service.end();
    assert!(log.contains("SHA-256"), "{log}");
}

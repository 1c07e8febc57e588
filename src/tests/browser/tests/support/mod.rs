//! A service and a browser for one test: the real binary on a free port, Debian's Chromium behind its driver.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thirtyfour::prelude::*;
use thirtyfour::{ChromiumLikeCapabilities, support};

/// Longest time for one action; the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// A running service.
pub(crate) struct Service {
    pub(crate) origin: String,
    pub(crate) log: Arc<Mutex<String>>,
    process: Child,
    data: tempfile::TempDir,
    flags: Vec<String>,
}

/// Returns a port that no one listens at.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Service {
    /// Returns the binary beside this test, on an empty data directory.
    pub(crate) fn start() -> Service {
        Service::start_with(&[])
    }

    /// Returns the same with more flags.
    pub(crate) fn start_with(flags: &[&str]) -> Service {
        Service::start_at(0, flags)
    }

    /// Returns the same at a port; 0 takes one that is free.
    pub(crate) fn start_at(port: u16, flags: &[&str]) -> Service {
        Service::start_in(tempfile::tempdir().unwrap(), port, flags)
    }

    /// Returns the same with users, each with a role and this password.
    pub(crate) fn start_with_users(users: &[(&str, &str)], password: &str) -> Service {
        let data = tempfile::tempdir().unwrap();
        for (name, role) in users {
            let mut command = Command::new(binary());
            command.args(["admin", "create", name, "--role", role, "--data"]).arg(data.path());
            let mut process = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
            writeln!(process.stdin.take().unwrap(), "{password}").unwrap();
            assert!(process.wait().unwrap().success());
        }
        Service::start_in(data, 0, &["--accounts"])
    }

    fn start_in(data: tempfile::TempDir, port: u16, flags: &[&str]) -> Service {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let log = Arc::new(Mutex::new(String::new()));
        let (process, origin) = run(port, &flags, data.path(), &log);
        Service { origin, log, process, data, flags }
    }

    /// Kills the service as a power cut does, and starts it again at the same address.
    pub(crate) fn kill_and_start(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        let port = self.address().rsplit_once(':').unwrap().1.parse().unwrap();
        (self.process, self.origin) = run(port, &self.flags, self.data.path(), &self.log);
    }

    fn address(&self) -> &str {
        self.origin.strip_prefix("http://").unwrap()
    }

    /// Returns status and body of an address, asked by a program with headers of its own.
    pub(crate) fn get(&self, path: &str, headers: &str) -> (u16, String) {
        self.ask("GET", path, headers, "")
    }

    /// Sends a document; returns status and body.
    pub(crate) fn post(&self, path: &str, body: &serde_json::Value) -> (u16, String) {
        self.ask("POST", path, "Content-Type: application/json\r\n", &body.to_string())
    }

    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let own = format!("Host: {}\r\nConnection: close\r\nContent-Length: {}\r\n", self.address(), body.len());
        stream.write_all(format!("{method} {path} HTTP/1.1\r\n{own}{headers}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// Returns the code of the first start.
    pub(crate) fn setup_code(&self) -> String {
        std::fs::read_to_string(self.data.path().join("setup-code")).unwrap().trim().to_owned()
    }

    /// Checks that no page broke the content security policy: browsers report it to the service, which logs it.
    pub(crate) fn assert_policy_kept(&self) {
        let log = self.log.lock().unwrap();
        assert!(!log.contains("content security policy"), "{log}");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        terminate(&mut self.process);
    }
}

/// Starts the binary beside this test; returns its process and its address.
fn run(port: u16, flags: &[String], data: &Path, log: &Arc<Mutex<String>>) -> (Child, String) {
    let is_demo = flags.iter().any(|flag| flag == "--demo");
    let mut process = Command::new(binary())
        .args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--workers", "1"])
        // A demo keeps nothing.
        .args(if is_demo { Vec::new() } else { vec![Path::new("--data"), data] })
        .args(flags)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{}: {e}; `cargo build` makes it", binary().display()));
    let origin = line_after(process.stdout.take().unwrap(), "Scanproof serves ");
    collect(process.stderr.take().unwrap(), Arc::clone(log));
    (process, origin)
}

/// Returns the folder of pictures for people to look at.
fn pictures() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(3).unwrap().join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn binary() -> PathBuf {
    // target/<profile>/deps/journey-…
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join("scanproof")
}

/// Returns the rest of the first line that begins with `start`.
fn line_after(output: ChildStdout, start: &str) -> String {
    let mut lines = BufReader::new(output).lines();
    let found = lines.by_ref().map_while(Result::ok).find_map(|line| line.split_once(start).map(|(_, rest)| rest.to_string()));
    // The pipe stays open, or its writer would be ended by it.
    std::thread::spawn(move || lines.for_each(drop));
    found.unwrap_or_else(|| panic!("no line with `{start}`"))
}

fn collect(output: ChildStderr, into: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let mut text = into.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
        }
    });
}

/// Asks a process to end, so that it ends its own children too.
fn terminate(process: &mut Child) {
    let _ = Command::new("kill").arg(process.id().to_string()).status();
    let _ = process.wait();
}

/// A browser.
pub(crate) struct Browser {
    pub(crate) driver: WebDriver,
    _chromedriver: Chromedriver,
}

struct Chromedriver {
    process: Child,
    _profile: tempfile::TempDir,
}

impl Drop for Chromedriver {
    fn drop(&mut self) {
        terminate(&mut self.process);
    }
}

/// Pages may run scripts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scripts {
    On,
    Off,
}

/// Colours that the reader prefers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    Light,
    Dark,
}

impl Browser {
    pub(crate) async fn open(scripts: Scripts) -> Browser {
        Browser::open_in(scripts, Colours::Light).await
    }

    pub(crate) async fn open_in(scripts: Scripts, colours: Colours) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("chromedriver: {e}; `make browser` installs it"));
        let port = line_after(process.stdout.take().unwrap(), "started successfully on port ");
        let chromedriver = Chromedriver { process, _profile: profile };
        let mut capabilities = DesiredCapabilities::chrome();
        let user_data = format!("--user-data-dir={}", chromedriver._profile.path().display());
        for flag in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,1000",
            &user_data,
        ] {
            capabilities.add_arg(flag).unwrap();
        }
        if colours == Colours::Dark {
            capabilities.add_arg("--blink-settings=preferredColorScheme=0").unwrap();
        }
        if scripts == Scripts::Off {
            let preferences = serde_json::json!({ "profile.managed_default_content_settings.javascript": 2 });
            capabilities.add_experimental_option("prefs", preferences).unwrap();
        }
        let driver = WebDriver::new(format!("http://127.0.0.1:{}", port.trim_end_matches('.')), capabilities).await.unwrap();
        Browser { driver, _chromedriver: chromedriver }
    }

    /// Returns the first element of a selector that says `text`, as soon as there is one. Pages change while we look: elements
    /// that go away under our eyes are looked for again.
    pub(crate) async fn find(&self, css: &str, text: &str) -> WebElement {
        let deadline = Instant::now() + PATIENCE;
        loop {
            for element in self.driver.find_all(By::Css(css)).await.unwrap_or_default() {
                if element.text().await.is_ok_and(|t| t.contains(text)) {
                    return element;
                }
            }
            assert!(Instant::now() < deadline, "no `{css}` with `{text}` on {}:\n{}", self.url().await, self.text().await);
            support::sleep(LOOK_AGAIN).await;
        }
    }

    /// Returns the first element of a selector.
    pub(crate) async fn one(&self, css: &str) -> WebElement {
        self.find(css, "").await
    }

    /// Clicks what says `text`. An element of the page before may go away between the look and the click: look again.
    pub(crate) async fn click(&self, css: &str, text: &str) {
        for _ in 0..3 {
            if self.find(css, text).await.click().await.is_ok() {
                return;
            }
        }
        self.find(css, text).await.click().await.unwrap();
    }

    /// Replaces what a field holds.
    pub(crate) async fn enter(&self, css: &str, text: &str) {
        for attempt in 0.. {
            let field = self.one(css).await;
            let entered = async {
                field.clear().await?;
                field.send_keys(text).await
            };
            match entered.await {
                Ok(()) => return,
                Err(e) => assert!(attempt < 3, "{css}: {e}"),
            }
        }
    }

    /// Returns the text of the page.
    pub(crate) async fn text(&self) -> String {
        match self.driver.find(By::Css("main")).await {
            Ok(main) => main.text().await.unwrap_or_default(),
            Err(_) => self.driver.source().await.unwrap_or_default(),
        }
    }

    pub(crate) async fn url(&self) -> String {
        self.driver.current_url().await.unwrap().to_string()
    }

    /// Moves an element to the top of the window. The driver does it, so that it works without scripts of the page.
    pub(crate) async fn show(&self, css: &str) {
        self.one(css).await;
        let script = "document.querySelector(arguments[0])?.scrollIntoView()";
        self.driver.execute(script, vec![css.into()]).await.unwrap();
    }

    /// Checks that the page does not scroll sideways: wide tables do so by themselves.
    pub(crate) async fn assert_fits(&self) {
        let script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
        let beyond: i64 = self.driver.execute(script, Vec::new()).await.unwrap().convert().unwrap();
        assert!(beyond <= 0, "{} is {beyond} pixels too wide", self.url().await);
    }

    /// Presses a key, wherever the focus is.
    pub(crate) async fn press(&self, keys: impl Into<TypingData>) {
        self.driver.action_chain().send_keys(keys).perform().await.unwrap();
    }

    /// Shows pages as a phone does, 390 pixels wide; or as before.
    pub(crate) async fn phone(&self, is_on: bool) {
        let tools = self.driver.cdp();
        let size = serde_json::json!({ "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": false });
        let (what, with) = if is_on {
            ("Emulation.setDeviceMetricsOverride", size)
        } else {
            ("Emulation.clearDeviceMetricsOverride", serde_json::json!({}))
        };
        tools.send_raw(what, with).await.unwrap();
    }

    /// Prefers colours, and shows pages as on a screen or on paper.
    pub(crate) async fn media(&self, colours: Colours, media: &str) {
        let scheme = if colours == Colours::Dark { "dark" } else { "light" };
        let features = serde_json::json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let with = serde_json::json!({ "media": media, "features": features });
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", with).await.unwrap();
    }

    /// Keeps a picture of the whole page, however long it is, for people to look at.
    pub(crate) async fn whole_picture(&self, name: &str) {
        let script = "const e = document.documentElement; return [e.clientWidth, Math.min(e.scrollHeight, 4000)]";
        let (width, height): (u32, u32) = self.driver.execute(script, Vec::new()).await.unwrap().convert().unwrap();
        let clip = serde_json::json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
        let with = serde_json::json!({ "captureBeyondViewport": true, "clip": clip });
        let answer = self.driver.cdp().send_raw("Page.captureScreenshot", with).await.unwrap();
        let bytes = STANDARD.decode(answer["data"].as_str().unwrap()).unwrap();
        std::fs::write(pictures().join(format!("{name}.png")), bytes).unwrap();
    }

    /// Keeps a picture for people to look at.
    pub(crate) async fn picture(&self, name: &str) {
        self.driver.screenshot(&pictures().join(format!("{name}.png"))).await.unwrap();
    }

    /// Keeps a picture of the guide: with `GUIDE_PICTURES` where the guide shows it, else beside the others.
    ///
    /// Returns the size of its file.
    pub(crate) async fn guide_picture(&self, name: &str) -> u64 {
        let path = if std::env::var_os("GUIDE_PICTURES").is_some() {
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../docs/guide/pictures/{name}.png"))
        } else {
            pictures().join(format!("guide-{name}.png"))
        };
        self.driver.screenshot(&path).await.unwrap();
        path.metadata().unwrap().len()
    }

    /// Checks that everything on the page came from the service: a plant has no internet.
    pub(crate) async fn assert_only_from(&self, origin: &str) {
        let script = "return performance.getEntriesByType('resource').map(e => e.name)";
        let names: Vec<String> = self.driver.execute(script, Vec::new()).await.unwrap().convert().unwrap();
        assert!(!names.is_empty() && names.iter().all(|n| n.starts_with(origin)), "{names:?}");
    }

    /// Checks that the accessibility checker finds nothing.
    pub(crate) async fn assert_accessible(&self) {
        let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.tools/axe.min.js");
        let axe = std::fs::read_to_string(&axe).unwrap_or_else(|e| panic!("{}: {e}; `.ci/axe` fetches it", axe.display()));
        self.driver.execute(axe, Vec::new()).await.unwrap();
        let run = "const done = arguments[arguments.length - 1]; axe.run({ resultTypes: ['violations'] }).then(\
            r => done(r.violations.flatMap(v => v.nodes.map(n => `${v.id}: ${n.target} ${n.failureSummary}`))), e => done([String(e)]))";
        let found: Vec<String> = self.driver.execute_async(run, Vec::new()).await.unwrap().convert().unwrap();
        assert!(found.is_empty(), "{}:\n{}", self.url().await, found.join("\n\n"));
    }

    pub(crate) async fn close(self) {
        self.driver.quit().await.unwrap();
    }
}

/// Waits a moment for something that does not happen.
pub(crate) async fn a_moment() {
    support::sleep(Duration::from_millis(400)).await;
}

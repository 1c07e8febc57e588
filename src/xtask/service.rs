//! A real service that a task starts, and requests to it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

const JSON: &str = "Content-Type: application/json\r\n";

/// A service that ends with its owner.
pub(crate) struct Service {
    process: Child,
    /// Host and port.
    pub(crate) address: String,
    /// Token of each request; empty without accounts.
    pub(crate) token: String,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Service {
    /// Starts the binary on a data folder, with further arguments.
    pub(crate) fn start(binary: &str, data: &Path, arguments: &[&str]) -> Result<Service, String> {
        let mut process = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(arguments)
            .env("SCANPROOF_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{binary}: {error}"))?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("the service has no output")?;
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        let address = line.trim().strip_prefix("Scanproof serves http://").map(str::to_owned);
        let address = address.ok_or_else(|| format!("the service said `{}`", line.trim()))?;
        Ok(Service { process, address, token: String::new() })
    }

    /// Sends JSON; returns the JSON of the answer.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.send("POST", path, JSON, body.to_string().as_bytes())
    }

    /// Sends a file in a form; returns the JSON of the answer.
    pub(crate) fn upload(&self, path: &str, name: &str, text: &str) -> Result<Value, String> {
        let body =
            format!("--part\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n--part--\r\n");
        self.send("POST", path, "Content-Type: multipart/form-data; boundary=part\r\n", body.as_bytes())
    }

    /// Reads JSON, once the run that it is about has ended.
    pub(crate) fn get_ended(&self, path: &str) -> Result<Value, String> {
        self.send("GET", path, "Prefer: wait=30\r\n", &[])
    }

    /// Sends JSON; returns the JSON of the answer, which comes once the run that it begins has ended.
    pub(crate) fn post_and_wait(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.send("POST", path, &format!("Prefer: wait=30\r\n{JSON}"), body.to_string().as_bytes())
    }

    fn send(&self, method: &str, path: &str, header: &str, body: &[u8]) -> Result<Value, String> {
        let header = match self.token.as_str() {
            "" => header.to_owned(),
            token => format!("{header}Authorization: Bearer {token}\r\n"),
        };
        let (status, answer) = send(&self.address, method, path, &header, body)?;
        let text = String::from_utf8_lossy(&answer);
        if 300 <= status {
            return Err(format!("{method} {path}: {status} {text}"));
        }
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }
}

/// Reads an address; returns the status and the body.
pub(crate) fn get(address: &str, path: &str) -> Result<(u16, Vec<u8>), String> {
    send(address, "GET", path, "", &[])
}

fn send(address: &str, method: &str, path: &str, header: &str, body: &[u8]) -> Result<(u16, Vec<u8>), String> {
    let mut stream = TcpStream::connect(address).map_err(|error| error.to_string())?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{header}Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(|error| error.to_string())?;
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").ok_or("the answer has no head")?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or("the answer has no status")?;
    Ok((status, answer.split_off(end + 4)))
}

/// Returns the id in an answer.
pub(crate) fn id(value: &Value) -> Result<String, String> {
    value["id"].as_str().map(str::to_owned).ok_or_else(|| format!("no id in {value}"))
}

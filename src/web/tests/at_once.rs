//! Uploads and streams that last: those of one client leave room for others. Over real connections.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::site::Site;
use crate::web::serving;

/// Addresses of two clients on this machine.
const GREEDY: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 3);

/// Serves a site, and returns its address.
fn served(site: &Site) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serving::serve(listener, site.router.clone(), (None, Duration::from_secs(30)), site.state.shutdown.clone()));
    address
}

/// Opens a connection from an address, and sends this much of a request.
async fn sent(from: Ipv4Addr, to: SocketAddr, text: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(IpAddr::V4(from), 0)).unwrap();
    let mut stream = socket.connect(to).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// Returns the head of an answer and what came with it; nothing if none comes for a while.
async fn answer(stream: &mut TcpStream, wait: Duration) -> String {
    let mut got = vec![0; 4096];
    match tokio::time::timeout(wait, stream.read(&mut got)).await {
        Ok(n) => String::from_utf8_lossy(&got[..n.unwrap()]).into_owned(),
        Err(_) => String::new(),
    }
}

fn upload(path: &str, body: &str, announced: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {announced}\r\n\r\n{body}"
    )
}

#[track_caller]
fn is_refused(answer: &str) {
    let lower = answer.to_ascii_lowercase();
    for part in ["http/1.1 429", "retry-after: 5", "application/problem+json", "/problems/too-many-at-once"] {
        assert!(lower.contains(part), "{part}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_uploads_of_one_client_leave_room_for_others() {
    let site = Site::new();
    let address = served(&site);
    let mut slow = Vec::new();
    for _ in 0..20 {
        slow.push(sent(GREEDY, address, &upload("/api/v1/programs", "{", 1000)).await);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let body = json!({ "files": [{ "name": "a.st", "text": "x" }] }).to_string();
    let began = Instant::now();
    let mut other = sent(OTHER, address, &upload("/api/v1/programs", &body, body.len())).await;
    let answered = answer(&mut other, Duration::from_secs(20)).await;
    assert!(answered.starts_with("HTTP/1.1 201"), "{answered}");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    // Those beyond the share are told so after a while; those within it may go on.
    let mut refused = 0;
    for stream in &mut slow {
        let answered = answer(stream, Duration::from_secs(if refused == 0 { 8 } else { 1 })).await;
        if !answered.is_empty() {
            is_refused(&answered);
            refused += 1;
        }
    }
    assert_eq!(refused, 17);
    // A connection that is gone gives its place back.
    drop(slow);
    let mut again = sent(GREEDY, address, &upload("/api/v1/programs", &body, body.len())).await;
    let answered = answer(&mut again, Duration::from_secs(20)).await;
    assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
    site.state.shutdown.cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_one_client_leave_room_for_others() {
    let site = Site::new();
    let job = site.job(json!({})).await;
    let address = served(&site);
    let follow = format!("GET /api/v1/jobs/{job}/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n");
    let (mut held, mut refused) = (Vec::new(), 0);
    for _ in 0..320 {
        let mut stream = sent(GREEDY, address, &follow).await;
        let answered = answer(&mut stream, Duration::from_secs(10)).await;
        if answered.starts_with("HTTP/1.1 200") {
            held.push(stream);
        } else {
            is_refused(&answered);
            refused += 1;
        }
    }
    assert_eq!((held.len(), refused), (50, 270));
    let mut other = sent(OTHER, address, &follow).await;
    assert!(answer(&mut other, Duration::from_secs(10)).await.starts_with("HTTP/1.1 200"));
    // Waiting answers take places of the same share: this one comes at once.
    let wait = format!("GET /api/v1/jobs/{job} HTTP/1.1\r\nHost: 127.0.0.1\r\nPrefer: wait=30\r\n\r\n");
    let mut waiting = sent(GREEDY, address, &wait).await;
    assert!(answer(&mut waiting, Duration::from_secs(10)).await.starts_with("HTTP/1.1 200"));
    // A page that is closed gives its place back.
    held.pop();
    let until = Instant::now() + Duration::from_secs(10);
    while !answer(&mut sent(GREEDY, address, &follow).await, Duration::from_secs(5)).await.starts_with("HTTP/1.1 200") {
        assert!(Instant::now() < until, "the place stays taken");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    site.state.shutdown.cancel();
}

#[tokio::test]
async fn an_upload_waits_a_while_for_others() {
    let site = Site::new();
    let upload =
        async || site.json("/api/v1/programs", json!({ "files": [{ "name": "a.st", "text": "x" }] })).await.status.as_u16();
    let hold = || ["a", "a", "a", "b", "b", "b", "c", "c"].map(|owner| site.state.uploads.try_acquire(owner).unwrap());
    let all = hold();
    let (status, ()) = tokio::join!(upload(), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        drop(all);
    });
    assert_eq!(status, 201);
    let _all = hold();
    assert_eq!(upload().await, 503);
}

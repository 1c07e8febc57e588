//! A page of an attacker, at another port and under another name, in the browser of an administrator who is logged in.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::support::{Browser, Scripts, Service};

/// Serves one page to everyone, at any address, with no policy of its own.
fn attacker(page: String) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, page) = (stream.unwrap(), page.clone());
            // A browser opens connections that it may use later: none of them waits for another.
            std::thread::spawn(move || {
                let _ = stream.read(&mut [0; 4096]);
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length";
                let _ = write!(stream, "{head}: {}\r\n\r\n{page}", page.len());
            });
        }
    });
    port
}

/// Requests that a page can send: forms, and scripts that ask for what they may not read.
fn page(origin: &str) -> String {
    let form = |n: usize, action: &str, kind: &str| {
        format!(
            "<form id=f{n} method=post enctype='{kind}' action='{origin}{action}'><input name=name value=mallory>\
             <input name=role value=admin><input name=label value=x><button>{n}</button></form>"
        )
    };
    let forms = [
        form(0, "/users", "application/x-www-form-urlencoded"),
        form(1, "/account/tokens", "application/x-www-form-urlencoded"),
        form(2, "/api/v1/users", "text/plain"),
        form(3, "/check", "multipart/form-data"),
        form(4, "/logout", "application/x-www-form-urlencoded"),
    ]
    .concat();
    format!(
        "<!doctype html><title>begun</title>{forms}<iframe src='{origin}/users'></iframe><script>\
         const send = (path, init) => fetch('{origin}' + path, {{ credentials: 'include', ...init }}).then(r => r.text()).catch(() => '');\
         const body = JSON.stringify({{ name: 'mallory', role: 'admin' }});\
         Promise.all([send('/api/v1/users', {{}}), send('/users', {{}}), send('/api/v1/users', {{ method: 'POST', mode: 'no-cors', body }}),\
         send('/api/v1/users', {{ method: 'POST', headers: {{ 'content-type': 'application/json' }}, body }})])\
         .then(read => document.title = 'read ' + read.join('').length);</script>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_an_attacker_reads_nothing_and_changes_nothing() {
    let service = Service::start_with(&["--accounts"]);
    let browser = Browser::open(Scripts::On).await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("[name=code]", &service.setup_code()).await;
    browser.enter("[name=name]", "anna").await;
    browser.enter("[name=password]", "a long sentence").await;
    browser.click("button", "Make the administrator").await;
    browser.click("nav a", "Users").await;
    browser.find("td, th", "anna").await;
    let port = attacker(page(&service.origin));
    // The same name with another port is the same site: cookies go along. Another name is another site.
    for host in ["127.0.0.1", "localhost"] {
        let address = format!("http://{host}:{port}/");
        for n in 0..5 {
            browser.driver.goto(&address).await.unwrap();
            let title = async || browser.driver.title().await.unwrap();
            while title().await == "begun" {
                crate::support::a_moment().await;
            }
            assert_eq!(title().await, "read 0", "{address}");
            browser.driver.enter_frame(0).await.unwrap();
            let framed = browser.driver.source().await.unwrap();
            assert!(!framed.contains("anna"), "{framed}");
            browser.driver.enter_default_frame().await.unwrap();
            browser.click(&format!("#f{n} button"), "").await;
            let body = if n == 2 { "pre" } else { "h1" };
            browser.find(body, "The request comes from another site").await;
        }
    }
    // Still logged in, with the same one user and no token.
    browser.driver.goto(format!("{}/users", service.origin)).await.unwrap();
    browser.find("td, th", "anna").await;
    assert!(!browser.text().await.contains("mallory"), "{}", browser.text().await);
    browser.driver.goto(format!("{}/account", service.origin)).await.unwrap();
    browser.find("p", "You have no token.").await;
    browser.close().await;
}

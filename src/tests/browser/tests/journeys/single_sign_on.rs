//! Log-in by the log-in service of a plant, which is another site: the way there and back, the role, the log-out, and refusals.

use log_in_service::{Provider, SECRET};
use serde_json::json;

use crate::support::{Browser, Scripts, Service, free_port};

/// Starts a log-in service under a name that is not the service's own: to the browser it is another site.
async fn provider() -> (Provider, String) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let issuer = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    let provider = Provider::new(issuer.clone());
    provider.ask();
    let router = provider.router();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (provider, issuer)
}

fn service(issuer: &str) -> Service {
    let port = free_port();
    let address = format!("http://127.0.0.1:{port}");
    let flags = ["--accounts", "--oidc-issuer", issuer, "--oidc-client-id", "scanproof", "--oidc-client-secret", SECRET];
    let names = ["--oidc-address", &address, "--oidc-title", "Plant log-in", "--oidc-roles-claim", "realm.roles"];
    let roles = ["--oidc-role", "plc-admins=admin", "--oidc-role", "plc-engineers=engineer"];
    Service::start_at(port, &[&flags[..], &names, &roles].concat())
}

/// Goes from the page to log in to the log-in service, and presses a button there.
async fn by_way_of_the_plant(browser: &Browser, button: &str) {
    browser.click("#other-way", "Log in with Plant log-in").await;
    browser.find("h1", "Log-in service of the plant").await;
    browser.click("button", button).await;
}

async fn log_out(browser: &Browser) {
    browser.click("header button", "Log out").await;
    browser.find("h1", "Log in").await;
}

async fn there_and_back(scripts: Scripts) {
    let (provider, issuer) = provider().await;
    let service = service(&issuer);
    let browser = Browser::open(scripts).await;
    let name = |page: &str| format!("{page}{}", if scripts == Scripts::On { "" } else { "-without-javascript" });
    let check = async || {
        if scripts == Scripts::On {
            browser.assert_accessible().await;
        }
    };
    // The first user has to be an administrator, by set-up code or by the log-in service.
    browser.driver.goto(&service.origin).await.unwrap();
    browser.find("h1", "First start").await;
    check().await;
    browser.picture(&name("sso-first-start")).await;
    browser.click("main a", "Plant log-in").await;
    browser.click("button", "Go on as anna").await;
    browser.find("[role=alert]", "The first user of this service has to be an administrator.").await;
    check().await;
    provider.claims(|claims| claims["realm"]["roles"] = json!(["plc-admins"]));
    by_way_of_the_plant(&browser, "Go on as anna").await;
    browser.find("h1", "What must never happen?").await;
    browser.click("header a", "anna").await;
    browser.find("#main", "Your role: Administrator").await;
    check().await;
    browser.picture(&name("sso-account")).await;
    browser.click("nav a", "Users").await;
    browser.find("tbody tr", "anna").await;
    log_out(&browser).await;
    browser.picture(&name("sso-log-in")).await;
    check().await;

    // The next log-in leads to the page that was asked for, with the role of that day.
    provider.claims(|claims| claims["realm"]["roles"] = json!(["plc-engineers"]));
    browser.driver.goto(format!("{}/projects", service.origin)).await.unwrap();
    by_way_of_the_plant(&browser, "Go on as anna").await;
    browser.find("h1", "Projects").await;
    browser.click("header a", "anna").await;
    browser.find("#main", "Your role: Engineer").await;
    browser.driver.goto(format!("{}/users", service.origin)).await.unwrap();
    browser.find("h1", "This user may not do that").await;
    log_out(&browser).await;

    // A person who does not go on there, one without a role, and one whose role was taken away.
    by_way_of_the_plant(&browser, "Do not go on").await;
    browser.find("[role=alert]", "Plant log-in did not log you in").await;
    check().await;
    browser.picture(&name("sso-denied")).await;
    for roles in [json!([]), json!(["visitors"])] {
        provider.claims(move |claims| claims["realm"]["roles"] = roles.clone());
        by_way_of_the_plant(&browser, "Go on as anna").await;
        browser.find("[role=alert]", "You have no role in this service. An administrator gives it in Plant log-in.").await;
        browser.find("h1", "Log in").await;
        check().await;
    }
    browser.picture(&name("sso-refused")).await;
    browser.driver.goto(format!("{}/projects", service.origin)).await.unwrap();
    browser.find("h1", "Log in").await;
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plant_logs_its_people_in_with_javascript() {
    there_and_back(Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plant_logs_its_people_in_without_javascript() {
    there_and_back(Scripts::Off).await;
}

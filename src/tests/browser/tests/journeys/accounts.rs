//! First start, a new user, the user's account: with JavaScript and without, in light and dark, wide and on a phone.

use crate::support::{Browser, Colours, Scripts, Service};

const PASSWORD: &str = "a long sentence";

async fn look(browser: &Browser, name: &str) {
    browser.driver.set_window_rect(0, 0, 1280, 1000).await.unwrap();
    browser.picture(name).await;
    browser.driver.set_window_rect(0, 0, 500, 900).await.unwrap();
    browser.picture(&format!("{name}-phone")).await;
    browser.driver.set_window_rect(0, 0, 1280, 1000).await.unwrap();
}

async fn log_in(browser: &Browser, name: &str) {
    browser.enter("[name=name]", name).await;
    browser.enter("[name=password]", PASSWORD).await;
    browser.click("main button", "Log in").await;
}

async fn from_first_start_to_token(scripts: Scripts, colours: Colours) {
    let service = Service::start_with(&["--accounts"]);
    let browser = Browser::open_in(scripts, colours).await;
    let mark = match (scripts, colours) {
        (Scripts::Off, _) => "-without-javascript",
        (Scripts::On, Colours::Dark) => "-dark",
        (Scripts::On, Colours::Light) => "",
    };
    let name = |page: &str| format!("{page}{mark}");
    let check = async || {
        if scripts == Scripts::On {
            browser.assert_accessible().await;
        }
    };
    browser.driver.goto(&service.origin).await.unwrap();
    browser.find("h1", "First start").await;
    check().await;
    browser.enter("[name=code]", &service.setup_code()).await;
    browser.enter("[name=name]", "anna").await;
    browser.enter("[name=password]", PASSWORD).await;
    browser.click("button", "Make the administrator").await;

    browser.click("nav a", "Users").await;
    browser.enter("#name", "anna").await;
    browser.click("label.check", "Engineer").await;
    browser.click("button.primary", "Add the user").await;
    browser.find(".error", "The name anna is taken").await;
    check().await;
    browser.enter("#name", "bert").await;
    browser.click("label.check", "Engineer").await;
    browser.click("button.primary", "Add the user").await;
    browser.find("h2", "One-time code of bert").await;
    let code = browser.one("#code").await.text().await.unwrap();
    check().await;
    look(&browser, &name("user")).await;
    browser.click(".crumbs a", "Users").await;
    browser.find("td", "has a code, no password yet").await;
    check().await;
    look(&browser, &name("users")).await;
    browser.click("header button", "Log out").await;
    browser.find("h1", "Log in").await;
    check().await;

    browser.click("a", "choose a password").await;
    browser.enter("#name", "bert").await;
    browser.enter("#code", "wrong").await;
    browser.enter("#new-password", PASSWORD).await;
    browser.enter("#repeated", PASSWORD).await;
    browser.click("button.primary", "Set the password").await;
    browser.find(".error", "do not fit").await;
    check().await;
    look(&browser, &name("code")).await;
    browser.enter("#code", &code).await;
    browser.enter("#new-password", PASSWORD).await;
    browser.enter("#repeated", PASSWORD).await;
    browser.click("button.primary", "Set the password").await;
    browser.find("h1", "What must never happen?").await;

    browser.click("header a", "bert").await;
    browser.enter("#label", "build server of line 3").await;
    browser.click("button", "Make the token").await;
    let token = format!("Authorization: Bearer {}\r\n", browser.find("#token", "sp_").await.text().await.unwrap());
    browser.find("tbody th", "build server of line 3").await;
    check().await;
    look(&browser, &name("account")).await;
    // A program uses it until it is revoked.
    assert_eq!(service.get("/api/v1/jobs", &token).0, 200);
    assert_eq!(service.get("/api/v1/jobs", "").0, 401);
    browser.driver.goto(format!("{}/account", service.origin)).await.unwrap();
    assert!(!browser.text().await.contains("sp_"), "a token is shown once");
    browser.click("button", "Revoke").await;
    browser.find("p", "You have no token.").await;
    assert_eq!(service.get("/api/v1/jobs", &token).0, 401);
    browser.enter("#password", "wrong").await;
    browser.enter("#new-password", "another long sentence").await;
    browser.enter("#repeated", "another long sentence").await;
    browser.click("button", "Change the password").await;
    browser.find(".error", "The current password is wrong.").await;
    check().await;
    // An engineer manages no users.
    browser.driver.goto(format!("{}/users", service.origin)).await.unwrap();
    browser.find("h1", "This user may not do that").await;
    browser.click("header button", "Log out").await;
    log_in(&browser, "anna").await;
    browser.click("nav a", "Audit log").await;
    browser.find("tbody td", "user added").await;
    check().await;
    look(&browser, &name("audit")).await;
    browser.enter("#who", "bert").await;
    browser.click("main button", "Show").await;
    browser.find("tbody td", "token revoked").await;
    assert!(!browser.text().await.contains("user added"));
    check().await;
    service.assert_policy_kept();
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_first_start_to_token_with_javascript() {
    from_first_start_to_token(Scripts::On, Colours::Light).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_first_start_to_token_in_dark() {
    from_first_start_to_token(Scripts::On, Colours::Dark).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_first_start_to_token_without_javascript() {
    from_first_start_to_token(Scripts::Off, Colours::Light).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_have_to_wait_and_a_forgotten_password_gets_in_later() {
    let service = Service::start_with(&["--accounts"]);
    let browser = Browser::open(Scripts::Off).await;
    browser.driver.goto(&service.origin).await.unwrap();
    browser.enter("[name=code]", &service.setup_code()).await;
    browser.enter("[name=name]", "anna").await;
    browser.enter("[name=password]", PASSWORD).await;
    browser.click("button", "Make the administrator").await;
    browser.click("header button", "Log out").await;
    // Someone else guesses.
    let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
    let log_in_as = |password: &str| service.ask("POST", "/login", kind, &format!("name=anna&password={password}"));
    let is_stopped = (0..20).any(|_| {
        let (status, body) = log_in_as("a+wrong+sentence");
        assert!(status != 303 && (body.contains("Name or password is wrong.") || body.contains("Too many tries")), "{body}");
        body.contains("Too many tries")
    });
    assert!(is_stopped, "20 guesses without a wait");
    log_in(&browser, "anna").await;
    browser.find("[role=alert]", "Too many tries. Wait ").await;
    look(&browser, "log-in-wait").await;
    // The right password counts again after the wait.
    for _ in 0..60 {
        log_in(&browser, "anna").await;
        crate::support::a_moment().await;
        browser.driver.goto(&service.origin).await.unwrap();
        if browser.find("h1", "").await.text().await.unwrap() != "Log in" {
            break;
        }
    }
    browser.find("h1", "What must never happen?").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_says_what_it_is_on_each_page() {
    for colours in [Colours::Light, Colours::Dark] {
        let service = Service::start_with(&["--demo"]);
        let browser = Browser::open_in(Scripts::On, colours).await;
        for path in ["", "/projects", "/nothing"] {
            browser.driver.goto(format!("{}{path}", service.origin)).await.unwrap();
            browser.find(".notice", "All data is thrown away").await;
            browser.assert_accessible().await;
        }
        browser.driver.goto(&service.origin).await.unwrap();
        look(&browser, if colours == Colours::Light { "demo" } else { "demo-dark" }).await;
        service.assert_policy_kept();
        browser.close().await;
    }
}

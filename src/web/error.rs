//! Errors of requests. One enum, one exhaustive match to the kinds of [`super::problem`];
//! the layer [`super::layers::explain`] makes `application/problem+json` (RFC 9457) or a page of it.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::problem::{self, ProblemKind};
use crate::report::outcome::{Finding, Problem};
use crate::store::StoreError;

/// Error of a request.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// No such thing.
    #[error("There is no {0}.")]
    NotFound(String),
    /// No such address.
    #[error("There is no such page.")]
    NoRoute,
    /// The address takes other methods.
    #[error("This address does not take the method {0}.")]
    Method(String),
    /// Cannot be read.
    #[error("{0}")]
    BadRequest(String),
    /// Neither JSON nor a form where one is expected.
    #[error("{0}")]
    MediaType(String),
    /// More bytes than this.
    #[error("At most {} fit here.", bytes(*.0))]
    TooLarge(usize),
    /// The body did not arrive in time.
    #[error("The body of the request did not arrive in time.")]
    TooSlow,
    /// From another site.
    #[error("The request was sent by a page of another site.")]
    CrossSite,
    /// No or bad credentials.
    #[error("Log in, or send a token in the header Authorization.")]
    NoUser,
    /// Not for this user.
    #[error("You are not allowed to do this.")]
    Forbidden,
    /// There are no users: the service is open to every request.
    #[error("This service has no accounts.")]
    NoAccounts,
    /// A user or a token cannot be made or changed like this.
    #[error("{0}")]
    User(String),
    /// The state of users forbids the change.
    #[error("{0}")]
    UserConflict(String),
    /// There is no user yet.
    #[error("The service has no administrator yet: open /setup in a browser.")]
    NotSetUp,
    /// For another host.
    #[error("`{0}` is not a name of this service.")]
    ForeignHost(String),
    /// An upload without a program.
    #[error("{0}")]
    NoProgram(String),
    /// Mistakes in the specification.
    #[error("{}", first(.0.iter().map(|p| p.message.as_str())))]
    Specification(Vec<Problem>),
    /// A counterexample cannot be kept like this.
    #[error("{0}")]
    NotKept(String),
    /// A choice of engine or options without meaning.
    #[error("{0}")]
    Strategy(String),
    /// A parameter of the address.
    #[error("{0}")]
    Parameter(String),
    /// The program's errors.
    #[error("{}", first(.0.iter().map(|f| f.message.as_str())))]
    Program(Vec<Finding>),
    /// The worker that reads programs gave up.
    #[error("{0}")]
    NotReadable(String),
    /// A job that has ended cannot be cancelled.
    #[error("The run has ended: {0}.")]
    Ended(&'static str),
    /// Something that cannot be deleted now.
    #[error("{0}")]
    NotDeletable(&'static str),
    /// The sender accepts no answer of the type that there is.
    #[error("The answer is {0}, and the header Accept does not name it.")]
    NotAcceptable(String),
    /// A request with the same key is at work.
    #[error("A request with this Idempotency-Key is at work. Send it again in a moment.")]
    KeyInUse,
    /// Another request had the same key.
    #[error("Another request had this Idempotency-Key. A new request needs a new key.")]
    KeyReused,
    /// The header that names the revision is absent.
    #[error("The header If-Match is absent: it names the ETag of what you have read.")]
    NoIfMatch,
    /// Changed after the sender had read it.
    #[error("It was changed after you had read it. Nothing was overwritten.")]
    Stale,
    /// There is no result yet.
    #[error("The run is {0}.")]
    NotEnded(&'static str),
    /// There is no result and never will be.
    #[error("{0}")]
    NoOutcome(String),
    /// Too many jobs of this owner wait.
    #[error("{0} of your runs wait already. Wait until some of them have ended, or cancel those that are not needed.")]
    ShareFull(u32),
    /// Too many bytes of this owner within a day.
    #[error("You may upload {} within 24 hours. The next upload of this size fits in {}.", bytes(*.0), wait(*.1))]
    UploadQuota(usize, u64),
    /// Too many bytes of this owner altogether.
    #[error("Your programs take {} of the {} that you may keep. Delete programs that are not needed, or ask an administrator.", bytes(*.0), bytes(*.1))]
    KeptQuota(usize, usize),
    /// Too many jobs wait.
    #[error("Too many runs wait in the queue.")]
    QueueFull,
    /// Too many uploads or streams of this owner.
    #[error("At most {0} requests of this kind of one user are answered at once.")]
    TooManyAtOnce(usize),
    /// Too many uploads or streams.
    #[error("Too many requests of this kind at once.")]
    Busy,
    /// The service is ending.
    #[error("The service is shutting down.")]
    Draining,
    /// Something that the service needs does not work.
    #[error("{0}")]
    NotReady(String),
    /// The database.
    #[error("{}", store_words(.0))]
    Store(#[from] StoreError),
    /// A defect of ours; the words are for the log only.
    #[error("An unexpected error inside this service.")]
    Internal(String),
}

/// Returns what a user may know of an error of the database.
fn store_words(error: &StoreError) -> &'static str {
    match error {
        StoreError::Sqlite(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull) => {
            "The disk of the data folder is full. Nothing was stored; free room on it and try again."
        }
        StoreError::Sqlite(_)
        | StoreError::Newer
        | StoreError::Migration(_)
        | StoreError::Directory { .. }
        | StoreError::Missing { .. }
        | StoreError::Unfit { .. }
        | StoreError::Exists { .. }
        | StoreError::InUse { .. }
        | StoreError::Closed
        | StoreError::Panicked
        | StoreError::Corrupt(_) => "The database did not do its part.",
    }
}

/// Returns whether an error of the database ends when its disk has room again, or another process lets go of it.
fn passes(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull};
    error.sqlite_error_code().is_some_and(|code| matches!(code, DiskFull | DatabaseBusy | DatabaseLocked))
}

fn wait(seconds: u64) -> String {
    if seconds < 3600 { format!("{} min", seconds.div_ceil(60)) } else { format!("{} h", seconds.div_ceil(3600)) }
}

fn bytes(n: usize) -> String {
    if n < 1 << 20 { format!("{} KB", n >> 10) } else { format!("{} MB", n >> 20) }
}

/// Returns the first of several messages, and how many there are.
fn first<'a>(messages: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = messages.collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [one, rest @ ..] => format!("{one} (and {} more)", rest.len()),
    }
}

/// One thing that is wrong, with its place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProblemItem {
    /// JSON pointer into the request's specification, or `/strategy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// File of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Code of the finding, `P####`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// One sentence.
    pub detail: String,
    /// Step to take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A problem as the API sends it (RFC 9457, `application/problem+json`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProblemDetails {
    /// Address of the page that explains this kind of problem.
    #[serde(rename = "type")]
    pub kind: String,
    /// A few words, the same for every problem of this kind.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// This problem, in a sentence.
    pub detail: String,
    /// The request: its id is in the log.
    pub instance: String,
    /// Each thing that is wrong, with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProblemItem>,
}

/// A [`WebError`] on its way through the layers, in the extensions of an otherwise empty response.
#[derive(Clone, Debug)]
pub(super) struct Failure(pub(super) Arc<WebError>);

impl WebError {
    /// Returns the kind of problem.
    pub fn kind(&self) -> ProblemKind {
        match self {
            WebError::NotFound(_) | WebError::NoRoute => problem::NOT_FOUND,
            WebError::Method(_) => problem::METHOD_NOT_ALLOWED,
            WebError::BadRequest(_) => problem::BAD_REQUEST,
            WebError::MediaType(_) => problem::UNSUPPORTED_MEDIA,
            WebError::TooLarge(_) => problem::TOO_LARGE,
            WebError::TooSlow => problem::TOO_SLOW,
            WebError::CrossSite => problem::CROSS_SITE,
            WebError::NoUser => problem::NO_USER,
            WebError::Forbidden => problem::NOT_ALLOWED,
            WebError::NoAccounts => problem::NO_ACCOUNTS,
            WebError::User(_) => problem::BAD_USER,
            WebError::UserConflict(_) => problem::USER_CONFLICT,
            WebError::NotSetUp => problem::NOT_SET_UP,
            WebError::ForeignHost(_) => problem::FOREIGN_HOST,
            WebError::NoProgram(_) => problem::NO_PROGRAM,
            WebError::Specification(_) => problem::BAD_SPECIFICATION,
            WebError::NotKept(_) => problem::NOT_KEPT,
            WebError::Strategy(_) => problem::BAD_STRATEGY,
            WebError::Parameter(_) => problem::BAD_PARAMETER,
            WebError::Program(_) => problem::PROGRAM_ERRORS,
            WebError::NotReadable(_) => problem::NOT_READABLE,
            WebError::Ended(_) => problem::CONFLICT,
            WebError::NotEnded(_) => problem::NOT_ENDED,
            WebError::NotDeletable(_) => problem::NOT_DELETABLE,
            WebError::NotAcceptable(_) => problem::NOT_ACCEPTABLE,
            WebError::KeyInUse => problem::KEY_IN_USE,
            WebError::KeyReused => problem::KEY_REUSED,
            WebError::NoIfMatch => problem::NO_IF_MATCH,
            WebError::Stale => problem::STALE,
            WebError::NoOutcome(_) => problem::NO_OUTCOME,
            WebError::ShareFull(_) | WebError::UploadQuota(..) => problem::QUOTA,
            WebError::KeptQuota(..) => problem::STORAGE_QUOTA,
            WebError::QueueFull => problem::QUEUE_FULL,
            WebError::TooManyAtOnce(_) => problem::TOO_MANY_AT_ONCE,
            WebError::Busy => problem::BUSY,
            WebError::Draining | WebError::NotReady(_) => problem::NOT_READY,
            WebError::Store(error) => match error {
                StoreError::Closed | StoreError::InUse { .. } => problem::NOT_READY,
                StoreError::Sqlite(error) if passes(error) => problem::NOT_READY,
                StoreError::Sqlite(_)
                | StoreError::Migration(_)
                | StoreError::Newer
                | StoreError::Directory { .. }
                | StoreError::Missing { .. }
                | StoreError::Unfit { .. }
                | StoreError::Exists { .. }
                | StoreError::Panicked
                | StoreError::Corrupt(_) => problem::INTERNAL,
            },
            WebError::Internal(_) => problem::INTERNAL,
        }
    }

    /// Returns text for the log alone: the user must not see it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "users see all of the others")]
    pub fn for_the_log(&self) -> Option<String> {
        match self {
            WebError::Store(error) => Some(error.to_string()),
            WebError::Internal(words) => Some(words.clone()),
            _ => None,
        }
    }

    /// Returns each thing that is wrong, with its place.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no parts")]
    pub fn items(&self) -> Vec<ProblemItem> {
        match self {
            WebError::Specification(problems) => problems.iter().map(ProblemItem::from).collect(),
            WebError::Program(findings) => findings.iter().map(ProblemItem::from).collect(),
            WebError::NotKept(detail) => {
                vec![ProblemItem { pointer: Some("/reason".into()), detail: detail.clone(), ..ProblemItem::default() }]
            }
            WebError::Strategy(detail) => {
                vec![ProblemItem { pointer: Some("/strategy".into()), detail: detail.clone(), ..ProblemItem::default() }]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the problem of the request with this id.
    pub fn details(&self, request: &str) -> ProblemDetails {
        let kind = self.kind();
        ProblemDetails {
            kind: format!("/problems/{}", kind.slug),
            title: kind.title.into(),
            status: kind.status.as_u16(),
            detail: self.to_string(),
            instance: format!("urn:uuid:{request}"),
            errors: self.items(),
        }
    }
}

impl From<&Problem> for ProblemItem {
    fn from(p: &Problem) -> ProblemItem {
        ProblemItem {
            pointer: Some(p.pointer.clone()),
            column: p.column,
            detail: p.message.clone(),
            help: p.help.clone(),
            ..ProblemItem::default()
        }
    }
}

impl From<&Finding> for ProblemItem {
    fn from(f: &Finding) -> ProblemItem {
        ProblemItem {
            pointer: None,
            file: Some(f.place.file.clone()),
            line: Some(f.place.line),
            column: Some(f.place.column),
            code: Some(f.code.clone()),
            detail: f.message.clone(),
            help: f.help.clone(),
        }
    }
}

impl IntoResponse for WebError {
    fn into_response(self) -> Response {
        let status = self.kind().status;
        let mut response = status.into_response();
        let wait = if let WebError::UploadQuota(_, seconds) = &self {
            Some(HeaderValue::from(*seconds))
        } else if matches!(self, WebError::TooManyAtOnce(_)) {
            Some(HeaderValue::from_static("5"))
        } else if status == StatusCode::TOO_MANY_REQUESTS {
            Some(HeaderValue::from_static("60"))
        } else {
            (status == StatusCode::SERVICE_UNAVAILABLE).then(|| HeaderValue::from_static("5"))
        };
        wait.map(|wait| response.headers_mut().insert(header::RETRY_AFTER, wait));
        response.extensions_mut().insert(Failure(Arc::new(self)));
        response
    }
}

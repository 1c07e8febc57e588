//! Table of the problems that the service reports: `type` in the API, HTTP status, and explanation on a page.

use axum::http::StatusCode;

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProblemKind {
    /// Its page is `/problems/<slug>`.
    pub slug: &'static str,
    /// The HTTP status.
    pub status: StatusCode,
    /// Title in a few words.
    pub title: &'static str,
    /// Meaning, and the step to take.
    pub explanation: &'static str,
}

macro_rules! problems {
    ($($name:ident $slug:literal $status:ident $title:literal $explanation:literal)*) => {
        $(
            #[doc = $title]
            pub const $name: ProblemKind =
                ProblemKind { slug: $slug, status: StatusCode::$status, title: $title, explanation: $explanation };
        )*
        /// All kinds, by status.
        pub const PROBLEMS: &[ProblemKind] = &[$($name),*];
    };
}

problems! {
    BAD_REQUEST "bad-request" BAD_REQUEST "The request cannot be read"
        "The request is not well-formed: not JSON where JSON is expected, or a form that was cut off. The detail says where."
    NO_USER "no-user" UNAUTHORIZED "The service does not know who asks"
        "Log in at /login. Programs send the header `Authorization: Bearer` with a token. A token that has expired or was revoked, \
         and one whose user is disabled, are not taken. Nothing was done."
    NOT_ALLOWED "not-allowed" FORBIDDEN "This user may not do that"
        "The role of the user or the scope of the token does not allow it: viewers and auditors read, engineers upload and run. \
         An administrator can change a role. Nothing was done."
    NO_ACCOUNTS "no-accounts" FORBIDDEN "The service has no accounts"
        "It was started without `--accounts`: every visitor may read and run, and there are no users, sessions and tokens. \
         Nothing was done."
    CROSS_SITE "cross-site" FORBIDDEN "The request comes from another site"
        "Another web page tried to change something here in your name, so nothing was done. If you sent this form from this very \
         service, a proxy in between changes the Host or Origin header: it has to pass both on unchanged."
    NOT_FOUND "not-found" NOT_FOUND "There is nothing here"
        "The address is wrong, or what it named was never stored on this machine."
    METHOD_NOT_ALLOWED "method-not-allowed" METHOD_NOT_ALLOWED "This address does not take that method"
        "The address exists, but not with this HTTP method; /openapi.json lists every address with its methods."
    NOT_ACCEPTABLE "not-acceptable" NOT_ACCEPTABLE "There is no answer of the wanted type"
        "The header Accept names no media type that this address has. The detail names the one that there is; leave the header out, or \
         add that type."
    TOO_SLOW "too-slow" REQUEST_TIMEOUT "The request took too long to arrive"
        "The body of a request has to arrive within a minute. Nothing was stored; send it again."
    CONFLICT "already-ended" CONFLICT "The run has ended already"
        "A run that has ended cannot be cancelled. Its report stays where it is."
    KEY_IN_USE "key-in-use" CONFLICT "A request with this key is at work"
        "The same request was sent before with the same Idempotency-Key, and is not answered yet. Send it again in a moment: the \
         answer will be that of the first one."
    NOT_ENDED "not-ended" CONFLICT "The run has not ended yet"
        "Results exist once a run has ended. Follow its events, or ask again later."
    NOT_DELETABLE "not-deletable" CONFLICT "It cannot be deleted now"
        "A run that has not ended, a program that a run needs, and what a project holds cannot be deleted. The detail says which of them it is."
    NO_OUTCOME "no-outcome" CONFLICT "The run ended without results"
        "The run was stopped or failed before anything was understood. The job's reason says why."
    USER_CONFLICT "user-conflict" CONFLICT "The users do not allow this change"
        "The name is taken already, or no administrator would be left who could add users. The detail says which. Nothing was changed."
    STALE "changed-meanwhile" PRECONDITION_FAILED "It was changed meanwhile"
        "It changed after you had read it, so nothing was overwritten. Read it again, and send your change with its new ETag \
         in the header If-Match."
    TOO_LARGE "too-large" PAYLOAD_TOO_LARGE "The upload is too large"
        "Programs may have up to 20 MB together, requirements up to 1 MB. Nothing of the upload was kept. Leave out files that the \
         requirements do not need, such as visualisations or libraries in binary form."
    STORAGE_QUOTA "storage-quota" PAYLOAD_TOO_LARGE "Your share of the disk is used up"
        "Each user may keep a certain amount of programs. Nothing of the upload was kept. Delete programs that are not needed, or ask an \
         administrator for a larger share: the setting is `kept-mb`."
    QUOTA "quota" TOO_MANY_REQUESTS "Your share is used up for now"
        "Each user has a share of the queue and of the uploads of a day, so that no one blocks the others. The header Retry-After says when to \
         try again. Nothing was stored. An administrator can change the shares: `queued-per-user`, `upload-mb-per-day`."
    TOO_MANY_AT_ONCE "too-many-at-once" TOO_MANY_REQUESTS "Too many of your requests at once"
        "Each user may have some uploads and some open event streams at the same time; without log-in each address has this share. \
         Nothing was stored. Wait until one of them has ended, and send the request again."
    UNSUPPORTED_MEDIA "unsupported-media-type" UNSUPPORTED_MEDIA_TYPE "This content type is not understood here"
        "Send JSON as application/json and files as multipart/form-data."
    FOREIGN_HOST "foreign-host" MISDIRECTED_REQUEST "The request is for another host"
        "The name in the address is not one of this service, so a foreign page may have sent the request. Use the IP address of the \
         machine. To allow a name, start the service with `--host NAME`; a proxy in front has to pass the header Host on unchanged."
    NO_PROGRAM "no-program" UNPROCESSABLE_ENTITY "There is no program in the upload"
        "Choose at least one file or paste a program text. Every file needs a name. A zip has to be whole, without a password, and not \
         larger than a program may be when it is unpacked; the detail names the file in it that cannot be taken."
    BAD_SPECIFICATION "invalid-requirements" UNPROCESSABLE_ENTITY "The requirements are not valid"
        "An assumption or a setting does not fit the program, or no requirement does: an unknown variable, an expression that is not \
         BOOL, a pattern that lacks a part. Each error names its place as a JSON pointer. Nothing was queued. If some \
         requirements are right, the run begins and the wrong ones are not checked."
    KEY_REUSED "key-reused" UNPROCESSABLE_ENTITY "Another request had this key"
        "An Idempotency-Key belongs to one request for 24 hours: its method, address and body. Nothing was done. Send this request with a \
         new key."
    BAD_USER "invalid-user" UNPROCESSABLE_ENTITY "The user or the token is not valid"
        "A name, a password, a role, a scope or a number of days does not follow the rules. The detail says which rule. Nothing was stored."
    NOT_KEPT "not-kept" UNPROCESSABLE_ENTITY "The counterexample was not kept"
        "The detail says why. Go back to the counterexample: a reason is at least one word, and tells others why it is no bug."
    BAD_STRATEGY "invalid-strategy" UNPROCESSABLE_ENTITY "The choice of engine or options is not valid"
        "There is no such engine, the engine has no such option, or the option cannot have this value. The detail names it; \
         without a `strategy` a choice is made that suits most programs. Nothing was queued."
    BAD_PARAMETER "invalid-parameter" UNPROCESSABLE_ENTITY "A parameter of the address is not valid"
        "The part of the address behind the question mark has a value that is not understood. The detail names the parameter; \
         /openapi.json lists them all with their values."
    PROGRAM_ERRORS "program-errors" UNPROCESSABLE_ENTITY "The program has errors"
        "The program cannot be verified until its errors are mended; each is listed with its place. Nothing was queued. Check that the \
         export is complete: all types, function blocks and global variables that the program uses have to be in the upload."
    NOT_READABLE "program-not-readable" UNPROCESSABLE_ENTITY "The program could not be read"
        "Reading the program needed more time or memory than is allowed, or ended the worker that reads it. The detail says which. \
         The service itself is not affected. If the program is of ordinary size, please report this with the program."
    NO_IF_MATCH "if-match-required" PRECONDITION_REQUIRED "The header If-Match is absent"
        "A change needs the ETag of what you have read, in the header If-Match, so that no change of others is overwritten. \
         A GET of the same address returns it."
    QUEUE_FULL "queue-full" SERVICE_UNAVAILABLE "The queue is full"
        "Too many runs wait already. Try again when some of them have ended, or cancel those that are not needed."
    BUSY "busy" SERVICE_UNAVAILABLE "The service is busy"
        "Too many uploads or open streams at once. Try again in a few seconds."
    NOT_READY "not-ready" SERVICE_UNAVAILABLE "The service is not ready"
        "The database does not take writes, its disk is nearly full, or the service is shutting down; the detail says which. \
         Nothing was stored. What was stored before is not affected."
    NOT_SET_UP "not-set-up" SERVICE_UNAVAILABLE "The service is not set up yet"
        "It has no administrator. Open /setup in a browser: the page asks for the code that is in the log of the service and in the \
         file setup-code of its data folder."
    INTERNAL "internal" INTERNAL_SERVER_ERROR "Internal error"
        "Something went wrong in this service; that is a defect. The log has a line with the id of this request: please report both. \
         What was stored before is not affected."
}

/// Returns the kind of that name.
pub fn find(slug: &str) -> Option<&'static ProblemKind> {
    PROBLEMS.iter().find(|p| p.slug == slug)
}

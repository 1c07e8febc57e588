//! The page of a request that is not answered as asked.

use askama::Template;

use crate::web::error::ProblemDetails;
use crate::web::problem::ProblemKind;

#[derive(Template)]
#[template(path = "pages/failure.html")]
pub(crate) struct FailurePage<'a> {
    pub(crate) kind: ProblemKind,
    pub(crate) details: &'a ProblemDetails,
    pub(crate) request: &'a str,
}

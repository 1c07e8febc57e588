//! The log-in service: discovery, exchange of the code, check of the token.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClientAuthMethod, CoreErrorResponseType, CoreGenderClaim,
    CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata, CoreRevocableToken,
    CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AdditionalClaims, AuthType, AuthorizationCode, ClaimsVerificationError, Client, CsrfToken, EmptyExtraTokenFields,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IdToken, IdTokenClaims, IdTokenFields, Nonce,
    PkceCodeChallenge, PkceCodeVerifier, RequestTokenError, Scope, SignatureVerificationError, StandardErrorResponse,
    StandardTokenResponse,
};
use serde::{Deserialize, Serialize};

use super::settings::is_safe;
use super::{Flow, Oidc, OidcError, Person, claims};
use crate::web::client::{AnswerLimits, Target, send};

/// Life of a result of discovery.
const KNOWN_FOR: Duration = Duration::from_secs(3600);
/// Life of a failure, so that visitors of a service that is down do not wait for one another.
const FAILED_FOR: Duration = Duration::from_secs(5);
/// Limits of an answer of the log-in service.
const LIMITS: AnswerLimits = AnswerLimits { time: Duration::from_secs(10), bytes: 1 << 20 };

/// Claims beside those of the standard.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Others {
    #[serde(flatten)]
    all: serde_json::Map<String, serde_json::Value>,
}

impl AdditionalClaims for Others {}

type Token = IdToken<Others, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
type Claims = IdTokenClaims<Others, CoreGenderClaim>;
type Fields =
    IdTokenFields<Others, EmptyExtraTokenFields, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;
type OidcClient = Client<
    Others,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<Fields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// Signatures by keys that only the log-in service has. A secret that both share proves nothing.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// Failure of a request to the log-in service.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unreached(String);

impl Oidc {
    /// Returns the address of the log-in service that a browser goes to.
    pub(in crate::web) async fn address(&self, flow: &Flow) -> Result<String, OidcError> {
        let client = self.client(self.metadata(false).await?);
        let (state, nonce) = (CsrfToken::new(self.state(flow)), Nonce::new(self.nonce(flow)));
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&PkceCodeVerifier::new(self.verifier(flow)));
        // `openid` is among them always.
        let scopes = self.settings.scopes.iter().filter(|scope| *scope != "openid").cloned().map(Scope::new);
        let request = client.authorize_url(CoreAuthenticationFlow::AuthorizationCode, || state, || nonce);
        let (address, _, _) = request.add_scopes(scopes).set_pkce_challenge(challenge).url();
        Ok(address.into())
    }

    /// Exchanges a code for a token, and returns the person that it names.
    pub(in crate::web) async fn person(&self, flow: &Flow, code: &str) -> Result<Person, OidcError> {
        let client = self.client(self.metadata(false).await?);
        let request = client.exchange_code(AuthorizationCode::new(code.to_owned())).map_err(unreachable)?;
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(self.verifier(flow)));
        let response = request.request_async(&self.http()).await.map_err(|error| match error {
            RequestTokenError::ServerResponse(answer) => OidcError::Refused(format!("it answers `{}`", answer.error())),
            RequestTokenError::Request(error) => unreachable(error),
            RequestTokenError::Parse(error, _) => unreachable(format!("its answer is not understood: {error}")),
            RequestTokenError::Other(error) => unreachable(error),
        })?;
        let token = response.extra_fields().id_token().ok_or_else(|| refused("its answer has no ID token"))?;
        let nonce = Nonce::new(self.nonce(flow));
        let claims = match check(&client, token, &nonce) {
            // The log-in service has a new key.
            Err(ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey)) => {
                let client = self.client(self.metadata(true).await?);
                check(&client, token, &nonce)
            }
            checked => checked,
        };
        let claims = claims.map_err(|error| refused(format!("its token does not count: {error}")))?;
        if claims.authorized_party().is_some_and(|party| *party != self.settings.client_id) {
            return Err(refused("its token is for another client"));
        }
        let all = serde_json::to_value(&claims).map_err(|error| refused(error.to_string()))?;
        Ok(claims::person(&self.settings, claims.subject().to_string(), &all))
    }

    fn client(&self, metadata: CoreProviderMetadata) -> OidcClient {
        let methods = metadata.token_endpoint_auth_methods_supported().cloned().unwrap_or_default();
        let is_post = methods.contains(&CoreClientAuthMethod::ClientSecretPost)
            && !methods.contains(&CoreClientAuthMethod::ClientSecretBasic);
        let settings = &self.settings;
        Client::from_provider_metadata(metadata, settings.client_id.clone(), settings.client_secret.clone())
            .set_redirect_uri(settings.callback.clone())
            .set_auth_type(if is_post { AuthType::RequestBody } else { AuthType::BasicAuth })
    }

    /// Returns what discovery says about the log-in service, and its keys.
    async fn metadata(&self, is_fresh: bool) -> Result<CoreProviderMetadata, OidcError> {
        let mut known = self.known.lock().await;
        if let Some((at, found)) = &*known {
            let counts = if found.is_ok() { KNOWN_FOR } else { FAILED_FOR };
            if at.elapsed() < counts && !(is_fresh && found.is_ok()) {
                return found.clone().map(|metadata| *metadata);
            }
        }
        let found = CoreProviderMetadata::discover_async(self.settings.issuer.clone(), &self.http()).await;
        let found = found.map(Box::new).map_err(|error| unreachable(chain(&error)));
        *known = Some((Instant::now(), found.clone()));
        found.map(|metadata| *metadata)
    }

    /// Returns the way to the log-in service.
    fn http(
        &self,
    ) -> impl Fn(HttpRequest) -> std::pin::Pin<Box<dyn Future<Output = Result<HttpResponse, Unreached>> + Send>> + use<> {
        let tls = self.settings.tls.clone();
        move |request| Box::pin(ask(tls.clone(), request))
    }
}

/// Returns the claims of a token that counts.
fn check(client: &OidcClient, token: &Token, nonce: &Nonce) -> Result<Claims, ClaimsVerificationError> {
    let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
    token.claims(&verifier, nonce).cloned()
}

/// Sends a request to the log-in service. Redirects are not followed.
async fn ask(tls: Option<Arc<rustls::ClientConfig>>, request: HttpRequest) -> Result<HttpResponse, Unreached> {
    let (parts, body) = request.into_parts();
    let target = Target::parse(&parts.uri.to_string()).map_err(Unreached)?;
    if !is_safe(&target) {
        return Err(Unreached(format!("{} is not reached by TLS", target.host)));
    }
    let addresses = target.addresses().await.map_err(|error| Unreached(format!("{}: {error}", target.host)))?;
    let answer = send(&target, &addresses, tls.as_ref(), (parts.method, parts.headers, Bytes::from(body)), LIMITS).await;
    let answer = answer.map_err(Unreached)?;
    let mut response = HttpResponse::new(answer.body.to_vec());
    *response.status_mut() = axum::http::StatusCode::from_u16(answer.status).map_err(|error| Unreached(error.to_string()))?;
    *response.headers_mut() = answer.headers;
    Ok(response)
}

fn unreachable(error: impl ToString) -> OidcError {
    OidcError::Unreachable(error.to_string())
}

fn refused(words: impl Into<String>) -> OidcError {
    OidcError::Refused(words.into())
}

/// Returns an error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string);
    causes.collect::<Vec<_>>().join(": ")
}

//! MCP over streamable HTTP, on this machine only.
//!
//! The server listens on loopback addresses only, refuses requests from web pages by their `Host`
//! and `Origin`, and may require a token.

use super::handler::McpHandler;
use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest, Sha256};
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;

/// The path of the endpoint.
const ENDPOINT_PATH: &str = "/mcp";

/// The address on which a server listens, and the token that clients must send.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpEndpoint {
    address: SocketAddr,
    token: Option<String>,
}

impl std::fmt::Debug for HttpEndpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The token is a secret and does not belong in a log.
        f.debug_struct("HttpEndpoint").field("address", &self.address).finish_non_exhaustive()
    }
}

impl HttpEndpoint {
    /// Sets the token that clients must send; `None` to accept every program of this machine.
    #[must_use]
    pub fn with_token(self, token: Option<String>) -> Self {
        Self { token, ..self }
    }
}

/// Parses `PORT` or `ADDRESS:PORT`, where the address is one of this machine.
///
/// # Errors
/// Returns the problem of the text in one sentence.
pub fn parse_endpoint(text: &str) -> Result<HttpEndpoint, String> {
    let address = match text.parse::<u16>() {
        Ok(port) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
        Err(_) => text.parse().map_err(|_| format!("{text:?} is neither a port nor ADDRESS:PORT"))?,
    };
    if !address.ip().is_loopback() {
        let ip = address.ip();
        return Err(format!("{ip} can be reached from other machines; use 127.0.0.1 or [::1]"));
    }
    Ok(HttpEndpoint { address, token: None })
}

type McpService = StreamableHttpService<McpHandler, LocalSessionManager>;

/// Serves clients until the process is stopped. Prints the address on standard error.
///
/// # Errors
/// Returns an error if the address cannot be used.
pub async fn serve_http(handler: McpHandler, endpoint: &HttpEndpoint) -> anyhow::Result<()> {
    let listener = TcpListener::bind(endpoint.address).await.with_context(|| {
        format!("cannot listen on {}; is another server running there?", endpoint.address)
    })?;
    let address = listener.local_addr().context("the address of the server is unknown")?;
    if !address.ip().is_loopback() {
        bail!("{address} can be reached from other machines");
    }
    anstream::eprintln!("Listening on http://{address}{ENDPOINT_PATH}");
    // A client that sends an `Origin` header may send the origin of this server.
    let own_origin = format!("http://{address}");
    let config =
        StreamableHttpServerConfig::default().with_allowed_origins([own_origin]).enforce_origin_validation();
    let service = McpService::new(move || Ok(handler.clone()), Arc::default(), config);
    let token = endpoint.token.as_deref().map(|token| Arc::new(hash_token(token)));
    let interrupted = tokio::signal::ctrl_c();
    tokio::pin!(interrupted);
    loop {
        let stream = tokio::select! {
            _ = &mut interrupted => return Ok(()),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a client could not connect");
                    continue;
                }
            },
        };
        let (service, token) = (service.clone(), token.clone());
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let (service, token) = (service.clone(), token.clone());
                async move { Ok::<_, Infallible>(answer_request(&service, token.as_deref(), request).await) }
            });
            if let Err(error) = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await {
                tracing::debug!(%error, "the connection of a client broke");
            }
        });
    }
}

/// Answers a request, or refuses it if it lacks the token or has another path.
async fn answer_request(
    service: &McpService,
    token: Option<&[u8; 32]>,
    request: Request<Incoming>,
) -> Response<BoxBody<Bytes, Infallible>> {
    if !token.is_none_or(|token| is_authorized(&request, token)) {
        let mut refusal = refuse(StatusCode::UNAUTHORIZED, "send the token as Authorization: Bearer TOKEN\n");
        refusal.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
        return refusal;
    }
    if request.uri().path() != ENDPOINT_PATH {
        return refuse(StatusCode::NOT_FOUND, "the endpoint is /mcp\n");
    }
    service.handle(request).await
}

fn hash_token(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Whether a request has the token. Compares hashes, so that the duration reveals nothing of it.
fn is_authorized<B>(request: &Request<B>, token: &[u8; 32]) -> bool {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let sent = header.and_then(|value| value.strip_prefix("Bearer "));
    sent.is_some_and(|sent| hash_token(sent.trim()) == *token)
}

fn refuse(status: StatusCode, reason: &'static str) -> Response<BoxBody<Bytes, Infallible>> {
    let mut response = Response::new(Full::new(Bytes::from_static(reason.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_are_endpoints() {
        assert_eq!(parse_endpoint("8123").unwrap().address.to_string(), "127.0.0.1:8123");
        assert_eq!(parse_endpoint("[::1]:0").unwrap().address.to_string(), "[::1]:0");
        assert!(parse_endpoint("0.0.0.0:8123").unwrap_err().contains("other machines"));
        assert!(parse_endpoint("http").unwrap_err().contains("neither a port"));
    }

    #[test]
    fn a_token_must_be_the_whole_token() {
        let token = hash_token("secret");
        let request = |value: &str| Request::builder().header(AUTHORIZATION, value).body(()).unwrap();
        assert!(is_authorized(&request("Bearer secret"), &token));
        for wrong in ["Bearer secre", "Bearer ", "secret", "Basic secret"] {
            assert!(!is_authorized(&request(wrong), &token), "{wrong}");
        }
        assert!(!is_authorized(&Request::new(()), &token));
    }

    #[test]
    fn a_debug_form_does_not_show_the_token() {
        let endpoint = parse_endpoint("1").unwrap().with_token(Some("secret".to_owned()));
        assert!(!format!("{endpoint:?}").contains("secret"));
    }
}

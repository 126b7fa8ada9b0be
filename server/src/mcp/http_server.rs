//! MCP over streamable HTTP, on this machine only.
//!
//! The server listens on loopback addresses only, refuses requests from web pages by their `Host`
//! and `Origin`, and requires a token, because programs of other users can connect as well. The
//! number of connections and sessions is limited, and so is the time for sending a header.

use super::access_token::AccessToken;
use super::handler::McpHandler;
use super::http_sessions::HttpSessions;
use crate::terminal::standard_streams::{StandardStream, write_text};
use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{
    SessionManager, StreamableHttpServerConfig, StreamableHttpService,
};
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The path of the endpoint.
const ENDPOINT_PATH: &str = "/mcp";

/// The header that names the session of a request, and of the answer to `initialize`.
const SESSION_HEADER: &str = "mcp-session-id";

/// The maximum number of open connections. A client has one for each running call, and one for
/// notifications; further clients wait until a connection is closed.
const MAX_CONNECTIONS: usize = 256;

/// The time for sending the header of a request, and for which a connection may be idle.
const HEADER_LIMIT: Duration = Duration::from_secs(15);

/// The pause after a client could not connect, for instance because this process has no free
/// descriptor. The next attempt would fail at once as well.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// The address on which a server listens, and the token that clients must send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpEndpoint {
    address: SocketAddr,
    token: Option<AccessToken>,
}

impl HttpEndpoint {
    /// Sets the token that clients must send; with `None` the server makes one and prints it.
    #[must_use]
    pub fn with_token(self, token: Option<AccessToken>) -> Self {
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

/// The parts of a server that its connections share.
#[derive(Clone)]
struct HttpService {
    mcp: StreamableHttpService<McpHandler, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    sessions: HttpSessions,
    token: Arc<AccessToken>,
}

/// Serves clients until the process is stopped. Prints the address on standard error, and the token
/// if it is a random one.
///
/// # Errors
/// Returns an error if the address cannot be used, or if the system has no random numbers.
pub async fn serve_http(handler: McpHandler, endpoint: &HttpEndpoint) -> anyhow::Result<()> {
    let listener = TcpListener::bind(endpoint.address).await.with_context(|| {
        format!("cannot listen on {}; is another server running there?", endpoint.address)
    })?;
    let address = listener.local_addr().context("the address of the server is unknown")?;
    if !address.ip().is_loopback() {
        bail!("{address} can be reached from other machines");
    }
    let token = match &endpoint.token {
        Some(token) => token.clone(),
        None => AccessToken::new_random()
            .context("the system has no random numbers for a token; set KENNING_MCP_TOKEN to one")?,
    };
    // The server is also useful to a program that has closed standard error.
    let _ = write_text(StandardStream::Error, &format!("{}\n", describe_endpoint(address, &token)));
    let service = HttpService::new(handler, address, token);
    let interrupted = tokio::signal::ctrl_c();
    tokio::select! {
        _ = interrupted => {}
        () = accept_clients(&listener, &service) => {}
    }
    Ok(())
}

/// Describes where clients connect, and what they have to send if they cannot know it.
fn describe_endpoint(address: SocketAddr, token: &AccessToken) -> String {
    let listening = format!("Listening on http://{address}{ENDPOINT_PATH}");
    let Some(token) = token.unknown_text() else { return listening };
    format!(
        "{listening}\nClients must send this token, which is valid until the server stops (KENNING_MCP_TOKEN sets a lasting one):\n  \"headers\": {{ \"Authorization\": \"Bearer {token}\" }}"
    )
}

/// Accepts clients, at most [`MAX_CONNECTIONS`] at a time. Never returns.
async fn accept_clients(listener: &TcpListener, service: &HttpService) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut was_failing = false;
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                was_failing = false;
                tokio::spawn(serve_connection(stream, service.clone(), permit));
            }
            Err(error) => {
                if !was_failing {
                    tracing::warn!(%error, "clients cannot connect");
                }
                was_failing = true;
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Answers the requests of one connection. `permit` counts it until it is closed.
async fn serve_connection(stream: TcpStream, service: HttpService, permit: OwnedSemaphorePermit) {
    let answer = service_fn(|request| {
        let service = service.clone();
        async move { Ok::<_, Infallible>(service.answer_request(request).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_LIMIT);
    if let Err(error) = builder.serve_connection(TokioIo::new(stream), answer).await {
        tracing::debug!(%error, "the connection of a client broke");
    }
    drop(permit);
}

impl HttpService {
    fn new(handler: McpHandler, address: SocketAddr, token: AccessToken) -> Self {
        // A client that sends an `Origin` header may send the origin of this server.
        let own_origin = format!("http://{address}");
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins([own_origin])
            .enforce_origin_validation();
        let manager = Arc::new(LocalSessionManager::default());
        let make_handler = move || Ok::<_, io::Error>(handler.clone());
        let mcp = StreamableHttpService::new(make_handler, Arc::clone(&manager), config);
        Self { mcp, manager, sessions: HttpSessions::default(), token: Arc::new(token) }
    }

    /// Answers a request, or refuses it if it lacks the token or has another path.
    async fn answer_request(&self, request: Request<Incoming>) -> Response<BoxBody<Bytes, Infallible>> {
        if !is_authorized(&request, &self.token) {
            let mut refusal =
                refuse(StatusCode::UNAUTHORIZED, "send the token as Authorization: Bearer TOKEN\n");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
            return refusal;
        }
        if request.uri().path() != ENDPOINT_PATH {
            return refuse(StatusCode::NOT_FOUND, "the endpoint is /mcp\n");
        }
        let session = session_name(request.headers());
        let is_closing = request.method() == Method::DELETE;
        let running = session.as_deref().and_then(|session| self.sessions.begin_request(session));
        let response = self.mcp.handle(request).await;
        match (session, session_name(response.headers())) {
            (Some(session), _) if is_closing => self.sessions.forget_session(&session),
            (None, Some(new)) => self.add_session(&new).await,
            _ => {}
        }
        // The session is in use until the whole answer was sent.
        response.map(|body| {
            let body = body.map_frame(move |frame| {
                let _ = &running;
                frame
            });
            body.boxed()
        })
    }

    /// Counts a new session, and closes idle ones if there are too many.
    async fn add_session(&self, session: &str) {
        for idle in self.sessions.add_session(session) {
            tracing::info!("a session that was idle is closed, because there are too many");
            if let Err(error) = self.manager.close_session(&idle.into()).await {
                tracing::debug!(%error, "the session was closed already");
            }
        }
    }
}

fn session_name(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION_HEADER)?.to_str().ok().map(str::to_owned)
}

/// Whether a request has the token.
fn is_authorized<B>(request: &Request<B>, token: &AccessToken) -> bool {
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let sent = header.and_then(|value| value.strip_prefix("Bearer "));
    sent.is_some_and(|sent| token.matches(sent.trim()))
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

    fn new_token(text: &str) -> AccessToken {
        AccessToken::from_variable(std::ffi::OsStr::new(text)).unwrap()
    }

    #[test]
    fn a_token_must_be_the_whole_token() {
        let token = new_token("secret");
        let request = |value: &str| Request::builder().header(AUTHORIZATION, value).body(()).unwrap();
        assert!(is_authorized(&request("Bearer secret"), &token));
        for wrong in ["Bearer secre", "Bearer ", "secret", "Basic secret"] {
            assert!(!is_authorized(&request(wrong), &token), "{wrong}");
        }
        assert!(!is_authorized(&Request::new(()), &token));
    }

    #[test]
    fn only_a_random_token_is_printed_and_none_is_in_a_debug_form() {
        let address = "127.0.0.1:1".parse().unwrap();
        assert_eq!(describe_endpoint(address, &new_token("secret")), "Listening on http://127.0.0.1:1/mcp");
        let random = AccessToken::new_random().unwrap();
        let line =
            format!("\"headers\": {{ \"Authorization\": \"Bearer {}\" }}", random.unknown_text().unwrap());
        assert!(describe_endpoint(address, &random).ends_with(&line));
        let endpoint = parse_endpoint("1").unwrap().with_token(Some(new_token("secret")));
        assert!(!format!("{endpoint:?}").contains("secret"));
    }
}

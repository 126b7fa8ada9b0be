//! Limits the sessions of the HTTP server.
//!
//! Each `initialize` creates a session, which takes about 60 kB until it is closed. A client that
//! does not close its sessions must not use up the memory, so there are at most [`MAX_SESSIONS`]:
//! one more closes the session that has been idle for the longest time. The protocol library closes
//! a session after five idle minutes. A client whose session was closed gets status 404, after which
//! the protocol lets it begin another one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of sessions. An agent has one or two.
pub const MAX_SESSIONS: usize = 64;

/// The sessions of the HTTP server, with their use.
#[derive(Clone, Debug, Default)]
pub struct HttpSessions {
    uses: Arc<Mutex<SessionUses>>,
}

#[derive(Debug, Default)]
struct SessionUses {
    /// Increases with each use, so that the least recently used session is known.
    clock: u64,
    sessions: BTreeMap<String, SessionUse>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SessionUse {
    last: u64,
    /// The number of requests that have not been answered completely.
    running: usize,
}

/// A request that a session is answering. Dropping it ends the use.
#[derive(Debug)]
pub struct RunningRequest {
    uses: Arc<Mutex<SessionUses>>,
    session: String,
}

impl HttpSessions {
    /// Records that a session received a request. The session is not idle until the returned value
    /// is dropped. Returns `None` if there is no such session.
    pub fn begin_request(&self, session: &str) -> Option<RunningRequest> {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.sessions.contains_key(session).then(|| {
            uses.touch_session(session).running += 1;
            RunningRequest { uses: Arc::clone(&self.uses), session: session.to_owned() }
        })
    }

    /// Records a new session. Returns the sessions to close, so that at most [`MAX_SESSIONS`] are
    /// left: the idle ones that have not been used for the longest time. More are left only if they
    /// are all answering requests, each on a connection of its own.
    pub fn add_session(&self, session: &str) -> Vec<String> {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.touch_session(session);
        let mut closed = Vec::new();
        while uses.sessions.len() > MAX_SESSIONS {
            let idle = uses.sessions.iter().filter(|(name, used)| used.running == 0 && *name != session);
            let Some(oldest) = idle.min_by_key(|(_, used)| used.last).map(|(name, _)| name.clone()) else {
                break;
            };
            uses.sessions.remove(&oldest);
            closed.push(oldest);
        }
        closed
    }

    /// Forgets a session that was closed.
    pub fn forget_session(&self, session: &str) {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner).sessions.remove(session);
    }
}

impl SessionUses {
    fn touch_session(&mut self, session: &str) -> &mut SessionUse {
        self.clock += 1;
        let used = self.sessions.entry(session.to_owned()).or_default();
        used.last = self.clock;
        used
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = uses.sessions.get_mut(&self.session) {
            used.running = used.running.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add_sessions(sessions: &HttpSessions, numbers: std::ops::Range<usize>) -> Vec<String> {
        numbers.flat_map(|number| sessions.add_session(&format!("s{number}"))).collect()
    }

    #[test]
    fn the_session_that_was_idle_for_the_longest_time_is_closed() {
        let sessions = HttpSessions::default();
        assert_eq!(add_sessions(&sessions, 0..MAX_SESSIONS), Vec::<String>::new());
        let running = sessions.begin_request("s0").unwrap();
        drop(sessions.begin_request("s1"));
        sessions.forget_session("s2");
        assert_eq!(sessions.add_session("n0"), Vec::<String>::new(), "one was closed by its client");
        assert_eq!(sessions.add_session("n1"), ["s3"], "s0 is answering, and s1 was used since");
        drop(running);
        let closed = add_sessions(&sessions, 100..100 + MAX_SESSIONS);
        assert_eq!(closed.len(), MAX_SESSIONS);
        assert!(closed.contains(&"s0".to_owned()) && closed.contains(&"s1".to_owned()));
    }

    #[test]
    fn sessions_that_are_answering_are_kept_and_unknown_ones_take_no_memory() {
        let sessions = HttpSessions::default();
        add_sessions(&sessions, 0..MAX_SESSIONS);
        let running: Vec<_> = (0..MAX_SESSIONS).map(|n| sessions.begin_request(&format!("s{n}"))).collect();
        assert_eq!(sessions.add_session("more"), Vec::<String>::new());
        drop(running);
        assert_eq!(sessions.add_session("another").len(), 2);
        assert!(sessions.begin_request("unknown").is_none());
        assert_eq!(sessions.uses.lock().unwrap().sessions.len(), MAX_SESSIONS);
    }
}

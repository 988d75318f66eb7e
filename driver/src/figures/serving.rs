// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that answers. Nothing that a client does, or leaves undone, holds it up for longer
//! than two time-outs.
use super::told;
use super::wire::{ready, Broken, Wire};
use crate::inspect::Inspect;
use crate::shared::Shared;
use rustix::event::PollFlags;
use serde::Deserialize;
use serde_json::{json, Value};
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// What a client has for its question, and then for its reading of the answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// Octets of a question, without the line feed.
pub(super) const MOST: usize = 1024;

/// Pause behind a client that could not be accepted, such as without a free descriptor.
const PAUSE: Duration = Duration::from_millis(100);

/// A question.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// One queue pair, in place of the device.
    qp: Option<u16>,
}

/// What the thread has.
pub(super) struct Server {
    pub(super) listener: UnixListener,
    /// Ready when the thread is to end.
    pub(super) stop: Arc<OwnedFd>,
    /// The program may close it at any time.
    pub(super) device: Weak<Shared>,
}

impl Server {
    /// Answers until it is to end.
    pub(super) fn run(&self) {
        let stop = Some(&*self.stop);
        loop {
            if let Err(why) = ready(&self.listener, PollFlags::IN, stop, None) {
                if why != Broken::Stopped {
                    tracing::error!(?why, "figures are told no more");
                }
                return;
            }
            match self.listener.accept() {
                Ok((client, _)) => self.serve(&client),
                Err(why) if matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::ConnectionAborted) => {}
                Err(why) => {
                    tracing::debug!(%why, "who asks for figures is not accepted");
                    if ready(&*self.stop, PollFlags::IN, None, Some(Instant::now() + PAUSE)).is_ok() {
                        return;
                    }
                }
            }
        }
    }

    /// Answers one client, and ends its connection.
    fn serve(&self, stream: &UnixStream) {
        let wire = |until| Wire { stream, stop: Some(&self.stop), until };
        let answer = match wire(Instant::now() + PATIENCE).line(MOST) {
            Ok(line) => self.answer(&line),
            Err(Broken::Late) => {
                failed(format!("no question came within {PATIENCE:?}; send a line such as {{}}"))
            }
            Err(Broken::Long) => {
                failed(format!("the question has more than {MOST} octets; send a line such as {{}}"))
            }
            Err(why) => return tracing::debug!(?why, "a client asks nothing"),
        };
        let sent = wire(Instant::now() + PATIENCE).send(format!("{answer}\n").as_bytes());
        if let Err(why) = sent {
            tracing::debug!(?why, "a client does not take its answer");
        }
    }

    fn answer(&self, line: &[u8]) -> Value {
        let question: Question = match serde_json::from_slice(line) {
            Ok(question) => question,
            Err(why) => return failed(format!("the question is neither {{}} nor like {{\"qp\":1}}: {why}")),
        };
        let Some(device) = self.device.upgrade() else { return failed("the program has closed the device") };
        let told = told(Inspect::new(&*device.backend), question.qp);
        told.unwrap_or_else(|why| failed(why.to_string()))
    }
}

fn failed(why: impl Into<String>) -> Value {
    json!({ "ok": false, "error": why.into() })
}

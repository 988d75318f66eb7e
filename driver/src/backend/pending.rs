// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers that are to come.
use super::error::BackendError;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// An answer of the admin port that is to come.
#[derive(Debug)]
pub struct Pending {
    answer: Receiver<Vec<u8>>,
    /// Why none comes any more.
    ended: Arc<OnceLock<BackendError>>,
}

impl Pending {
    /// The answer will come out of this channel; if it is closed before, the device has stopped.
    pub fn new(answer: Receiver<Vec<u8>>) -> Self {
        Self::until(answer, Arc::default())
    }

    /// The same; if the channel is closed before, `ended` has the reason.
    pub(crate) fn until(answer: Receiver<Vec<u8>>, ended: Arc<OnceLock<BackendError>>) -> Self {
        Self { answer, ended }
    }

    fn end(&self) -> BackendError {
        let closed = || BackendError::Stopped("it was closed while a command was under way".into());
        self.ended.get().cloned().unwrap_or_else(closed)
    }

    /// The answer's octets, if they have come.
    pub fn poll(&mut self) -> Result<Option<Vec<u8>>, BackendError> {
        match self.answer.try_recv() {
            Ok(octets) => Ok(Some(octets)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(self.end()),
        }
    }

    /// The answer's octets.
    pub fn wait(&mut self, most: Duration) -> Result<Vec<u8>, BackendError> {
        self.answer.recv_timeout(most).map_err(|e| match e {
            RecvTimeoutError::Timeout => BackendError::Silent(most),
            RecvTimeoutError::Disconnected => self.end(),
        })
    }
}

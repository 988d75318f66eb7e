// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs that the application ends: to error, drained, and again.
use super::completion_queue::CompletionQueue;
use super::options::{QpOptions, OWN_REQUESTS};
use super::qp::QueuePair;
use super::qp_shared::QpShared;
use super::types::QpState;
use crate::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pause between two looks whether other handles have gone.
const LOOK: Duration = Duration::from_micros(200);

impl<S> QueuePair<S> {
    /// Puts the queue pair in error: what is outstanding, and what is posted from now on, is
    /// flushed. A connection is reset, and [`crate::ConnectionEvent::Closed`] tells of that:
    /// `ibv_modify_qp` to `IBV_QPS_ERR`. A queue pair in error stays as it is.
    pub fn to_error(&self) -> Result<(), Error> {
        match self.state() {
            QpState::Error => Ok(()),
            _ => self.0.number.shared.stop(self.number()),
        }
    }

    /// Whether the queue pair is in error and has nothing left: each request that was posted has
    /// its completion, and each completion was polled.
    pub fn is_drained(&self) -> bool {
        self.state() == QpState::Error && self.0.is_empty()
    }

    /// Makes the queue pair ready for another connection, with the same domain, completion queues
    /// and sizes: `ibv_modify_qp` to `IBV_QPS_RESET`. Completions that were not polled are dropped,
    /// and regions that were bound to the queue pair serve nobody any more. The number may be
    /// another one.
    ///
    /// This is the last handle: the connection and clones were dropped before. What else holds the
    /// queue pair is waited for as long as for the end of an object (`end` of the device's URL: a
    /// second); then the error is [`Error::Handles`]. Behind
    /// an error the handle is gone.
    pub fn reset(self) -> Result<QueuePair, Error> {
        let (begun, most) = (Instant::now(), self.0.number.shared.backend.ends_within());
        // the connection manager lets go when the connection has ended
        while Arc::strong_count(&self.0) > 1 {
            if begun.elapsed() >= most {
                let others = Arc::strong_count(&self.0).saturating_sub(1);
                return Err(Error::Handles { qp: self.number(), others });
            }
            std::thread::sleep(LOOK);
        }
        let QpShared { pd, cqs, number, .. } = &*self.0;
        let (pd, cqs, most) = (pd.clone(), cqs.clone().map(CompletionQueue), self.0.most());
        let requests = number.shared.backend.capabilities().work_requests();
        let options = QpOptions { sends: most[0] - OWN_REQUESTS, receives: most[1] };
        let logs = QueuePair::logs(options, requests)?;
        drop(self);
        QueuePair::new(&pd, [&cqs[0], &cqs[1]], logs, options)
    }
}

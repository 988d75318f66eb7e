// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections of which one direction has ended (RFC 5041 section 6.2.1).
use super::{Connection, State};
use crate::error::Error;
use std::time::Duration;

/// What is waited for.
const FINISHED: &str = "the peer to finish sending";

impl State {
    /// Whether the peer has finished sending, or why it will never do so.
    fn finished(&self) -> Option<Result<(), Error>> {
        match &self.ended {
            _ if self.finished => Some(Ok(())),
            ended => ended.clone(),
        }
    }
}

impl Connection {
    /// Finishes sending: a FIN leaves behind all posted requests (RFC 5041 section 6.2.1). A later
    /// post to the send queue is [`Error::Finished`]. The peer may go on sending, and receives are
    /// filled, without a limit of time. When the peer has finished, too, the connection ends in
    /// order. No Read of the peer is answered behind the FIN. A thread that holds a
    /// [`crate::Sends`] of the queue pair ends it before this call, which would wait for itself.
    ///
    /// Returns when the connection manager has the order. A second call changes nothing. If the
    /// connection has ended, the result is that of [`Connection::ended`].
    pub fn finish_sending(&self) -> Result<(), Error> {
        if let Some(ended) = self.ended() {
            return ended;
        }
        self.qp.0.finish_sending();
        let id = self.id;
        self.cm.call(move |pump| pump.finish_sending(id))?
    }

    /// Whether the peer has finished sending: the FIN came, and all octets before the FIN are
    /// received. Posted Sends and Writes still leave and complete, and more may be posted. A Read
    /// is [`Error::PeerFinished`]. A Read that was outstanding ends the queue pair.
    pub fn peer_finished(&self) -> bool {
        self.watch.state().finished
    }

    /// Waits until the peer has finished sending, or both ends have closed. The error says how else
    /// the connection ended, or that `patience` is over.
    pub fn wait_finished(&self, patience: Duration) -> Result<(), Error> {
        self.watch.until(patience, FINISHED, State::finished)?
    }

    /// As [`Connection::wait_finished`].
    #[cfg(feature = "tokio")]
    pub async fn wait_finished_async(&self, patience: Duration) -> Result<(), Error> {
        self.watch.until_async(patience, FINISHED, State::finished).await?
    }
}

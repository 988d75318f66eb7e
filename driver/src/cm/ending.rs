// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a stream that the application asks for: of both directions, or of ours alone.
use super::api::Hears;
use super::Pump;
use crate::admin::Asked;
use crate::error::Error;
use ferrowarp_firmware::cm::api::ConnId;

/// What the application asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// Both directions end.
    Close,
    /// Ours ends.
    FinishSending,
}

/// A stream that is to end when the device has answered.
#[derive(Debug)]
pub(super) struct Ending {
    id: ConnId,
    wish: Wish,
    /// The question, until its answer is there.
    asked: Option<Asked>,
}

impl Ending {
    /// Looks for the answer.
    pub(super) fn look(&mut self) {
        if self.asked.as_mut().is_some_and(|asked| asked.poll().is_some()) {
            self.asked = None;
        }
    }
}

impl Pump {
    /// Begins the end of a connection.
    pub(super) fn close(&mut self, id: ConnId) -> Result<(), Error> {
        self.begin_end(id, Wish::Close)
    }

    /// Begins the end of our direction.
    pub(super) fn finish_sending(&mut self, id: ConnId) -> Result<(), Error> {
        self.begin_end(id, Wish::FinishSending)
    }

    /// The application may have heard of a fault before firmware, by a completion; its Terminate
    /// has to leave before our FIN. So the hardware is asked for the fault first: it answers when
    /// it has told what it knows of, and an answer comes behind the events before it. A connection
    /// that ended by itself is unknown, and its end is told already.
    fn begin_end(&mut self, id: ConnId, wish: Wish) -> Result<(), Error> {
        let Some(qp) = self.connections.get(&id).map(Hears::qp) else { return Ok(()) };
        let asked = Some(self.port.ask_captured(qp)?);
        self.endings.push(Ending { id, wish, asked });
        Ok(())
    }

    /// Ends the streams whose answers are there, when firmware has heard all events before them.
    pub(super) fn end_streams(&mut self) {
        if self.port.has_caught() {
            return;
        }
        for Ending { id, wish, .. } in self.endings.extract_if(.., |ending| ending.asked.is_none()) {
            let ended = match wish {
                Wish::Close => self.manager.close(id),
                Wish::FinishSending => self.manager.finish_sending(id),
            };
            if let Err(why) = ended {
                tracing::debug!(id = id.0, %why, "a stream that is to end has ended by itself");
            }
        }
    }
}

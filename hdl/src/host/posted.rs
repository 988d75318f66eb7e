// SPDX-License-Identifier: MIT OR Apache-2.0
//! The posted writes of the device: one order for all (D6).
use super::ports::{WriteSink, WriteSource};
use super::posted_core::PostedCore;
use crate::prelude::*;
use crate::stream::{StreamSink, StreamSource};

/// Merges the posted writes of four clients, a whole write at a time, into one queue.
///
/// **Contract.** A client offers a command when its frame is whole or will not pause, and the frame
/// of each command in the order of the commands. A write whose command is offered after the last
/// beat of another one was taken leaves after it, whoever the two clients are: a CQE follows the
/// payload that it covers. Clients take turns. A client that pauses inside its frame holds the
/// others (D10).
///
/// Who must know that a write is out of the device notes `accepted` after the write's last beat was
/// taken, and waits until `left` is no longer behind that.
///
/// **Timing.** Two cycles from an offer to the bus; a beat a cycle, and no bubble between two
/// writes, also of one beat each.
#[block]
pub struct PostedFifo {
    /// Commands of client 0.
    pub c0_cmd: WriteSink,
    /// Its frames.
    pub c0: StreamSink<64, 4>,
    /// Commands of client 1.
    pub c1_cmd: WriteSink,
    /// Its frames.
    pub c1: StreamSink<64, 4>,
    /// Commands of client 2.
    pub c2_cmd: WriteSink,
    /// Its frames.
    pub c2: StreamSink<64, 4>,
    /// Commands of client 3.
    pub c3_cmd: WriteSink,
    /// Its frames.
    pub c3: StreamSink<64, 4>,
    /// Commands on the bus.
    pub wr_cmd: WriteSource,
    /// Frames on the bus, one a command, in order.
    pub wr: StreamSource<64, 4>,
    /// Writes begun, modulo 2^16: what was chosen counts, whether all of it was taken or not.
    pub accepted: Signal<Out, Bits<16>>,
    /// Writes of which the bus took command and frame, modulo 2^16.
    pub left: Signal<Out, Bits<16>>,
    core: PostedCore,
}

#[kernel]
impl Logic for PostedFifo {
    fn update(&mut self) {
        parts!(core);
        WriteSink::link(&mut self.c0_cmd, &mut self.core.cmd[0]);
        WriteSink::link(&mut self.c1_cmd, &mut self.core.cmd[1]);
        WriteSink::link(&mut self.c2_cmd, &mut self.core.cmd[2]);
        WriteSink::link(&mut self.c3_cmd, &mut self.core.cmd[3]);
        StreamSink::<64, 4>::link(&mut self.c0, &mut self.core.rx[0]);
        StreamSink::<64, 4>::link(&mut self.c1, &mut self.core.rx[1]);
        StreamSink::<64, 4>::link(&mut self.c2, &mut self.core.rx[2]);
        StreamSink::<64, 4>::link(&mut self.c3, &mut self.core.rx[3]);
        WriteSource::link(&mut self.wr_cmd, &mut self.core.wr_cmd);
        StreamSource::<64, 4>::link(&mut self.wr, &mut self.core.wr);
        self.accepted.next = self.core.accepted.val();
        self.left.next = self.core.left.val();
    }
}

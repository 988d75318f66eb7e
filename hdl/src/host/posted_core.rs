// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posted writes of several clients in one order.
use super::ports::{Write, WriteSink, WriteSource};
use crate::prelude::*;
use crate::stream::{Beat, Queue, StreamSink, StreamSource};

/// log2 of commands and of beats that wait for the bus.
const COMMANDS: usize = 4;
const BEATS: usize = 5;

/// What [`super::PostedFifo`] is, with its clients as arrays.
///
/// A client is chosen before anything of its write is taken: between its ports and the one queue
/// there is no register in which a write could wait while a later one passes it.
#[block(clock)]
pub struct PostedCore {
    /// Synchronous reset; forgets what waits.
    pub reset: Signal<In, Bit>,
    /// Commands of the clients.
    pub cmd: [WriteSink; 4],
    /// Their frames.
    pub rx: [StreamSink<64, 4>; 4],
    /// Commands on the bus.
    pub wr_cmd: WriteSource,
    /// Frames on the bus.
    pub wr: StreamSource<64, 4>,
    /// Writes begun, modulo 2^16.
    pub accepted: Signal<Out, Bits<16>>,
    /// Writes of which the bus took command and frame, modulo 2^16.
    pub left: Signal<Out, Bits<16>>,
    commands: Queue<Write, COMMANDS>,
    beats: Queue<Beat<64, 4>, BEATS>,
    /// The write of client `turn` is being taken; else `turn` is the client served last.
    busy: Reg<Bit>,
    turn: Reg<Bits<3>>,
    /// Of that write the command, or the frame, is in the queue.
    cmd_done: Reg<Bit>,
    rx_done: Reg<Bit>,
    /// Writes begun; commands, frames and whole writes that are on the bus.
    begun: Reg<Bits<16>>,
    sent_cmds: Reg<Bits<16>>,
    sent_frames: Reg<Bits<16>>,
    sent: Reg<Bits<16>>,
    pick: Signal<Local, Bits<3>>,
    passed: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    wants: [Signal<Local, Bit>; 4],
    cmd_now: Signal<Local, Bit>,
    rx_now: Signal<Local, Bit>,
    write: Signal<Local, Write>,
    beat: Signal<Local, Beat<64, 4>>,
}

#[kernel]
impl Logic for PostedCore {
    fn update(&mut self) {
        regs!(busy, turn, cmd_done, rx_done, begun, sent_cmds, sent_frames, sent);
        parts!(commands, beats);

        // The write of `turn`: command and frame, in whatever order they come.
        let takes_cmd: Bit = self.busy.q.val() && !self.cmd_done.q.val() && self.commands.rx.ready.val();
        let takes_rx: Bit = self.busy.q.val() && !self.rx_done.q.val() && self.beats.rx.ready.val();
        self.cmd_now.next = false;
        self.rx_now.next = false;
        self.write.next.addr = self.cmd[0].addr.val();
        self.write.next.length = self.cmd[0].length.val();
        self.beat.next.data = self.rx[0].data.val();
        self.beat.next.bytes = self.rx[0].bytes.val();
        self.beat.next.last = self.rx[0].last.val();
        self.beat.next.err = self.rx[0].err.val();
        for i in 0..4 {
            self.cmd[i].ready.next = false;
            self.rx[i].ready.next = false;
            self.wants[i].next = self.cmd[i].valid.val();
            if self.turn.q.val() == i.to_bits() {
                self.cmd[i].ready.next = takes_cmd;
                self.rx[i].ready.next = takes_rx;
                self.cmd_now.next = takes_cmd && self.cmd[i].valid.val();
                self.rx_now.next = takes_rx && self.rx[i].valid.val();
                self.write.next.addr = self.cmd[i].addr.val();
                self.write.next.length = self.cmd[i].length.val();
                self.beat.next.data = self.rx[i].data.val();
                self.beat.next.bytes = self.rx[i].bytes.val();
                self.beat.next.last = self.rx[i].last.val();
                self.beat.next.err = self.rx[i].err.val();
                // the command that is offered now is the present write's, not a next one
                self.wants[i].next = self.cmd[i].valid.val() && (self.cmd_done.q.val() || !self.busy.q.val());
            }
        }
        self.commands.rx.item.next = self.write.val();
        self.commands.rx.valid.next = self.cmd_now.val();
        self.beats.rx.item.next = self.beat.val();
        self.beats.rx.valid.next = self.rx_now.val();
        let ends: Bit = (self.cmd_done.q.val() || self.cmd_now.val())
            && (self.rx_done.q.val() || (self.rx_now.val() && self.beat.val().last));

        // Whose write is next: first the clients after `turn`, then those up to it.
        self.pick.next = self.turn.q.val();
        self.found.next = false;
        self.passed.next = false;
        for i in 0..4 {
            if self.passed.val() && self.wants[i].val() && !self.found.val() {
                self.pick.next = i.to_bits();
                self.found.next = true;
            }
            if self.turn.q.val() == i.to_bits() {
                self.passed.next = true;
            }
        }
        for i in 0..4 {
            if self.wants[i].val() && !self.found.val() {
                self.pick.next = i.to_bits();
                self.found.next = true;
            }
        }
        if self.cmd_now.val() {
            self.cmd_done.d.next = true;
        }
        if self.rx_now.val() && self.beat.val().last {
            self.rx_done.d.next = true;
        }
        if ends || !self.busy.q.val() {
            self.busy.d.next = self.found.val();
            self.turn.d.next = self.pick.val();
            self.cmd_done.d.next = false;
            self.rx_done.d.next = false;
            if self.found.val() {
                self.begun.d.next = self.begun.q.val() + 1;
            }
        }

        // On the bus: the slower of command and frame counts.
        self.accepted.next = self.begun.q.val();
        self.left.next = self.sent.q.val();
        if self.commands.tx.valid.val() && self.wr_cmd.ready.val() {
            self.sent_cmds.d.next = self.sent_cmds.q.val() + 1;
        }
        if self.beats.tx.valid.val() && self.wr.ready.val() && self.beats.tx.item.val().last {
            self.sent_frames.d.next = self.sent_frames.q.val() + 1;
        }
        if (self.sent.q.val() != self.sent_cmds.q.val()) && (self.sent.q.val() != self.sent_frames.q.val()) {
            self.sent.d.next = self.sent.q.val() + 1;
        }
        self.wr_cmd.addr.next = self.commands.tx.item.val().addr;
        self.wr_cmd.length.next = self.commands.tx.item.val().length;
        self.wr_cmd.valid.next = self.commands.tx.valid.val();
        self.commands.tx.ready.next = self.wr_cmd.ready.val();
        self.wr.data.next = self.beats.tx.item.val().data;
        self.wr.bytes.next = self.beats.tx.item.val().bytes;
        self.wr.last.next = self.beats.tx.item.val().last;
        self.wr.err.next = self.beats.tx.item.val().err;
        self.wr.valid.next = self.beats.tx.valid.val();
        self.beats.tx.ready.next = self.wr.ready.val();
    }
}

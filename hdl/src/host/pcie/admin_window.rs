// SPDX-License-Identifier: MIT OR Apache-2.0
//! The admin port as registers.
use super::bar_ports::{Ask, Put};
use crate::cell::{Const, Flop, LutRam, Reg};
use crate::gen::consts::csr;
use crate::stream::{StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// log2 of the beats of a window.
const BEATS: usize = 5;

/// Step of the command under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// None.
    Idle,
    /// The command leaves.
    Send,
    /// Waits for its answer.
    Wait,
}

/// Takes a command of up to 256 octets from registers, gives it to the admin port and keeps the
/// answer.
///
/// **Contract.** `put` and `ask` stand for a cycle. While a command is under way its window and
/// `admin_go` are refused; a length of 0 or beyond the window is refused too: nothing changes,
/// `bad` pulses.
///
/// **Timing.** A beat a cycle each way; a read is answered in the cycle behind.
#[derive(LogicBlock, Default)]
pub struct AdminWindow {
    /// Clock of the device.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset: no command, no answer.
    pub reset: Signal<In, Bit>,
    /// A register that is written.
    pub put: Signal<In, Put>,
    /// It is, now, and it is one of these.
    pub put_valid: Signal<In, Bit>,
    /// A register that is asked for.
    pub ask: Signal<In, Ask>,
    /// It is, now, and it is one of these.
    pub ask_valid: Signal<In, Bit>,
    /// Its value.
    pub say: Signal<Out, Bits<32>>,
    /// It is there.
    pub say_valid: Signal<Out, Bit>,
    /// Commands.
    pub cmd: StreamSource<64, 4>,
    /// Answers.
    pub ans: StreamSink<64, 4>,
    /// Pulse: something was refused.
    pub bad: Signal<Out, Bit>,
    /// A command is under way.
    pub busy: Signal<Out, Bit>,
    low: LutRam<Bits<32>, BEATS>,
    high: LutRam<Bits<32>, BEATS>,
    answer_low: LutRam<Bits<32>, BEATS>,
    answer_high: LutRam<Bits<32>, BEATS>,
    st: Reg<St>,
    done: Reg<Bit>,
    failed: Reg<Bit>,
    /// Octets of the command that are still to leave, beats that left.
    left: Reg<Bits<9>>,
    beat: Reg<Bits<BEATS>>,
    /// Octets and beats of the answer; one more bit, so that a window that is full shows.
    octets: Reg<Bits<9>>,
    row: Reg<Bits<6>>,
    word: Flop<Bits<32>>,
    answers: Reg<Bit>,
    refused: Reg<Bit>,
    at: Signal<Local, Bits<12>>,
    data: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<16>>,
    is_command: Signal<Local, Bit>,
    is_go: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    odd: Signal<Local, Bit>,
    from: Signal<Local, Bits<12>>,
    place: Signal<Local, Bits<12>>,
    begins: Signal<Local, Bits<9>>,
    status: Signal<Local, Bits<32>>,
    ends: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    less: Signal<Local, Bits<9>>,
    more: Signal<Local, Bits<9>>,
    k_go: Const<Bits<12>>,
    k_status: Const<Bits<12>>,
    full: Const<Bits<9>>,
    most: Const<Bits<16>>,
}

impl AdminWindow {
    /// No command.
    pub fn new() -> Self {
        Self {
            k_go: csr::admin_go(),
            k_status: csr::admin_status(),
            full: Const::of(8),
            most: Const::of(8 << BEATS),
            ..Default::default()
        }
    }
}

impl Logic for AdminWindow {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, low, high, answer_low, answer_high);
        dff_setup!(self, clock, st, done, failed, left, beat, octets, row, word, answers, refused);
        self.st.reset.next = self.reset.val();
        self.done.reset.next = self.reset.val();
        self.failed.reset.next = self.reset.val();
        self.left.reset.next = self.reset.val();
        self.beat.reset.next = self.reset.val();
        self.octets.reset.next = self.reset.val();
        self.row.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.refused.reset.next = self.reset.val();

        // Writes: the window, or the length that starts.
        self.at.next = self.put.val().addr;
        self.data.next = self.put.val().data;
        self.length.next = self.data.val().get_bits::<16>(0);
        self.is_go.next = self.put_valid.val() && (self.at.val() == self.k_go.val());
        self.is_command.next = self.put_valid.val() && (self.at.val() != self.k_go.val());
        self.good.next = (self.st.q.val() == St::Idle)
            && (!self.is_go.val() || (self.length.val().any() && (self.length.val() <= self.most.val())));
        self.odd.next = self.at.val().get_bit(2);
        self.low.write_enable.next = self.is_command.val() && self.good.val() && !self.odd.val();
        self.high.write_enable.next = self.is_command.val() && self.good.val() && self.odd.val();
        self.low.write_address.next = self.at.val().get_bits::<BEATS>(3);
        self.high.write_address.next = self.at.val().get_bits::<BEATS>(3);
        self.low.write_data.next = self.data.val();
        self.high.write_data.next = self.data.val();
        self.refused.d.next = self.put_valid.val() && !self.good.val();
        self.bad.next = self.refused.q.val();
        self.busy.next = self.st.q.val() != St::Idle;

        // The command.
        self.low.read_address.next = self.beat.q.val();
        self.high.read_address.next = self.beat.q.val();
        self.ends.next = self.left.q.val() <= self.full.val();
        self.less.next = self.left.q.val() - self.full.val();
        self.cmd.data.next = bit_cast::<64, 32>(self.low.read_data.val())
            | (bit_cast::<64, 32>(self.high.read_data.val()) << 32);
        self.cmd.bytes.next = 8.into();
        if self.ends.val() {
            self.cmd.bytes.next = bit_cast::<4, 9>(self.left.q.val());
        }
        self.cmd.last.next = self.ends.val();
        self.cmd.err.next = false;
        self.cmd.valid.next = self.st.q.val() == St::Send;

        // Its answer.
        self.takes.next = self.st.q.val() == St::Wait;
        self.ans.ready.next = self.takes.val();
        self.beyond.next = self.row.q.val().get_bit(5);
        self.answer_low.write_enable.next = self.takes.val() && self.ans.valid.val() && !self.beyond.val();
        self.answer_high.write_enable.next = self.takes.val() && self.ans.valid.val() && !self.beyond.val();
        self.answer_low.write_address.next = bit_cast::<BEATS, 6>(self.row.q.val());
        self.answer_high.write_address.next = bit_cast::<BEATS, 6>(self.row.q.val());
        self.answer_low.write_data.next = self.ans.data.val().get_bits::<32>(0);
        self.answer_high.write_data.next = self.ans.data.val().get_bits::<32>(32);
        self.more.next = self.octets.q.val() + bit_cast::<9, 4>(self.ans.bytes.val());

        match self.st.q.val() {
            St::Idle => {
                self.beat.d.next = 0.into();
                if self.is_go.val() && self.good.val() {
                    self.left.d.next = bit_cast::<9, 16>(self.length.val());
                    self.done.d.next = false;
                    self.failed.d.next = false;
                    self.octets.d.next = 0.into();
                    self.row.d.next = 0.into();
                    self.st.d.next = St::Send;
                }
            }
            St::Send => {
                if self.cmd.ready.val() {
                    self.left.d.next = self.less.val();
                    self.beat.d.next = self.beat.q.val() + 1;
                    if self.ends.val() {
                        self.st.d.next = St::Wait;
                    }
                }
            }
            St::Wait => {
                if self.ans.valid.val() {
                    if self.beyond.val() {
                        self.failed.d.next = true;
                    } else {
                        self.octets.d.next = self.more.val();
                        self.row.d.next = self.row.q.val() + 1;
                    }
                    if self.ans.last.val() {
                        if self.ans.err.val() {
                            self.failed.d.next = true;
                        }
                        self.done.d.next = true;
                        self.st.d.next = St::Idle;
                    }
                }
            }
            _ => {}
        }

        // Reads.
        self.from.next = self.ask.val().addr;
        // not through `from`: what reads the RAMs' answers and what addresses them would be one
        // loop to Verilator
        self.place.next = self.ask.val().addr;
        self.answer_low.read_address.next = self.place.val().get_bits::<BEATS>(3);
        self.answer_high.read_address.next = self.place.val().get_bits::<BEATS>(3);
        self.begins.next = bit_cast::<9, 8>(self.from.val().get_bits::<8>(0));
        self.status.next = bit_cast::<32, 1>((self.st.q.val() != St::Idle).into())
            | (bit_cast::<32, 1>(self.done.q.val().into()) << 1)
            | (bit_cast::<32, 1>(self.failed.q.val().into()) << 2)
            | (bit_cast::<32, 9>(self.octets.q.val()) << 16);
        self.word.d.next = 0.into();
        if self.from.val() == self.k_status.val() {
            self.word.d.next = self.status.val();
        } else if self.done.q.val() && (self.begins.val() < self.octets.q.val()) {
            self.word.d.next = self.answer_low.read_data.val();
            if self.from.val().get_bit(2) {
                self.word.d.next = self.answer_high.read_data.val();
            }
        }
        self.answers.d.next = self.ask_valid.val();
        self.say.next = self.word.q.val();
        self.say_valid.next = self.answers.q.val();
    }
}

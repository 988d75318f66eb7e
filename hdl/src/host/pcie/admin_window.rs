// SPDX-License-Identifier: MIT OR Apache-2.0
//! The admin port as registers.
use super::bar_ports::{Ask, Put};
use crate::gen::consts::csr;
use crate::prelude::*;
use crate::stream::{StreamSink, StreamSource};

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

const FULL: usize = 8;

/// Takes a command of up to 256 octets from registers, gives it to the admin port and keeps the
/// answer.
///
/// **Contract.** `put` and `ask` stand for a cycle. While a command is under way its window and
/// `admin_go` are refused; a length of 0 or beyond the window is refused too: nothing changes,
/// `bad` pulses.
///
/// **Timing.** A beat a cycle each way; a read is answered in the cycle behind.
#[block(clock)]
pub struct AdminWindow {
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
}

#[kernel]
impl Logic for AdminWindow {
    fn update(&mut self) {
        regs!(st, done, failed, left, beat, octets, row, answers, refused);
        flops!(word);
        clocked!(low, high, answer_low, answer_high);

        // Writes: the window, or the length that starts.
        let at: Bits<12> = self.put.val().addr;
        let data: Bits<32> = self.put.val().data;
        let length: Bits<16> = data.get_bits::<16>(0);
        let is_go: Bit = self.put_valid.val() && (at == csr::admin_go().val());
        let is_command: Bit = self.put_valid.val() && (at != csr::admin_go().val());
        let good: Bit =
            (self.st.q.val() == St::Idle) && (!is_go || (length.any() && (length <= lit::<16>(8 << BEATS))));
        let odd: Bit = at.get_bit(2);
        self.low.write_enable.next = is_command && good && !odd;
        self.high.write_enable.next = is_command && good && odd;
        self.low.write_address.next = at.get_bits::<BEATS>(3);
        self.high.write_address.next = at.get_bits::<BEATS>(3);
        self.low.write_data.next = data;
        self.high.write_data.next = data;
        self.refused.d.next = self.put_valid.val() && !good;
        self.bad.next = self.refused.q.val();
        self.busy.next = self.st.q.val() != St::Idle;

        // The command.
        self.low.read_address.next = self.beat.q.val();
        self.high.read_address.next = self.beat.q.val();
        let ends: Bit = self.left.q.val() <= lit::<9>(FULL);
        let less: Bits<9> = self.left.q.val() - lit::<9>(FULL);
        self.cmd.data.next = bit_cast::<64, 32>(self.low.read_data.val())
            | (bit_cast::<64, 32>(self.high.read_data.val()) << 32);
        self.cmd.bytes.next = 8.into();
        if ends {
            self.cmd.bytes.next = bit_cast::<4, 9>(self.left.q.val());
        }
        self.cmd.last.next = ends;
        self.cmd.err.next = false;
        self.cmd.valid.next = self.st.q.val() == St::Send;

        // Its answer.
        let takes: Bit = self.st.q.val() == St::Wait;
        self.ans.ready.next = takes;
        let beyond: Bit = self.row.q.val().get_bit(5);
        self.answer_low.write_enable.next = takes && self.ans.valid.val() && !beyond;
        self.answer_high.write_enable.next = takes && self.ans.valid.val() && !beyond;
        self.answer_low.write_address.next = bit_cast::<BEATS, 6>(self.row.q.val());
        self.answer_high.write_address.next = bit_cast::<BEATS, 6>(self.row.q.val());
        self.answer_low.write_data.next = self.ans.data.val().get_bits::<32>(0);
        self.answer_high.write_data.next = self.ans.data.val().get_bits::<32>(32);
        let more: Bits<9> = self.octets.q.val() + bit_cast::<9, 4>(self.ans.bytes.val());

        match self.st.q.val() {
            St::Idle => {
                self.beat.d.next = 0.into();
                if is_go && good {
                    self.left.d.next = bit_cast::<9, 16>(length);
                    self.done.d.next = false;
                    self.failed.d.next = false;
                    self.octets.d.next = 0.into();
                    self.row.d.next = 0.into();
                    self.st.d.next = St::Send;
                }
            }
            St::Send => {
                if self.cmd.ready.val() {
                    self.left.d.next = less;
                    self.beat.d.next = self.beat.q.val() + 1;
                    if ends {
                        self.st.d.next = St::Wait;
                    }
                }
            }
            St::Wait => {
                if self.ans.valid.val() {
                    if beyond {
                        self.failed.d.next = true;
                    } else {
                        self.octets.d.next = more;
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
        let from: Bits<12> = self.ask.val().addr;
        // not through `from`: what reads the RAMs' answers and what addresses them would be one
        // loop to Verilator
        let place: Bits<12> = self.ask.val().addr;
        self.answer_low.read_address.next = place.get_bits::<BEATS>(3);
        self.answer_high.read_address.next = place.get_bits::<BEATS>(3);
        let begins: Bits<9> = bit_cast::<9, 8>(from.get_bits::<8>(0));
        let status: Bits<32> = bit_cast::<32, 1>((self.st.q.val() != St::Idle).into())
            | (bit_cast::<32, 1>(self.done.q.val().into()) << 1)
            | (bit_cast::<32, 1>(self.failed.q.val().into()) << 2)
            | (bit_cast::<32, 9>(self.octets.q.val()) << 16);
        self.word.d.next = 0.into();
        if from == csr::admin_status().val() {
            self.word.d.next = status;
        } else if self.done.q.val() && (begins < self.octets.q.val()) {
            self.word.d.next = self.answer_low.read_data.val();
            if from.get_bit(2) {
                self.word.d.next = self.answer_high.read_data.val();
            }
        }
        self.answers.d.next = self.ask_valid.val();
        self.say.next = self.word.q.val();
        self.say_valid.next = self.answers.q.val();
    }
}

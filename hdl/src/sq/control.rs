// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the control plane sends on a stream: one Terminate, and the end of it.
use crate::prelude::*;

/// Where a command is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Tell {
    /// There is none.
    Idle,
    /// Its slot's words are asked for.
    Write,
    /// The last one comes.
    Last,
    /// The scheduler is told.
    Ask,
    /// It is answered.
    Done,
}

/// Keeps the slot of each queue pair's Terminate, from its command until the connection is inserted
/// anew; the end of the stream needs no slot. `CW` = `C + 4`, address of a word.
///
/// A connection has one Terminate (RFC 5040 section 4.8) and one end: a second command is answered
/// like the first and changes nothing. A command never waits for the stream: it is answered when
/// the slot is written.
#[block]
pub struct SqControl<const C: usize, const NC: usize, const CW: usize> {
    /// Queue pair.
    pub ctl_qp: Signal<In, Bits<C>>,
    /// It is the end of the stream, else a Terminate.
    pub ctl_fin: Signal<In, Bit>,
    /// Word of the slot, which is in the form of a `SendWqe`, that is wanted.
    pub cmd_at: Signal<Out, Bits<4>>,
    /// That word, a cycle later, octet 0 in bits 7:0.
    pub cmd_word: Signal<In, Bits<64>>,
    /// The order is offered, by the admin port.
    pub ctl_valid: Signal<In, Bit>,
    /// The order is done.
    pub ctl_ready: Signal<Out, Bit>,
    /// Queue pair that has something to send.
    pub asked_qp: Signal<Out, Bits<C>>,
    /// It is the end of the stream, else a Terminate.
    pub asked_fin: Signal<Out, Bit>,
    /// The queue pair is offered to the scheduler.
    pub asked_valid: Signal<Out, Bit>,
    /// The scheduler takes the queue pair.
    pub asked_take: Signal<In, Bit>,
    /// Loads `word` at the next edge.
    pub word_enable: Signal<In, Bit>,
    /// Address of the word.
    pub word_address: Signal<In, Bits<CW>>,
    /// The word last read, octet 0 in bits 7:0.
    pub word: Signal<Out, Bits<64>>,
    /// Connection that is inserted.
    pub fresh_qp: Signal<In, Bits<C>>,
    /// In this cycle.
    pub fresh: Signal<In, Bit>,
    store: Sdp<Bits<64>, CW>,
    state: Reg<Tell>,
    at: Reg<Bits<4>>,
    /// The word that was wanted a cycle ago is there, and which it is.
    comes: Reg<Bit>,
    late: Flop<Bits<4>>,
    fin: Flop<Bit>,
    terms: Reg<Bits<NC>>,
    fins: Reg<Bits<NC>>,
    given: Signal<Local, Bits<NC>>,
    terms_now: Signal<Local, Bits<NC>>,
    fins_now: Signal<Local, Bits<NC>>,
}

impl<const C: usize, const NC: usize, const CW: usize> SqControl<C, NC, CW> {
    /// Nothing to send; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        assert!(NC == 1 << C && CW == C + 4, "{NC} queue pairs are 2^{C}, an address of a word {CW} bits");
        Self { ..Default::default() }
    }
}

#[kernel]
impl<const C: usize, const NC: usize, const CW: usize> Logic for SqControl<C, NC, CW> {
    fn update(&mut self) {
        regs!(state, at, comes, terms, fins);
        flops!(late, fin);
        clocked!(store);
        self.cmd_at.next = self.at.q.val();
        self.comes.d.next = self.state.q.val() == Tell::Write;
        self.late.d.next = self.at.q.val();
        self.store.write_enable.next = self.comes.q.val();
        self.store.write_address.next =
            (bit_cast::<CW, C>(self.ctl_qp.val()) << 4) | bit_cast::<CW, 4>(self.late.q.val());
        self.store.write_data.next = self.cmd_word.val();
        self.store.read_enable.next = self.word_enable.val();
        self.store.read_address.next = self.word_address.val();
        self.word.next = self.store.read_data.val();
        self.asked_qp.next = self.ctl_qp.val();
        self.asked_fin.next = self.fin.q.val();
        self.asked_valid.next = self.state.q.val() == Tell::Ask;
        self.ctl_ready.next = self.state.q.val() == Tell::Done;

        self.given.next = self.terms.q.val();
        if self.ctl_fin.val() {
            self.given.next = self.fins.q.val();
        }
        let mark: Bits<NC> = lit::<NC>(1) << self.ctl_qp.val();
        let fresh_mark: Bits<NC> = lit::<NC>(1) << self.fresh_qp.val();
        self.terms_now.next = self.terms.q.val();
        self.fins_now.next = self.fins.q.val();
        match self.state.q.val() {
            Tell::Idle => {
                self.at.d.next = 0.into();
                self.fin.d.next = self.ctl_fin.val();
                if self.ctl_valid.val() {
                    self.state.d.next = Tell::Write;
                    if self.given.val().get_bit(self.ctl_qp.val().index()) {
                        self.state.d.next = Tell::Done;
                    } else if self.ctl_fin.val() {
                        self.state.d.next = Tell::Ask;
                    }
                }
            }
            Tell::Write => {
                self.at.d.next = self.at.q.val() + 1;
                if self.at.q.val().all() {
                    self.state.d.next = Tell::Last;
                }
            }
            Tell::Last => {
                self.state.d.next = Tell::Ask;
            }
            Tell::Ask => {
                if self.asked_take.val() {
                    self.state.d.next = Tell::Done;
                    if self.fin.q.val() {
                        self.fins_now.next = self.fins.q.val() | mark;
                    } else {
                        self.terms_now.next = self.terms.q.val() | mark;
                    }
                }
            }
            Tell::Done => {
                self.state.d.next = Tell::Idle;
            }
            _ => {}
        }
        self.terms.d.next = self.terms_now.val();
        self.fins.d.next = self.fins_now.val();
        if self.fresh.val() {
            self.terms.d.next = self.terms_now.val() & (!fresh_mark);
            self.fins.d.next = self.fins_now.val() & (!fresh_mark);
        }
    }
}

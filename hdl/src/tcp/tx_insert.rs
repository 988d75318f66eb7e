// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of new connections into the columns of the transmit stage.
use super::tx_row::{HeadRow, HeadWord, TxSetup};
use super::tx_words::TxWords;
use crate::gen::ConnRow;
use crate::prelude::*;

/// Step of an insert.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// Nothing to do.
    Idle,
    /// Waits until no header is under way.
    Hold,
    /// Writes the words of the headers, one a cycle.
    Words,
    /// Writes what is known of them.
    Keep,
    /// Tells the owners of the other columns.
    Tell,
    /// Answers.
    Done,
}

/// Takes `conn_insert` and `conn_remove` apart: writes the header column, the only writer it has,
/// and hands the rest to the owners of the other columns. The sums of all that is constant in a
/// connection's headers are made here once, so that a segment adds only its own words.
///
/// An update is an insert of which only the header column and the sequence column hear, the latter
/// only of EMSS and the gate. No header is made or sent while the header column is written, so each
/// is of the old row or of the new one.
///
/// An insert takes at most 30 cycles from the end of the header that is under way and a removal 2
/// if the owners take their share at once.
#[block]
pub struct TxInsert<const C: usize> {
    /// Connection to insert.
    pub ins_qp: Signal<In, Bits<C>>,
    /// Its row.
    pub ins_row: Signal<In, ConnRow>,
    /// The connection lives: what moves in its row stays.
    pub ins_update: Signal<In, Bit>,
    /// An insert is offered.
    pub ins_valid: Signal<In, Bit>,
    /// It is done.
    pub ins_ready: Signal<Out, Bit>,
    /// Connection to remove.
    pub rem_qp: Signal<In, Bits<C>>,
    /// A removal is offered.
    pub rem_valid: Signal<In, Bit>,
    /// It is done.
    pub rem_ready: Signal<Out, Bit>,

    /// Connection that the next four are about.
    pub qp: Signal<Out, Bits<C>>,
    /// Let no header begin.
    pub hold: Signal<Out, Bit>,
    /// None is under way.
    pub held: Signal<In, Bit>,
    /// Word of the headers.
    pub word: Signal<Out, HeadWord>,
    /// Its place.
    pub place: Signal<Out, Bits<5>>,
    /// Write it in this cycle.
    pub word_write: Signal<Out, Bit>,
    /// What is known of them.
    pub head: Signal<Out, HeadRow>,
    /// Write it in this cycle.
    pub head_write: Signal<Out, Bit>,
    /// What the owners of the other columns need.
    pub setup: Signal<Out, TxSetup>,
    /// Offered to the owner of sequence state, of ACK state, of SND.NXT.
    pub tell: [Signal<Out, Bit>; 3],
    /// That owner takes it.
    pub take: [Signal<In, Bit>; 3],

    st: Reg<St>,
    /// The connection is removed.
    removes: Flop<Bit>,
    /// The connection is updated.
    updates: Flop<Bit>,
    /// That owner has taken it.
    told: [Reg<Bit>; 3],
    words: TxWords,
    /// EMSS of a row that stands, bounded by the store.
    emss: Flop<Bits<16>>,
    most_emss: Const<Bits<16>>,
    nothing: Const<TxSetup>,
    row: Signal<Local, ConnRow>,
    all_told: Signal<Local, Bit>,
    setup_now: Signal<Local, TxSetup>,
}

impl<const C: usize> TxInsert<C> {
    /// An idle block; `most_emss` bounds the segments that the payload store takes.
    pub fn new(most_emss: usize) -> Self {
        Self { most_emss: Const::of(most_emss), ..Default::default() }
    }
}

#[kernel]
impl<const C: usize> Logic for TxInsert<C> {
    fn update(&mut self) {
        regs!(st);
        flops!(removes, updates, emss);
        clocked!(words);
        self.row.next = self.ins_row.val();
        self.all_told.next = true;
        for i in 0..3 {
            self.told[i].clock.next = self.clock.val();
            self.told[i].reset.next = self.reset.val();
            self.told[i].d.next = false;
            self.tell[i].next = (self.st.q.val() == St::Tell) && !self.told[i].q.val();
            if self.st.q.val() == St::Tell {
                self.told[i].d.next = self.told[i].q.val() || self.take[i].val();
            }
            if !(self.told[i].q.val() || self.take[i].val()) {
                self.all_told.next = false;
            }
        }
        self.ins_ready.next = (self.st.q.val() == St::Done) && !self.removes.q.val();
        self.rem_ready.next = (self.st.q.val() == St::Done) && self.removes.q.val();

        match self.st.q.val() {
            St::Idle => {
                self.removes.d.next = self.rem_valid.val();
                self.updates.d.next = self.ins_update.val() && !self.rem_valid.val();
                if self.rem_valid.val() {
                    self.st.d.next = St::Tell;
                } else if self.ins_valid.val() {
                    self.st.d.next = St::Hold;
                }
            }
            St::Hold => {
                if self.held.val() {
                    self.st.d.next = St::Words;
                }
            }
            St::Words => {
                if self.words.over.val() {
                    self.st.d.next = St::Keep;
                }
            }
            St::Keep => {
                self.told[1].d.next = self.updates.q.val();
                self.told[2].d.next = self.updates.q.val();
                self.st.d.next = St::Tell;
            }
            St::Tell => {
                self.st.d.next = St::Tell;
                if self.all_told.val() {
                    self.st.d.next = St::Done;
                }
            }
            St::Done => {
                self.st.d.next = St::Idle;
            }
            _ => {}
        }

        self.hold.next =
            (self.st.q.val() == St::Hold) || (self.st.q.val() == St::Words) || (self.st.q.val() == St::Keep);
        self.words.row.next = self.ins_row.val();
        self.words.step.next = self.st.q.val() == St::Words;
        self.word.next = self.words.word.val();
        self.place.next = self.words.place.val();
        self.word_write.next = self.words.valid.val();
        self.head.next = self.words.head.val();
        self.head_write.next = self.st.q.val() == St::Keep;

        self.qp.next = self.ins_qp.val();
        self.setup_now.next.una = self.row.val().snd_una;
        self.setup_now.next.nxt = self.row.val().snd_nxt;
        self.setup_now.next.wnd = self.row.val().snd_wnd;
        self.setup_now.next.start = bit_cast::<9, 32>(self.row.val().tx_seq_start);
        self.emss.d.next = self.row.val().emss;
        if self.row.val().emss > self.most_emss.val() {
            self.emss.d.next = self.most_emss.val();
        }
        self.setup_now.next.emss = self.emss.q.val();
        self.setup_now.next.markers = self.row.val().tx_markers;
        self.setup_now.next.crc = self.row.val().tx_crc;
        self.setup_now.next.gate = self.row.val().gate_open;
        self.setup_now.next.update = self.updates.q.val();
        self.setup_now.next.rcv_nxt = self.row.val().rcv_nxt;
        self.setup_now.next.ack_now = self.row.val().ack_now;
        self.setup_now.next.rtt = self.row.val().rtt;
        self.setup_now.next.limit = self.row.val().retry_limit;
        self.setup_now.next.keepalive = self.row.val().keepalive;
        self.setup_now.next.scale = self.row.val().rcv_scale;
        self.setup.next = self.setup_now.val();
        if self.removes.q.val() {
            self.qp.next = self.rem_qp.val();
            self.setup.next = self.nothing.val();
        }
    }
}

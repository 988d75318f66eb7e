// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three sources of faults into one channel.
use crate::prelude::*;
use crate::record::{CiteSource, Fault, Quoted};
use crate::stream::{ItemSink, ItemSource};

/// Step of the one fault under way.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum St {
    /// There is none.
    Idle,
    /// It is offered.
    Offer,
    /// Its Read Request leaves.
    Cite,
}

/// One fault at a time; the read side first, since it holds ULPDUs. Faults are rare, and the first
/// of a queue pair ends it, so that none waits for long. Who quotes a Read Request waits until its
/// words are taken: nobody else keeps it.
#[block]
pub struct SqFaults {
    /// Of a doorbell.
    pub a: ItemSink<Fault>,
    /// Of a WQE, or of a Read Request.
    pub b: ItemSink<Fault>,
    /// The Read Request.
    pub b_quote: Signal<In, Quoted>,
    /// Its octets; both stay until `b` is taken.
    pub b_request: Signal<In, Bits<384>>,
    /// Of a read.
    pub c: ItemSink<Fault>,
    /// The fault.
    pub tx: ItemSource<Fault>,
    /// The segment that it quotes.
    pub tx_quote: Signal<Out, Quoted>,
    /// Its octets.
    pub tx_words: CiteSource,
    held: Flop<Fault>,
    cited: Flop<Quoted>,
    st: Reg<St>,
    /// `b` is taken.
    rids: Reg<Bit>,
    at: Flop<Bits<3>>,
    none: Const<Quoted>,
}

impl SqFaults {
    /// No fault.
    pub fn new() -> Self {
        Self { ..Default::default() }
    }
}

#[kernel]
impl Logic for SqFaults {
    fn update(&mut self) {
        regs!(st, rids);
        flops!(held, cited, at);
        self.tx.item.next = self.held.q.val();
        self.tx_quote.next = self.cited.q.val();
        self.tx.valid.next = self.st.q.val() == St::Offer;
        self.c.ready.next = self.st.q.val() == St::Idle;
        self.b.ready.next = self.rids.q.val();
        self.a.ready.next = (self.st.q.val() == St::Idle) && !self.c.valid.val() && !self.b.valid.val();
        self.rids.d.next = false;

        self.tx_words.valid.next = self.st.q.val() == St::Cite;
        self.tx_words.data.next = self.b_request.val().get_bits::<64>(0);
        for i in 1..6 {
            if self.at.q.val() == i.to_bits() {
                self.tx_words.data.next = self.b_request.val().get_bits::<64>(64 * i);
            }
        }
        let ends: Bit = self.at.q.val() == lit::<3>(5);
        self.tx_words.last.next = ends;

        match self.st.q.val() {
            St::Idle => {
                self.held.d.next = self.a.item.val();
                self.cited.d.next = self.none.val();
                self.at.d.next = 0.into();
                if self.a.valid.val() && !self.b.valid.val() {
                    self.st.d.next = St::Offer;
                }
                if self.b.valid.val() && !self.rids.q.val() {
                    self.held.d.next = self.b.item.val();
                    self.cited.d.next = self.b_quote.val();
                    self.rids.d.next = !self.b_quote.val().is_there && !self.c.valid.val();
                    self.st.d.next = St::Offer;
                }
                if self.c.valid.val() {
                    self.held.d.next = self.c.item.val();
                    self.cited.d.next = self.none.val();
                    self.st.d.next = St::Offer;
                }
            }
            St::Offer => {
                if self.tx.ready.val() {
                    self.st.d.next = St::Idle;
                    if self.cited.q.val().is_there {
                        self.st.d.next = St::Cite;
                    }
                }
            }
            St::Cite => {
                if self.tx_words.ready.val() {
                    self.at.d.next = self.at.q.val() + 1;
                    if ends {
                        self.rids.d.next = true;
                        self.st.d.next = St::Idle;
                    }
                }
            }
            _ => {}
        }
    }
}

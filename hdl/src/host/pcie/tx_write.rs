// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posted writes become memory write requests.
use super::super::ports::{Read, WriteSink};
use super::align::WriteAlign;
use super::cut::TlpCut;
use super::head::TlpHead;
use super::pack::TlpPack;
use super::ports::{Part, PcieConfig};
use super::swap::DwSwap;
use crate::cell::Reg;
use crate::stream::{ItemSource, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// Each command and its frame leave as MWr TLPs, cut at multiples of Max_Payload_Size of address.
/// `D` = `2 * W`.
///
/// **Contract.** Commands and frames pair in order; a frame has exactly the octets of its command
/// and no `err`. Writes and their TLPs keep their order. `taken` counts commands taken, modulo
/// 2^16.
///
/// **Timing.** Four cycles from a command and the first beat of its frame to the TLP's first beat;
/// a beat a cycle, none lost between TLPs.
#[derive(LogicBlock, Default)]
pub struct TxWrite<const W: usize, const K: usize, const D: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Requester ID, Max_Payload_Size.
    pub cfg: Signal<In, PcieConfig>,
    /// Commands.
    pub wr_cmd: WriteSink,
    /// A frame for each.
    pub wr: StreamSink<W, K>,
    /// TLPs.
    pub tx: StreamSource<W, K>,
    /// The TLP is the last one of its write.
    pub tx_ends: Signal<Out, Bit>,
    /// Writes of which the command was taken.
    pub taken: Signal<Out, Bits<16>>,
    cut: TlpCut,
    heads: TlpHead,
    align: WriteAlign<W, K>,
    swap: DwSwap<W>,
    pack: TlpPack<W, K, D>,
    count: Reg<Bits<16>>,
    request: Signal<Local, Read>,
    room: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize, const D: usize> TxWrite<W, K, D> {
    /// Panics at elaboration when the parameters do not belong together.
    pub fn new() -> Self {
        Self {
            cut: TlpCut::new(),
            heads: TlpHead::new(true),
            align: WriteAlign::new(),
            swap: DwSwap::new(),
            pack: TlpPack::new(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const D: usize> Logic for TxWrite<W, K, D> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, cut, heads, align, pack);
        dff_setup!(self, clock, count);
        self.cut.reset.next = self.reset.val();
        self.heads.reset.next = self.reset.val();
        self.align.reset.next = self.reset.val();
        self.pack.reset.next = self.reset.val();
        self.count.reset.next = self.reset.val();

        // A command goes to both, or waits for both.
        self.room.next = self.cut.rx.ready.val() && self.align.off.ready.val();
        self.wr_cmd.ready.next = self.room.val();
        self.request.next.addr = self.wr_cmd.addr.val();
        self.request.next.length = self.wr_cmd.length.val();
        self.request.next.tag = 0.into();
        self.cut.size.next = self.cfg.val().mps;
        self.cut.rx.item.next = self.request.val();
        self.cut.rx.valid.next = self.wr_cmd.valid.val() && self.room.val();
        self.align.off.item.next = bit_cast::<2, 64>(self.wr_cmd.addr.val());
        self.align.off.valid.next = self.wr_cmd.valid.val() && self.room.val();
        if self.wr_cmd.valid.val() && self.room.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        self.taken.next = self.count.q.val();

        self.heads.id.next = self.cfg.val().id;
        ItemSource::<Part>::join(&mut self.cut.tx, &mut self.heads.rx);
        self.pack.head.item.next = self.heads.tx.item.val();
        self.pack.head.valid.next = self.heads.tx.valid.val();
        self.heads.tx.ready.next = self.pack.head.ready.val();

        StreamSink::<W, K>::link(&mut self.wr, &mut self.align.rx);
        self.swap.x.next = self.align.tx.data.val();
        self.pack.rx.data.next = self.swap.y.val();
        self.pack.rx.bytes.next = self.align.tx.bytes.val();
        self.pack.rx.last.next = self.align.tx.last.val();
        self.pack.rx.err.next = self.align.tx.err.val();
        self.pack.rx.valid.next = self.align.tx.valid.val();
        self.align.tx.ready.next = self.pack.rx.ready.val();
        StreamSource::<W, K>::link(&mut self.tx, &mut self.pack.tx);
        self.tx_ends.next = self.pack.tx_ends.val();
    }
}

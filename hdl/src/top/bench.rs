//! Cells of one width side by side, each with its own ports named `<cell>_<port>`.
use crate::stream::{
    Arbiter, Fork, MetaJoin, MetaSink, MetaSource, OnFull, PacketFifo, Skid, StreamSink, StreamSource,
};
use rust_hdl::prelude::*;

/// Bench top of width `W`.
#[derive(LogicBlock, Default)]
pub struct Bench<const W: usize, const K: usize> {
    /// Clock of every cell.
    pub clock: Signal<In, Clock>,
    /// Reset of every cell.
    pub reset: Signal<In, Bit>,
    /// Frames into the skid buffer.
    pub skid_rx: StreamSink<W, K>,
    /// Frames out of it.
    pub skid_tx: StreamSource<W, K>,
    skid: Skid<W, K>,
    /// Frames into a packet FIFO of 32 beats that waits.
    pub fifo_rx: StreamSink<W, K>,
    /// Good frames out of it.
    pub fifo_tx: StreamSource<W, K>,
    /// Drops the frame being written.
    pub fifo_discard: Signal<In, Bit>,
    /// A frame was committed.
    pub fifo_kept: Signal<Out, Bit>,
    /// A frame was dropped for `err` or `discard`.
    pub fifo_dropped_err: Signal<Out, Bit>,
    /// A frame longer than the FIFO was dropped.
    pub fifo_dropped_long: Signal<Out, Bit>,
    /// A frame was dropped for want of room.
    pub fifo_dropped_full: Signal<Out, Bit>,
    wait_fifo: PacketFifo<W, K, 5>,
    /// Frames into a packet FIFO of 32 beats that drops.
    pub port_fifo_rx: StreamSink<W, K>,
    /// Good frames out of it.
    pub port_fifo_tx: StreamSource<W, K>,
    /// Drops the frame being written.
    pub port_fifo_discard: Signal<In, Bit>,
    /// A frame was committed.
    pub port_fifo_kept: Signal<Out, Bit>,
    /// A frame was dropped for `err` or `discard`.
    pub port_fifo_dropped_err: Signal<Out, Bit>,
    /// A frame longer than the FIFO was dropped.
    pub port_fifo_dropped_long: Signal<Out, Bit>,
    /// A frame was dropped for want of room.
    pub port_fifo_dropped_full: Signal<Out, Bit>,
    drop_fifo: PacketFifo<W, K, 5>,
    /// Frames into an arbiter of 2.
    pub arb2_rx: [StreamSink<W, K>; 2],
    /// All of them.
    pub arb2_tx: StreamSource<W, K>,
    /// Input that the beat came from.
    pub arb2_from: Signal<Out, Bits<3>>,
    arbiter2: Arbiter<2, W, K>,
    /// Frames into an arbiter of 3.
    pub arb3_rx: [StreamSink<W, K>; 3],
    /// All of them.
    pub arb3_tx: StreamSource<W, K>,
    /// Input that the beat came from.
    pub arb3_from: Signal<Out, Bits<3>>,
    arbiter3: Arbiter<3, W, K>,
    /// Frames into an arbiter of 4.
    pub arb4_rx: [StreamSink<W, K>; 4],
    /// All of them.
    pub arb4_tx: StreamSource<W, K>,
    /// Input that the beat came from.
    pub arb4_from: Signal<Out, Bits<3>>,
    arbiter4: Arbiter<4, W, K>,
    /// Frames into a fork.
    pub fork_rx: StreamSink<W, K>,
    /// First copy.
    pub fork_left: StreamSource<W, K>,
    /// Second copy.
    pub fork_right: StreamSource<W, K>,
    forker: Fork<W, K>,
    /// Items into a join of metadata and frames.
    pub mjoin_meta_rx: MetaSink<32>,
    /// Frames into it.
    pub mjoin_rx: StreamSink<W, K>,
    /// Items in time with their frames.
    pub mjoin_meta_tx: MetaSource<32>,
    /// Their frames.
    pub mjoin_tx: StreamSource<W, K>,
    joiner: MetaJoin<32, W, K>,
}

impl<const W: usize, const K: usize> Bench<W, K> {
    /// One of each cell.
    pub fn new() -> Self {
        Self {
            wait_fifo: PacketFifo::new(OnFull::Wait),
            drop_fifo: PacketFifo::new(OnFull::Drop),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for Bench<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, skid);
        self.skid.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.skid_rx, &mut self.skid.rx);
        StreamSource::<W, K>::link(&mut self.skid_tx, &mut self.skid.tx);

        clock!(self, clock, wait_fifo, drop_fifo, arbiter2, arbiter3, arbiter4, forker, joiner);
        self.wait_fifo.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.fifo_rx, &mut self.wait_fifo.rx);
        StreamSource::<W, K>::link(&mut self.fifo_tx, &mut self.wait_fifo.tx);
        self.wait_fifo.discard.next = self.fifo_discard.val();
        self.fifo_kept.next = self.wait_fifo.kept.val();
        self.fifo_dropped_err.next = self.wait_fifo.dropped_err.val();
        self.fifo_dropped_long.next = self.wait_fifo.dropped_long.val();
        self.fifo_dropped_full.next = self.wait_fifo.dropped_full.val();
        self.drop_fifo.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.port_fifo_rx, &mut self.drop_fifo.rx);
        StreamSource::<W, K>::link(&mut self.port_fifo_tx, &mut self.drop_fifo.tx);
        self.drop_fifo.discard.next = self.port_fifo_discard.val();
        self.port_fifo_kept.next = self.drop_fifo.kept.val();
        self.port_fifo_dropped_err.next = self.drop_fifo.dropped_err.val();
        self.port_fifo_dropped_long.next = self.drop_fifo.dropped_long.val();
        self.port_fifo_dropped_full.next = self.drop_fifo.dropped_full.val();
        self.arbiter2.reset.next = self.reset.val();
        for i in 0..2 {
            StreamSink::<W, K>::link(&mut self.arb2_rx[i], &mut self.arbiter2.rx[i]);
        }
        StreamSource::<W, K>::link(&mut self.arb2_tx, &mut self.arbiter2.tx);
        self.arb2_from.next = self.arbiter2.from.val();
        self.arbiter3.reset.next = self.reset.val();
        for i in 0..3 {
            StreamSink::<W, K>::link(&mut self.arb3_rx[i], &mut self.arbiter3.rx[i]);
        }
        StreamSource::<W, K>::link(&mut self.arb3_tx, &mut self.arbiter3.tx);
        self.arb3_from.next = self.arbiter3.from.val();
        self.arbiter4.reset.next = self.reset.val();
        for i in 0..4 {
            StreamSink::<W, K>::link(&mut self.arb4_rx[i], &mut self.arbiter4.rx[i]);
        }
        StreamSource::<W, K>::link(&mut self.arb4_tx, &mut self.arbiter4.tx);
        self.arb4_from.next = self.arbiter4.from.val();
        self.forker.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.fork_rx, &mut self.forker.rx);
        StreamSource::<W, K>::link(&mut self.fork_left, &mut self.forker.left);
        StreamSource::<W, K>::link(&mut self.fork_right, &mut self.forker.right);
        self.joiner.reset.next = self.reset.val();
        MetaSink::<32>::link(&mut self.mjoin_meta_rx, &mut self.joiner.meta_rx);
        StreamSink::<W, K>::link(&mut self.mjoin_rx, &mut self.joiner.rx);
        MetaSource::<32>::link(&mut self.mjoin_meta_tx, &mut self.joiner.meta_tx);
        StreamSource::<W, K>::link(&mut self.mjoin_tx, &mut self.joiner.tx);
    }
}

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
    fifo: PacketFifo<W, K, 5>,
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
    port_fifo: PacketFifo<W, K, 5>,
    /// Frames into an arbiter of 2.
    pub arb2_rx: [StreamSink<W, K>; 2],
    /// All of them.
    pub arb2_tx: StreamSource<W, K>,
    /// Input that the beat came from.
    pub arb2_from: Signal<Out, Bits<3>>,
    arb2: Arbiter<2, W, K>,
    /// Frames into an arbiter of 3.
    pub arb3_rx: [StreamSink<W, K>; 3],
    /// All of them.
    pub arb3_tx: StreamSource<W, K>,
    /// Input that the beat came from.
    pub arb3_from: Signal<Out, Bits<3>>,
    arb3: Arbiter<3, W, K>,
    /// Frames into an arbiter of 4.
    pub arb4_rx: [StreamSink<W, K>; 4],
    /// All of them.
    pub arb4_tx: StreamSource<W, K>,
    /// Input that the beat came from.
    pub arb4_from: Signal<Out, Bits<3>>,
    arb4: Arbiter<4, W, K>,
    /// Frames into a fork.
    pub fork_rx: StreamSink<W, K>,
    /// First copy.
    pub fork_left: StreamSource<W, K>,
    /// Second copy.
    pub fork_right: StreamSource<W, K>,
    fork: Fork<W, K>,
    /// Items into a join of metadata and frames.
    pub mjoin_meta_rx: MetaSink<32>,
    /// Frames into it.
    pub mjoin_rx: StreamSink<W, K>,
    /// Items in time with their frames.
    pub mjoin_meta_tx: MetaSource<32>,
    /// Their frames.
    pub mjoin_tx: StreamSource<W, K>,
    mjoin: MetaJoin<32, W, K>,
}

impl<const W: usize, const K: usize> Bench<W, K> {
    /// One of each cell.
    pub fn new() -> Self {
        Self {
            fifo: PacketFifo::new(OnFull::Wait),
            port_fifo: PacketFifo::new(OnFull::Drop),
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

        clock!(self, clock, fifo, port_fifo, arb2, arb3, arb4, fork, mjoin);
        self.fifo.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.fifo_rx, &mut self.fifo.rx);
        StreamSource::<W, K>::link(&mut self.fifo_tx, &mut self.fifo.tx);
        self.fifo.discard.next = self.fifo_discard.val();
        self.fifo_kept.next = self.fifo.kept.val();
        self.fifo_dropped_err.next = self.fifo.dropped_err.val();
        self.fifo_dropped_long.next = self.fifo.dropped_long.val();
        self.fifo_dropped_full.next = self.fifo.dropped_full.val();
        self.port_fifo.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.port_fifo_rx, &mut self.port_fifo.rx);
        StreamSource::<W, K>::link(&mut self.port_fifo_tx, &mut self.port_fifo.tx);
        self.port_fifo.discard.next = self.port_fifo_discard.val();
        self.port_fifo_kept.next = self.port_fifo.kept.val();
        self.port_fifo_dropped_err.next = self.port_fifo.dropped_err.val();
        self.port_fifo_dropped_long.next = self.port_fifo.dropped_long.val();
        self.port_fifo_dropped_full.next = self.port_fifo.dropped_full.val();
        self.arb2.reset.next = self.reset.val();
        for i in 0..2 {
            StreamSink::<W, K>::link(&mut self.arb2_rx[i], &mut self.arb2.rx[i]);
        }
        StreamSource::<W, K>::link(&mut self.arb2_tx, &mut self.arb2.tx);
        self.arb2_from.next = self.arb2.from.val();
        self.arb3.reset.next = self.reset.val();
        for i in 0..3 {
            StreamSink::<W, K>::link(&mut self.arb3_rx[i], &mut self.arb3.rx[i]);
        }
        StreamSource::<W, K>::link(&mut self.arb3_tx, &mut self.arb3.tx);
        self.arb3_from.next = self.arb3.from.val();
        self.arb4.reset.next = self.reset.val();
        for i in 0..4 {
            StreamSink::<W, K>::link(&mut self.arb4_rx[i], &mut self.arb4.rx[i]);
        }
        StreamSource::<W, K>::link(&mut self.arb4_tx, &mut self.arb4.tx);
        self.arb4_from.next = self.arb4.from.val();
        self.fork.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.fork_rx, &mut self.fork.rx);
        StreamSource::<W, K>::link(&mut self.fork_left, &mut self.fork.left);
        StreamSource::<W, K>::link(&mut self.fork_right, &mut self.fork.right);
        self.mjoin.reset.next = self.reset.val();
        MetaSink::<32>::link(&mut self.mjoin_meta_rx, &mut self.mjoin.meta_rx);
        StreamSink::<W, K>::link(&mut self.mjoin_rx, &mut self.mjoin.rx);
        MetaSource::<32>::link(&mut self.mjoin_meta_tx, &mut self.mjoin.meta_tx);
        StreamSource::<W, K>::link(&mut self.mjoin_tx, &mut self.mjoin.tx);
    }
}

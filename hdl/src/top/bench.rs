//! Cells of one width side by side, each with its own ports named `<cell>_<port>`.
use crate::stream::{Skid, StreamSink, StreamSource};
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
}

impl<const W: usize, const K: usize> Bench<W, K> {
    /// One of each cell.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<const W: usize, const K: usize> Logic for Bench<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, skid);
        self.skid.reset.next = self.reset.val();
        StreamSink::<W, K>::link(&mut self.skid_rx, &mut self.skid.rx);
        StreamSource::<W, K>::link(&mut self.skid_tx, &mut self.skid.tx);
    }
}

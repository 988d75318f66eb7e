//! Cells of one width side by side, each with its own ports named `<cell>_<port>`.
use crate::cell::Crc32c;
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::mpa::{MpaTx, TxMulpdu};
use crate::stream::{Arbiter, Fork, FrameSplitter, HeaderJoin, HeaderSplit, MetaJoin, OnFull, PacketFifo};
use crate::stream::{Realign, Skid};

/// One instance of each cell at width `W`. `N14` to `N54`: beats that a header of 14 to 54 octets touches.
pub(super) fn bench<
    const W: usize,
    const K: usize,
    const N14: usize,
    const N18: usize,
    const N20: usize,
    const N40: usize,
    const N54: usize,
>(
    top: &str,
) -> Result<Emitted, EmitError> {
    let parts = vec![
        Part::new("skid", Skid::<W, K>::default),
        // packet FIFOs of 32 beats
        Part::new("fifo", || PacketFifo::<W, K, 5>::new(OnFull::Wait)),
        Part::new("port_fifo", || PacketFifo::<W, K, 5>::new(OnFull::Drop)),
        Part::new("arb2", Arbiter::<2, W, K>::default),
        Part::new("arb3", Arbiter::<3, W, K>::default),
        Part::new("arb4", Arbiter::<4, W, K>::default),
        Part::new("fork", Fork::<W, K>::default),
        Part::new("mjoin", MetaJoin::<32, W, K>::default),
        Part::new("split14", HeaderSplit::<W, K, 112, N14>::new),
        Part::new("split18", HeaderSplit::<W, K, 144, N18>::new),
        Part::new("split20", HeaderSplit::<W, K, 160, N20>::new),
        Part::new("split40", HeaderSplit::<W, K, 320, N40>::new),
        Part::new("split54", HeaderSplit::<W, K, 432, N54>::new),
        Part::new("join14", HeaderJoin::<W, K, 112, N14>::new),
        Part::new("join18", HeaderJoin::<W, K, 144, N18>::new),
        Part::new("join20", HeaderJoin::<W, K, 160, N20>::new),
        Part::new("join40", HeaderJoin::<W, K, 320, N40>::new),
        Part::new("join54", HeaderJoin::<W, K, 432, N54>::new),
        Part::new("realign", Realign::<W, K>::new),
        Part::new("cut", FrameSplitter::<W, K>::new),
        Part::new("crc", Crc32c::<W, K>::new),
        Part::new("mpa_tx", MpaTx::<W, K>::new),
        Part::new("mulpdu", TxMulpdu::new),
    ];
    emit_beside(top, parts)
}

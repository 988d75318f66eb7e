// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cells of one width side by side, each with its own ports named `<cell>_<port>`.
use crate::cell::{Counters, Flop, HashTable, KeepOctets, LutRam, Parity32, Reg, ScrubbedRam, Sdp, WordSum};
use crate::emit::{emit_beside, EmitError, Emitted, Part};
use crate::params::mpa_fpdu_of;
use crate::stream::{
    Arbiter, Checksum, Crc32c, CrcWords, Fork, FrameSplitter, HeaderJoin, HeaderSplit, Merge, MetaJoin,
    OnFull, PacketFifo, Queue, Realign, Skid,
};
use rust_hdl::prelude::Bits;

/// One instance of each cell at width `W`. `N14` to `N54`: beats that a header of 14 to 54 octets
/// touches.
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
    let mut parts = vec![
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
        Part::table("mpa_tx", mpa_fpdu_of!(width: W, bytes_width: K)()),
        Part::new("sum", Checksum::<W, K>::new),
    ];
    if W == 64 {
        parts.extend(of_no_width());
    }
    emit_beside(top, parts)
}

/// Cells that have nothing to do with the width of a stream, and leaves alone.
fn of_no_width() -> Vec<Part> {
    vec![
        Part::new("reg", || Reg::<Bits<12>>::new(0xABC_u64.into())),
        Part::new("flop", Flop::<Bits<12>>::default),
        Part::new("ram", Sdp::<Bits<12>, 3>::default),
        Part::new("lut_ram", LutRam::<Bits<12>, 3>::default),
        Part::new("queue", Queue::<Bits<12>, 2>::default),
        Part::new("merge", Merge::<Bits<12>>::new),
        Part::new("crc_words", CrcWords::<64, 2>::new),
        Part::new("scrubbed", ScrubbedRam::<Bits<12>, 4>::default),
        Part::new("keep", KeepOctets::<64, 4>::default),
        Part::new("parity", || Parity32::<64>::new(|i| (i as u32 + 1).wrapping_mul(0x9E37_79B9))),
        Part::new("word_sum", || WordSum::<512>::new(2)),
        Part::new("counters", Counters::<5, 4, 3>::default),
        // 32 slots: full within a few updates
        Part::new("table", || HashTable::<289, 320, 8, 5>::new(6)),
    ]
}

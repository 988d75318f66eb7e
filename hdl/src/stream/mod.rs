// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams: the one way in which two stages meet (architecture.md section 5).

mod arbiter;
mod beat;
#[allow(missing_docs)] // the derive makes undocumented `join` and `link` methods
mod bundle;
#[allow(missing_docs)] // of the methods that the derive writes
mod channel;
mod checksum;
mod crc32c;
mod crc_words;
mod credit;
#[cfg(test)]
mod cut_tests;
mod fifo;
mod fork;
mod header;
mod header_join;
mod header_split;
mod hold;
mod merge;
#[allow(missing_docs)] // as above
mod meta;
mod meta_join;
#[cfg(test)]
mod native;
mod pick;
mod pump;
mod queue;
mod rotate;
mod shifter;
#[allow(missing_docs)] // as above
mod side;
mod skid;
mod slot;
mod splitter;
mod stock;
mod tally;
#[cfg(test)]
mod tests;
mod trail;
mod trim;

pub use arbiter::Arbiter;
pub use beat::{bytes_width, Beat};
pub use bundle::{StreamSink, StreamSource};
pub use channel::{ItemSink, ItemSource};
pub use checksum::{Checksum, CHECKSUM_ITEM};
pub use crc32c::{Crc32c, CRC_ITEM};
pub use crc_words::CrcWords;
pub use credit::Credit;
pub use fifo::{OnFull, PacketFifo};
pub use fork::Fork;
pub use header::Header;
pub use header_join::HeaderJoin;
pub use header_split::HeaderSplit;
pub use hold::Hold;
pub use merge::Merge;
pub use meta::{MetaSink, MetaSource};
pub use meta_join::MetaJoin;
pub use pick::Pick;
pub use pump::Pump;
pub use queue::Queue;
pub use shifter::Realign;
pub use side::{HeaderSink, HeaderSource, OffsetSink, OffsetSource, PartsSink, PartsSource};
pub use skid::Skid;
pub use slot::Slot;
pub use splitter::FrameSplitter;
pub use stock::Stock;
pub use tally::Tally;
pub use trail::Trail;
pub use trim::Trim;

use header::header_layout;

use crate::emit::{emit, Unit};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "stream", width, emit };
    vec![
        unit("crc32c_w64", "crc32c", 64, || emit("crc32c_w64", Crc32c::<64, 4>::new)),
        unit("crc32c_w256", "crc32c", 256, || emit("crc32c_w256", Crc32c::<256, 6>::new)),
        unit("crc32c_w512", "crc32c", 512, || emit("crc32c_w512", Crc32c::<512, 7>::new)),
        unit("checksum_w64", "checksum", 64, || emit("checksum_w64", Checksum::<64, 4>::new)),
        unit("checksum_w256", "checksum", 256, || emit("checksum_w256", Checksum::<256, 6>::new)),
        unit("checksum_w512", "checksum", 512, || emit("checksum_w512", Checksum::<512, 7>::new)),
        unit("skid_w64", "skid", 64, || emit("skid_w64", Skid::<64, 4>::default)),
        unit("skid_w512", "skid", 512, || emit("skid_w512", Skid::<512, 7>::default)),
        unit("packet_fifo_w64", "packet_fifo", 64, || {
            emit("packet_fifo_w64", || PacketFifo::<64, 4, 8>::new(OnFull::Wait))
        }),
        unit("packet_fifo_w512", "packet_fifo", 512, || {
            emit("packet_fifo_w512", || PacketFifo::<512, 7, 8>::new(OnFull::Wait))
        }),
        unit("arbiter4_w64", "arbiter", 64, || emit("arbiter4_w64", Arbiter::<4, 64, 4>::default)),
        unit("arbiter4_w512", "arbiter", 512, || emit("arbiter4_w512", Arbiter::<4, 512, 7>::default)),
        unit("fork_w64", "fork", 64, || emit("fork_w64", Fork::<64, 4>::default)),
        unit("fork_w512", "fork", 512, || emit("fork_w512", Fork::<512, 7>::default)),
        unit("meta_join_w64", "meta_join", 64, || emit("meta_join_w64", MetaJoin::<32, 64, 4>::default)),
        unit("meta_join_w512", "meta_join", 512, || emit("meta_join_w512", MetaJoin::<32, 512, 7>::default)),
        unit("split14_w64", "header_split", 64, || emit("split14_w64", HeaderSplit::<64, 4, 112, 2>::new)),
        unit("split54_w64", "header_split", 64, || emit("split54_w64", HeaderSplit::<64, 4, 432, 7>::new)),
        unit("split14_w512", "header_split", 512, || {
            emit("split14_w512", HeaderSplit::<512, 7, 112, 1>::new)
        }),
        unit("split54_w512", "header_split", 512, || {
            emit("split54_w512", HeaderSplit::<512, 7, 432, 1>::new)
        }),
        unit("join14_w64", "header_join", 64, || emit("join14_w64", HeaderJoin::<64, 4, 112, 2>::new)),
        unit("join54_w64", "header_join", 64, || emit("join54_w64", HeaderJoin::<64, 4, 432, 7>::new)),
        unit("join14_w512", "header_join", 512, || emit("join14_w512", HeaderJoin::<512, 7, 112, 1>::new)),
        unit("join54_w512", "header_join", 512, || emit("join54_w512", HeaderJoin::<512, 7, 432, 1>::new)),
        unit("realign_w64", "realign", 64, || emit("realign_w64", Realign::<64, 4>::new)),
        unit("realign_w512", "realign", 512, || emit("realign_w512", Realign::<512, 7>::new)),
        unit("frame_splitter_w64", "frame_splitter", 64, || {
            emit("frame_splitter_w64", FrameSplitter::<64, 4>::new)
        }),
        unit("frame_splitter_w512", "frame_splitter", 512, || {
            emit("frame_splitter_w512", FrameSplitter::<512, 7>::new)
        }),
    ]
}

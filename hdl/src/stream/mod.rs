//! Streams: the one way in which two stages meet (architecture.md section 5).

mod arbiter;
mod beat;
#[allow(missing_docs)] // the derive makes undocumented `join` and `link` methods
mod bundle;
mod fifo;
mod fork;
#[allow(missing_docs)] // as above
mod meta;
mod meta_join;
#[cfg(test)]
mod native;
mod skid;
mod slot;
#[cfg(test)]
mod tests;

pub use arbiter::Arbiter;
pub use beat::{bytes_width, Beat};
pub use bundle::{StreamSink, StreamSource};
pub use fifo::{OnFull, PacketFifo};
pub use fork::Fork;
pub use meta::{MetaSink, MetaSource};
pub use meta_join::MetaJoin;
pub use skid::Skid;
pub use slot::Slot;

use crate::emit::{emit, Unit};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "stream", width, emit };
    vec![
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
    ]
}

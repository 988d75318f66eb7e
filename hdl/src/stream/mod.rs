//! Streams: the one way in which two stages meet (architecture.md section 5).

mod beat;
#[allow(missing_docs)] // the derive makes undocumented `join` and `link` methods
mod bundle;
mod skid;

pub use beat::{bytes_width, Beat};
pub use bundle::{StreamSink, StreamSource};
pub use skid::Skid;

use crate::emit::{emit, Unit};

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    vec![
        Unit {
            name: "skid_w64",
            cell: "skid",
            stage: "stream",
            width: 64,
            emit: || emit("skid_w64", Skid::<64, 4>::default),
        },
        Unit {
            name: "skid_w512",
            cell: "skid",
            stage: "stream",
            width: 512,
            emit: || emit("skid_w512", Skid::<512, 7>::default),
        },
    ]
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Leaf cells: the only place where handwritten Verilog text is allowed (at most 80 emitted lines a
//! cell).

mod blank;
mod checksum;
mod counters;
mod crc32c;
mod crc_words;
mod hash_buckets;
#[allow(missing_docs)] // the derive makes undocumented `join` and `link` methods
mod hash_ports;
mod hash_search;
mod hash_table;
mod hash_tag;
mod hash_tags;
mod keep;
mod konst;
mod lutram;
mod parity;
mod ram;
mod reg;
mod scrubbed;
mod scrubbed_word;
mod word_sum;

pub use blank::BlankRam;
pub use checksum::{Checksum, CHECKSUM_ITEM};
pub use counters::Counters;
pub use crc32c::{Crc32c, CRC_ITEM};
pub use crc_words::CrcWords;
pub use hash_ports::{
    Answer, AnswerSink, AnswerSource, FoundSink, FoundSource, LookupSink, LookupSource, UpdateSink,
    UpdateSource,
};
pub use hash_table::HashTable;
pub use hash_tag::Tag;
pub use keep::KeepOctets;
pub use konst::Const;
pub use lutram::LutRam;
pub use parity::Parity32;
pub use ram::Sdp;
pub use reg::{Flop, Reg};
pub use scrubbed::ScrubbedRam;
pub use word_sum::WordSum;

use crate::emit::{emit, Unit};
use rust_hdl::prelude::Bits;

/// Blocks of this folder that can be synthesised alone.
pub fn catalog() -> Vec<Unit> {
    let unit = |name, cell, width, emit| Unit { name, cell, stage: "cell", width, emit };
    vec![
        unit("crc32c_w64", "crc32c", 64, || emit("crc32c_w64", Crc32c::<64, 4>::new)),
        unit("crc32c_w256", "crc32c", 256, || emit("crc32c_w256", Crc32c::<256, 6>::new)),
        unit("crc32c_w512", "crc32c", 512, || emit("crc32c_w512", Crc32c::<512, 7>::new)),
        unit("checksum_w64", "checksum", 64, || emit("checksum_w64", Checksum::<64, 4>::new)),
        unit("checksum_w256", "checksum", 256, || emit("checksum_w256", Checksum::<256, 6>::new)),
        unit("checksum_w512", "checksum", 512, || emit("checksum_w512", Checksum::<512, 7>::new)),
        unit("scrubbed_ram_w64", "scrubbed_ram", 64, || {
            emit("scrubbed_ram_w64", ScrubbedRam::<Bits<64>, 9>::default)
        }),
        // 16 counters of 32 bits
        unit("counters_w32", "counters", 32, || emit("counters_w32", Counters::<16, 32, 4>::default)),
        // the 4-tuple and the IP version to one of 64 connections, 2,048 slots
        unit("hash_table_w289", "hash_table", 289, || {
            emit("hash_table_w289", || HashTable::<289, 320, 6, 11>::new(6))
        }),
    ]
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Leaf cells: the only place where handwritten Verilog text is allowed (at most 80 emitted lines a
//! cell).

mod async_fifo;
mod blank;
mod counters;
mod gates;
mod hash_buckets;
#[allow(missing_docs)] // the derive makes undocumented `join` and `link` methods
mod hash_ports;
mod hash_search;
mod hash_table;
mod hash_tag;
mod hash_tags;
mod highest;
mod keep;
mod konst;
mod lutram;
mod parity;
mod ram;
mod reg;
mod scrubbed;
mod scrubbed_word;
mod word_sum;

pub use async_fifo::AsyncFifo;
pub use blank::BlankRam;
pub use counters::Counters;
pub use gates::{Any, Both, Either};
pub use hash_ports::{
    Answer, AnswerSink, AnswerSource, FoundSink, FoundSource, LookupSink, LookupSource, UpdateSink,
    UpdateSource,
};
pub use hash_table::HashTable;
pub use hash_tag::Tag;
pub use highest::Highest;
pub use keep::KeepOctets;
pub use konst::{lit, Const};
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

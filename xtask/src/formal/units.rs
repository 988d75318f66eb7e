// SPDX-License-Identifier: MIT OR Apache-2.0
//! The texts that properties are proved of: the device as it is emitted, and cells of streams with
//! few bits.
use anyhow::{Context, Result};
use ferrowarp_hdl::cell::AsyncFifo;
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::emit::emit;
use ferrowarp_hdl::stream::{
    Arbiter, Fork, HeaderJoin, HeaderSplit, Merge, OnFull, PacketFifo, Queue, Skid, Slot,
};
use ferrowarp_hdl::top::Top;
use rust_hdl::prelude::Bits;

/// The Verilog of a name: a top of profile `tiny`, or a cell of few bits a beat; header cells have
/// no fewer than 64.
///
/// # Errors
/// A name that is none, or what the emission says.
pub fn text(name: &str) -> Result<String> {
    if let Some(top) = Top::ALL.iter().find(|top| top.name() == name) {
        return Ok(ferrowarp_sim::emitted(*top, &Config::profile(Profile::Tiny))?.verilog);
    }
    let emitted = match name {
        "skid_w16" => emit("skid_w16", Skid::<16, 2>::default),
        "async_fifo_w8" => emit("async_fifo_w8", AsyncFifo::<Bits<8>, 2>::default),
        "slot_w8" => emit("slot_w8", Slot::<Bits<8>>::default),
        "queue_w8" => emit("queue_w8", Queue::<Bits<8>, 2>::default),
        "packet_fifo_w16" => emit("packet_fifo_w16", || PacketFifo::<16, 2, 2>::new(OnFull::Wait)),
        "arbiter3_w16" => emit("arbiter3_w16", Arbiter::<3, 16, 2>::default),
        "fork_w16" => emit("fork_w16", Fork::<16, 2>::default),
        "merge_w8" => emit("merge_w8", Merge::<Bits<8>>::new),
        // two cells that stand behind each other
        "split_join_w64" => {
            let split = emit("split14_w64", HeaderSplit::<64, 4, 112, 2>::new)?;
            let join = emit("join14_w64", HeaderJoin::<64, 4, 112, 2>::new)?;
            return Ok(split.verilog + &join.verilog);
        }
        _ => {
            return Err(anyhow::anyhow!(
                "no text `{name}`: it is a top, or a cell of xtask/src/formal/units.rs"
            ))
        }
    };
    Ok(emitted.with_context(|| format!("cell {name}"))?.verilog)
}

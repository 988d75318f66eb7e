// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stored frames to where they were decided to go.
use super::rx_carry::RxCarry;
use super::rx_notes::RxNotes;
use crate::emit::{Part, Table};
use crate::stream::{OnFull, PacketFifo, Queue, Realign, Trim};
use rust_hdl::prelude::Bits;

/// Carries out one job a frame: forgets it, sends it to the raw stream, or sends the octets that
/// the job names, from octet 0 of a beat. A job is taken with the frame's last beat.
///
/// Raw frames pass a FIFO of `2^RA` beats that is not waited for: if the raw stream is slow, frames
/// are dropped and counted, and nothing behind stands still for the stream. `raw_kept` is a pulse
/// within three cycles of the job's end: the frame is kept in the FIFO.
///
/// One beat a cycle; one cycle more for a raw frame.
pub fn rx_route<const W: usize, const K: usize, const RA: usize>() -> Table {
    let parts = vec![
        Part::new("carry", RxCarry::<W, K, RA>::default),
        Part::new("realign", Realign::<W, K>::new),
        Part::new("lengths", Queue::<Bits<17>, 2>::default),
        Part::new("trim", Trim::<W, K>::default),
        Part::new("fifo", || PacketFifo::<W, K, RA>::new(OnFull::Drop)),
        Part::new("notes", RxNotes::<W, K>::new),
    ];
    Table::new(parts)
        .joins(&[
            // octets in order: the shifter cuts on the left, the trimmer on the right
            ("carry.octets", "realign.rx"),
            ("carry.skip", "realign.skip"),
            ("carry.length", "lengths.rx"),
            ("realign.tx", "trim.rx"),
            ("lengths.tx", "trim.octets"),
            // raw frames
            ("carry.raw_data", "fifo.rx_data"),
            ("carry.raw_bytes", "fifo.rx_bytes"),
            ("carry.raw_last", "fifo.rx_last"),
            ("carry.raw_err", "fifo.rx_err"),
            ("carry.raw_valid", "fifo.rx_valid"),
            ("fifo.rx_ready", "carry.raw_ready"),
            ("fifo.crowded", "carry.crowded"),
            ("fifo.dropped_full", "carry.dropped_full"),
            ("fifo.dropped_long", "carry.dropped_long"),
            ("fifo.tx", "notes.rx"),
        ])
        .ties(&["realign.parts_ready"], 1)
        .ties(&["fifo.discard"], 0)
        .open(&["realign.parts_first", "realign.parts_second", "realign.parts_err", "realign.parts_valid"])
        .open(&["fifo.beats", "fifo.is_full", "fifo.dropped_err"])
        .exports(&[
            ("carry.rx", "rx"),
            ("carry.job", "job"),
            ("trim.tx", "tx"),
            ("notes.raw", "raw"),
            ("notes.note", "note"),
            ("carry.raw_full", "raw_full"),
            ("carry.raw_spared", "raw_spared"),
            ("fifo.kept", "raw_kept"),
            ("notes.given", "raw_given"),
        ])
}

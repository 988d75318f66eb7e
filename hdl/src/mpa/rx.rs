// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA receive: in-order octets of many connections in, whole checked ULPDUs out.
use super::rx_check::RxCheck;
use super::rx_frame::RxFrame;
use super::rx_front::RxFront;
use super::rx_hold::RxHold;
use super::rx_out::RxOut;
use super::rx_row::RxDone;
use super::rx_store::RxStore;
use super::rx_token::RxToken;
use crate::emit::{Net, Part, Table};
use crate::stream::{Credit, HeaderSplit, Queue, Skid};
use rust_hdl::prelude::Bits;

/// The receive stage. `W` data bits, `K` = `bytes_width(W)`, `LN` = `W/32`, `LK` bits hold
/// `0..=LN`, `S` = log2 `LN`, `C` = log2 of the connections, `NC` = `2^C`, `A` = log2 of the buffer
/// rows a connection, `CA` = `C + A`, `WC` = `W + 32`.
///
/// The buffers hold FPDUs of up to `most` octets (markers not counted). A Send that waits for its
/// receive delays other connections for `patience` cycles.
///
/// **Ports.** `scrubbed`: the rows are scrubbed; from then on set-ups and segments are taken.
/// - `setup_*`: a connection begins, no segment of which may be in the stage.
/// - `seg_*`: the next segment; its octets come on `rx` as a frame without `err`, unless `empty`.
///   Only a segment that begins with the octet that is due, with the `side` of the last cut, is
///   taken; any other is a stray, dropped whole, with a pulse on `stray`. `late` tells of octets
///   behind the end of the stream.
/// - `announced`: pulse, a segment was announced, which comes here behind those before it.
/// - `tok_*`: a queue pair or connection ends; `tok_valid` stays until `tok_ready`, when what was
///   announced before was dropped, or taken as FPDUs.
/// - `fpdu_*`: an FPDU or verdict (one of [`super::verdict`]), offered no later than the first beat
///   of the frame. Only a good one has a frame on `tx`: the ULPDU, octet 0 first. `length` is
///   ULPDU_Length in octets, `end_seq` the sequence number of the octet after the FPDU.
/// - `bad`: a pulse for each connection that stops, bit = verdict; counters count them.
/// - `done_*`: a pulse for each segment that is no stray, when all of the segment was judged and
///   stored, or dropped since the connection has stopped; never waits. `done_seq` is the sequence
///   number after the last octet, and after the FIN that `seg_end` tells of. With `done_ends` the
///   stream ends, with `late` the segment told of octets behind the end.
/// - `there`, `two`: queue pairs that have one, two receives in the store. `to_come`: a receive was
///   rung that is not there, and will be. `took_*`: the queue pair whose receive is answered.
///   `anew`: pulse, the row of queue pair `setup_conn` is written, which has no receives.
/// - `crowded`: frames wait for this stage in half of the room for them. `waiting`: somebody waits
///   for the octets that this stage is given.
/// - `hold_*`: a Send waits for its receive, or goes on (`ready`), as of the cycle before.
/// - `undo_*`: a pulse for each cut with the sequence number that is due again; not again of this
///   connection before its segments are announced with the other `seg_side`.
///
/// Panics at elaboration if the parameters do not belong together.
pub fn mpa_rx<
    const W: usize,
    const K: usize,
    const LN: usize,
    const LK: usize,
    const S: usize,
    const C: usize,
    const NC: usize,
    const A: usize,
    const CA: usize,
    const WC: usize,
>(
    most: usize,
    patience: usize,
) -> Table {
    const { assert!(CA == C + A) };
    let parts = vec![
        Part::new("skid", Skid::<W, K>::default),
        Part::new("front", RxFront::<C>::default),
        Part::new("frame", move || RxFrame::<W, K, LN, LK, S, C, A, WC>::new(most / 4)),
        Part::new("hold", move || RxHold::<C, NC>::new(patience)),
        Part::new("store", RxStore::<W, LN, LK, S, C, CA>::new),
        Part::new("check", RxCheck::<W, LK, C, NC>::new),
        Part::new("queue", Queue::<RxDone, 4>::default),
        // 16 places; one is taken before the FPDU's last piece leaves the framer, which sees a
        // credit that is two cycles old
        Part::new("credit", || Credit::<5>::new(16, 2)),
        Part::new("out", RxOut::<W, K, S, C, CA>::new),
        Part::new("split", HeaderSplit::<W, K, 16, 1>::new),
        Part::new("token", RxToken::default),
    ];
    Table::new(parts)
        .output::<Bits<C>>("done_conn")
        .output::<Bits<C>>("fpdu_conn")
        .joins(&[
            // the row port and the framer
            ("skid.tx", "frame.rx"),
            ("front.coming", "frame.coming"),
            ("frame.back_row", "front.back_row"),
            ("frame.back_start", "front.back_start"),
            ("out.free", "front.free"),
            ("out.free", "frame.free"),
            // what holds the framer, and what cuts a segment
            ("front.coming_valid", "hold.next_valid"),
            ("check.stops", "hold.stopped"),
            ("frame.hold_waits", "hold.waits"),
            ("frame.hold_passes", "hold.passes"),
            ("frame.back_row.was_cut", "hold.again"),
            ("hold.may", "frame.hold_may"),
            ("hold.cuts", "frame.cuts"),
            // the end of a segment, and beside it strays, to the CRC
            ("frame.stray", "check.stray"),
            ("frame.back_row.due", "check.seg_seq"),
            ("frame.back_ends", "check.seg_ends"),
            ("frame.back_late", "check.seg_late"),
            // finished FPDUs, the reader, the ULPDU without its length
            ("credit.some", "frame.credit"),
            ("check.done", "queue.rx_item"),
            ("queue.tx", "out.done"),
            ("out.read", "store.read"),
            ("out.tx", "split.rx"),
            // what a queue pair or connection that ends still has here
            ("check.over", "token.seg_out"),
            ("credit.freed", "token.fpdu_out"),
            ("out.meta_valid", "token.meta_valid"),
        ])
        .fans(&[
            ("front.given", "frame.forget check.clear hold.given"),
            ("frame.back_valid", "front.back_valid check.seg_valid"),
            ("frame.back_conn", "front.back_conn check.seg_conn hold.conn"),
            // pieces to the buffers and to the CRC
            ("frame.p", "store.p check.p"),
            ("frame.p_valid", "credit.take_valid"),
            ("frame.p_item.ends", "credit.take_ready"),
            ("check.done_valid", "queue.rx_valid token.fpdu_in"),
            ("queue.tx_valid", "credit.free_valid"),
            ("out.done_ready", "credit.free_ready"),
        ])
        .nets([
            Net::fit("front.coming_item.conn", "hold.next_conn"),
            Net::fit("check.past.conn", "done_conn"),
            Net::fit("out.meta_item.conn", "fpdu_conn"),
        ])
        .ties(&["split.hdr_ready"], 1)
        // `credit` keeps a place; the length that is split off is known
        .open(&["queue.rx_ready", "split.hdr_data", "split.hdr_short", "split.hdr_empty"])
        .open(&["split.hdr_err", "split.hdr_valid"])
        .exports(&[
            ("front.scrubbed", "scrubbed"),
            ("front.setup_conn", "setup_conn"),
            ("frame.forget_conn", "setup_conn"),
            ("check.clear_conn", "setup_conn"),
            ("hold.anew_qp", "setup_conn"),
            ("front.setup.seq_start", "setup_seq_start"),
            ("front.setup.markers", "setup_markers"),
            ("front.setup.crc", "setup_crc"),
            ("front.setup_valid", "setup_valid"),
            ("front.setup_ready", "setup_ready"),
            ("front.seg", "seg"),
            ("skid.rx", "rx"),
            ("token.seg_in", "announced"),
            ("token.valid", "tok_valid"),
            ("hold.ends", "tok_valid"),
            ("token.ready", "tok_ready"),
            ("out.meta_item.verdict", "fpdu_verdict"),
            ("out.meta_item.length", "fpdu_length"),
            ("out.meta_item.end_seq", "fpdu_end_seq"),
            ("out.meta_valid", "fpdu_valid"),
            ("out.meta_ready", "fpdu_ready"),
            ("token.meta_ready", "fpdu_ready"),
            ("split.tx", "tx"),
            ("check.bad", "bad"),
            ("frame.stray", "stray"),
            ("check.past_valid", "done_valid"),
            ("check.past.seq", "done_seq"),
            ("check.past.ends", "done_ends"),
            ("check.past.late", "late"),
            ("hold.there", "there"),
            ("hold.two", "two"),
            ("hold.to_come", "to_come"),
            ("hold.took", "took"),
            ("hold.anew", "anew"),
            ("hold.crowded", "crowded"),
            ("hold.waiting", "waiting"),
            ("hold.shows", "hold_valid"),
            ("hold.moves", "hold_ready"),
            ("frame.back_conn", "hold_qp"),
            ("frame.back_conn", "undo_conn"),
            ("frame.back_row.due", "undo_due"),
            ("frame.cut", "undo_valid"),
        ])
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! From Ethernet frames to octets in order.
use super::rx_behind::RxBehind;
use super::rx_decide::RxDecide;
use super::rx_fence::RxFence;
use super::rx_find::RxFind;
use super::rx_meet::RxMeet;
use super::rx_press::RxPress;
use super::rx_record::{RxAnnounce, RxJob, RxUndo};
use super::rx_setup::RxSetup;
use crate::cell::Both;
use crate::emit::{Net, Part, Table};
use crate::eth::{EthRx, RxGuard};
use crate::ip::IpRx;
use crate::params::rx_route_of;
use crate::record::{RxCtl, TxFact};
use crate::stream::{Fork, OnFull, PacketFifo, Queue, Stock};
use rust_hdl::prelude::Bits;

/// What each bit of `bad` counts.
pub const RX_COUNTED: [&str; 14] = [
    "fcs",
    "too_long",
    "no_room",
    "malformed",
    "ip_checksum",
    "tcp_checksum",
    "not_acceptable",
    "bad_ack",
    "gap",
    "challenge",
    "urgent",
    "raw_full",
    "strange",
    "raw_spared",
];

/// Joins inside of the stage, in the order in which a frame passes.
const JOINS: &[(&str, &str)] = &[
    // a copy is stored, the other one is read
    ("guard.tx", "twin.rx"),
    ("twin.left", "store.rx"),
    ("twin.right", "eth.rx"),
    ("eth.tx", "ip.rx"),
    ("eth.frame", "meet.frame_item"),
    ("eth.frame_valid", "meet.frame_valid"),
    ("meet.frame_ready", "eth.frame_take"),
    ("ip.packet", "meet.packet_item"),
    ("ip.packet_valid", "meet.packet_valid"),
    ("meet.packet_ready", "ip.packet_take"),
    // whose the segment is
    ("meet.segment", "find.segment"),
    ("meet.key", "find.key"),
    ("setup.change", "find.change"),
    ("find.answer", "setup.answer"),
    // what becomes of the segment
    ("find.found", "decide.segment"),
    ("find.hit", "decide.hit"),
    ("find.owner", "decide.owner"),
    ("setup.row_qp", "decide.row_qp"),
    ("setup.row", "decide.row"),
    ("setup.row_sent", "decide.row_sent"),
    ("setup.vid", "decide.row_vid"),
    ("setup.row_valid", "decide.row_valid"),
    ("decide.row_ready", "setup.row_ready"),
    ("tagged.both", "decide.tag_valid"),
    ("undos.tx", "decide.undo"),
    ("store.beats", "press.level"),
    ("store.is_full", "press.full"),
    ("fence.count", "press.under"),
    ("decide.fact", "facts.rx"),
    ("decide.ctl", "ctls.rx"),
    ("decide.announce", "announces.rx"),
    ("decide.job", "jobs.rx"),
    // the segment becomes that
    ("store.tx", "route.rx"),
    ("jobs.tx", "route.job"),
    // what was on its way when a connection became visible
    ("meet.segment_valid", "looked.a"),
    ("find.segment_ready", "looked.b"),
    ("looked.both", "fence.looked"),
    ("route.job_ready", "fence.routed"),
    ("route.raw_kept", "fence.kept"),
    ("route.raw_given", "fence.given"),
    ("setup.visible", "fence.start"),
    ("fence.settled", "setup.settled"),
    ("decide.job_item", "behind.what"),
    ("decide.announce_item.qp", "behind.qp"),
    ("decide.job_valid", "behind.given"),
    ("fence.none", "behind.empty"),
    ("announces.rx_ready", "room.a"),
    ("jobs.rx_ready", "room.b"),
    ("room.both", "behind.room"),
    ("fence.ordered", "behind.ordered"),
    ("find.ready", "blank.a"),
    ("decide.scrubbed", "blank.b"),
    // pulses for counters
    ("guard.fcs", "bad[0]"),
    ("guard.long", "bad[1]"),
    ("guard.full", "bad[2]"),
    ("meet.faults", "bad[5:3]"),
    ("decide.events[4:0]", "bad[10:6]"),
    ("route.raw_full", "bad[11]"),
    ("decide.events[5]", "bad[12]"),
    ("route.raw_spared", "bad[13]"),
];

/// Ports of the stage.
const EXPORTS: &[(&str, &str)] = &[
    ("guard.rx", "rx"),
    ("find.secret", "secret"),
    ("blank.both", "scrubbed"),
    ("setup.ins_qp", "ins_qp"),
    ("decide.tag_qp", "ins_qp"),
    ("setup.ins_row", "ins_row"),
    ("setup.ins_valid", "ins_valid"),
    ("setup.ins_ready", "ins_ready"),
    ("tagged.a", "tag_valid"),
    ("tagged.b", "tag_ready"),
    ("setup.rem_qp", "rem_qp"),
    ("setup.rem_valid", "rem_valid"),
    ("setup.rem_ready", "rem_ready"),
    ("setup.code", "code"),
    ("decide.look_item", "look_qp"),
    ("decide.look_valid", "look_valid"),
    ("decide.look_ready", "look_ready"),
    ("decide.seen", "seen"),
    ("decide.told", "told"),
    ("decide.pub_qp", "pub_qp"),
    ("decide.pub_snd_nxt", "pub_snd_nxt"),
    ("decide.pub_valid", "pub_valid"),
    ("decide.renew", "renew"),
    ("facts.tx", "fact"),
    ("ctls.tx", "ctl"),
    ("decide.announce_valid", "announced"),
    ("announces.tx_item.seq", "seg_seq"),
    ("announces.tx_item.is_empty", "seg_empty"),
    ("announces.tx_item.ends", "seg_end"),
    ("announces.tx_item.late", "seg_late"),
    ("announces.tx_item.side", "seg_side"),
    ("announces.tx_valid", "seg_valid"),
    ("announces.tx_ready", "seg_ready"),
    ("undos.rx_item.due", "undo_due"),
    ("undos.rx_valid", "undo_valid"),
    ("store.crowded", "crowded"),
    ("press.pressed", "pressed"),
    ("behind.waiting", "waiting"),
    ("fence.busy", "ring_busy"),
    ("route.tx", "tx"),
    ("route.raw_data", "raw_data"),
    ("route.raw_bytes", "raw_bytes"),
    ("route.raw_last", "raw_last"),
    ("route.raw_err", "raw_err"),
    ("route.raw_valid", "raw_valid"),
    ("route.raw_ready", "raw_ready"),
    ("route.note", "note"),
];

/// The receive stage of the network, without connections and with `window` octets of receive
/// window. `W` data bits, `K` = `bytes_width(W)`, `LN` = `W/32`, `NB` = beats of 40 octets, `C` =
/// log2 of the connections, `NC` = `2^C`, `HA` = log2 of the slots of the 4-tuple table, `A` and
/// `RA` = log2 of the beats that hold frames until they are decided on, and raw frames until they
/// are taken.
///
/// One store: a frame waits in the packet FIFO while a second copy of its beats passes the readers
/// of its headers, which keep nothing but an item. What is decided is carried out on the stored
/// frame.
///
/// **Ports.**
/// - `rx`: frames of the MAC, `err` with a wrong FCS; always ready. `secret`: random bits for the
///   4-tuple table, taken until `scrubbed`. `scrubbed`: table and rows are blank and frames are
///   looked at; frames that come sooner wait, then are lost.
/// - `ins_*`: insert connection `ins_qp` with `ins_row`; when `ins_ready` says that the insertion
///   is done, frames that came before are in the raw ring, or dropped. `rem_*`: remove `rem_qp`.
///   `code` goes with `ins_ready` and `rem_ready`: 0 done, 1 present, 2 full, 3 absent. `tag_*`:
///   transmit is offered, and takes, a row; its VLAN is that of the next segment that is judged.
/// - `look_*`: the row of `look_qp` is asked for; `seen` is the answer, with `look_ready`. `told`:
///   what firmware saw of a connection before its insertion, in turn with the segments.
/// - `pub_*`: SND.NXT of a connection that sends, a pulse. `fact`: for transmit, in segment order.
///   `ctl`: RST and the end of a connection. `renew`: a pulse that lets every connection have a
///   challenge ACK again.
/// - `seg_*`: the next octets in order: connection, sequence number, whether there are none (then
///   no frame on `tx`), whether the stream ends behind them, whether octets came behind the end,
///   cuts that were heard of by `undo_*`, modulo 2. `announced` is a pulse: one more of them.
///   `undo_*`: MPA has cut a segment of `undo_conn`, and octet `undo_due` is due again; a pulse,
///   once a connection until its `seg_side` has changed.
/// - `tx`: octets in order, a frame a segment. `raw`, `note`: whole frames of no connection, and
///   what goes with the next one. `ring_busy`: the raw ring works on a frame.
/// - `crowded`: half of the room for frames that are not routed yet is taken. `pressed`: shares of
///   the receive window that transmit does not offer, see `RxPress`. `waiting`: frames of another
///   connection or of none, or an insertion, wait for the octets that are routed, see `RxBehind`.
/// - `bad`: pulses for counters, [`RX_COUNTED`].
pub fn net_rx<
    const W: usize,
    const K: usize,
    const LN: usize,
    const NB: usize,
    const C: usize,
    const NC: usize,
    const HA: usize,
    const A: usize,
    const RA: usize,
>(
    window: usize,
) -> Table {
    let parts = vec![
        Part::new("guard", || RxGuard::<W, K>::new(1 << A)),
        Part::new("twin", Fork::<W, K>::default),
        Part::new("store", || PacketFifo::<W, K, A>::new(OnFull::Wait)),
        Part::new("eth", EthRx::<W, K>::new),
        Part::new("ip", IpRx::<W, K, LN, NB>::new),
        Part::new("meet", RxMeet::new),
        Part::new("find", RxFind::<HA>::new),
        Part::new("setup", RxSetup::<C>::new),
        Part::new("tagged", Both::default),
        Part::new("decide", move || RxDecide::<C, NC>::new(window)),
        Part::new("room", Both::default),
        // 32 of each; a store of 2^12 beats holds more short frames, which then wait for these
        Part::new("facts", Queue::<TxFact, 5>::default),
        Part::new("ctls", Queue::<RxCtl, 2>::default),
        Part::new("announces", Stock::<RxAnnounce, 5>::default),
        Part::new("jobs", Queue::<RxJob, 5>::default),
        // a place for each connection
        Part::new("undos", Stock::<RxUndo, C>::default),
        Part::table("route", rx_route_of!(width: W, bytes_width: K, raw_log2: RA)()),
        Part::new("looked", Both::default),
        Part::new("fence", RxFence::new),
        Part::new("behind", RxBehind::default),
        Part::new("press", RxPress::<A>::new),
        Part::new("blank", Both::default),
    ];
    Table::new(parts)
        .input::<Bits<C>>("undo_conn")
        .output::<Bits<C>>("seg_conn")
        .output::<Bits<14>>("bad")
        .joins(JOINS)
        .nets([Net::fit("undo_conn", "undos.rx_item.qp"), Net::fit("announces.tx_item.qp", "seg_conn")])
        .ties(&["store.discard"], 0)
        .open(&["store.kept", "store.dropped_err", "store.dropped_long", "store.dropped_full"])
        .open(&["undos.rx_ready"])
        .exports(EXPORTS)
}

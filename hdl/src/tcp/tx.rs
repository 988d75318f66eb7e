// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP transmit: FPDUs to segments, ACKs, and the sequence state behind them.
use super::tx_ack::TxAck;
use super::tx_cc::Congestion;
use super::tx_facts::TxFacts;
use super::tx_head::TxHead;
use super::tx_insert::TxInsert;
use super::tx_pad::TxPad;
use super::tx_probes::TxProbes;
use super::tx_rto::TxRto;
use super::tx_seq::TxSeq;
use super::tx_sum::TxSum;
use super::tx_token::TxToken;
use super::tx_weave::TxWeave;
use crate::cell::{Both, Either};
use crate::emit::{Net, Part, Table};
use crate::record::{FpduSize, TxFact, TxSeen};
use crate::stream::{Arbiter, OnFull, PacketFifo, Queue, Realign};
use rust_hdl::prelude::Bits;

/// Cycles from the transfer of an FPDU's last beat to the offer of its frame's first one, if
/// nothing else leaves.
pub const TX_LATENCY: u64 = 25;

/// Cycles from the transfer of a fact with `ack_now` to the offer of the ACK's first beat, if
/// nothing else leaves.
pub const TX_ACK_LATENCY: u64 = 20;

/// Joins inside of the stage.
const JOINS: &[(&str, &str)] = &[
    // rows
    ("insert.setup", "seqs.set"),
    ("insert.tell_0", "seqs.set_valid"),
    ("seqs.set_take", "insert.take_0"),
    ("insert.setup", "acks.set"),
    ("insert.tell_1", "acks.set_valid"),
    ("acks.set_take", "insert.take_1"),
    ("insert.head", "head.set_row"),
    ("insert.head_write", "head.set_write"),
    ("insert.hold", "head.hold"),
    ("head.held", "held.a"),
    ("weave.still", "held.b"),
    ("held.both", "insert.held"),
    ("insert.word", "weave.set_word"),
    ("insert.place", "weave.set_place"),
    ("insert.word_write", "weave.set_write"),
    ("insert.setup.nxt", "head.set_nxt"),
    ("insert.tell_2", "head.set_valid"),
    ("head.set_take", "insert.take_2"),
    ("insert.setup", "timers.set"),
    ("timers.look_there", "looks.b"),
    ("looks.both", "seqs.look_valid"),
    ("seqs.look_take", "timers.look_over"),
    ("seqs.seen.una", "seen.una"),
    ("seqs.seen.wnd", "seen.wnd"),
    ("seqs.seen.gate", "seen.gate"),
    ("seqs.seen.cwnd", "seen.cwnd"),
    ("timers.srtt", "seen.srtt"),
    ("timers.is_known", "seen.is_known"),
    ("timers.waits_for", "seen.rto"),
    // facts: what moves the window, and what asks for an ACK
    ("facts.seq", "seq_facts.rx"),
    ("facts.ack", "ack_facts.rx"),
    ("seq_facts.tx", "seqs.fact"),
    ("ack_facts.tx", "probes.rx"),
    ("timers.probe", "probes.probe"),
    ("probes.tx", "acks.fact"),
    // sequence state
    ("seqs.size", "size.rx_item"),
    ("seqs.size_valid", "size.rx_valid"),
    ("size.tx", "seqs.sized"),
    ("recovery[0]", "seqs.congestion"),
    ("recovery[1]", "seqs.fast"),
    ("recovery[1]", "timers.fast"),
    ("recovery[2]", "timers.tail"),
    ("recovery[3]", "timers.restart"),
    ("timers.rto_qp", "seqs.loss_qp"),
    ("timers.rto_timed", "seqs.loss_timed"),
    ("timers.loss_rested", "seqs.loss_rested"),
    ("timers.loss_valid", "seqs.loss_valid"),
    ("timers.probe_item", "seqs.force_qp"),
    ("timers.forces", "seqs.force_valid"),
    // ACK state
    ("timers.visit", "acks.walk"),
    ("acks.renew", "timers.renew"),
    ("timers.scrubbed", "acks.scrubbed"),
    ("timers.blank_row", "acks.blank_row"),
    ("head.ask_qp", "acks.ask_qp"),
    ("head.ask_list", "acks.ask_list"),
    ("head.ask_valid", "acks.ask_valid"),
    ("acks.some", "head.some"),
    ("acks.say", "head.say"),
    ("acks.say_valid", "head.say_valid"),
    // segments
    ("payload.job", "head.job"),
    ("payload.job_valid", "made.a"),
    ("head.job_ready", "made.b"),
    ("payload.given", "token.seg_out"),
    ("payload.made_job", "token.job_in"),
    ("made.both", "token.job_out"),
    ("payload.stopped", "head.silent"),
    ("head.mute", "payload.mute"),
    ("head.header", "weave.header"),
    ("payload.tx", "weave.rx"),
    ("weave.tx", "realign.rx"),
    ("weave.cut", "realign.skip"),
    // timers
    ("head.pub_qp", "timers.nxt_qp"),
    ("head.pub_snd_nxt", "timers.nxt"),
    ("head.pub_valid", "timers.nxt_valid"),
    ("head.again_valid", "timers.again_valid"),
    ("seqs.una_qp", "timers.una_qp"),
    ("seqs.una", "timers.una"),
    ("seqs.una_valid", "timers.una_valid"),
    ("seqs.dup_valid", "timers.dup_valid"),
    ("facts.alive", "timers.alive"),
    ("seqs.stall", "timers.stall"),
    ("fine_now", "timers.now"),
    ("payload.stopped", "timers.silent"),
    // out: raw frames enter the turn when they are whole, since their source may pause
    ("store.dropped_err", "bad_raw.a"),
    ("store.dropped_long", "bad_raw.b"),
    ("realign.tx", "arbiter.rx_0"),
    ("store.tx", "arbiter.rx_1"),
    ("arbiter.tx", "pad.rx"),
];

/// An output, and every input that takes it.
const FANS: &[(&str, &str)] = &[
    ("insert.qp", "seqs.set_qp acks.set_qp head.set_qp weave.set_qp payload.set_qp timers.set_qp"),
    ("head.set_take", "payload.set_valid timers.set_valid"),
];

/// Ports of the stage.
const EXPORTS: &[(&str, &str)] = &[
    ("insert.ins", "ins"),
    ("insert.rem", "rem"),
    ("seqs.look_qp", "look_qp"),
    ("timers.look_qp", "look_qp"),
    ("timers.look_valid", "look_valid"),
    ("looks.a", "look_valid"),
    ("seqs.look_take", "look_ready"),
    ("facts.rx", "fact"),
    ("facts.done_conn", "done_conn"),
    ("acks.done_conn", "done_conn"),
    ("acks.done_seq", "done_seq"),
    ("acks.done_ends", "done_ends"),
    ("acks.done_valid", "done_valid"),
    ("timers.octets_valid", "done_valid"),
    ("timers.tick", "fine"),
    ("acks.delay", "ack_delay"),
    ("acks.pressed", "pressed"),
    ("timers.rto_min", "rto_min"),
    ("timers.retry_limit", "retry_limit"),
    ("timers.rto_qp", "rto_qp"),
    ("timers.rto_valid", "rto_valid"),
    ("timers.timer", "timer"),
    ("timers.lost", "lost"),
    ("seqs.open", "open"),
    ("head.rst", "rst"),
    ("seqs.dead", "dead"),
    ("seqs.res", "res"),
    ("seqs.grant", "grant"),
    ("seqs.back", "back"),
    ("seqs.wake", "wake"),
    ("seqs.una_qp", "una_qp"),
    ("seqs.una_offset", "una_offset"),
    ("seqs.una_valid", "una_valid"),
    ("head.pub", "pub"),
    ("token.seg_in", "announced"),
    ("token.valid", "tok_valid"),
    ("token.ready", "tok_ready"),
    ("payload.seg", "seg"),
    ("payload.rx", "rx"),
    ("store.rx", "raw"),
    ("pad.tx", "tx"),
    ("seqs.bad_res", "bad_res"),
    ("payload.spoilt", "spoilt"),
    ("head.dropped", "dropped"),
    ("bad_raw.either", "bad_raw"),
];

/// The transmit stage for `NC` = `2^C` connections; it advertises a window of `2^window_log2`
/// octets. `2^A` beats of 8 octets hold FPDUs until their checksum is known, `2^R` beats hold raw
/// frames until they are whole. `H` = `C + 4`. Panics if the parameters do not belong together.
///
/// **Contract.** A reservation comes before its FPDU; FPDUs and their items come in the order of
/// the grants of a connection, so that SND.NXT moves without gaps. `seg` and `rx` pair in order and
/// may come in any relation of time. Frames on `tx` have at least 60 octets, never `err`, and once
/// begun are offered without a pause. `wake`, `una` and `pub` are pulses; `pub` comes before the
/// first beat of its segment. `done` is taken in its cycle.
///
/// **Timing.** See [`TX_LATENCY`] and [`TX_ACK_LATENCY`]; a beat a cycle on `tx`, with at most one
/// idle cycle between two data frames and none between ACKs. After reset the columns are scrubbed,
/// `2^C` cycles.
///
/// **Ports.**
/// - `ins_*`: insert `ins_qp` with `ins_row`; with `ins_update` the connection lives, and of its
///   row the headers, EMSS and an open gate count. `rem_*`: remove `rem_qp`: when `rem_ready`
///   answers, nothing more is granted to the connection or acknowledged for it. `look_*`: the row
///   of `look_qp` is asked for, not together with a row; `seen` is the answer, with `look_ready`.
/// - `fact`: what a received segment means for this side, in the order of the segments. `done_*`:
///   MPA has judged and stored a segment, or dropped it since the connection has stopped:
///   connection, sequence number after its last octet, whether the stream ends with it; a pulse.
/// - `fine` is a pulse each 10 us, `fine_now` counts them modulo 2^24 and steps in the cycle
///   behind. In those units: `ack_delay`, 0 to 32767, that an ACK may wait, and `rto_min`, that the
///   retransmission timer waits beyond the smoothed round trip at least; with 0 neither the timer
///   nor a probe expires. `retry_limit`: waits in a row without an acknowledgment after which a
///   connection is `lost`. `recovery`: bits of the register: a congestion window bounds what is
///   granted, duplicates make octets leave again, so do probes, idle time ends a large window.
///   `pressed`: shares of 16 of our window that are not offered, see `TxRight`.
/// - `rto_*`: the unacknowledged octets of `rto_qp` have to leave again, a pulse. `timer_*`: the
///   timer of `timer_qp` tells a [`super::timer_kind`], a pulse. `open_*`: the first FPDU
///   of `open_qp` came: its own may leave from now on, a pulse. `rst_*`: reset `rst_qp`: its RST
///   leaves, and nothing behind it until it is inserted again. `dead`: connections in error, a bit
///   each.
/// - `res`, `grant`: octets of the stream that a segment wants, and the answer, one a reservation.
///   `back`: room of a segment that never leaves. `wake_*`: a refused reservation of `wake_qp` may
///   be tried again. `una_*`: SND.UNA of `una_qp` is `una_offset` octets beyond that of the insert.
///   `pub_*`: SND.NXT of `pub_qp`.
/// - `seg`, `rx`: what the next segment is, and its octets. `raw`: frames that pass as they are,
///   but for padding. `announced`: a pulse, a segment was announced. `tok_*`: a connection ends,
///   offered until `tok_ready`: what was announced before has its header, or was dropped.
/// - Pulses: `bad_res`, a reservation that can never be granted; `spoilt`, an FPDU came with `err`
///   and was dropped, and its connection is silent until it is inserted again; `dropped`, a segment
///   or ACK of a connection that was reset, or behind `spoilt`; `bad_raw`, a raw frame came with
///   `err` or is too long.
pub fn tcp_tx<const C: usize, const NC: usize, const A: usize, const R: usize, const H: usize>(
    window_log2: usize,
    congestion: Congestion,
) -> Table {
    assert!(NC == 1 << C && C >= 1 && C <= 8, "{NC} connections under indices of {C} bits");
    assert!(A <= 12, "segments of more than 32 KiB do not exist");
    let parts = vec![
        Part::new("insert", || TxInsert::<C>::new(8 << A)),
        Part::new("held", Both::default),
        Part::new("looks", Both::default),
        Part::new("facts", TxFacts::<C>::default),
        Part::new("seq_facts", Queue::<TxFact, 3>::default),
        Part::new("ack_facts", Queue::<Bits<8>, 3>::default),
        Part::new("probes", TxProbes::<C>::default),
        Part::new("seqs", move || TxSeq::<C, NC>::new(congestion)),
        Part::new("size", FpduSize::new),
        Part::new("acks", move || TxAck::<C>::new(window_log2)),
        Part::new("payload", TxSum::<C, NC, A>::new),
        Part::new("made", Both::default),
        Part::new("token", TxToken::default),
        Part::new("head", TxHead::<C, NC>::new),
        Part::new("timers", || TxRto::<C, NC>::new(A + 3)),
        Part::new("weave", TxWeave::<C, H>::new),
        Part::new("realign", Realign::<64, 4>::new),
        Part::new("store", || PacketFifo::<64, 4, R>::new(OnFull::Wait)),
        Part::new("bad_raw", Either::default),
        Part::new("arbiter", Arbiter::<2, 64, 4>::default),
        Part::new("pad", TxPad::<64, 4>::default),
    ];
    Table::new(parts)
        .input::<Bits<24>>("fine_now")
        .input::<Bits<4>>("recovery")
        .output::<TxSeen>("seen")
        .joins(JOINS)
        .fans(FANS)
        .nets([Net::fit("fine_now", "acks.now")])
        .ties(&["store.discard"], 0)
        // every frame is longer than its pad
        .ties(&["realign.parts_ready"], 1)
        .open(&["realign.parts_first", "realign.parts_second", "realign.parts_err", "realign.parts_valid"])
        .open(&["store.kept", "store.dropped_full", "store.crowded", "store.beats", "store.is_full"])
        .open(&["arbiter.from", "size.rx_ready"])
        .exports(EXPORTS)
}

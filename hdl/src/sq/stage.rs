// SPDX-License-Identifier: MIT OR Apache-2.0
//! Send queue: from doorbells to claims of ULPDUs, and from acknowledged octets to completions.
use super::control::SqControl;
use super::end::SqEnd;
use super::faults::SqFaults;
use super::fetch::SqFetch;
use super::inflight::SqRing;
use super::insert::SqInsert;
use super::mute::SqMute;
use super::pulses::SqPulses;
use super::quiet::SqQuiet;
use super::read_request::SqReadRequest;
use super::reads::SqReads;
use super::responder::SqResponder;
use super::schedule::SqSched;
use super::slot_word::SqSlotWord;
use super::token::SqToken;
use super::wake::SqWake;
use super::work::SqWork;
use crate::cell::Both;
use crate::emit::{Net, Part, Table};
use crate::gen::QpRow;
use crate::stream::Slot;
use rust_hdl::prelude::Bits;

/// Joins inside of the stage.
const JOINS: &[(&str, &str)] = &[
    // set-up
    ("qpw_row", "sched.qpw_row"),
    ("qpw_row", "mute.row"),
    ("qpw_row.send_cq", "ring.set_cq"),
    ("sched.qpw_ready", "written.b"),
    ("written.both", "mute.written"),
    ("written.both", "ring.set_valid"),
    ("mute.q", "sched.mute"),
    ("mute.silent", "ring.dead"),
    ("work.fresh_ready", "insert.between"),
    ("ring.fresh_ready", "insert.ring_ready"),
    ("responder.fresh_ready", "insert.responder_ready"),
    ("insert.renewed", "work.renewed"),
    // what others than the host want to be sent
    ("responder.came_qp", "sched.came_item"),
    ("responder.came_valid", "sched.came_valid"),
    ("sched.came_ready", "responder.came_take"),
    ("work.ring_qp", "responder.sent_qp"),
    ("work.response_sent", "responder.sent"),
    ("ring.retire_qp", "responder.acked_qp"),
    ("ring.response_retires", "responder.acked"),
    ("control.asked", "sched.asked"),
    // RDMA Reads of our own
    ("work.ring_qp", "reads.turn_qp"),
    ("reads.outstanding", "work.outstanding"),
    ("work.read_sent", "reads.sent"),
    ("ring.retire_qp", "reads.ring_qp"),
    ("reads.finished", "ring.finished"),
    ("ring.read_retires", "reads.retires"),
    ("work.wr", "request.wr"),
    ("work.sge", "request.sge"),
    ("work.is_read", "request.on"),
    ("work.at_work.qp", "request.qp"),
    // what leaves again
    ("rtos.tx", "sched.rto"),
    ("work.replays", "ring.replays"),
    ("work.look", "ring.look"),
    ("work.restart", "ring.restart"),
    ("ring.ready", "work.again_ready"),
    ("ring.over", "work.again_over"),
    ("ring.again_reach", "work.again_reach"),
    ("ring.moved", "work.again_moved"),
    ("ring.again", "work.again_entry"),
    ("ring.row", "work.again_row"),
    ("work.again_after", "ring.after"),
    ("work.again_step", "ring.step"),
    ("work.again_last", "ring.last"),
    ("ring.ends", "work.again_ends"),
    // who is woken: by TCP, or by a ring that has room again
    ("wakes.tx", "wake.tcp"),
    ("ring.freed", "wake.freed"),
    ("wake.tx", "woken.rx"),
    ("woken.tx", "sched.wake"),
    // WQEs
    ("sched.fetch", "fetch.job"),
    ("fetch.landed", "sched.landed"),
    // a word of the slot at work: the WQE's, the response's or the Terminate's
    ("work.at_work", "words.turn"),
    ("work.word_enable", "words.work_enable"),
    ("work.word_address", "words.work_address"),
    ("work.at_work.replay", "fetch.word_again"),
    ("work.at_work.index[3:0]", "responder.word_slot"),
    ("words.address[2:0]", "responder.word_index"),
    ("words.address[1:0]", "request.word_index"),
    ("fetch.word", "words.of_wqe"),
    ("responder.word", "words.of_response"),
    ("control.word", "words.of_control"),
    // turns
    ("sched.turn", "work.turn"),
    ("work.result", "sched.result"),
    ("sched.last", "end.last"),
    ("end.may", "sched.share"),
    ("end.waits", "sched.late"),
    // in flight
    ("work.ring_qp", "ring.turn_qp"),
    ("ring.full", "work.ring_full"),
    ("work.starve", "ring.starve"),
    ("work.entry", "ring.entry"),
    ("work.push", "ring.push"),
    ("work.first", "ring.first"),
    ("work.cut", "ring.cut"),
    ("work.start", "ring.start"),
    // what a revoked region is still read for, or a queue pair that ends
    ("sched.turn_valid", "quiet.turn_valid"),
    ("work.turn_ready", "quiet.turn_take"),
    ("quiet.given", "token.given"),
    ("sched.fetch_valid", "quiet.fetch"),
    ("fetch.under", "quiet.under"),
    ("ring.done_valid", "quiet.done_valid"),
    ("ring.event_valid", "quiet.event_valid"),
    ("sched.fault_valid", "quiet.db_fault"),
    ("work.fault_valid", "quiet.turn_fault"),
    ("faults.tx_valid", "quiet.told_fault"),
    ("quiet.quiet", "token.quiet"),
    ("work.fresh_ready", "token.between"),
    // faults: of a doorbell, of a WQE, of a read
    ("sched.fault", "faults.a"),
    ("work.fault", "faults.b"),
];

/// An output, and every input that takes it.
const FANS: &[(&str, &str)] = &[
    (
        "insert.fresh",
        "work.fresh sched.fresh ring.fresh responder.fresh control.fresh mute.fresh reads.fresh",
    ),
    ("words.enable", "fetch.word_enable control.word_enable responder.word_enable request.word_enable"),
    ("words.address", "fetch.word_address control.word_address"),
    ("words.word", "work.word request.slot_word"),
];

/// Inputs of the stage that several parts take.
const SHARED: &[(&str, &str)] = &[
    ("dead", "sched.dead mute.dead"),
    ("qpw_qp", "sched.qpw_qp mute.qp ring.set_qp quiet.qp"),
    ("qpw_valid", "sched.qpw_valid written.a"),
    (
        "ins_qp",
        "work.fresh_qp sched.fresh_qp ring.fresh_qp responder.fresh_qp control.fresh_qp mute.fresh_qp \
         reads.fresh_qp",
    ),
    ("rdone_qp", "reads.rdone_qp ring.rdone_qp"),
    ("rdone_valid", "reads.rdone ring.rdone"),
    ("done_ready", "ring.done_ready quiet.done_ready"),
    ("event_ready", "ring.event_ready quiet.event_ready"),
    ("claim_ready", "work.hand_ready sched.room"),
    ("read_fault_valid", "faults.c_valid quiet.read_fault"),
];

/// Ports of the stage.
const EXPORTS: &[(&str, &str)] = &[
    ("sched.qpw_ready", "qpw_ready"),
    ("work.fresh_limits", "ins_limits"),
    ("ring.fresh_start", "ins_start"),
    ("insert.ins", "ins"),
    ("insert.fresh", "fresh"),
    ("insert.under", "under"),
    ("sched.db", "db"),
    ("sched.bad", "bad_db"),
    ("responder.rr", "rr"),
    ("responder.free", "rr_free"),
    ("request.read", "ro_item"),
    ("work.offer_valid", "ro_valid"),
    ("work.offer_ready", "ro_ready"),
    ("control.ctl", "ctl"),
    ("control.cmd", "cmd"),
    ("fetch.req", "wqe_req"),
    ("fetch.ans", "wqe_ans"),
    ("work.ask", "mr_ask"),
    ("work.say", "mr_say"),
    ("work.res", "res"),
    ("work.grant", "grant"),
    ("wakes.pulse_qp", "wake_qp"),
    ("wakes.pulse_valid", "wake_valid"),
    ("rtos.pulse_qp", "rto_qp"),
    ("rtos.pulse_valid", "rto_valid"),
    ("token.valid", "tok_valid"),
    ("token.ready", "tok_ready"),
    ("work.hand", "claim_valid"),
    ("work.head", "claim_head"),
    ("work.fpdu", "claim_fpdu"),
    ("work.range", "range"),
    ("sched.ask_qp", "ask_qp"),
    ("end.share", "ask_share"),
    ("end.late", "ask_late"),
    ("end.none", "ask_none"),
    ("work.inline_start", "copy_start"),
    ("work.inline_octets", "copy_octets"),
    ("work.inline_busy", "copy_busy"),
    ("words.copy_enable", "slot_enable"),
    ("words.copy_address", "slot_address"),
    ("request.word", "slot_word"),
    ("token.used", "used"),
    ("token.over", "over"),
    ("faults.c_item", "read_fault_item"),
    ("faults.c_ready", "read_fault_ready"),
    ("ring.una_qp", "una_qp"),
    ("ring.una_offset", "una_offset"),
    ("ring.una_valid", "una_valid"),
    ("ring.done_item", "done_item"),
    ("ring.done_valid", "done_valid"),
    ("ring.event_item", "event_item"),
    ("ring.event_valid", "event_valid"),
    ("faults.tx_item", "fault_item"),
    ("faults.tx_valid", "fault_valid"),
    ("faults.tx_ready", "fault_ready"),
    ("faults.tx_quote", "fault_quote"),
    ("faults.tx_words", "fault_words"),
];

/// The send queues of `NC = 2^C` queue pairs, with in-flight rings of `2^R` messages. `CW` =
/// `C + 4`, `CR` = `C + 6`, `RI` = `R + 1`, `RA` = `C + R`. After reset, rows are scrubbed, `2^C`
/// cycles.
///
/// **Contract.** Claims have one order, for each queue pair that of the reservations. Every channel
/// may wait; while `fault`, `done` or `claim` wait, so does what is behind them.
///
/// **Ports.**
/// - `dead`: queue pairs in error, a bit each: they get no turn, and nothing of them completes.
///   `qpw_*`: row of a queue pair to set up; nothing of it is under way, or it is in error.
///   `ins_*`: connection to insert: limits of messages and segments, markers; MSN, stream offset
///   and in-flight ring begin anew. With `ins_update` the connection lives: MULPDU alone counts,
///   from the next message on. `fresh`, `under`: for DDP transmit: a connection begins, a pulse; a
///   turn is under way.
/// - `db`: doorbell of a send queue; `bad_db`: one was ignored, a pulse. `wqe_req_*`, `wqe_ans_*`:
///   reads of WQEs, 128 octets each, under the queue pair as the tag; answers in any order.
/// - `rr`: Read Request of a peer, delivered. `rr_free_*`: a queue pair may take one more, a pulse.
///   `ro`: RDMA Read of our own that is about to be asked for. `rdone_*`: the oldest outstanding
///   one has its whole response, a pulse. `ctl_*`: a queue pair is to send a Terminate, or with
///   `ctl_fin` to end its stream. `cmd_*`: a word of the slot that holds the Terminate in the form
///   of a `SendWqe`, a cycle after its address.
/// - `mr_ask`, `mr_say`: check of local memory. `res`, `grant`: octets of the stream that a segment
///   wants. `wake_*`: there is room again after a refusal, a pulse. `una_*`: octets acknowledged
///   since the insert, modulo 2^40, a pulse. `rto_*`: what is not acknowledged has to leave again,
///   a pulse.
/// - `claim_*`, `range`, `ask_*`, `copy_*`, `slot_*`, `used`, `over`: DDP transmit, see
///   [`crate::ddp::ddp_tx`]. `read_fault`: a read of payload failed.
/// - `done`: completion of a signaled work request. `event`: `fin_acked`, the end of our side of a
///   stream is acknowledged. `fault`: what went wrong; `fault_quote`, `fault_words`: the Read
///   Request that the fault quotes, and its octets.
/// - `tok_*`: a region was revoked, or queue pair `qpw_qp` ends; offered until `tok_ready`: no
///   payload is being read whose check was taken before, and nothing of a queue pair in reset is
///   read or told.
pub fn sq<
    const C: usize,
    const NC: usize,
    const CW: usize,
    const CR: usize,
    const R: usize,
    const RI: usize,
    const RA: usize,
>() -> Table {
    let parts = vec![
        Part::new("sched", SqSched::<C, NC>::new),
        Part::new("fetch", SqFetch::<C, NC, CW>::new),
        Part::new("work", SqWork::<C, CW>::new),
        Part::new("ring", SqRing::<C, NC, R, RI, RA>::new),
        Part::new("responder", SqResponder::<C, CR>::new),
        Part::new("control", SqControl::<C, NC, CW>::new),
        Part::new("reads", SqReads::<C>::default),
        Part::new("request", SqReadRequest::default),
        Part::new("wakes", SqPulses::<C, NC>::new),
        Part::new("rtos", SqPulses::<C, NC>::new),
        Part::new("faults", SqFaults::new),
        Part::new("token", SqToken::default),
        Part::new("mute", SqMute::<C, NC>::default),
        Part::new("insert", SqInsert::default),
        Part::new("written", Both::default),
        Part::new("wake", SqWake::<C>::default),
        Part::new("woken", Slot::<Bits<C>>::default),
        Part::new("words", SqSlotWord::<CW>::default),
        Part::new("end", SqEnd::default),
        Part::new("quiet", SqQuiet::<C, NC>::default),
    ];
    let shared = SHARED
        .iter()
        .flat_map(|&(port, ends)| ends.split_whitespace().map(move |end| Net::export(end, port)));
    Table::new(parts)
        .input::<QpRow>("qpw_row")
        .output::<Bits<CW>>("copy_first")
        .joins(JOINS)
        .fans(FANS)
        // inline octets begin at word 4 of the slot of their queue pair
        .nets([
            Net::fit("work.at_work.qp", "responder.word_qp"),
            Net::join("work.ring_qp", format!("copy_first[{}:4]", CW - 1)),
            Net::tie("copy_first[3:0]", 4),
        ])
        .nets(shared)
        .exports(EXPORTS)
}

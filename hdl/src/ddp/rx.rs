// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP receive: checked ULPDUs in, octets at their addresses and completions out.
use super::rx_cite::RxCite;
use super::rx_deliver::RxDeliver;
use super::rx_dice::RxDice;
use super::rx_events::RxEvents;
use super::rx_fault::RxFault;
use super::rx_fence::RxFence;
use super::rx_head::RxHead;
use super::rx_judge::RxJudge;
use super::rx_resolve::RxResolve;
use super::rx_row::{RxFpdu, RxJob, RxPart};
use super::rx_token::RxToken;
use crate::emit::{Net, Part, Table};
use crate::gen::Event;
use crate::record::{MrAsk, ReadRequest};
use crate::stream::{Hold, Queue, Trail};
use rust_hdl::prelude::Bits;

/// The receive stage at 64 bits for `NC` = `2^C` queue pairs, `R` = `C` + 4, `A` = `C` + 2; a
/// connection is a queue pair.
///
/// **Ports.** `scrubbed`: the rows are scrubbed; from then on rows, streams and FPDUs are taken.
/// - `qpw_*`: the row of a queue pair is written. `ins_*`: a stream begins, whose next MSN is 1. No
///   FPDU of the queue pair may be in the stage. `dead`: queue pairs in error, whose FPDUs are
///   dropped.
/// - `fpdu_*`, `rx`: FPDUs and verdicts (one of [`crate::mpa::verdict`]), offered no later than the
///   first beat of the frame. Only a good one has a frame on `rx`: the ULPDU, octet 0 first, of
///   `length` octets.
/// - `chk`, `ans`: checks of regions and their answers, one a check, in order.
/// - `take_*`, `rqe`: a queue pair needs a receive; the receive, or that there is none, one a take,
///   in order.
/// - `place_cmd_*`, `place`: address and octets (1 to 4096) of the next frame of `place`, offered
///   no later than the frame's first beat. No frame crosses 4 KiB.
/// - `deliver`: completion of a receive, after all octets of its message and of earlier ones were
///   handed over.
/// - `inv_*`, `invd_*`: STag that a peer invalidates, queue pair of that peer; `ok` if the region
///   is no longer valid, otherwise the peer may not.
/// - `rr`: Read Request of the peer, when all that was placed before it is out of the device.
///   `rr_free_*`: pulse, the last octet of the answer to a queue pair's oldest Read Request was
///   sent for the first time.
/// - `posted_accepted`, `posted_left`: posted writes begun, and on the bus, modulo 2^16.
/// - `tok_*`: a region was revoked, or a queue pair ends; `tok_valid` stays until `tok_ready`, when
///   all octets whose checks were taken before are out of the device, and what came before is told.
/// - `ro`: Read of ours, before its Request leaves. `rdone_*`: pulse, the octets of a queue pair's
///   oldest Read were handed over.
/// - `first_*`: pulse, first good FPDU of a stream. `event`: the first FPDU of a stream, and a
///   peer's Terminate.
/// - `fault`, `fault_quote`, `fault_words`: the first fault of a queue pair, the segment that
///   caused it, and the octets of that segment, if there is one.
pub fn ddp_rx<const C: usize, const NC: usize, const R: usize, const A: usize>() -> Table {
    const { assert!(NC == 1 << C && C >= 1 && C <= 8, "NC is not 2^C, or more than 256") };
    const { assert!(R == C + 4, "rings of 16 Reads a queue pair have 2^(C + 4) slots") };
    let parts = vec![
        Part::new("fpdus", Queue::<RxFpdu, 3>::default),
        Part::new("front", RxHead::new),
        Part::new("resolve", RxResolve::<C, NC, R, A>::new),
        Part::new("asks", Hold::<MrAsk>::default),
        Part::new("jobs", Trail::<RxJob>::default),
        Part::new("judge", RxJudge::<C, NC>::new),
        Part::new("parts", Queue::<RxPart, 3>::default),
        Part::new("dice", RxDice::new),
        Part::new("delivery", RxDeliver::<C>::default),
        Part::new("pending", Queue::<ReadRequest, 2>::default),
        Part::new("fence", RxFence::default),
        Part::new("token", RxToken::default),
        Part::new("terms", Hold::<Event>::default),
        Part::new("events", RxEvents::<C, NC>::new),
        Part::new("cite", RxCite::default),
        Part::new("faults", RxFault::default),
    ];
    Table::new(parts)
        .input::<Bits<C>>("fpdu_conn")
        .nets([Net::fit("fpdu_conn", "fpdus.rx_item.qp")])
        .joins(&[
            // rows
            ("judge.stopped", "resolve.stopped"),
            // FPDUs and their heads; what the headers name: regions and receives
            ("fpdus.tx", "resolve.fpdu"),
            ("front.head", "resolve.head"),
            ("resolve.ask", "asks.rx"),
            // the verdict, and what is told of a bad one
            ("resolve.job", "jobs.rx"),
            ("jobs.tx", "judge.job"),
            ("judge.fault", "faults.rx"),
            ("judge.quote", "faults.quote"),
            ("judge.slot", "cite.slot"),
            ("judge.kept", "cite.kept"),
            ("cite.ready", "faults.cite_ready"),
            ("faults.cites", "cite.start"),
            ("cite.word_enable", "front.word_enable"),
            ("cite.word_address", "front.word_address"),
            ("front.word", "cite.word"),
            // placement, and delivery behind it
            ("judge.part", "parts.rx"),
            ("parts.tx", "dice.part"),
            ("front.beat", "dice.beat"),
            ("judge.delivery", "delivery.rx"),
            ("dice.delivered", "delivery.delivered"),
            ("judge.settled", "resolve.settled"),
            // Read Requests: beside their job to the judge, then to the fence
            ("resolve.request", "pending.rx"),
            ("pending.tx_item", "judge.request"),
            ("judge.request_ready", "pending.tx_ready"),
            ("judge.wanted", "fence.rx"),
            ("delivery.request", "fence.mark"),
            ("fence.mark_ready", "delivery.request_ready"),
            // what the host is told beside
            ("resolve.good_qp", "events.qp"),
            ("resolve.good_valid", "events.good"),
            ("judge.term", "terms.rx"),
            ("terms.tx", "events.term"),
            // what a revoked region is still used for, or a queue pair that ends
            ("fpdus.rx_ready", "token.fpdu_in_ready"),
            ("fpdus.tx_valid", "token.fpdu_out_valid"),
            ("resolve.fpdu_ready", "token.fpdu_out_ready"),
            ("resolve.between", "token.between"),
            ("resolve.job_valid", "token.job_in_valid"),
            ("jobs.rx_ready", "token.job_in_ready"),
            ("judge.passed", "token.job_out"),
            ("judge.part_item.drop", "token.part_in_drop"),
            ("judge.part_valid", "token.part_in_valid"),
            ("parts.rx_ready", "token.part_in_ready"),
            ("dice.placed", "token.part_out"),
            ("judge.delivery_valid", "token.delivery_in"),
            ("delivery.told", "token.delivery_out"),
            ("judge.wanted_valid", "token.request_in"),
            ("fence.tx_valid", "token.request_out_valid"),
            ("events.quiet", "token.quiet"),
            ("faults.waits", "token.fault"),
        ])
        .fans(&[("resolve.clear", "judge.clear events.clear")])
        .fans(&[("resolve.clear_qp", "judge.clear_qp events.clear_qp")])
        // the job says whether a Read Request is beside it
        .open(&["pending.tx_valid"])
        .exports(&[
            ("resolve.scrubbed", "scrubbed"),
            ("resolve.qpw", "qpw"),
            ("resolve.ins", "ins"),
            ("resolve.dead", "dead"),
            ("judge.dead", "dead"),
            ("fpdus.rx_item.verdict", "fpdu_verdict"),
            ("fpdus.rx_item.length", "fpdu_length"),
            ("fpdus.rx_valid", "fpdu_valid"),
            ("token.fpdu_in_valid", "fpdu_valid"),
            ("fpdus.rx_ready", "fpdu_ready"),
            ("front.rx", "rx"),
            ("asks.tx", "chk"),
            ("judge.ans", "ans"),
            ("resolve.take_item", "take_qp"),
            ("resolve.take_valid", "take_valid"),
            ("resolve.take_ready", "take_ready"),
            ("resolve.rqe", "rqe"),
            ("dice.cmd", "place_cmd"),
            ("dice.tx", "place"),
            ("delivery.tx", "deliver"),
            ("delivery.rdone", "rdone"),
            ("judge.inv", "inv"),
            ("judge.invd_item", "invd_ok"),
            ("judge.invd_valid", "invd_valid"),
            ("judge.invd_ready", "invd_ready"),
            ("fence.tx", "rr"),
            ("token.request_out_ready", "rr_ready"),
            ("resolve.free_qp", "rr_free_qp"),
            ("resolve.free", "rr_free_valid"),
            ("fence.accepted", "posted_accepted"),
            ("token.accepted", "posted_accepted"),
            ("fence.left", "posted_left"),
            ("token.left", "posted_left"),
            ("token.valid", "tok_valid"),
            ("token.ready", "tok_ready"),
            ("resolve.ro", "ro"),
            ("events.first", "first"),
            ("events.event", "event"),
            ("faults.tx", "fault"),
            ("faults.quoted", "fault_quote"),
            ("cite.q", "fault_words"),
        ])
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads become memory read requests, their completions answers.
use super::cpl_check::CplCheck;
use super::cut::TlpCut;
use super::head::TlpHead;
use super::pack::TlpPack;
use super::ports::{PcieConfig, ReadFaults};
use super::read_answer::ReadAnswer;
use super::read_issue::ReadIssue;
use super::read_order::ReadOrder;
use super::rx_cpl::RxCpl;
use super::tag_pool::TagPool;
use crate::emit::{Net, Part, Table};
use rust_hdl::prelude::Bits;

/// Each read leaves as MRd TLPs, cut at multiples of Max_Read_Request_Size of address, or 512 if
/// that is less; each has a tag of its own and a slot of 512 octets, into which its completions are
/// put as they come. A part is answered when it is whole. `D` = `2 * W`, `N` = `W / 32`, `A` = 12 -
/// log2 `N`.
///
/// **Contract.** That of the device's read port: a frame a part, in order for one read, parts of
/// different reads in any order; `err` beside `final` if any part failed. A tag of the device comes
/// back with its final frame. `cpl` is always ready. `tick` is a pulse a tick; `now` counts ticks
/// since power-up and steps in the cycle behind. A read that has no answer `timeout` ticks (1 to
/// 100) behind its leave is given up. `sent` is the tag of a request that has left the edge, or
/// with `sent_lost` was dropped on its way. `outstanding`: a request has not left, waits for its
/// completions, or for those that may still come.
///
/// **Timing.** Four cycles from a read to its TLP; twelve from the last beat of its completion to
/// the first beat of the answer. A TLP in two cycles at 64 bits; completions at full rate; answers
/// a beat a cycle with one lost between parts, which is less than a completion's header takes.
pub fn dma_read<const W: usize, const K: usize, const D: usize, const N: usize, const A: usize>() -> Table {
    let parts = vec![
        Part::new("cut", TlpCut::new),
        Part::new("issue", ReadIssue::default),
        Part::new("heads", || TlpHead::new(false)),
        Part::new("pack", TlpPack::<W, K, D>::new),
        Part::new("pool", TagPool::new),
        Part::new("check", CplCheck::new),
        Part::new("order", ReadOrder::default),
        Part::new("store", RxCpl::<W, K, N, A>::default),
        Part::new("answer", ReadAnswer::<W, K, A>::new),
    ];
    Table::new(parts)
        .input::<PcieConfig>("cfg")
        .input::<Bits<5>>("rd_req_tag")
        .input::<Bits<32>>("now")
        .output::<ReadFaults>("faults")
        .joins(&[
            // reads to parts, which leave under free tags
            ("cfg.mrrs", "issue.mrrs"),
            ("issue.size", "cut.size"),
            ("cut.tx", "issue.rx"),
            ("pool.free", "issue.free"),
            ("pool.free_valid", "issue.free_valid"),
            ("cfg.id", "heads.id"),
            ("issue.tx", "heads.rx"),
            ("heads.tx", "pack.head"),
            // completions to the store
            ("cfg.id", "check.id"),
            ("pool.waiting", "check.waiting"),
            ("pool.resting", "check.resting"),
            ("store.cpl", "check.cpl"),
            ("store.ended", "check.ended"),
            ("store.short", "check.short"),
            ("check.take", "store.take"),
            ("check.place", "store.place"),
            // what is over, by its last completion or by time, becomes an answer
            ("cfg.endless", "pool.endless"),
            ("check.over", "pool.over"),
            ("check.over_valid", "pool.over_valid"),
            ("pool.finish", "order.finish"),
            ("pool.finish_valid", "order.finish_valid"),
            ("order.job", "answer.job"),
            ("answer.left", "pool.left"),
            ("answer.left_valid", "pool.left_valid"),
            ("answer.read_enable", "store.read_enable"),
            ("answer.read_address", "store.read_address"),
            ("store.read_data", "answer.read_data"),
            ("check.faults.unexpected", "faults.unexpected"),
            ("check.faults.late", "faults.late"),
            ("check.faults.refused", "faults.refused"),
            ("check.faults.aborted", "faults.aborted"),
            ("check.faults.poisoned", "faults.poisoned"),
            ("check.faults.malformed", "faults.malformed"),
            ("pool.expired", "faults.expired"),
            ("store.cpl_valid", "check.cpl_valid"),
        ])
        .fans(&[
            ("issue.issue", "pool.issue check.issue order.issue"),
            ("issue.issued", "pool.issued check.issued order.issued"),
        ])
        .nets([Net::fit("rd_req_tag", "cut.rx_item.tag"), Net::fit("now", "pool.now")])
        .ties(&["pack.rx_data", "pack.rx_bytes", "pack.rx_last", "pack.rx_err", "pack.rx_valid"], 0)
        .open(&["pack.rx_ready", "pack.tx_ends"])
        .exports(&[
            ("cut.rx_item.addr", "rd_req_addr"),
            ("cut.rx_item.length", "rd_req_length"),
            ("cut.rx_valid", "rd_req_valid"),
            ("cut.rx_ready", "rd_req_ready"),
            ("answer.rd_ans", "rd_ans"),
            ("pool.tick", "tick"),
            ("pool.timeout", "timeout"),
            ("pack.tx_data", "tx_data"),
            ("pack.tx_bytes", "tx_bytes"),
            ("pack.tx_last", "tx_last"),
            ("pack.tx_err", "tx_err"),
            ("pack.tx_valid", "tx_valid"),
            ("pack.tx_ready", "tx_ready"),
            ("pool.sent", "sent"),
            ("pool.sent_valid", "sent_valid"),
            ("pool.sent_lost", "sent_lost"),
            ("store.rx", "cpl"),
            ("pool.outstanding", "outstanding"),
        ])
}

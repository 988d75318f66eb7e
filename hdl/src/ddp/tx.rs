// SPDX-License-Identifier: MIT OR Apache-2.0
//! DDP transmit: from the head of a ULPDU and the ranges of its payload to its frame.
use super::tx_gather::TxGather;
use super::tx_inline::TxInline;
use super::tx_owner::TxOwner;
use super::tx_reorder::TxReorder;
use super::tx_slots::TxSlots;
use super::tx_weld::TxWeld;
use crate::cell::{Any, Both};
use crate::emit::{Part, Table};
use crate::record::TxOwned;
use crate::stream::Queue;

/// Joins inside of the stage.
const JOINS: &[(&str, &str)] = &[
    // who begins
    ("slots.slot", "owner.slot"),
    ("owner.latest", "slots.latest"),
    ("owner.enters", "slots.enters"),
    // ranges to pieces, and those to places
    ("owner.tx", "ranges.rx"),
    ("ranges.tx", "gather.range"),
    ("reorder.place", "gather.place"),
    ("gather.begins", "reorder.begins"),
    // octets out of a slot of the send queue, and answers
    ("reorder.place_item", "inlines.place"),
    ("gather.copies", "inlines.given"),
    ("inlines.beat_item", "reorder.copy_item"),
    ("inlines.beat_valid", "reorder.copy_valid"),
    ("reorder.copy_ready", "inlines.beat_ready"),
    ("inlines.tag", "reorder.copy_tag"),
    ("reorder.came_slot", "slots.came_slot"),
    ("reorder.came", "slots.came"),
    ("reorder.failed", "slots.failed"),
    // who leaves
    ("slots.fpdu_valid", "leaves.a"),
    ("slots.read", "reorder.slot"),
    ("reorder.beat", "weld.beat"),
    ("slots.weld_item", "weld.made_item"),
    ("slots.weld_valid", "weld.made_valid"),
    ("weld.made_ready", "slots.weld_ready"),
    ("slots.weld_head", "weld.head"),
    ("slots.used", "owing.x"),
];

/// An output, and every input that takes it.
const FANS: &[(&str, &str)] =
    &[("gather.place_ready", "slots.take"), ("gather.taken", "reorder.taken slots.taken")];

/// Ports of the stage.
const EXPORTS: &[(&str, &str)] = &[
    ("slots.room", "claim_ready"),
    ("slots.claim", "claim_valid"),
    ("owner.claim", "claim_valid"),
    ("slots.claim_head", "claim_head"),
    ("slots.claim_fpdu", "claim_fpdu"),
    ("slots.under", "under"),
    ("slots.ask_qp", "ask_qp"),
    ("slots.share", "ask_share"),
    ("slots.late", "ask_late"),
    ("slots.none", "ask_none"),
    ("slots.range", "range_item"),
    ("owner.rx", "range"),
    ("inlines.start", "copy_start"),
    ("inlines.first", "copy_first"),
    ("inlines.octets", "copy_octets"),
    ("inlines.busy", "copy_busy"),
    ("inlines.word_enable", "slot_enable"),
    ("inlines.word_address", "slot_address"),
    ("inlines.word", "slot_word"),
    ("gather.req", "pay_req"),
    ("reorder.ans", "pay_ans"),
    ("slots.fresh_qp", "fresh_qp"),
    ("slots.fresh", "fresh"),
    ("slots.fpdu", "fpdu"),
    ("leaves.b", "fpdu_ready"),
    ("leaves.both", "announced"),
    ("slots.back", "back"),
    ("weld.tx", "tx"),
    ("weld.fault", "fault"),
    ("slots.owed_qp", "owed_qp"),
    ("owing.any", "owes"),
    ("slots.used", "used"),
    ("slots.over", "over"),
];

/// The transmit stage for `NC` = `2^C` queue pairs. `CW` = address of a word of a slot of the send
/// queue.
///
/// **Contract.** A ULPDU is claimed with head and item; then come its ranges, the last of which
/// `ends`, or inline octets are copied. Ranges of two ULPDUs do not mix, and one of them has at
/// most 27 pieces. Items on `fpdu` and frames on `tx` have one order, which is that of the claims
/// for each queue pair; an item may be taken long before its frame. A ULPDU that never leaves has
/// an item on `back` instead, in its place of that order.
///
/// **Ports.**
/// - `claim_*`: a ULPDU begins, with its DDP head and what MPA and TCP need of it; only with
///   `claim_ready`. `under`: a turn of the send queue is under way, and its claim, or ranges of it,
///   may be still to come. `range`: payload of the ULPDU that was claimed last.
/// - `ask_*`: whether queue pair `ask_qp` may begin one (`share`); whether payload of its oldest
///   ULPDU has not come (`late`); whether it has none under way that may be given back (`none`).
/// - `copy_*`: the range stands in a slot of the send queue: `start` begins to copy `octets` from
///   word `first` on, until `busy` falls. `slot_*`: read port of the slots; the word comes one
///   cycle later and stays.
/// - `pay_req_*`: reads of payload, 1 to 512 octets; `pay_ans_*`: their answers, in any order, in
///   pieces that end at addresses divisible by 64. `fault`: a read failed.
/// - `fresh_*`: a connection is inserted, a pulse. `announced`: a pulse, an item was taken on
///   `fpdu`; the token of an end waits for all items that were reserved before. `used`: ULPDUs
///   under way, a bit a slot; `over`: those that end in this cycle. `owes`: there is one;
///   `owed_qp`: its queue pair, or while none can leave, that of one that waits.
pub fn ddp_tx<const C: usize, const NC: usize, const CW: usize>() -> Table {
    let parts = vec![
        Part::new("slots", TxSlots::<C, NC>::new),
        Part::new("owner", TxOwner::default),
        Part::new("ranges", Queue::<TxOwned, 3>::default),
        Part::new("gather", TxGather::default),
        Part::new("inlines", TxInline::<CW>::default),
        Part::new("reorder", TxReorder::default),
        Part::new("weld", TxWeld::new),
        Part::new("leaves", Both::default),
        Part::new("owing", Any::<8>::default),
    ];
    Table::new(parts).joins(JOINS).fans(FANS).exports(EXPORTS)
}

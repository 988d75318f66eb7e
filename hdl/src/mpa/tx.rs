// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA transmit: segments to their octets, through the FPDU's steps or past them.
use super::tx_feed::TxFeed;
use super::tx_mark::TxMark;
use super::tx_pack::TxPack;
use super::tx_seal::TxSeal;
use super::tx_split::TxSplit;
use crate::emit::{Net, Part, Table};
use crate::record::{FpduSize, TxAnswer, TxSized};
use crate::stream::{Queue, Realign, Slot, Trim};
use rust_hdl::prelude::Bits;

/// Cycles from the transfer of a ULPDU's first beat to the offer of its FPDU's, if the FPDU has
/// more.
pub const TX_LATENCY: u64 = 12;

/// The transmit stage at 64 bits. [`TxFeed`] says how items and frames pair.
///
/// **Ports.**
/// - `fpdu`, `rx`: an item a segment, and ULPDUs or raw octets. `seg`, `tx`: the same items, and
///   FPDUs or raw octets.
/// - `owes`: an item or a frame is outstanding, the oldest of queue pair `owed_qp`.
/// - Pulses: `refused`, `too_short`, `too_long`, `spoilt` as in [`mpa_fpdu`]. `feed_refused`: the
///   answer to an item's command said `refused`.
pub fn mpa_tx() -> Table {
    let parts = vec![Part::new("feed", TxFeed::default), Part::table("fpdus", mpa_fpdu::<64, 4>())];
    Table::new(parts)
        .joins(&[
            ("feed.ulpdu", "fpdus.rx"),
            ("feed.cmd", "fpdus.cmd"),
            ("fpdus.ans", "feed.ans"),
            ("fpdus.tx", "feed.made"),
        ])
        .exports(&[
            ("feed.fpdu", "fpdu"),
            ("feed.rx", "rx"),
            ("feed.seg", "seg"),
            ("feed.tx", "tx"),
            ("feed.owes", "owes"),
            ("feed.owed_qp", "owed_qp"),
            ("feed.refused", "feed_refused"),
            ("fpdus.refused", "refused"),
            ("fpdus.too_short", "too_short"),
            ("fpdus.too_long", "too_long"),
            ("fpdus.spoilt", "spoilt"),
        ])
}

/// ULPDUs to some octets of their FPDUs, from one on. Nothing is kept from one FPDU to the next:
/// what leaves is a function of the command and the ULPDU, so that any FPDU can be made again for a
/// retransmission. `K` = `bytes_width(W)`.
///
/// **Contract.** Each command (`cmd`) takes one frame from `rx`, the ULPDU, and gives one answer
/// (`ans`). `octets` of a command is at least 1, and `from + octets` at most the FPDU's octets; the
/// stage does not check this. If the answer says `refused`, that frame is dropped, and `refused`
/// pulses. Else one frame of `octets` octets leaves on `tx`, with `err` on its last beat if the
/// ULPDU was shorter or longer than the command says or had `err` itself: `too_short`, `too_long`
/// and `spoilt` pulse. Answers, ULPDUs and frames pair in the order of the commands; an answer is
/// offered before the first beat of its frame. Two answers may wait: then commands do, and with
/// them the FPDUs behind.
///
/// **Timing.** [`TX_LATENCY`] cycles from the ULPDU's first beat to that of the frame if its
/// command is there long enough. One beat a cycle on `tx`, also from one FPDU to the next; `rx`
/// waits while words that do not fit leave. Octets before and behind the cut take their time
/// without leaving.
///
/// Panics at elaboration if the parameters do not belong together.
pub fn mpa_fpdu<const W: usize, const K: usize>() -> Table {
    let parts = vec![
        Part::new("size", FpduSize::new),
        Part::new("split", TxSplit::default),
        Part::new("jobs", Slot::<TxSized>::default),
        Part::new("answers", Slot::<TxAnswer>::default),
        // 16 commands: more than the FPDUs of one beat that the steps between check and cut hold
        Part::new("skips", Queue::<Bits<16>, 4>::default),
        Part::new("lengths", Queue::<Bits<16>, 4>::default),
        Part::new("pack", TxPack::<W, K>::new),
        Part::new("mark", TxMark::<W, K>::new),
        Part::new("seal", TxSeal::<W, K>::new),
        Part::new("realign", Realign::<W, K>::new),
        Part::new("trim", Trim::<W, K>::default),
    ];
    Table::new(parts)
        .joins(&[
            // a command with its size goes to all who need it at once
            ("size.tx_valid", "split.valid"),
            ("size.tx_item.refused", "split.is_refused"),
            ("jobs.rx_ready", "split.jobs_ready"),
            ("answers.rx_ready", "split.answers_ready"),
            ("skips.rx_ready", "split.skips_ready"),
            ("lengths.rx_ready", "split.lengths_ready"),
            ("size.tx_item", "jobs.rx_item"),
            ("size.tx_item.total", "answers.rx_item.total"),
            ("size.tx_item.refused", "answers.rx_item.refused"),
            ("size.tx_item.from", "skips.rx_item"),
            ("size.tx_item.octets", "lengths.rx_item"),
            // ULPDUs to FPDUs
            ("jobs.tx", "pack.job"),
            ("pack.p", "mark.p"),
            ("mark.m", "seal.m"),
            ("seal.go", "mark.go"),
            // the cut: octets before `from`, then what is too many behind
            ("seal.tx", "realign.rx"),
            ("skips.tx_item", "realign.skip_octets"),
            ("skips.tx_valid", "realign.skip_valid"),
            ("realign.skip_ready", "skips.tx_ready"),
            ("realign.tx", "trim.rx"),
            ("lengths.tx_valid", "trim.octets_valid"),
            ("trim.octets_ready", "lengths.tx_ready"),
        ])
        .fans(&[
            ("split.give", "size.tx_ready jobs.rx_valid answers.rx_valid"),
            ("split.cut", "skips.rx_valid lengths.rx_valid"),
        ])
        .nets([Net::fit("lengths.tx_item", "trim.octets_item")])
        // An FPDU is longer than its `from`: what the shifter reports beside its frames is known.
        .ties(&["realign.parts_ready"], 1)
        .open(&["realign.parts_first", "realign.parts_second", "realign.parts_err", "realign.parts_valid"])
        .exports(&[
            ("size.rx", "cmd"),
            ("answers.tx", "ans"),
            ("pack.rx", "rx"),
            ("trim.tx", "tx"),
            ("split.refused", "refused"),
            ("pack.too_short", "too_short"),
            ("pack.too_long", "too_long"),
            ("pack.spoilt", "spoilt"),
        ])
}

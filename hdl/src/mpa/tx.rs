// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA transmit: ULPDU to some octets of its FPDU, from one on.
use super::tx_check::TxCheck;
use super::tx_job::{TxAnswer, TxJob};
use super::tx_mark::TxMark;
use super::tx_pack::TxPack;
use super::tx_seal::TxSeal;
use super::tx_split::TxSplit;
use super::tx_trim::TxTrim;
use crate::emit::{Net, Part, Table};
use crate::stream::{Queue, Realign, Slot};
use rust_hdl::prelude::Bits;

/// Cycles from the transfer of a ULPDU's first beat to the offer of its FPDU's, if the FPDU has
/// more.
pub const TX_LATENCY: u64 = 12;

/// The transmit stage. The stage keeps nothing from one FPDU to the next: what leaves is a function
/// of the command and the ULPDU, so that any FPDU can be made again for a retransmission. `K` =
/// `bytes_width(W)`.
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
pub fn mpa_tx<const W: usize, const K: usize>() -> Table {
    let parts = vec![
        Part::new("check", TxCheck::new),
        Part::new("split", TxSplit::default),
        Part::new("jobs", Slot::<TxJob>::default),
        Part::new("answers", Slot::<TxAnswer>::default),
        // 16 commands: more than the FPDUs of one beat that the steps between check and cut hold
        Part::new("skips", Queue::<Bits<16>, 4>::default),
        Part::new("lengths", Queue::<Bits<16>, 4>::default),
        Part::new("pack", TxPack::<W, K>::new),
        Part::new("mark", TxMark::<W, K>::new),
        Part::new("seal", TxSeal::<W, K>::new),
        Part::new("realign", Realign::<W, K>::new),
        Part::new("trim", TxTrim::<W, K>::new),
    ];
    Table::new(parts)
        .joins(&[
            // a checked command goes to all who need it at once
            ("check.valid", "split.valid"),
            ("check.answer.refused", "split.is_refused"),
            ("jobs.rx_ready", "split.jobs_ready"),
            ("answers.rx_ready", "split.answers_ready"),
            ("skips.rx_ready", "split.skips_ready"),
            ("lengths.rx_ready", "split.lengths_ready"),
            ("check.job", "jobs.rx_item"),
            ("check.answer", "answers.rx_item"),
            ("check.from", "skips.rx_item"),
            ("check.octets", "lengths.rx_item"),
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
            ("trim.octets_take", "lengths.tx_ready"),
        ])
        .fans(&[
            ("split.give", "check.take jobs.rx_valid answers.rx_valid"),
            ("split.cut", "skips.rx_valid lengths.rx_valid"),
        ])
        .nets([Net::fit("lengths.tx_item", "trim.octets")])
        // An FPDU is longer than its `from`: what the shifter reports beside its frames is known.
        .ties(&["realign.parts_ready"], 1)
        .open(&["realign.parts_first", "realign.parts_second", "realign.parts_err", "realign.parts_valid"])
        .exports(&[
            ("check.cmd", "cmd"),
            ("answers.tx_item.total", "ans_total"),
            ("answers.tx_item.refused", "ans_refused"),
            ("answers.tx_valid", "ans_valid"),
            ("answers.tx_ready", "ans_ready"),
            ("pack.rx", "rx"),
            ("trim.tx", "tx"),
            ("split.refused", "refused"),
            ("pack.too_short", "too_short"),
            ("pack.too_long", "too_long"),
            ("pack.spoilt", "spoilt"),
        ])
}

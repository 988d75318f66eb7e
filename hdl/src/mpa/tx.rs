// SPDX-License-Identifier: MIT OR Apache-2.0
//! MPA transmit: ULPDU to some octets of its FPDU, from one on.
use super::tx_check::TxCheck;
use super::tx_job::{TxAnswer, TxJob};
use super::tx_mark::TxMark;
use super::tx_pack::TxPack;
use super::tx_seal::TxSeal;
use super::tx_trim::TxTrim;
use crate::record::{TxAnswerSource, TxCommandSink};
use crate::stream::{Queue, Realign, Slot, StreamSink, StreamSource};
use rust_hdl::prelude::*;

/// The transmit stage. It keeps nothing from one FPDU to the next: what leaves is a function of the
/// command and the ULPDU, so that any FPDU can be made again for a retransmission. `K` =
/// `bytes_width(W)`.
///
/// **Contract.** Each command takes one frame from `rx`, the ULPDU, and gives one answer. `octets`
/// of a command is at least 1, and `from + octets` at most the FPDU's octets; the stage does not
/// check this. If the answer says `refused`, that frame is dropped. Else one frame of `octets`
/// octets leaves, with `err` on its last beat if the ULPDU was shorter or longer than the command
/// says or had `err` itself. Answers, ULPDUs and frames pair in the order of the commands; an
/// answer is offered before the first beat of its frame. Two answers may wait: then commands do,
/// and with them the FPDUs behind.
///
/// **Timing.** [`MpaTx::LATENCY`] cycles from the ULPDU's first beat to that of the frame if its
/// command is there long enough. One beat a cycle on `tx`, also from one FPDU to the next; `rx`
/// waits while words that do not fit leave. Octets before and behind the cut take their time
/// without leaving.
#[derive(LogicBlock, Default)]
pub struct MpaTx<const W: usize, const K: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// What to make of the next ULPDU.
    pub cmd: TxCommandSink,
    /// What becomes of it.
    pub ans: TxAnswerSource,
    /// ULPDUs.
    pub rx: StreamSink<W, K>,
    /// Octets of FPDUs.
    pub tx: StreamSource<W, K>,
    /// Pulse: a command was refused.
    pub refused: Signal<Out, Bit>,
    /// Pulse: a ULPDU was shorter than its command says.
    pub too_short: Signal<Out, Bit>,
    /// Pulse: a ULPDU was longer than its command says.
    pub too_long: Signal<Out, Bit>,
    /// Pulse: a ULPDU of the right length had `err`.
    pub spoilt: Signal<Out, Bit>,
    check: TxCheck,
    jobs: Slot<TxJob>,
    answers: Slot<TxAnswer>,
    // 16 commands: more than the FPDUs of one beat that the steps between check and cut hold.
    skips: Queue<Bits<16>, 4>,
    lengths: Queue<Bits<16>, 4>,
    pack: TxPack<W, K>,
    mark: TxMark<W, K>,
    seal: TxSeal<W, K>,
    realign: Realign<W, K>,
    trim: TxTrim<W, K>,
    answer: Signal<Local, TxAnswer>,
    told: Signal<Local, TxAnswer>,
    give: Signal<Local, Bit>,
    cuts: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> MpaTx<W, K> {
    /// Cycles from the transfer of a ULPDU's first beat to the offer of its FPDU's, if the FPDU has
    /// more.
    pub const LATENCY: u64 = 12;

    /// An idle stage; panics at elaboration if the parameters do not belong together.
    pub fn new() -> Self {
        Self {
            check: TxCheck::new(),
            pack: TxPack::new(),
            mark: TxMark::new(),
            seal: TxSeal::new(),
            realign: Realign::new(),
            trim: TxTrim::new(),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for MpaTx<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, check, jobs, answers, skips, lengths, pack, mark, seal, realign, trim);
        self.check.reset.next = self.reset.val();
        self.jobs.reset.next = self.reset.val();
        self.answers.reset.next = self.reset.val();
        self.skips.reset.next = self.reset.val();
        self.lengths.reset.next = self.reset.val();
        self.pack.reset.next = self.reset.val();
        self.mark.reset.next = self.reset.val();
        self.seal.reset.next = self.reset.val();
        self.realign.reset.next = self.reset.val();
        self.trim.reset.next = self.reset.val();

        TxCommandSink::link(&mut self.cmd, &mut self.check.cmd);

        // A checked command goes to all who need it at once.
        self.answer.next = self.check.answer.val();
        self.give.next = self.check.valid.val()
            && self.jobs.rx.ready.val()
            && self.answers.rx.ready.val()
            && self.skips.rx.ready.val()
            && self.lengths.rx.ready.val();
        self.cuts.next = self.give.val() && !self.answer.val().refused;
        self.check.take.next = self.give.val();
        self.jobs.rx.item.next = self.check.job.val();
        self.jobs.rx.valid.next = self.give.val();
        self.answers.rx.item.next = self.check.answer.val();
        self.answers.rx.valid.next = self.give.val();
        self.skips.rx.item.next = self.check.from.val();
        self.skips.rx.valid.next = self.cuts.val();
        self.lengths.rx.item.next = self.check.octets.val();
        self.lengths.rx.valid.next = self.cuts.val();
        self.refused.next = self.give.val() && self.answer.val().refused;
        self.told.next = self.answers.tx.item.val();
        self.ans.total.next = self.told.val().total;
        self.ans.refused.next = self.told.val().refused;
        self.ans.valid.next = self.answers.tx.valid.val();
        self.answers.tx.ready.next = self.ans.ready.val();

        // ULPDUs to FPDUs.
        StreamSink::<W, K>::link(&mut self.rx, &mut self.pack.rx);
        self.pack.job.item.next = self.jobs.tx.item.val();
        self.pack.job.valid.next = self.jobs.tx.valid.val();
        self.jobs.tx.ready.next = self.pack.job.ready.val();
        self.too_short.next = self.pack.too_short.val();
        self.too_long.next = self.pack.too_long.val();
        self.spoilt.next = self.pack.spoilt.val();
        self.mark.p_data.next = self.pack.p_data.val();
        self.mark.p_words.next = self.pack.p_words.val();
        self.mark.p_first.next = self.pack.p_first.val();
        self.mark.p_last.next = self.pack.p_last.val();
        self.mark.p_err.next = self.pack.p_err.val();
        self.mark.p_gap.next = self.pack.p_gap.val();
        self.mark.p_markers.next = self.pack.p_markers.val();
        self.mark.p_crc.next = self.pack.p_crc.val();
        self.mark.p_valid.next = self.pack.p_valid.val();
        self.pack.p_take.next = self.mark.p_take.val();
        self.seal.m_data.next = self.mark.m_data.val();
        self.seal.m_words.next = self.mark.m_words.val();
        self.seal.m_last.next = self.mark.m_last.val();
        self.seal.m_err.next = self.mark.m_err.val();
        self.seal.m_crc.next = self.mark.m_crc.val();
        self.seal.m_valid.next = self.mark.m_valid.val();
        self.mark.go.next = self.seal.go.val();

        // The cut: octets before `from`, then what is too many behind. An FPDU is longer than its
        // `from`, so that what the shifter reports beside its frames is known.
        StreamSource::<W, K>::join(&mut self.seal.tx, &mut self.realign.rx);
        self.realign.skip.octets.next = self.skips.tx.item.val();
        self.realign.skip.valid.next = self.skips.tx.valid.val();
        self.skips.tx.ready.next = self.realign.skip.ready.val();
        self.realign.parts.ready.next = true;
        StreamSource::<W, K>::join(&mut self.realign.tx, &mut self.trim.rx);
        self.trim.octets.next = bit_cast::<17, 16>(self.lengths.tx.item.val());
        self.trim.octets_valid.next = self.lengths.tx.valid.val();
        self.lengths.tx.ready.next = self.trim.octets_take.val();
        StreamSource::<W, K>::link(&mut self.tx, &mut self.trim.tx);
    }
}

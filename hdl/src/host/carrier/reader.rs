// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records for the device: TLPs, configuration, reset.
use super::super::pcie::PcieConfig;
use crate::gen::consts::carrier_record;
use crate::gen::{CarrierRecord, UnpackCarrierRecord};
use crate::prelude::*;
use crate::stream::StreamSource;

/// Reads records that were judged before: a TLP leaves on `tx`, a configuration counts from the
/// next TLP on, a reset gives a pulse.
///
/// **Contract.** TLPs behind a reset pass: completions of reads that the reset waits for are among
/// them. Only a second reset waits for the end of the first one. While `closing`, TLPs pass, but
/// configuration and resets have no effect: the epoch has ended behind them.
///
/// **Timing.** A beat a cycle, a cycle for the head of each record.
#[block]
pub struct Reader {
    /// Row, with `rx_valid`.
    pub rx: Signal<In, Bits<64>>,
    /// A row is offered.
    pub rx_valid: Signal<In, Bit>,
    /// The row is taken.
    pub rx_ready: Signal<Out, Bit>,
    /// TLPs for the device.
    pub tx: StreamSource<64, 4>,
    /// BARs that the TLP hits, beside each beat.
    pub tx_bar_hit: Signal<Out, Bits<3>>,
    /// Configuration of the function.
    pub cfg: Signal<Out, PcieConfig>,
    /// Pulse: a reset is to begin.
    pub resets: Signal<Out, Bit>,
    /// A reset is under way.
    pub resetting: Signal<In, Bit>,
    /// The epoch ends.
    pub closing: Signal<In, Bit>,
    /// Between two records.
    pub idle: Signal<Out, Bit>,
    /// Rows of the TLP that are still to come.
    left: Reg<Bits<9>>,
    is_odd: Flop<Bit>,
    bar_hit: Flop<Bits<3>>,
    value: Reg<Bits<26>>,
    unpack_record: UnpackCarrierRecord,
    r: Signal<Local, CarrierRecord>,
}

#[kernel]
impl Logic for Reader {
    fn update(&mut self) {
        regs!(left, value);
        flops!(is_odd, bar_hit);
        self.unpack_record.octets.next = self.rx.val();
        self.r.next = self.unpack_record.record.val();
        let dwords: Bits<16> = self.r.val().dwords;
        let bars: Bits<8> = self.r.val().bar_hit;
        let word: Bits<32> = self.r.val().value;
        let in_tlp: Bit = self.left.q.val().any();
        let starts: Bit = self.rx_valid.val() && !in_tlp;
        let is_tlp: Bit = self.r.val().kind == carrier_record::tlp().val();
        let is_config: Bit = self.r.val().kind == carrier_record::config().val();
        let is_reset: Bit = self.r.val().kind == carrier_record::reset().val();
        let waits: Bit = is_reset && self.resetting.val() && !self.closing.val();
        let is_last: Bit = self.left.q.val() == lit::<9>(1);
        let half: Bit = is_last && self.is_odd.q.val();
        let dwords_up: Bits<16> = dwords + 1;
        let rows: Bits<16> = dwords_up >> 1;
        self.idle.next = !in_tlp;
        self.tx.data.next = self.rx.val();
        self.tx.bytes.next = lit::<4>(8);
        if half {
            self.tx.bytes.next = lit::<4>(4);
        }
        self.tx.last.next = is_last;
        self.tx.err.next = false;
        self.tx.valid.next = self.rx_valid.val() && in_tlp;
        self.tx_bar_hit.next = self.bar_hit.q.val();
        self.rx_ready.next = !waits;
        if in_tlp {
            self.rx_ready.next = self.tx.ready.val();
        }
        self.resets.next = starts && is_reset && !waits && !self.closing.val();
        if self.rx_valid.val() && in_tlp && self.tx.ready.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if starts && is_tlp {
            self.left.d.next = rows.get_bits::<9>(0);
            self.is_odd.d.next = dwords.get_bit(0);
            self.bar_hit.d.next = bars.get_bits::<3>(0);
        }
        if starts && is_config {
            self.value.d.next = word.get_bits::<26>(0);
        }
        if self.closing.val() {
            self.value.d.next = 0.into();
        }
        self.cfg.next.id = self.value.q.val().get_bits::<16>(0);
        self.cfg.next.mps = self.value.q.val().get_bits::<3>(16);
        self.cfg.next.mrrs = self.value.q.val().get_bits::<3>(19);
        self.cfg.next.master = self.value.q.val().get_bit(22);
        self.cfg.next.msix = self.value.q.val().get_bit(23);
        self.cfg.next.masked = self.value.q.val().get_bit(24);
        self.cfg.next.endless = self.value.q.val().get_bit(25);
    }
}

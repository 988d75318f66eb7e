// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers of the device as a whole.
use super::bar_ports::{Ask, Fault, Put};
use super::filter_regs::FilterRegs;
use super::platform_regs::PlatformRegs;
use crate::config::Config;
use crate::eth::{RxAccept, RxMac, MACS};
use crate::gen::consts::csr;
use crate::host::LIMIT;
use crate::prelude::*;
use ferrowarp_abi::consts::{csr_identity, csr_reset};

/// Registers whose value does not change.
const FIXED: usize = 7;
/// Registers that are read as they are now.
const SHOWN: usize = 14;
/// Longest timeout of a read in ticks that [`super::DmaRead`] counts.
const LONGEST: usize = 100;
/// Dwords of the secret.
const SECRET: usize = 10;

/// log2 of what the device has.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Queue pairs.
    pub qps: usize,
    /// Completion queues.
    pub cqs: usize,
    /// Memory regions.
    pub mrs: usize,
    /// Vectors of MSI-X.
    pub vectors: usize,
    /// Counters: how many, not a logarithm.
    pub counters: usize,
}

/// Identification, capabilities, times, ticks and the first error.
///
/// **Contract.** `put` and `ask` stand for a cycle; an answer comes in the cycle behind. The secret
/// is kept over every reset and cannot be read.
#[block(clock)]
pub struct Csr {
    /// Synchronous reset: registers have their values after power-up.
    pub reset: Signal<In, Bit>,
    /// A register that is written.
    pub put: Signal<In, Put>,
    /// It is, now, and it is one of these.
    pub put_valid: Signal<In, Bit>,
    /// A register that is asked for.
    pub ask: Signal<In, Ask>,
    /// It is, now, and it is one of these.
    pub ask_valid: Signal<In, Bit>,
    /// Its value.
    pub say: Signal<Out, Bits<32>>,
    /// It is there.
    pub say_valid: Signal<Out, Bit>,
    /// Ticks since the reset of the registers.
    pub ticks: Signal<In, Bits<64>>,
    /// Clock cycles since the reset of the registers.
    pub cycles: Signal<In, Bits<64>>,
    /// The device works.
    pub ready: Signal<In, Bit>,
    /// A reset waits for the bus.
    pub draining: Signal<In, Bit>,
    /// The Ethernet link is up.
    pub link_up: Signal<In, Bit>,
    /// Channels that have waited for too long.
    pub stalled: Signal<In, Bits<4>>,
    /// How often the PCI Express link went down or had a hot reset.
    pub bus_resets: Signal<In, Bits<8>>,
    /// Ticks after which one has.
    pub watchdog: Signal<Out, Bits<LIMIT>>,
    /// Consumer index of the raw transmit ring.
    pub raw_tx_consumer: Signal<In, Bits<32>>,
    /// The first error.
    pub first: Signal<In, Fault>,
    /// Forget it.
    pub clear: Signal<Out, Bit>,
    /// Pulse: restart the device.
    pub restart: Signal<Out, Bit>,
    /// Ticks that an ACK may wait.
    pub ack_delay: Signal<Out, Bits<16>>,
    /// Ticks until octets leave again the first time.
    pub rto_min: Signal<Out, Bits<16>>,
    /// Waits in a row after which a connection is lost, probes of a closed window among them.
    pub retry_limit: Signal<Out, Bits<8>>,
    /// What a connection does about loss: the bits of the register.
    pub recovery: Signal<Out, Bits<4>>,
    /// Ticks that a read of host memory may take.
    pub read_timeout: Signal<Out, Bits<7>>,
    /// Random bits for the 4-tuple table.
    pub secret: Signal<Out, Bits<320>>,
    /// Kinds of frames that are received.
    pub accept: Signal<Out, RxAccept>,
    /// Addresses that are received.
    pub macs: [Signal<Out, RxMac>; MACS],
    filter: FilterRegs,
    platform: PlatformRegs,
    ack: Reg<Bits<16>>,
    rto: Reg<Bits<16>>,
    retries: Reg<Bits<8>>,
    recovers: Reg<Bits<4>>,
    patience: Reg<Bits<7>>,
    hidden: [Flop<Bits<32>>; SECRET],
    clears: Reg<Bit>,
    restarts: Reg<Bit>,
    word: Flop<Bits<32>>,
    answers: Reg<Bit>,
    bits: Signal<Local, Bits<320>>,
    dword: Signal<Local, Bits<32>>,
    fixed_at: Vec<Const<Bits<12>>>,
    fixed: Vec<Const<Bits<32>>>,
    secret_at: Vec<Const<Bits<12>>>,
    secret_bit: Vec<Const<Bits<16>>>,
    /// Registers that change, by their places in `shown_at`.
    shown: [Signal<Local, Bits<32>>; SHOWN],
    shown_at: [Const<Bits<12>>; SHOWN],
}

impl Csr {
    /// Registers of a device with this configuration and these sizes; panics at elaboration if one
    /// does not fit its field.
    pub fn new(config: &Config, sizes: Sizes) -> Self {
        let field = |value: u64, lsb: u32, width: u32| {
            assert!(value >> width == 0, "a capability of {value} does not fit {width} bits");
            (value as usize) << lsb
        };
        let Sizes { qps, cqs, mrs, vectors, counters } = sizes;
        let fixed: [(_, usize); FIXED] = [
            (csr::magic(), csr_identity::MAGIC as usize),
            (
                csr::vendor_device(),
                field(csr_identity::VENDOR.into(), 0, 16) | field(csr_identity::DEVICE.into(), 16, 16),
            ),
            (
                csr::version(),
                field(csr_identity::MINOR.into(), 0, 16) | field(csr_identity::MAJOR.into(), 16, 16),
            ),
            (
                csr::queues(),
                field(qps as u64, 0, 8)
                    | field(cqs as u64, 8, 8)
                    | field(mrs as u64, 16, 8)
                    | field(vectors as u64, 24, 8),
            ),
            (csr::width(), field(config.data_bits, 0, 16) | field(config.edge_bits, 16, 16)),
            (csr::clock_khz(), field(config.clock_khz, 0, 32)),
            (
                csr::limits(),
                field(config.mtu, 0, 16) | field(config.window_log2, 16, 8) | field(counters as u64, 24, 8),
            ),
        ];
        let (fixed_at, values): (Vec<_>, Vec<_>) = fixed.into_iter().unzip();
        let secret = usize::from(ferrowarp_abi::consts::csr::SECRET);
        Self {
            filter: FilterRegs::new(),
            platform: PlatformRegs::new(),
            ack: Reg::new(u64::from(csr_reset::ACK_DELAY).into()),
            rto: Reg::new(u64::from(csr_reset::RTO_MIN).into()),
            retries: Reg::new(u64::from(csr_reset::RETRY_LIMIT).into()),
            recovers: Reg::new(u64::from(csr_reset::RECOVERY).into()),
            patience: Reg::new(u64::from(csr_reset::READ_TIMEOUT).into()),
            fixed_at,
            fixed: values.into_iter().map(Const::of).collect(),
            secret_at: (0..SECRET).map(|i| Const::of(secret + 4 * i)).collect(),
            secret_bit: (0..SECRET).map(|i| Const::of(32 * i)).collect(),
            shown_at: [
                csr::status(),
                csr::ticks_low(),
                csr::ticks_high(),
                csr::cycles_low(),
                csr::cycles_high(),
                csr::ack_delay(),
                csr::rto_min(),
                csr::retry_limit(),
                csr::recovery(),
                csr::read_timeout(),
                csr::raw_tx_consumer(),
                csr::error_what(),
                csr::error_head(),
                csr::error_address(),
            ],
            ..Default::default()
        }
    }
}

#[kernel]
impl Logic for Csr {
    fn update(&mut self) {
        regs!(ack, rto, retries, recovers, patience, clears, restarts, answers);
        flops!(word);
        parts!(filter, platform);

        // Writes.
        let at: Bits<12> = self.put.val().addr;
        let data: Bits<32> = self.put.val().data;
        self.clears.d.next = false;
        self.restarts.d.next = false;
        self.bits.next = 0.into();
        for i in 0..SECRET {
            self.hidden[i].clock.next = self.clock.val();
            self.hidden[i].d.next = self.hidden[i].q.val();
            if self.put_valid.val() && (at == self.secret_at[i].val()) {
                self.hidden[i].d.next = data;
            }
            self.dword.next = self.hidden[i].q.val();
            self.bits.next =
                self.bits.val() | (bit_cast::<320, 32>(self.dword.val()) << self.secret_bit[i].val());
        }
        if self.put_valid.val() {
            if at == csr::ack_delay().val() {
                self.ack.d.next = data.get_bits::<16>(0);
            }
            if at == csr::rto_min().val() {
                self.rto.d.next = data.get_bits::<16>(0);
            }
            if at == csr::retry_limit().val() {
                self.retries.d.next = data.get_bits::<8>(0);
            }
            if at == csr::recovery().val() {
                self.recovers.d.next = data.get_bits::<4>(0);
            }
            if (at == csr::read_timeout().val()) && data.any() && (data <= lit::<32>(LONGEST)) {
                self.patience.d.next = data.get_bits::<7>(0);
            }
            if at == csr::restart().val() {
                self.restarts.d.next = data.get_bit(0);
            }
            if at == csr::error_what().val() {
                self.clears.d.next = true;
            }
        }

        self.filter.at.next = at;
        self.filter.data.next = data;
        self.filter.put.next = self.put_valid.val();
        self.accept.next = self.filter.accept.val();
        for i in 0..MACS {
            self.macs[i].next = self.filter.macs[i].val();
        }
        self.platform.at.next = at;
        self.platform.data.next = data;
        self.platform.put.next = self.put_valid.val();
        self.platform.link_up.next = self.link_up.val();
        self.platform.stalled.next = self.stalled.val();
        self.platform.bus_resets.next = self.bus_resets.val();
        self.watchdog.next = self.platform.watchdog.val();

        // Reads.
        let from: Bits<12> = self.ask.val().addr;
        self.filter.from.next = from;
        self.platform.from.next = from;
        self.word.d.next = 0.into();
        for i in 0..FIXED {
            if from == self.fixed_at[i].val() {
                self.word.d.next = self.fixed[i].val();
            }
        }
        self.shown[0].next =
            bit_cast::<32, 1>(self.ready.val().into()) | (bit_cast::<32, 1>(self.draining.val().into()) << 1);
        self.shown[1].next = self.ticks.val().get_bits::<32>(0);
        self.shown[2].next = self.ticks.val().get_bits::<32>(32);
        self.shown[3].next = self.cycles.val().get_bits::<32>(0);
        self.shown[4].next = self.cycles.val().get_bits::<32>(32);
        self.shown[5].next = bit_cast::<32, 16>(self.ack.q.val());
        self.shown[6].next = bit_cast::<32, 16>(self.rto.q.val());
        self.shown[7].next = bit_cast::<32, 8>(self.retries.q.val());
        self.shown[8].next = bit_cast::<32, 4>(self.recovers.q.val());
        self.shown[9].next = bit_cast::<32, 7>(self.patience.q.val());
        self.shown[10].next = self.raw_tx_consumer.val();
        self.shown[11].next = bit_cast::<32, 8>(self.first.val().kind)
            | (bit_cast::<32, 3>(self.first.val().bar) << 8)
            | (bit_cast::<32, 8>(self.first.val().be) << 12)
            | (bit_cast::<32, 10>(self.first.val().dwords) << 20);
        self.shown[12].next = self.first.val().head;
        self.shown[13].next = self.first.val().addr;
        for i in 0..14 {
            if from == self.shown_at[i].val() {
                self.word.d.next = self.shown[i].val();
            }
        }
        self.answers.d.next = self.ask_valid.val();
        self.say.next = self.word.q.val() | self.filter.word.val() | self.platform.word.val();
        self.say_valid.next = self.answers.q.val();

        self.clear.next = self.clears.q.val();
        self.restart.next = self.restarts.q.val();
        self.ack_delay.next = self.ack.q.val();
        self.rto_min.next = self.rto.q.val();
        self.retry_limit.next = self.retries.q.val();
        self.recovery.next = self.recovers.q.val();
        self.read_timeout.next = self.patience.q.val();
        self.secret.next = self.bits.val();
    }
}

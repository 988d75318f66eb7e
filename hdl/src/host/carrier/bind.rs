// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whom the carrier listens to, and the resets that follow from this.
use crate::gen::consts::carrier_kind;
use crate::gen::CarrierHdr;
use crate::prelude::*;

/// Binds the device to the station and the epoch of a hello, and sorts frames by both.
///
/// **Contract.** Each frame (`came`) gives one pulse: `spoilt`, `malformed`, `foreign`, `stale`,
/// `hello` or `current`. A hello of a new epoch, a link that goes down and a bound station that is
/// silent for `silence` cycles begin `closing`. Then no frame is `current`, the reader drains what
/// was taken (`drained`), and the function is reset (`flr` until `flr_done`). Behind the reset
/// `closing` ends, and the hello is answered (`owes_hello` until `hello_sent`). A hello of the
/// epoch that runs is answered again. A hello of the epoch before came late, and is `stale`. If a
/// hello of another epoch comes while the device is reset,
/// another reset follows.
///
/// A reset record (`resets`) resets the function inside the epoch; `reset_done` pulses behind the
/// reset.
#[block]
pub struct Bind {
    /// Pulse: a frame has ended; its verdict and its header.
    pub came: Signal<In, Bit>,
    /// With `came`: a fault of the wire.
    pub bad_fcs: Signal<In, Bit>,
    /// With `came`: not possible.
    pub malformed: Signal<In, Bit>,
    /// With `came`.
    pub hdr: Signal<In, CarrierHdr>,
    /// MAC address of the device.
    pub address: Signal<In, Bits<48>>,
    /// Cycles of silence behind which the device is unbound.
    pub silence: Signal<In, Bits<32>>,
    /// The Ethernet link is up.
    pub link_up: Signal<In, Bit>,
    /// Nothing that was taken waits for the reader.
    pub drained: Signal<In, Bits<2>>,
    /// Pulse: a reset record.
    pub resets: Signal<In, Bit>,
    /// Function Level Reset is asked for.
    pub flr: Signal<Out, Bit>,
    /// Pulse: the function was reset.
    pub flr_done: Signal<In, Bit>,
    /// A reset is asked for or under way.
    pub resetting: Signal<Out, Bit>,
    /// Pulse: the reset of a record has ended.
    pub reset_done: Signal<Out, Bit>,
    /// An epoch ends, and the function is reset.
    pub closing: Signal<Out, Bit>,
    /// An epoch runs.
    pub open: Signal<Out, Bit>,
    /// A station is bound.
    pub is_bound: Signal<Out, Bit>,
    /// MAC address of the bound station.
    pub station: Signal<Out, Bits<48>>,
    /// Epoch of the bound station.
    pub epoch: Signal<Out, Bits<16>>,
    /// A hello wants its answer.
    pub owes_hello: Signal<Out, Bit>,
    /// Pulse: the answer leaves.
    pub hello_sent: Signal<In, Bit>,
    /// Pulse: a frame with a fault of the wire.
    pub was_spoilt: Signal<Out, Bit>,
    /// Pulse: a frame that is not possible.
    pub was_malformed: Signal<Out, Bit>,
    /// Pulse: a frame of another station, or to another one.
    pub foreign: Signal<Out, Bit>,
    /// Pulse: a frame of another epoch, or between epochs.
    pub stale: Signal<Out, Bit>,
    /// Pulse: a hello.
    pub hello: Signal<Out, Bit>,
    /// Pulse: data or ack of the epoch that runs.
    pub current: Signal<Out, Bit>,
    /// Pulse: the station is bound no more.
    pub unbound: Signal<Out, Bit>,
    bound: Reg<Bit>,
    closes: Reg<Bit>,
    /// A reset is to begin.
    wants: Reg<Bit>,
    asks: Reg<Bit>,
    /// `flr` is low for a cycle between two resets.
    rests: Reg<Bit>,
    /// The reset is that of a record.
    is_record: Reg<Bit>,
    owes: Reg<Bit>,
    quiet: Reg<Bits<32>>,
    station_q: Flop<Bits<48>>,
    epoch_q: Flop<Bits<16>>,
    /// The bound station has had another epoch.
    changed: Reg<Bit>,
    last_epoch: Flop<Bits<16>>,
}

#[kernel]
impl Logic for Bind {
    fn update(&mut self) {
        regs!(bound, closes, wants, asks, rests, is_record, owes, quiet, changed);
        flops!(station_q, epoch_q, last_epoch);
        let sane: Bit = self.came.val() && !self.bad_fcs.val() && !self.malformed.val();
        let to_us: Bit = self.hdr.val().destination == self.address.val();
        let same_station: Bit = self.hdr.val().source == self.station_q.q.val();
        let same_epoch: Bit = self.bound.q.val() && (self.hdr.val().epoch == self.epoch_q.q.val());
        let ours: Bit = to_us && (!self.bound.q.val() || same_station);
        let is_late: Bit = self.bound.q.val()
            && self.changed.q.val()
            && !same_epoch
            && (self.hdr.val().epoch == self.last_epoch.q.val());
        let greets: Bit = sane && ours && !is_late && (self.hdr.val().kind == carrier_kind::hello().val());
        let is_open: Bit = self.bound.q.val() && !self.closes.q.val();
        let runs: Bit =
            sane && ours && is_open && same_epoch && (self.hdr.val().kind != carrier_kind::hello().val());
        self.was_spoilt.next = self.came.val() && self.bad_fcs.val();
        self.was_malformed.next = self.came.val() && !self.bad_fcs.val() && self.malformed.val();
        self.foreign.next = sane && !ours;
        self.hello.next = greets;
        self.current.next = runs;
        self.stale.next = sane && ours && !greets && !runs;

        let begins: Bit = greets && !same_epoch;
        let is_silent: Bit = self.quiet.q.val() >= self.silence.val();
        let loses: Bit = self.bound.q.val() && (!self.link_up.val() || is_silent);
        self.unbound.next = loses;
        self.reset_done.next = false;
        self.rests.d.next = false;
        if self.bound.q.val() {
            self.quiet.d.next = self.quiet.q.val() + 1;
        }
        if sane && ours {
            self.quiet.d.next = 0.into();
        }
        if self.hello_sent.val() {
            self.owes.d.next = false;
        }
        if greets && same_epoch && is_open {
            self.owes.d.next = true;
        }
        let may: Bit = !self.closes.q.val() || self.drained.val().all();
        if self.wants.q.val() && !self.asks.q.val() && !self.rests.q.val() && may {
            self.wants.d.next = false;
            self.asks.d.next = true;
        }
        if self.asks.q.val() && self.flr_done.val() {
            self.asks.d.next = false;
            self.rests.d.next = true;
            if !self.wants.q.val() {
                self.closes.d.next = false;
                self.owes.d.next = self.closes.q.val() && self.bound.q.val();
                self.reset_done.next = self.is_record.q.val();
                self.is_record.d.next = false;
            }
        }
        if self.resets.val() {
            self.wants.d.next = true;
            self.is_record.d.next = true;
        }
        if loses || begins {
            self.bound.d.next = begins;
            self.closes.d.next = true;
            self.wants.d.next = true;
            self.owes.d.next = false;
            self.is_record.d.next = false;
            self.quiet.d.next = 0.into();
        }
        if loses || begins {
            self.changed.d.next = begins && self.bound.q.val();
        }
        if begins {
            self.last_epoch.d.next = self.epoch_q.q.val();
            self.station_q.d.next = self.hdr.val().source;
            self.epoch_q.d.next = self.hdr.val().epoch;
        }
        self.flr.next = self.asks.q.val();
        self.resetting.next = self.wants.q.val() || self.asks.q.val();
        self.closing.next = self.closes.q.val();
        self.open.next = is_open;
        self.is_bound.next = self.bound.q.val();
        self.station.next = self.station_q.q.val();
        self.epoch.next = self.epoch_q.q.val();
        self.owes_hello.next = self.owes.q.val();
    }
}

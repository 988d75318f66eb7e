// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pins of a board: nibbles at both edges of the wire's clock, beside the board's own clock.
use super::phy::Symbol;
use crate::model::{Library, Model, PortError, PortId};
use std::sync::Arc;

/// Half a period of the wire's clock, femtoseconds.
const HALF: u64 = 4_000_000;
/// Femtoseconds of a period of 1 kHz.
const KHZ: u64 = 1_000_000_000_000;

/// The Verilated board.
pub(super) struct Pins {
    model: Model,
    clock: PortId,
    rx_clock: PortId,
    rx_data: PortId,
    rx_ctl: PortId,
    tx_data: PortId,
    tx_ctl: PortId,
    reset_n: PortId,
    /// Half a period of the device's clock; its next edge and the level behind the edge.
    half: u64,
    edge: (u64, u64),
    now: u64,
}

impl Pins {
    pub(super) fn new(library: &Arc<Library>, clock_khz: u64, seed: u64) -> Result<Self, PortError> {
        let model = library.instantiate(seed);
        let port = |name| model.need(name);
        let [clock, rx_clock, rx_data, rx_ctl] =
            [port("clock")?, port("eth_rx_clock")?, port("eth_rx_data")?, port("eth_rx_ctl")?];
        let [tx_data, tx_ctl, reset_n] = [port("eth_tx_data")?, port("eth_tx_ctl")?, port("eth_reset_n")?];
        // the board's clock is at no edge of the wire's clock in the first periods
        let edge = (HALF / 3, 1);
        let half = KHZ / clock_khz.max(1) / 2;
        Ok(Self { model, clock, rx_clock, rx_data, rx_ctl, tx_data, tx_ctl, reset_n, half, edge, now: 0 })
    }

    /// The board has released the PHY's reset.
    pub(super) fn phy_runs(&self) -> Result<bool, PortError> {
        Ok(self.model.get_u64(self.reset_n)? == 1)
    }

    /// One octet to the board and one from the board. The low nibble stands at the rising edge.
    pub(super) fn octet(&mut self, symbol: Symbol) -> Result<Symbol, PortError> {
        let Symbol { octet, carrier, fault } = symbol;
        let (low, ctl) = self.half_octet(1, octet & 15, carrier)?;
        let (high, end) = self.half_octet(0, octet >> 4, carrier ^ fault)?;
        Ok(Symbol { octet: low | high << 4, carrier: ctl, fault: ctl != end })
    }

    fn half_octet(&mut self, level: u64, nibble: u8, ctl: bool) -> Result<(u8, bool), PortError> {
        while self.edge.0 <= self.now {
            let (at, level) = self.edge;
            self.model.set_u64(self.clock, level)?;
            self.model.eval();
            self.edge = (at + self.half, 1 - level);
        }
        self.model.set_u64(self.rx_data, nibble.into())?;
        self.model.set_u64(self.rx_ctl, ctl.into())?;
        self.model.set_u64(self.rx_clock, level)?;
        self.model.eval();
        self.now += HALF;
        Ok((self.model.get_u64(self.tx_data)? as u8 & 15, self.model.get_u64(self.tx_ctl)? == 1))
    }
}

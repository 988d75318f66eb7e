// SPDX-License-Identifier: MIT OR Apache-2.0
//! The top of a board at its RGMII pins: its Verilog with the cells of the chip, a PHY of 1 Gb/s,
//! and the frames of the cable.

mod cable;
mod phy;
mod pins;
mod text;

pub use cable::{BoardCableEnd, CableStats};
pub use phy::{Phy, Symbol};
pub use text::{board_model, BoardText};

use crate::model::{Library, PortError};
use pins::Pins;
use std::sync::Arc;

/// Nanoseconds of an octet.
pub const OCTET_NS: u64 = 8;

/// A board with its PHY, an octet time a step.
pub struct BoardTop {
    pins: Pins,
    phy: Phy,
    octets: u64,
    /// The board has held the PHY in reset: before its first edges the board's registers are
    /// random.
    was_reset: bool,
}

impl BoardTop {
    /// An instance of [`board_model`]'s library whose device runs at `clock_khz`. Registers and
    /// memories begin with values drawn from the seed.
    ///
    /// # Errors
    /// A library of another top.
    pub fn new(library: &Arc<Library>, clock_khz: u64, seed: u64) -> Result<Self, PortError> {
        Ok(Self {
            pins: Pins::new(library, clock_khz, seed)?,
            phy: Phy::default(),
            octets: 0,
            was_reset: false,
        })
    }

    /// Simulated time in nanoseconds.
    pub fn now(&self) -> u64 {
        self.octets * OCTET_NS
    }

    /// Passes an octet time. The link is up while the board does not hold the PHY in reset.
    ///
    /// # Errors
    /// A port that the model does not have.
    pub fn step(&mut self) -> Result<(), PortError> {
        let runs = self.pins.phy_runs()?;
        self.was_reset |= !runs;
        self.phy.is_up = self.was_reset && runs;
        let left = self.pins.octet(self.phy.next())?;
        self.phy.take(left);
        self.octets += 1;
        Ok(())
    }

    /// The PHY: frames to the board and from the board.
    pub fn phy(&mut self) -> &mut Phy {
        &mut self.phy
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of a board's simulation in one text.
use crate::model::{emitted, model_of, Library, ModelError};
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::emit::{emit, Direction, Emitted, Port};
use ferrowarp_hdl::mac::{MacPort, LONGEST};
use ferrowarp_hdl::top::Top;
use std::sync::Arc;

/// Cells of the chip, and the module around the board.
const MODELS: [&str; 2] = [include_str!("../../models/ecp5_io.v"), include_str!("../../models/board_pins.v")];
const TOP: &str = "board_pins";
/// Inputs and outputs of the module around the board, with their bits.
const PORTS: [(&str, usize, Direction); 9] = [
    ("clock", 1, Direction::Input),
    ("reset", 1, Direction::Input),
    ("eth_rx_clock", 1, Direction::Input),
    ("eth_rx_data", 4, Direction::Input),
    ("eth_rx_ctl", 1, Direction::Input),
    ("eth_tx_clock", 1, Direction::Output),
    ("eth_tx_data", 4, Direction::Output),
    ("eth_tx_ctl", 1, Direction::Output),
    ("eth_reset_n", 1, Direction::Output),
];

/// The handwritten Verilog of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardText {
    /// The port of the board's oscillator.
    pub clock_port: String,
    /// Module `board` and the modules between the pins and the emitted parts.
    pub verilog: String,
}

/// The Verilated model of a board with the device of `config` and the MAC, as the bitstream has
/// them.
///
/// # Errors
/// Those of an emission and of [`model_of`].
pub fn board_model(board: &BoardText, config: &Config) -> Result<Arc<Library>, ModelError> {
    let device = emitted(Top::CarriedW64, config)?;
    let mac = emit("mac_port", || MacPort::new(LONGEST))?;
    let head = format!("`timescale 1ns / 1ps\n`define CLOCK_PORT {}\n", board.clock_port);
    let verilog = [&head, MODELS[0], MODELS[1], &board.verilog, &mac.verilog, &device.verilog].join("\n");
    let port = |(name, width, direction): (&str, _, _)| Port { name: name.into(), width, direction };
    let ports = PORTS.map(port).into();
    model_of(&Emitted { top: TOP.into(), verilog, ports, ..device })
}

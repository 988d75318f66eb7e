// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tool `ferrowarp`, and what it does with devices.
//!
//! [`ping`] speaks rping's protocol, [`perf`] measures, [`tour`] shows every operation once,
//! [`decode`] explains captures. [`main()`] is the command line on top. `README.md` of the folder
//! `driver` has what each command shows.
mod cli;
mod command;
pub mod decode;
mod devices;
mod error;
pub mod perf;
pub mod ping;
mod said;
mod table;
pub mod tour;

pub use cli::main;
pub use error::ToolError;

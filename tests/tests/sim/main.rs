// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs `ferrowarp-sim` and `ferrowarp`, and replays.

mod carrier;
mod options;
mod programs;
mod replay;
mod tool;

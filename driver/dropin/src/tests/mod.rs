// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions of the library as a program of C calls them, between two simulated devices.
mod extended;
mod fuzz;
mod measured;
mod pair;
mod path;
mod programs;
mod rsockets;

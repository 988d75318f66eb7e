// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cells of `hdl/src/cell` and digests of `hdl/src/stream`, on the emitted Verilog.

mod checksum;
mod crc32c;
mod hash_table;
mod native;
mod ram;
mod wave;

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The reader of `driver/dropin/symbols.tsv`, which the build script of the crate uses, too.
include!("../../../driver/dropin/table.rs");

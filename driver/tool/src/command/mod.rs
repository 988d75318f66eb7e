// SPDX-License-Identifier: MIT OR Apache-2.0
//! Commands, a module each.
pub(crate) mod completions;
pub(crate) mod counters;
pub(crate) mod decode;
pub(crate) mod dump;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod perf;
pub(crate) mod ping;
pub(crate) mod tour;

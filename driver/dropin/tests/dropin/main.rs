// SPDX-License-Identifier: MIT OR Apache-2.0
//! The library against what it stands in for.
mod layout;
mod readme;

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random sequences of operations on two devices.

mod churn;
mod floods;
mod verbs;

// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device behind its vfio-user socket.

mod bus;
mod hostile;
mod killed;

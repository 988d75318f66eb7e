// SPDX-License-Identifier: MIT OR Apache-2.0
//! Server of the vfio-user protocol: a PCI function of this process for QEMU, or for a driver in
//! another process.
//!
//! [`Server`] listens on a unix socket, checks what comes and asks a [`PciFunction`]. The crate
//! `vfio_user` is the client of the tests; its server is not used, since it trusts its client: it
//! allocates what a length field says, ends the process on a version text without its NUL, loses
//! its place behind a refused command, and gives no `errno`.
//!
//! Served is what a PCI function needs: version, regions by message (nothing is mapped into the
//! client), MSI-X by eventfd, memory behind a descriptor or by messages (`DMA_READ`, `DMA_WRITE`),
//! reset. Migration and dirty pages are not spoken.

mod asked;
mod door;
mod end;
mod function;
mod hand;
mod outgoing;
mod server;
mod session;
mod shared;
mod socket;
mod strange;
mod wire;

pub use function::{PciFunction, Refusal, CONFIG_REGION, IRQS, MSIX_IRQ, REGIONS};
pub use server::{Server, ServerError};
pub use shared::FileRange;

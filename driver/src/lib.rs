// SPDX-License-Identifier: MIT OR Apache-2.0
//! RDMA over TCP (iWARP) from safe Rust: user-space verbs for the Ferrowarp RNIC.
//!
//! A [`Device`] is opened by URL: a PCI function (`vfio:`), a function that another process serves
//! (`vfio-user:`), or the Verilated hardware in this process (`sim:`, feature `sim`). The device
//! gives protection domains, memory regions, completion queues, queue pairs ([`verbs`]) and
//! connections ([`cm`]). The peer may be another Ferrowarp or Linux `siw`. Folder `dropin` has a
//! library for programs of libibverbs.
//!
//! # A Write into the memory of a peer
//! The peer has told where its region is, in the private data of its answer
//! ([`MemoryRegion::remote`]).
//!
//! ```no_run
//! use ferrowarp::{Access, ConnectOptions, Device, Error, QpOptions, RemoteRegion, Status};
//! use std::time::Duration;
//!
//! const MOST: Duration = Duration::from_secs(10);
//!
//! fn main() -> Result<(), Error> {
//!     let device = Device::open("vfio-user:/tmp/fw0.sock;ip=10.0.0.2/24")?;
//!     let pd = device.protection_domain()?;
//!     let cq = device.completion_queue(256)?;
//!     let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
//!     let region = pd.register(b"hello".to_vec(), Access::default())?;
//!
//!     let peer = ([10, 0, 0, 1], 7000).into();
//!     let connection = device.connect(&qp, peer, ConnectOptions::default().patience(MOST))?;
//!     let theirs = RemoteRegion::from_bytes(connection.private_data())?;
//!
//!     let qp = connection.queue_pair();
//!     qp.write(1, &[region.slice(..)?], theirs.at(0, 5)?).post()?;
//!     assert_eq!(cq.wait(MOST)?.status, Status::Success);
//!     connection.disconnect(MOST)?;
//!     let buffer: Vec<u8> = region.into_inner()?;
//!     assert_eq!(buffer, b"hello");
//!     Ok(())
//! }
//! ```
//!
//! # For who knows rdma-core
//! | rdma-core | here |
//! |---|---|
//! | `ibv_open_device`, `ibv_query_device` | [`Device::open`], [`Device::info`] |
//! | `ibv_reg_mr`, `lkey` and `rkey` | [`ProtectionDomain::register`], [`MemoryRegion::stag`] |
//! | `ibv_sge`, `remote_addr` | [`MemoryRegion::slice`], [`RemoteRegion::at`] |
//! | `ibv_create_cq`, `ibv_poll_cq` | [`Device::completion_queue`], [`CompletionQueue::poll`] |
//! | `ibv_create_comp_channel`, `ibv_req_notify_cq` | [`CompletionChannel`], [`CompletionQueue::arm`] |
//! | `rdma_create_qp`, `ibv_modify_qp` | [`Device::queue_pair`]; the connection changes the state |
//! | `ibv_post_send`, `ibv_send_flags` | [`QueuePair::send`], [`QueuePair::write`], [`QueuePair::read`], [`WorkRequest`] |
//! | `ibv_post_recv` | [`QueuePair::post_recv`] |
//! | `ibv_wr_start`, `ibv_wr_complete` | [`QueuePair::sends`], [`Sends::ring`] |
//! | `rdma_connect`, `rdma_listen`, `rdma_accept` | [`Device::connect`], [`Device::listen`], [`Request::accept`] |
//! | `responder_resources`, `initiator_depth` | [`ConnectOptions::ird`], [`ConnectOptions::ord`] |
//! | `ibv_get_async_event` | [`Device::wait_event`] |
//!
//! `docs/verbs.md` has the whole dictionary and what is not there.
//!
//! # Features
//! None is on by default. `sim` has devices `sim:`, `tokio` has async functions beside those that
//! block, `fake` has a device that a test plays.
//!
//! An application needs this crate alone: what its calls take and give of the crates below is named
//! here, too. Everything about the hardware stands behind the trait [`backend::Backend`].
//! `README.md` of this folder has threads, rules of memory and errors; `docs/tutorial.md` has a
//! whole program.

pub mod admin;
pub mod backend;
pub mod cm;
mod deadline;
mod desk;
mod device;
mod device_events;
pub mod dma;
pub mod error;
pub mod figures;
mod info;
pub mod inspect;
mod notice;
mod number;
mod numbers;
mod objects;
mod pages;
mod platform;
mod process;
mod random;
pub mod rings;
mod shared;
mod signal;
mod stags;
pub mod sysfs;
mod tcp_info;
mod threads;
pub mod url;
pub mod verbs;
#[cfg(feature = "tokio")]
mod wakers;

pub use cm::{
    AcceptOptions, ConnectOptions, Connecting, Connection, ConnectionEvent, Greeting, GreetingError,
    Initiator, Listener, Markers, OfferedDepths, RawListener, RawOptions, RawStream, ReadDepths, Request,
    Startup, WantedDepth,
};
pub use device::{Audit, Device, LinkState};
pub use device_events::DeviceEvents;
pub use dma::StableMemory;
pub use error::Error;
pub use ferrowarp_abi::error::TermError;
pub use ferrowarp_abi::types::{MacAddr, STag, TaggedOffset};
pub use ferrowarp_firmware::config::Address;
pub use ferrowarp_firmware::error::{CallError, ConnError};
pub use ferrowarp_firmware::mpa::negotiate::RtrSet;
pub use ferrowarp_firmware::terminate::{Received, Refused};
pub use figures::{Figures, FiguresError};
pub use info::{DeviceInfo, DeviceLimits, Hardware};
pub use platform::{PlatformEvent, Stall};
pub use tcp_info::TcpInfo;
pub use verbs::{
    Access, AnyVerb, Arm, Completion, CompletionChannel, CompletionQueue, Connected, CqOptions, MemoryRegion,
    OwnedRegion, ProtectionDomain, QpLimits, QpOptions, QpState, QueuePair, Receives, RegisterError, Remote,
    RemoteRegion, Segment, Sends, Status, Unconnected, WcOpcode, WorkRequest,
};

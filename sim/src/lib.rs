// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilated models of Ferrowarp, test benches, monitors.
//!
//! [`model()`] turns a [`Top`](ferrowarp_hdl::top::Top) into a shared library and [`Model`] is one
//! instance of it. Tests rarely touch either: [`run_case`] hands them a [`Bench`] with sources,
//! sinks and monitors, and re-runs a failing seed with a waveform. `sim/README.md` is the guide.
//!
//! A frame through a skid buffer of the bench top, in order and unchanged:
//!
//! ```
//! use ferrowarp_hdl::top::Top;
//! use ferrowarp_sim::{expect_frames, random_frames, run_case, Pattern};
//!
//! run_case("front-page", Top::BenchW64, 1, |bench| {
//!     let source = bench.source("skid_rx", Pattern::None);
//!     let sink = bench.sink("skid_tx", Pattern::None);
//!     let frames = random_frames(bench.rng(), 64, 10);
//!     let measured = expect_frames(bench, source, sink, &frames, &frames)?;
//!     assert_eq!(measured.tx.beats_per_cycle(), 1.0);
//!     Ok(())
//! });
//! ```

#[cfg(target_endian = "big")]
compile_error!("ports are read and written as little-endian octets of Verilator's storage");

pub mod bench;
pub mod carrier;
mod case;
pub mod check;
pub mod coverage;
pub mod eth;
mod file_error;
pub mod gate;
pub mod judge;
pub mod link;
mod matrix;
pub mod memory;
pub mod metrics;
mod model;
pub mod mutate;
mod pair;
pub mod paths;
pub mod pcap;
pub mod pcie;
#[cfg(test)]
mod program;
mod report;
pub mod rgmii;
pub mod rnic;
pub mod skip;
mod stop;
pub mod this_test;
pub mod verilator;
pub mod vfio_user;
pub mod waveform;
pub mod wire;

pub use bench::{
    Bench, ChanSinkId, ChanSrcId, Frame, Item, MemoryId, Pattern, Rate, RootId, SideFrame, SinkId, SourceId,
};
pub use case::{report_case_on, run_case, run_case_on, seeds, try_case_on};
pub use eth::{Bridge, EthAddress, EthPort};
pub use file_error::FileError;
pub use link::{Link, LinkConfig, Side};
pub use matrix::{expect_frames, lengths, random_frame, random_frames, stream_matrix, Measured};
pub use memory::{HostMemory, MemoryPorts, MemoryTiming};
pub use model::{
    compiler, emitted, export, model, model_of, traced_model, Compiler, Kind, Library, Model, ModelError,
    PortError, PortId, PrebuiltError, PREBUILT,
};
pub use pair::{report_pair_on, run_pair_on, try_pair_on, Pair};
pub use paths::artefacts;
pub use stop::StopsAtEnd;

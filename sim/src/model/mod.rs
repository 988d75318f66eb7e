// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a top to a running instance: Verilog, Verilator, C++, shared library, safe handle.

mod build;
mod collision;
mod compile;
mod cxx;
mod emission;
mod error;
mod export;
mod ffi;
mod handle;
mod library;
mod prebuilt;
mod processor;
mod shim;
mod state;
mod time;

pub(crate) use build::hash;
pub use cxx::{compiler, Compiler};
pub use emission::emitted;
pub use error::ModelError;
pub use export::export;
pub use handle::{Model, PortError, PortId};
pub use library::{model, model_of, traced_model, Library};
pub use prebuilt::{PrebuiltError, FOLDER as PREBUILT};
pub(crate) use time::{Rounds, Time};

/// What a model was built for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Simulation alone.
    Plain,
    /// Simulation that can write a waveform: a fifth slower, and half as long again in the
    /// compiler.
    Traced,
    /// Simulation that counts which lines ran and which bits changed, for [`crate::coverage`]:
    /// several times slower.
    Covered,
}

impl Kind {
    /// What stands behind the hash in the name of a model's files.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Traced => ".traced",
            Self::Covered => ".covered",
        }
    }
}

//! From a top to a running instance: Verilog, Verilator, C++, shared library, safe handle.

mod build;
mod cxx;
mod emission;
mod ffi;
mod handle;
mod library;
mod shim;

pub use emission::emitted;
pub use handle::{Model, PortError, PortId};
pub use library::{model, model_of, Library, ModelError};

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there is no model.
use super::prebuilt::PrebuiltError;
use crate::file_error::FileError;
use crate::verilator;
use ferrowarp_hdl::emit::EmitError;
use std::path::PathBuf;

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The generator refused.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// The variable that asks for mutants is malformed.
    #[error("{0}")]
    Plan(String),
    /// Verilator is not installed.
    #[error(transparent)]
    NoVerilator(#[from] verilator::NotFound),
    /// The folder of models beside the program lacks one, and none can be built.
    #[error("{folder} has no model `{stem}`, and none can be built here: {why}", folder = .folder.display())]
    NotBeside {
        /// `models` beside the executable.
        folder: PathBuf,
        /// Name of the model's files.
        stem: String,
        /// Why none can be built.
        why: verilator::NotFound,
    },
    /// A model beside the program cannot be used.
    #[error(transparent)]
    Prebuilt(#[from] PrebuiltError),
    /// The configuration has no text from which a key could be made.
    #[error("the configuration of `{top}` cannot be written as JSON; give another configuration")]
    NoKey {
        /// Top to be exported.
        top: String,
    },
    /// Verilator refused the Verilog.
    #[error("Verilator refused `{top}`: {stderr}")]
    Verilator {
        /// Top being built.
        top: String,
        /// Verilator's words.
        stderr: String,
    },
    /// No C++ compiler that runs.
    #[error(
        "no usable C++ compiler: {why}; install clang-16, or g++ 8 or later (`cargo xtask setup` does), or set CXX to a compiler of \
         C++17"
    )]
    Compiler {
        /// What the search said.
        why: String,
    },
    /// The C++ compiler refused a file.
    #[error("compiling or linking {file} failed: {stderr}", file = .file.display())]
    Compile {
        /// Source, or the library when linking.
        file: PathBuf,
        /// The compiler's words.
        stderr: String,
    },
    /// The built library cannot be loaded.
    #[error("{file} cannot be loaded: {why}; remove it to have it built again", file = .file.display())]
    Load {
        /// The library.
        file: PathBuf,
        /// The loader's words.
        why: String,
    },
    /// A file operation in the cache failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Verilator laid a port out in another way than its width says.
    #[error("{file}: the storage of the ports does not match their widths; remove the file to have it built again", file = .file.display())]
    Ports {
        /// The library.
        file: PathBuf,
    },
    /// The top counts time in a part whose Verilog is not as the simulation knows it.
    #[error(
        "the part `time` of `{top}` has no register `state_q`, or no limits `last` and `last_end`; \
         sim/src/model/time.rs has the names that hdl/src/host/timebase.rs is to have"
    )]
    Time {
        /// Top being built.
        top: String,
    },
    /// The C++ of a model that counts coverage names no counter of a signal.
    #[error(
        "the C++ of Verilator {version} names no counters of coverage as sim/src/coverage/points.rs reads them; \
         run `cargo xtask setup`, which installs Verilator 5.48"
    )]
    NoPoints {
        /// Version of Verilator.
        version: String,
    },
    /// A top needs these two inputs to be clocked.
    #[error("top `{top}` has no 1-bit input `{port}`")]
    NoClock {
        /// Top being built.
        top: String,
        /// `clock` or `reset`.
        port: &'static str,
    },
}

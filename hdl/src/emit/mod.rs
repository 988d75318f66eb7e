// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a block to Verilog: Rust-HDL's text without unused names, deduplicated modules, plain
//! names, a list of ports.

mod beside;
mod copies;
mod dedup;
mod end;
mod graph;
mod joined;
mod lines;
mod named;
mod net;
mod netlist;
mod part;
mod plain;
mod ports;
mod raw_part;
mod registers;
mod shape;
#[cfg(test)]
mod table_tests;
mod unused;

pub use beside::emit_beside;
pub use graph::{Cargo, Channel, Graph};
#[doc(hidden)]
pub use named::{with_names, Kernel, Name, Named};
pub use net::Net;
pub use part::{emit_joined, Part, Table};
pub use ports::{ports_of, Direction, Port};

use rust_hdl::prelude::{generate_verilog, Block};
use serde::Serialize;

/// First line of each emitted text and of each source: a comment that names the licence.
pub const LICENSE_LINE: &str = "// SPDX-License-Identifier: MIT OR Apache-2.0";

/// Stack of the elaboration thread: Rust-HDL recurses once per level and statement.
const STACK: usize = 1 << 30;

/// What one elaboration gives.
#[derive(Clone, Debug, Serialize)]
pub struct Emitted {
    /// Name of the top module.
    pub top: String,
    /// The whole design, one text.
    #[serde(skip)]
    pub verilog: String,
    /// Ports of the top module in their order.
    pub ports: Vec<Port>,
    /// Modules after deduplication.
    pub modules: usize,
    /// Instances of modules before deduplication.
    pub modules_before: usize,
}

/// A block that can be synthesised alone (`cargo xtask synth`).
#[derive(Clone, Copy)]
pub struct Unit {
    /// Unique name, `<cell>_w<width>`; also the module's name.
    pub name: &'static str,
    /// Cell it is an instance of.
    pub cell: &'static str,
    /// Stage folder it lives in.
    pub stage: &'static str,
    /// Data path width in bits.
    pub width: usize,
    /// Elaborates it.
    pub emit: fn() -> Result<Emitted, EmitError>,
}

/// Why an emission failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EmitError {
    /// The configuration is impossible.
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    /// Rust-HDL refused the block (open signal, logic loop, bad width).
    #[error("elaboration of `{top}` failed: {why}")]
    Elaboration {
        /// Top being emitted.
        top: String,
        /// Rust-HDL's words.
        why: String,
    },
}

/// Elaborates the block that `make` builds and returns its Verilog under the module name `top`.
///
/// Runs on a thread of its own with a large stack; a panic of Rust-HDL becomes an [`EmitError`].
pub fn emit<B: Block + 'static>(
    top: &str,
    make: impl FnOnce() -> B + Send + 'static,
) -> Result<Emitted, EmitError> {
    finish(top, &on_thread(top, || raw(make()))?)
}

/// Rust-HDL's own text, with a module `top`.
fn raw<B: Block>(mut block: B) -> String {
    block.connect_all();
    named::with_declarations(&generate_verilog(&block))
}

/// Runs an elaboration on a thread with a large stack.
fn on_thread<T: Send + 'static>(
    top: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EmitError> {
    let failed = |why: String| EmitError::Elaboration { top: top.into(), why };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread
        .map_err(|e| failed(format!("no thread with {STACK} octets of stack: {e}")))?
        .join()
        .map_err(|panic| failed(panic_text(&*panic)))
}

/// From Rust-HDL's text to ours.
fn finish(top: &str, raw: &str) -> Result<Emitted, EmitError> {
    let modules_before = raw.lines().filter(|l| l.starts_with("module ")).count();
    let copied = copies::without_copies(&unused::without_unused(raw));
    let (deduped, modules) = dedup::dedup(&registers::with_registers(&copied), top);
    let verilog = plain::plain(&deduped).map_err(|why| EmitError::Elaboration { top: top.into(), why })?;
    let ports = ports::ports_of(&verilog, top);
    let verilog = format!("{LICENSE_LINE}\n{verilog}");
    Ok(Emitted { top: top.into(), verilog, ports, modules, modules_before })
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
        .unwrap_or_else(|| "Rust-HDL panicked without a message".into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn unit_names_are_unique_and_elaborate() {
        let units = crate::catalog();
        let mut names: Vec<_> = units.iter().map(|u| u.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), units.len());
        for u in units {
            let emitted = (u.emit)().unwrap();
            assert_eq!(emitted.top, u.name);
            assert!(emitted.verilog.starts_with(super::LICENSE_LINE), "{}", u.name);
        }
    }
}

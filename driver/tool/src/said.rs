// SPDX-License-Identifier: MIT OR Apache-2.0
//! What commands say.
use serde_json::Value;
use std::io::{ErrorKind, Write};

/// What a command found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// For people.
    pub(crate) text: String,
    /// For programs.
    pub(crate) json: Value,
}

/// Prints a line now. Ends the process in peace if nobody reads any more.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        // there is no other place to say it
        Err(e) => drop(writeln!(std::io::stderr(), "error: standard output: {e}")),
        Ok(()) => {}
    }
}

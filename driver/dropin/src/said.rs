// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the library says to people. It is a guest in a program: it is silent unless FERROWARP_LOG
//! asks for more, but for what is wrong with its own set-up.
use std::io::Write;
use std::sync::OnceLock;

/// The variable with the filter of the log, such as `info` or `ferrowarp=debug`.
const VARIABLE: &str = "FERROWARP_LOG";

/// Begins to log to standard error, if the user asks for that.
pub fn begin() {
    static BEGUN: OnceLock<()> = OnceLock::new();
    BEGUN.get_or_init(|| {
        let Some(filter) = std::env::var(VARIABLE).ok().filter(|filter| !filter.is_empty()) else { return };
        let filter = tracing_subscriber::EnvFilter::new(filter);
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        // a program in Rust may have a subscriber of its own
        let _ = log.try_init();
    });
}

/// Tells of a set-up that cannot work.
pub fn complain(what: &dyn std::fmt::Display) {
    // a program may have closed its standard error
    let _ = writeln!(std::io::stderr(), "libferrowarp: {what}");
}

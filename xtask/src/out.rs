// SPDX-License-Identifier: MIT OR Apache-2.0
//! Standard output and error that nobody may read any more: `cargo xtask ... | head` goes on with
//! its work, ends it in order and takes away what it made, where `println!` would panic in the
//! middle.
use std::fmt::Arguments;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// The lines since [`record`], if a command records what it shows.
static RECORD: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// As `println!`, and no error if nobody reads it.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::say(format_args!($($text)*)) };
}

/// As `eprintln!`, and no error if nobody reads it.
macro_rules! complain {
    ($($text:tt)*) => { $crate::out::complain(format_args!($($text)*)) };
}

/// Keeps what is shown from now on, without the pictures that move on a terminal.
pub fn record() {
    *recorder() = Some(vec![]);
}

/// What was shown since [`record`]; nothing is kept any more.
pub fn recorded() -> Vec<String> {
    recorder().take().unwrap_or_default()
}

fn recorder() -> std::sync::MutexGuard<'static, Option<Vec<String>>> {
    // a thread that panicked while it added a line left whole lines
    RECORD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep(text: Arguments<'_>) {
    if let Some(lines) = recorder().as_mut() {
        lines.push(text.to_string());
    }
}

/// See the macro.
pub fn say(text: Arguments<'_>) {
    keep(text);
    // what nobody reads is not missed
    drop(std::io::stdout().write_all(whole(text).as_bytes()));
}

/// See the macro.
pub fn complain(text: Arguments<'_>) {
    keep(text);
    // as above
    drop(std::io::stderr().write_all(whole(text).as_bytes()));
}

/// A line in one piece: written piece by piece, the lines of several threads would run into each
/// other.
fn whole(text: Arguments<'_>) -> String {
    format!("{text}\n")
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Standard output and error that nobody may read any more: `cargo xtask ... | head` goes on with
//! its work, ends it in order and takes away what it made, where `println!` would panic in the
//! middle.
use std::fmt::Arguments;
use std::io::Write;

/// As `println!`, and no error if nobody reads it.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::say(format_args!($($text)*)) };
}

/// As `eprintln!`, and no error if nobody reads it.
macro_rules! complain {
    ($($text:tt)*) => { $crate::out::complain(format_args!($($text)*)) };
}

/// See the macro.
pub fn say(text: Arguments<'_>) {
    // what nobody reads is not missed
    drop(std::io::stdout().write_all(whole(text).as_bytes()));
}

/// See the macro.
pub fn complain(text: Arguments<'_>) {
    // as above
    drop(std::io::stderr().write_all(whole(text).as_bytes()));
}

/// A line in one piece: written piece by piece, the lines of several threads would run into each
/// other.
fn whole(text: Arguments<'_>) -> String {
    format!("{text}\n")
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tool `ferrowarp`; what it does is in the library of this package.
use std::process::ExitCode;

fn main() -> ExitCode {
    ferrowarp_tool::main()
}

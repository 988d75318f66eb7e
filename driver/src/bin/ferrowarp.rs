//! The tool `ferrowarp`; what it does is in the library's module `tool`.
use std::process::ExitCode;

fn main() -> ExitCode {
    ferrowarp::tool::main()
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why figures are not offered, or not told.
use std::path::PathBuf;
use std::time::Duration;

/// Why figures are not offered, or not told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FiguresError {
    /// A program answers on the socket already.
    #[error("`{}` is the socket of another program, which still answers: give another path, or end that program", .0.display())]
    InUse(PathBuf),
    /// Something else has that name.
    #[error("`{}` exists and is no socket; give another path", .0.display())]
    NoSocket(PathBuf),
    /// The system refuses a call.
    #[error("the socket `{}`: {why}", .path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// No program offers figures there.
    #[error("no program answers on `{path}`; start the program with `figures={path}` in its device's URL", path = .0.display())]
    Nobody(PathBuf),
    /// The program has not answered.
    #[error("no answer on `{}` within {waited:?}: its program is stopped, or its device silent", .path.display())]
    Late {
        /// The socket.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// What came is no answer.
    #[error("the octets from `{}` are no answer ({why}): use `ferrowarp` of the program's version", .path.display())]
    Answer {
        /// The socket.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The program's own answer is an error.
    #[error("{0}")]
    Refused(String),
    /// A queue pair that the device does not have.
    #[error("the device has queue pairs 0 to {}, and no {asked}: ask for one of these", .there.saturating_sub(1))]
    QueuePair {
        /// The number that was given.
        asked: u16,
        /// How many there are.
        there: u16,
    },
}

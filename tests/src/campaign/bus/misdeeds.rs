// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a bus does wrong to a read.
use ferrowarp_sim::pcie::{Misdeed, Request, Status};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A misdeed of any kind. A read that is not answered is silent for `rest` cycles: its tag may be
/// used again later. A late answer comes after as many cycles at most.
pub fn any(rng: &mut ChaCha8Rng, rest: u64) -> Misdeed {
    match rng.random_range(0..14) {
        0 => Misdeed::Status(Status::Unsupported),
        1 => Misdeed::Status(Status::Aborted),
        2 => Misdeed::Status(Status::Other(rng.random_range(0..2) * 5 + 2)),
        3 => Misdeed::Poison,
        4 => Misdeed::Count(rng.random_range(1..9)),
        5 => Misdeed::Count(-rng.random_range(1..9)),
        6 => Misdeed::Lower(1 << rng.random_range(0..7)),
        7 => Misdeed::NoData,
        8 => Misdeed::Cut,
        9 => Misdeed::Short,
        // no tag and no requester that another read has
        10 => Misdeed::Tag(0x80 | rng.random_range(0..0x80)),
        11 => Misdeed::Requester(1 << rng.random_range(0..16)),
        12 => Misdeed::Silent(rest),
        _ => Misdeed::Late(rng.random_range(0..rest)),
    }
}

/// Whether a read cannot end well after a misdeed. An answer that is late may be in time, and the
/// first dword of a read of one dword is all of it.
pub fn is_fatal(asked: &Request, misdeed: Misdeed) -> bool {
    match misdeed {
        Misdeed::Late(_) | Misdeed::Twice => false,
        Misdeed::Cut => asked.dwords > 1,
        _ => true,
    }
}

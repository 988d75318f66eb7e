// SPDX-License-Identifier: MIT OR Apache-2.0
//! The room on the disk: a full one fails steps in ways that name anything but the disk.
use crate::repo;
use std::fmt;

const MIB: u64 = 1 << 20;

/// Free room below this is told beside each failure, in octets.
const LITTLE: u64 = 1024 * MIB;

/// Free and whole size of the disk that `target` is on, in octets.
#[derive(Clone, Copy)]
pub struct Room {
    pub free: u64,
    whole: u64,
}

/// What the disk has now; none if the system does not tell.
pub fn room() -> Option<Room> {
    let disk = rustix::fs::statvfs(repo::root()).ok()?;
    Some(Room { free: disk.f_bavail * disk.f_frsize, whole: disk.f_blocks * disk.f_frsize })
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB free of {}", self.free / MIB, self.whole / MIB)
    }
}

/// A sentence for an error, if the disk may be its cause.
pub fn suspicion(room: Option<Room>) -> String {
    match room {
        Some(room) if room.free < LITTLE => format!(" (the disk is nearly full: {room})"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_disk_that_is_nearly_full_is_suspected() {
        let disk = |free| Some(Room { free, whole: 8192 * MIB });
        assert_eq!(suspicion(disk(3 * MIB)), " (the disk is nearly full: 3 MiB free of 8192)");
        assert_eq!(suspicion(disk(LITTLE)), "");
        assert_eq!(suspicion(None), "");
        assert!(room().is_some());
    }
}

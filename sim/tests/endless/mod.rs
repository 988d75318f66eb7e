// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file system in user space (FUSE) with one file, which answers no read, and nothing at all if
//! it is told so.
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Requests, as the kernel's `fuse.h` numbers them.
const GETATTR: u32 = 3;
const OPEN: u32 = 14;
const STATFS: u32 = 17;
const FLUSH: u32 = 25;
const INIT: u32 = 26;
/// Octets of the head of a request.
const HEAD: usize = 40;
/// A regular file of all rights.
const MODE: u32 = 0o100_666;

/// A mounted file.
pub struct Endless {
    pub path: PathBuf,
    is_mute: Arc<AtomicBool>,
}

impl Endless {
    /// Mounts it on a file of this folder. None where this process may not mount.
    pub fn mount(folder: &Path) -> Option<Self> {
        let path = folder.join("endless");
        File::create(&path).unwrap();
        let device = File::options().read(true).write(true).open("/dev/fuse").ok()?;
        let told = device.try_clone().unwrap();
        let mut mount = Command::new("mount");
        // the descriptor is the standard input of the command
        let options = OsString::from(format!("fd=0,rootmode={MODE:o},user_id=0,group_id=0,allow_other"));
        mount.args(["-i", "-t", "fuse", "-o"]).arg(options).arg("endless").arg(&path).stdin(device);
        if !mount.output().ok()?.status.success() {
            return None;
        }
        let is_mute = Arc::new(AtomicBool::new(false));
        let mute = is_mute.clone();
        std::thread::spawn(move || answer(told, &mute));
        Some(Self { path, is_mute })
    }

    /// Nothing is answered any more.
    pub fn mute(&self) {
        self.is_mute.store(true, Ordering::SeqCst);
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        // the command asks for the file; who waits for an answer is let go behind that
        self.is_mute.store(false, Ordering::SeqCst);
        let ended = Command::new("umount").args(["-f", "-l"]).arg(&self.path).status();
        assert!(
            ended.is_ok_and(|status| status.success()) || std::thread::panicking(),
            "a mount stays behind"
        );
    }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// Answers what opening and asking for the size need.
fn answer(mut device: File, is_mute: &AtomicBool) {
    let mut request = vec![0; 1 << 17];
    while let Ok(octets) = device.read(&mut request) {
        let opcode = u32::from_ne_bytes(request[4..8].try_into().unwrap());
        let body = match opcode {
            _ if octets < HEAD || (is_mute.load(Ordering::SeqCst) && opcode != INIT) => continue,
            // version 7.31, then what is allowed
            INIT => words(&[7, 31, 0, 0, 0, 4096, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            // valid for no time; number 1, 1 MiB
            GETATTR => {
                let times = [0; 9];
                let attributes =
                    words(&[&[0, 0, 0, 0, 1, 0, 1 << 20, 0, 0, 0][..], &times, &[MODE, 1]].concat());
                [attributes, words(&[0, 0, 0, 4096, 0])].concat()
            }
            OPEN => words(&[1, 0, 0, 0]),
            STATFS => words(&[0; 20]),
            FLUSH => vec![],
            _ => continue,
        };
        let head = words(&[16 + body.len() as u32, 0]);
        // it may be unmounted meanwhile
        drop(device.write(&[&head[..], &request[8..16], &body].concat()));
    }
}

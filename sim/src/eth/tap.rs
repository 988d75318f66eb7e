// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TAP device of this machine's kernel (Documentation/networking/tuntap.rst of Linux).
use super::error::{EthError, MAX_FRAME};
use super::port::{check_length, Delivery, EthPort};
use rustix::fs::OFlags;
use rustix::ioctl::{ioctl, opcode, Setter};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

/// Where the kernel gives TAP devices.
const CLONE: &str = "/dev/net/tun";
/// Octets of `ifr_name` (linux/if.h), its final NUL among them.
const NAME: usize = 16;
/// Flags of linux/if_tun.h: Ethernet frames, without a header of four octets before each.
const IFF_TAP: u16 = 0x0002;
const IFF_NO_PI: u16 = 0x1000;
/// `TUNSETIFF`: `_IOW('T', 202, int)` of linux/if_tun.h, though it takes a `struct ifreq`.
const TUNSETIFF: u32 = opcode::write::<i32>(b'T', 202);
/// An interface that is down refuses frames with this error (`EIO`).
const DOWN: i32 = rustix::io::Errno::IO.raw_os_error();

/// `struct ifreq` of linux/if.h as `TUNSETIFF` reads it.
#[repr(C)]
struct IfReq {
    name: [u8; NAME],
    flags: u16,
    rest: [u8; 22],
}

/// A TAP device. One that this process made is gone with it; one that was made before stays.
#[derive(Debug)]
pub struct TapPort {
    file: File,
    name: String,
    room: Box<[u8]>,
}

/// The kernel takes it as the name of an interface.
pub(super) fn is_name(name: &str) -> bool {
    (1..NAME).contains(&name.len()) && !name.contains(|c: char| c == '/' || c == '\0' || c.is_whitespace())
}

impl TapPort {
    /// Attaches to the device `name`, or makes it. Setting it up, giving it addresses is left to
    /// the user.
    pub fn open(name: &str) -> Result<Self, EthError> {
        let failed = |step, source| EthError::Tap { name: name.into(), step, source };
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
        let file = options.open(CLONE).map_err(|e| failed("/dev/net/tun cannot be opened", e))?;
        let mut request = IfReq { name: [0; NAME], flags: IFF_TAP | IFF_NO_PI, rest: [0; 22] };
        request.name[..name.len().min(NAME - 1)]
            .copy_from_slice(&name.as_bytes()[..name.len().min(NAME - 1)]);
        // SAFETY: TUNSETIFF reads and writes a `struct ifreq` of 40 octets at the pointer given,
        // which is `request`.
        let attached = unsafe { ioctl(&file, Setter::<{ TUNSETIFF }, IfReq>::new(request)) };
        attached.map_err(|e| failed("the kernel does not attach it", e.into()))?;
        let room = vec![0; MAX_FRAME + 1].into();
        Ok(Self { file, name: name.into(), room })
    }

    fn failed(&self, step: &'static str, source: io::Error) -> EthError {
        EthError::Io { port: format!("TAP device {}", self.name), step, source }
    }
}

impl EthPort for TapPort {
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError> {
        check_length(frame)?;
        match self.file.write(frame) {
            Ok(_) => Ok(Delivery::Sent),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Ok(Delivery::Busy)
            }
            Err(e) if e.raw_os_error() == Some(DOWN) => Ok(Delivery::Unplugged),
            Err(e) => Err(self.failed("a frame is not sent", e)),
        }
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        loop {
            return match self.file.read(&mut self.room) {
                Ok(octets) if check_length(&self.room[..octets]).is_err() => continue,
                Ok(octets) => Ok(Some(self.room[..octets].to_vec())),
                Err(e) if e.kind() == ErrorKind::WouldBlock || e.raw_os_error() == Some(DOWN) => Ok(None),
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => Err(self.failed("no frame can be received", e)),
            };
        }
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

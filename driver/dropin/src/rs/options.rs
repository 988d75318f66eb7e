// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of sockets. Sizes count for connections that are made later.
use super::wire::MOST_MAPS;
use crate::errno::Errno;
use crate::gen::{RDMA_INLINE, RDMA_IOMAPSIZE, RDMA_RQSIZE, RDMA_SQSIZE};
use std::ffi::c_int;
use std::time::Duration;

/// Level of options of RDMA.
pub const SOL_RDMA: c_int = 0x10000;
/// Buffers, in octets: the least, the most, and what a socket begins with.
const BUFFER: (usize, usize, usize) = (4096, 1 << 24, 1 << 17);
/// Requests of a queue: the least and the most. The device may have less.
const REQUESTS: (u32, u32) = (16, 0x7FFF);
/// Octets of a Write that go into the request itself, at first and at most.
const INLINE: (usize, usize) = (64, 96);

/// Options that are kept and have no other effect on this device.
const KEPT: [(c_int, c_int); 5] = [
    (libc::SOL_SOCKET, libc::SO_REUSEADDR),
    (libc::SOL_SOCKET, libc::SO_KEEPALIVE),
    (libc::SOL_SOCKET, libc::SO_OOBINLINE),
    (libc::IPPROTO_TCP, libc::TCP_NODELAY),
    (libc::IPPROTO_IPV6, libc::IPV6_V6ONLY),
];

/// Options of a socket.
#[derive(Debug, Clone)]
pub struct Options {
    /// Octets of the receive buffer, an even number of words.
    pub receive_buffer: usize,
    /// Octets of the send buffer.
    pub send_buffer: usize,
    /// Requests of the send queue.
    pub sends: u32,
    /// Words of data that the peer may have under way.
    pub receives: u32,
    /// Octets that are sent without the send buffer.
    pub inline: usize,
    /// Mappings that the peer may tell of.
    pub maps: usize,
    /// How long the end of a socket waits for octets to arrive, if the program says so.
    pub linger: Option<Duration>,
    kept: [c_int; KEPT.len()],
}

impl Default for Options {
    fn default() -> Self {
        Self {
            receive_buffer: BUFFER.2,
            send_buffer: BUFFER.2,
            sends: 128,
            receives: 128,
            inline: INLINE.0,
            maps: 0,
            linger: None,
            kept: [0, 0, 0, 1, 0],
        }
    }
}

/// A number of C.
fn number(value: &[u8]) -> Result<c_int, Errno> {
    value.first_chunk().map(|octets| c_int::from_ne_bytes(*octets)).ok_or(Errno::INVALID)
}

/// A size, which is not negative.
fn size(value: &[u8]) -> Result<usize, Errno> {
    usize::try_from(number(value)?).map_err(|_| Errno::INVALID)
}

/// Octets of a buffer for so many octets of a program, as those of TCP are.
fn buffer(asked: usize) -> usize {
    asked.saturating_mul(2).clamp(BUFFER.0, BUFFER.1).next_multiple_of(64)
}

fn requests(asked: usize) -> u32 {
    u32::try_from(asked).unwrap_or(REQUESTS.1).clamp(REQUESTS.0, REQUESTS.1)
}

impl Options {
    /// Sets one. ENOPROTOOPT: there is no such option. EINVAL: the value is none.
    pub fn set(&mut self, level: c_int, name: c_int, value: &[u8]) -> Result<(), Errno> {
        if let Some(kept) = KEPT.iter().position(|&option| option == (level, name)) {
            self.kept[kept] = c_int::from(number(value)? != 0);
            return Ok(());
        }
        match (level, name) {
            (libc::SOL_SOCKET, libc::SO_RCVBUF) => self.receive_buffer = buffer(size(value)?),
            (libc::SOL_SOCKET, libc::SO_SNDBUF) => self.send_buffer = buffer(size(value)?),
            (libc::SOL_SOCKET, libc::SO_LINGER) => {
                let seconds = u64::try_from(number(value.get(4..).unwrap_or_default())?);
                let seconds = seconds.map_err(|_| Errno::INVALID)?;
                self.linger = (number(value)? != 0).then_some(Duration::from_secs(seconds));
            }
            (SOL_RDMA, name) => match u32::try_from(name).map_err(|_| NONE)? {
                RDMA_SQSIZE => self.sends = requests(size(value)?),
                RDMA_RQSIZE => self.receives = requests(size(value)?),
                RDMA_INLINE => self.inline = size(value)?.min(INLINE.1),
                RDMA_IOMAPSIZE => {
                    self.maps = Some(size(value)?).filter(|&maps| maps <= MOST_MAPS).ok_or(Errno::INVALID)?;
                }
                _ => return Err(NONE),
            },
            _ => return Err(NONE),
        }
        Ok(())
    }

    /// The value of one, as C has it. ENOPROTOOPT: there is no such option.
    pub fn get(&self, level: c_int, name: c_int) -> Result<Vec<u8>, Errno> {
        let of = |number: usize| c_int::try_from(number).unwrap_or(c_int::MAX).to_ne_bytes().to_vec();
        if let Some(kept) = KEPT.iter().position(|&option| option == (level, name)) {
            return Ok(self.kept[kept].to_ne_bytes().to_vec());
        }
        Ok(match (level, name) {
            (libc::SOL_SOCKET, libc::SO_RCVBUF) => of(self.receive_buffer),
            (libc::SOL_SOCKET, libc::SO_SNDBUF) => of(self.send_buffer),
            (libc::SOL_SOCKET, libc::SO_LINGER) => {
                let seconds = self.linger.map_or(0, |linger| linger.as_secs());
                [of(self.linger.is_some().into()), of(usize::try_from(seconds).unwrap_or(usize::MAX))]
                    .concat()
            }
            (SOL_RDMA, name) => match u32::try_from(name).map_err(|_| NONE)? {
                RDMA_SQSIZE => of(self.sends as usize),
                RDMA_RQSIZE => of(self.receives as usize),
                RDMA_INLINE => of(self.inline),
                RDMA_IOMAPSIZE => of(self.maps),
                _ => return Err(NONE),
            },
            _ => return Err(NONE),
        })
    }
}

/// There is no such option.
const NONE: Errno = Errno(libc::ENOPROTOOPT);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_kept_within_its_limits_and_an_unknown_option_is_enoprotoopt() {
        let mut options = Options::default();
        let int = |value: c_int| value.to_ne_bytes();
        let mut set = |level, name, value: &[u8]| options.set(level, name, value).map_err(|why| why.0);
        let inline = RDMA_INLINE as c_int;
        assert_eq!(set(libc::SOL_SOCKET, libc::SO_SNDBUF, &int(1 << 19)), Ok(()));
        assert_eq!(set(SOL_RDMA, inline, &int(384)), Ok(()));
        assert_eq!(set(SOL_RDMA, RDMA_IOMAPSIZE as c_int, &int(129)), Err(libc::EINVAL));
        assert_eq!(set(libc::SOL_SOCKET, libc::SO_LINGER, &[int(1), int(3)].concat()), Ok(()));
        assert_eq!(set(libc::IPPROTO_TCP, libc::TCP_NODELAY, &[1]), Err(libc::EINVAL), "too short");
        assert_eq!(set(libc::IPPROTO_TCP, libc::TCP_CORK, &int(1)), Err(libc::ENOPROTOOPT));
        assert_eq!(options.get(SOL_RDMA, inline), Ok(int(96).to_vec()));
        assert_eq!((options.send_buffer, options.linger), (1 << 20, Some(Duration::from_secs(3))));
    }
}

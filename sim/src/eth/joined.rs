// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two ports of this process with a wire between them that may lose, delay, repeat or swap frames.
use super::error::{EthError, MAX_FRAME};
use super::port::{check_length, Delivery, EthPort};
use crate::link::{Fate, Impair, Odds, Sent, Side};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Frames of a million in one.
const MILLION: f64 = 1_000_000.0;
/// How long a frame is held back that others are to pass.
const HELD: Duration = Duration::from_millis(1);
/// Longest delay of a wire.
const LONGEST: Duration = Duration::from_secs(60);
/// Frames that an end takes before it looks at them; what is still in the socket holds the other
/// end up.
const MOST_ARRIVING: usize = 4_096;

/// What a wire does to frames, as text:
/// `loss=0.01,delay=50,reorder=0.001,duplicate=0.001,corrupt=0.001,seed=7`.
/// Shares are of all frames; `delay` is in microseconds. What is left out is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wire {
    odds: Odds,
    delay: Duration,
    seed: u64,
}

impl Wire {
    /// The keys of the text.
    pub(crate) const KEYS: &str = "loss, delay, reorder, duplicate, corrupt, seed";

    /// Sets what a key says. False: there is no such key. The error is what is wrong with the
    /// value.
    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<bool, &'static str> {
        let share = || {
            let share = value.parse::<f64>().ok().filter(|s| (0.0..=1.0).contains(s));
            share.map(|s| (s * MILLION) as u32).ok_or("a share is not 0 to 1")
        };
        let number = || value.parse::<u64>().map_err(|_| "`delay` and `seed` are whole numbers");
        match key {
            "loss" => self.odds.drop = share()?,
            "duplicate" => self.odds.duplicate = share()?,
            "corrupt" => self.odds.corrupt = share()?,
            "reorder" => self.odds.delay = share()?,
            "delay" => {
                let delay = Duration::from_micros(number()?);
                self.delay =
                    if delay <= LONGEST { delay } else { return Err("`delay` is at most 60000000") };
            }
            "seed" => self.seed = number()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How many frames meet each fate, if none is held back for longer than this.
    pub(crate) fn odds(&self, longest_hold: Duration) -> Odds {
        let longest_delay_ns = u64::try_from(longest_hold.as_nanos()).unwrap_or(u64::MAX);
        Odds { longest_delay_ns, ..self.odds }
    }

    /// For how long each frame is under way.
    pub(crate) fn delay(&self) -> Duration {
        self.delay
    }

    /// The same with other random numbers.
    pub(crate) fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Where its random numbers begin.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }
}

impl FromStr for Wire {
    type Err = EthError;

    fn from_str(text: &str) -> Result<Self, EthError> {
        let wrong = |why: &str| EthError::Wire { text: text.into(), why: why.into() };
        let mut wire = Self::default();
        for part in text.split(',').filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| wrong("a part has no `=`"))?;
            if !wire.set(key, value).map_err(wrong)? {
                return Err(wrong(&format!("the parts are {}", Self::KEYS)));
            }
        }
        Ok(wire)
    }
}

/// A frame on the wire.
#[derive(Debug, Clone)]
struct Arriving {
    at: Instant,
    octets: Vec<u8>,
    /// Its FCS is bad.
    is_spoilt: bool,
}

/// One end.
#[derive(Debug)]
pub struct JoinedPort {
    socket: UnixDatagram,
    impair: Impair,
    delay: Duration,
    sent: u64,
    /// Frames on the wire to us.
    arriving: VecDeque<Arriving>,
    /// The last one that was taken had a bad FCS.
    is_spoilt: bool,
    room: Box<[u8]>,
}

impl JoinedPort {
    /// Both ends of a wire.
    pub fn pair(wire: &Wire) -> Result<[Self; 2], EthError> {
        let failed = |source| EthError::Io { port: "a wire".into(), step: "it cannot be made", source };
        let (a, b) = UnixDatagram::pair().map_err(failed)?;
        let end = |socket: UnixDatagram, seed| {
            socket.set_nonblocking(true).map_err(failed)?;
            Ok(Self {
                socket,
                impair: Impair::new(seed, wire.odds(HELD)),
                delay: wire.delay,
                sent: 0,
                arriving: VecDeque::new(),
                is_spoilt: false,
                room: vec![0; MAX_FRAME].into(),
            })
        };
        Ok([end(a, wire.seed)?, end(b, wire.seed ^ 1 << 63)?])
    }

    fn failed(step: &'static str, source: io::Error) -> EthError {
        EthError::Io { port: "a wire".into(), step, source }
    }

    /// Takes what the other end has sent, with what becomes of it.
    fn take(&mut self, now: Instant) -> Result<(), EthError> {
        while self.arriving.len() < MOST_ARRIVING {
            let octets = match self.socket.recv(&mut self.room) {
                Ok(octets) => octets,
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                // the other end is gone
                Err(e) if matches!(e.kind(), ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused) => {
                    return Ok(())
                }
                Err(e) => return Err(Self::failed("no frame can be received", e)),
            };
            let data = &self.room[..octets];
            let index = self.sent;
            self.sent += 1;
            let fate = self.impair.fate(&Sent { from: Side::A, index, at_ps: 0, data });
            let at = now + self.delay;
            let mut frame = Arriving { at, octets: data.to_vec(), is_spoilt: false };
            match fate {
                Fate::Drop => continue,
                Fate::Duplicate => self.arriving.push_back(frame.clone()),
                Fate::Delay(ns) => frame.at += Duration::from_nanos(ns),
                // the bit is one of the frame's; the device is to throw it away
                Fate::Corrupt(bit) => {
                    frame.is_spoilt = true;
                    frame.octets[(bit / 8) as usize] ^= 1 << (bit % 8);
                }
                Fate::Deliver | Fate::Replace(_) => {}
            }
            self.arriving.push_back(frame);
        }
        Ok(())
    }
}

impl EthPort for JoinedPort {
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError> {
        check_length(frame)?;
        match self.socket.send(frame) {
            Ok(_) => Ok(Delivery::Sent),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                Ok(Delivery::Busy)
            }
            Err(e) if matches!(e.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset) => {
                Ok(Delivery::Unplugged)
            }
            Err(e) if matches!(e.kind(), ErrorKind::BrokenPipe | ErrorKind::NotConnected) => {
                Ok(Delivery::Unplugged)
            }
            Err(e) => Err(Self::failed("a frame is not sent", e)),
        }
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        let now = Instant::now();
        self.take(now)?;
        let due = self.arriving.iter().position(|frame| frame.at <= now);
        let frame = due.and_then(|n| self.arriving.remove(n));
        self.is_spoilt = frame.as_ref().is_some_and(|frame| frame.is_spoilt);
        Ok(frame.map(|frame| frame.octets))
    }

    fn is_spoilt(&self) -> bool {
        self.is_spoilt
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All frames that came to an end, in order, by their first octet.
    fn came(port: &mut JoinedPort) -> Vec<u8> {
        std::iter::from_fn(|| port.receive().unwrap()).map(|f| f[0]).collect()
    }

    fn pass(wire: &str, frames: u8) -> Vec<u8> {
        let [mut a, mut b] = JoinedPort::pair(&wire.parse().unwrap()).unwrap();
        let mut all = vec![];
        for n in 0..frames {
            assert_eq!(a.send(&[n; 60]).unwrap(), Delivery::Sent);
            all.extend(came(&mut b));
        }
        std::thread::sleep(2 * HELD);
        all.extend(came(&mut b));
        assert!(came(&mut a).is_empty());
        all
    }

    #[test]
    fn a_wire_does_what_it_is_told_and_the_same_again() {
        let all: Vec<u8> = (0..200).collect();
        assert_eq!(pass("", 200), all);
        assert_eq!(pass("delay=1000", 200), all);
        assert!(pass("loss=1", 200).is_empty());
        assert_eq!(pass("duplicate=1", 3), [0, 0, 1, 1, 2, 2]);
        let lossy = pass("loss=0.1,seed=7", 200);
        assert!((150..200).contains(&lossy.len()));
        assert_eq!(pass("loss=0.1,seed=7", 200), lossy);
        let mut swapped = pass("reorder=0.2", 200);
        assert_ne!(swapped, all);
        swapped.sort_unstable();
        assert_eq!(swapped, all);
    }

    #[test]
    fn a_spoilt_frame_arrives_as_one_with_a_bit_turned() {
        let [mut a, mut b] = JoinedPort::pair(&"corrupt=0.5,seed=3".parse().unwrap()).unwrap();
        let mut spoilt = 0;
        for n in 0..100 {
            assert_eq!(a.send(&[n; 61]).unwrap(), Delivery::Sent);
            let turned: u32 =
                b.receive().unwrap().unwrap().iter().map(|octet| (octet ^ n).count_ones()).sum();
            assert_eq!(turned, u32::from(b.is_spoilt()));
            spoilt += turned;
        }
        assert!((30..70).contains(&spoilt), "{spoilt}");
        assert!(b.receive().unwrap().is_none() && !b.is_spoilt());
    }

    #[test]
    fn what_no_wire_does_is_refused_with_its_text() {
        for (text, why) in [
            ("loss", "no `=`"),
            ("loss=2", "not 0 to 1"),
            ("loss=x", "not 0 to 1"),
            ("delay=-1", "whole numbers"),
            ("delay=60000001", "at most 60000000"),
            ("speed=1", "the parts are loss, delay"),
        ] {
            let told = text.parse::<Wire>().unwrap_err().to_string();
            assert!(told.contains(why) && told.contains(text), "{told}");
        }
    }

    #[test]
    fn an_end_that_is_gone_is_a_cable_that_is_not_plugged_in() {
        let [mut a, b] = JoinedPort::pair(&Wire::default()).unwrap();
        drop(b);
        assert_eq!(a.send(&[0; 60]).unwrap(), Delivery::Unplugged);
        assert_eq!(a.receive().unwrap(), None);
    }
}

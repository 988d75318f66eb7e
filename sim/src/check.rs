// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stream contract (architecture.md section 5) as pure checkers: fed with one sample a cycle,
//! they say what was broken. The bench has one on every boundary.
use smallvec::SmallVec;

/// What a boundary broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// `valid` fell before the transfer.
    #[error("valid fell without a transfer")]
    ValidFell,
    /// Payload changed while stalled.
    #[error("{field} changed from 0x{was} to 0x{is} while the beat was stalled")]
    Changed {
        /// Which field.
        field: String,
        /// Value when the beat was first offered, hexadecimal.
        was: String,
        /// Value now, hexadecimal.
        is: String,
    },
    /// A beat without octets.
    #[error("bytes is 0")]
    NoBytes,
    /// More octets than the stream is wide.
    #[error("bytes is {bytes}, the stream has {width} octets")]
    TooManyBytes {
        /// What was claimed.
        bytes: u64,
        /// Octets of a beat.
        width: usize,
    },
    /// A partial beat in the middle of a frame.
    #[error("bytes is {bytes} of {width} without last")]
    PartialBeat {
        /// What was claimed.
        bytes: u64,
        /// Octets of a beat.
        width: usize,
    },
    /// `err` in the middle of a frame.
    #[error("err without last")]
    ErrWithoutLast,
    /// An input reaches an output of the same port without a register.
    #[error("{to} follows {from} without a clock edge")]
    CombPath {
        /// Input toggled.
        from: String,
        /// Output that moved.
        to: String,
    },
}

/// The payload of one beat of a frame stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beat {
    /// All octets of the beat, valid or not; those of up to 128 bits stand in place.
    pub data: SmallVec<[u8; 16]>,
    /// Octets valid.
    pub bytes: u64,
    /// Last beat of the frame.
    pub last: bool,
    /// The frame is bad.
    pub err: bool,
}

/// Handshake and payload of a frame stream in one cycle, before the rising edge.
pub type StreamSample = Sample<Beat>;

/// Handshake and payload of a channel: field names and little-endian values.
pub type ChannelSample = Sample<Fields>;

/// The payload of a channel.
pub type Fields = Vec<(String, Vec<u8>)>;

/// What a boundary shows in one cycle, before the rising edge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample<P> {
    /// A beat is offered.
    pub valid: bool,
    /// It is taken.
    pub ready: bool,
    /// Payload; means nothing while `valid` is low.
    pub payload: P,
}

/// A payload that can name its fields when two differ.
pub trait Payload: Clone + PartialEq {
    /// Name, old and new value of the first field that differs.
    fn difference(&self, now: &Self) -> Option<(String, String, String)>;

    /// Rules on one offered beat of a stream `width` octets wide.
    fn lawful(&self, width: usize) -> Result<(), Violation>;
}

impl Payload for Beat {
    fn difference(&self, now: &Self) -> Option<(String, String, String)> {
        if self == now {
            return None;
        }
        let field = |name: &str, a: String, b: String| (a != b).then(|| (name.to_string(), a, b));
        field("data", hex(&self.data), hex(&now.data))
            .or_else(|| field("bytes", format!("{:x}", self.bytes), format!("{:x}", now.bytes)))
            .or_else(|| field("last", u8::from(self.last).to_string(), u8::from(now.last).to_string()))
            .or_else(|| field("err", u8::from(self.err).to_string(), u8::from(now.err).to_string()))
    }

    fn lawful(&self, width: usize) -> Result<(), Violation> {
        let bytes = self.bytes;
        match () {
            _ if bytes == 0 => Err(Violation::NoBytes),
            _ if bytes > width as u64 => Err(Violation::TooManyBytes { bytes, width }),
            _ if bytes < width as u64 && !self.last => Err(Violation::PartialBeat { bytes, width }),
            _ if self.err && !self.last => Err(Violation::ErrWithoutLast),
            _ => Ok(()),
        }
    }
}

impl Payload for Fields {
    fn difference(&self, now: &Self) -> Option<(String, String, String)> {
        let (was, is) = self.iter().zip(now).find(|(was, is)| was != is)?;
        Some((was.0.clone(), hex(&was.1), hex(&is.1)))
    }

    fn lawful(&self, _width: usize) -> Result<(), Violation> {
        Ok(())
    }
}

/// Little-endian octets as one hexadecimal number.
fn hex(octets: &[u8]) -> String {
    octets.iter().rev().map(|b| format!("{b:02x}")).collect()
}

/// Checker of one boundary: remembers the beat that is offered and not yet taken.
#[derive(Debug, Clone)]
pub struct Checker<P> {
    width: usize,
    offered: Option<P>,
}

impl<P: Payload> Checker<P> {
    /// For a stream of `width` octets a beat; a channel has no such rule and may give 0.
    pub fn new(width: usize) -> Self {
        Self { width, offered: None }
    }

    /// Judges one cycle; true means that a beat was transferred.
    pub fn sample(&mut self, now: &Sample<P>) -> Result<bool, Violation> {
        let offered = self.offered.take();
        if !now.valid {
            return if offered.is_some() { Err(Violation::ValidFell) } else { Ok(false) };
        }
        if let Some((field, was, is)) = offered.and_then(|was| was.difference(&now.payload)) {
            return Err(Violation::Changed { field, was, is });
        }
        now.payload.lawful(self.width)?;
        if !now.ready {
            self.offered = Some(now.payload.clone());
        }
        Ok(now.ready)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    /// A stalled full middle beat of a 64-bit stream.
    fn stalled() -> StreamSample {
        let payload = Beat { data: smallvec![1, 2, 3, 4, 5, 6, 7, 8], bytes: 8, last: false, err: false };
        Sample { valid: true, ready: false, payload }
    }

    /// Feeds cycles to a 64-bit checker; the answer to the last one.
    fn judge(wave: &[StreamSample]) -> Result<bool, Violation> {
        let mut checker = Checker::new(8);
        let mut answers = wave.iter().map(|s| checker.sample(s)).collect::<Vec<_>>();
        answers.pop().unwrap()
    }

    fn changed(change: impl Fn(&mut StreamSample)) -> StreamSample {
        let mut s = stalled();
        change(&mut s);
        s
    }

    #[test]
    fn a_lawful_wave_passes() {
        let taken = changed(|s| s.ready = true);
        let idle = changed(|s| s.valid = false);
        assert_eq!(judge(&[stalled(), stalled(), taken.clone()]), Ok(true));
        assert_eq!(judge(&[stalled(), taken.clone(), idle.clone()]), Ok(false));
        let end = changed(|s| (s.payload.bytes, s.payload.last, s.payload.err) = (3, true, true));
        assert_eq!(judge(&[taken, idle, end]), Ok(false));
    }

    #[test]
    fn valid_must_not_fall_before_the_transfer() {
        assert_eq!(judge(&[stalled(), changed(|s| s.valid = false)]), Err(Violation::ValidFell));
    }

    #[test]
    fn each_payload_field_must_be_stable() {
        let last_beat = |s: &mut StreamSample| s.payload.last = true;
        let cases: [(&str, StreamSample, StreamSample); 4] = [
            ("data", stalled(), changed(|s| s.payload.data[7] ^= 0x80)),
            ("bytes", changed(last_beat), changed(|s| (s.payload.last, s.payload.bytes) = (true, 7))),
            ("last", stalled(), changed(last_beat)),
            ("err", changed(last_beat), changed(|s| (s.payload.last, s.payload.err) = (true, true))),
        ];
        for (name, first, second) in cases {
            let broken = judge(&[first, second]).unwrap_err();
            assert!(matches!(&broken, Violation::Changed { field, .. } if field == name), "{name}: {broken}");
        }
    }

    #[test]
    fn bytes_and_err_follow_last() {
        let bytes = |n| changed(|s| s.payload.bytes = n);
        assert_eq!(judge(&[bytes(0)]), Err(Violation::NoBytes));
        assert_eq!(judge(&[bytes(9)]), Err(Violation::TooManyBytes { bytes: 9, width: 8 }));
        assert_eq!(judge(&[bytes(7)]), Err(Violation::PartialBeat { bytes: 7, width: 8 }));
        assert_eq!(judge(&[changed(|s| s.payload.err = true)]), Err(Violation::ErrWithoutLast));
    }

    #[test]
    fn a_channel_names_the_field_that_moved() {
        let sample = |key: u8, ready| ChannelSample {
            valid: true,
            ready,
            payload: vec![("key".into(), vec![key]), ("op".into(), vec![1])],
        };
        let mut checker = Checker::new(0);
        assert_eq!(checker.sample(&sample(5, false)), Ok(false));
        let broken = checker.sample(&sample(6, true)).unwrap_err();
        assert_eq!(broken, Violation::Changed { field: "key".into(), was: "05".into(), is: "06".into() });
        assert_eq!(checker.sample(&sample(7, true)), Ok(true));
    }
}

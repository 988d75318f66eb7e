// SPDX-License-Identifier: MIT OR Apache-2.0
//! How MPA starts on a TCP connection: at once, or behind a line of text of each end (RFC 5044
//! section 7.1.3).
use std::fmt;
use std::str::FromStr;

/// Most octets of a greeting.
pub const MOST_GREETING: usize = 255;

/// The octet behind a greeting.
pub(super) const END: u8 = b'\n';

/// Why a text is no greeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GreetingError {
    /// None or too many.
    #[error("a greeting of {0} octets is not possible; give 1 to {MOST_GREETING}")]
    Length(usize),
    /// The line would end before the text does.
    #[error("a greeting is one line, and octet {0} is a line feed; leave the line feed out")]
    LineFeed(usize),
    /// The peer sends no line.
    #[error("the peer sent {0} octets without a line feed where a greeting of at most {MOST_GREETING} is due; give both ends `raw=`")]
    Peer(usize),
}

/// The end that starts MPA behind the greetings: MPA's initiator, which sends the Request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Initiator {
    /// The end that opened TCP.
    #[default]
    Connect,
    /// The end that listened.
    Listen,
}

impl FromStr for Initiator {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text {
            "connect" => Ok(Self::Connect),
            "listen" => Ok(Self::Listen),
            _ => Err("it is neither `connect` nor `listen`"),
        }
    }
}

/// A line of text in raw mode. The end that opened TCP sends its line first. The other end answers
/// with its own. Behind both lines MPA starts. Both ends name the same initiator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    line: String,
    initiator: Initiator,
}

impl Greeting {
    /// 1 to 255 octets without a line feed, which is sent behind them.
    pub fn new(line: impl Into<String>, initiator: Initiator) -> Result<Self, GreetingError> {
        let line = line.into();
        if let Some(at) = line.bytes().position(|octet| octet == END) {
            return Err(GreetingError::LineFeed(at));
        }
        match line.len() {
            1..=MOST_GREETING => Ok(Self { line, initiator }),
            octets => Err(GreetingError::Length(octets)),
        }
    }

    /// The end that starts MPA.
    pub fn initiator(&self) -> Initiator {
        self.initiator
    }

    /// What is sent: the text and a line feed.
    pub(super) fn octets(&self) -> Vec<u8> {
        [self.line.as_bytes(), &[END]].concat()
    }
}

impl fmt::Display for Greeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// When MPA starts on a TCP connection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Startup {
    /// When TCP is open.
    #[default]
    Immediate,
    /// Behind the greetings of both ends.
    Delayed(Greeting),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_a_line() {
        let made = |line: &str| Greeting::new(line, Initiator::Listen);
        assert_eq!(made(""), Err(GreetingError::Length(0)));
        assert_eq!(made(&"x".repeat(256)), Err(GreetingError::Length(256)));
        assert_eq!(made("two\nlines"), Err(GreetingError::LineFeed(3)));
        let longest = made(&"x".repeat(255)).unwrap();
        assert_eq!((longest.octets().len(), longest.initiator()), (256, Initiator::Listen));
        assert_eq!(made("hello").unwrap().octets(), b"hello\n");
    }
}

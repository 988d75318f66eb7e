// SPDX-License-Identifier: MIT OR Apache-2.0
//! The end of a socket: what was sent arrives, and the peer hears of the end.
use super::socket::{sleep, State};
use super::stream::Stream;
use super::wire::Word;
use crate::errno::Errno;
use std::ffi::c_int;
use std::time::{Duration, Instant};

/// How long nothing may leave before the end gives up, unless the program says so by SO_LINGER.
const IDLE: Duration = Duration::from_secs(10);

impl Stream {
    /// Ends one direction or both, as `shutdown` says.
    pub fn shutdown(&mut self, how: c_int) -> Result<(), Errno> {
        let (ends_reads, ends_writes) = match how {
            libc::SHUT_RD => (true, false),
            libc::SHUT_WR => (false, true),
            libc::SHUT_RDWR => (true, true),
            _ => return Err(Errno::INVALID),
        };
        let ends = &mut self.ends;
        let was_mute = ends.is_mute;
        ends.is_deaf |= ends_reads;
        ends.is_mute |= ends_writes;
        if ends.is_deaf && ends.is_mute {
            ends.farewell = Some(Word::Disconnect).filter(|_| !ends.has_left);
        } else if ends.is_mute && !was_mute {
            ends.farewell = Some(Word::Shutdown);
        }
        self.tell()
    }

    /// Whether everything has arrived that was sent.
    pub fn is_quiet(&self) -> bool {
        let ends = &self.ends;
        let has_said = ends.farewell.is_none() || ends.peer_has_left;
        ends.is_failed || ends.is_cut || (has_said && self.under_way == 0)
    }
}

/// What remains of a socket that the program has closed. The call waits as long as octets arrive at
/// the peer, and then for the end of the connection.
pub fn finish(state: State, linger: Option<Duration>) {
    // everything else ends by being dropped: a connection that is being made is reset
    let State::Open(mut stream) = state else { return };
    if linger == Some(Duration::ZERO) {
        return;
    }
    let most = linger.unwrap_or(IDLE);
    if stream.shutdown(libc::SHUT_RDWR).is_err() {
        return;
    }
    wait(&mut stream, most, Stream::is_quiet);
    if stream.ends.is_failed || stream.leave().is_err() {
        return;
    }
    wait(&mut stream, most, |stream| stream.ends.is_closed || stream.ends.is_failed);
}

/// Waits until `is_done`, or nothing has left for `most`.
fn wait(stream: &mut Stream, most: Duration, is_done: impl Fn(&Stream) -> bool) {
    let (mut end, mut under_way) = (Instant::now() + most, stream.under_way);
    loop {
        stream.progress();
        if is_done(stream) || Instant::now() >= end {
            return;
        }
        if stream.under_way < under_way {
            end = Instant::now() + most;
        }
        under_way = stream.under_way;
        stream.arm();
        // a signal does not cut off what was sent: the time is bounded
        let _ = sleep(&stream.descriptors().collect::<Vec<_>>());
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests between `ibv_wr_start` and `ibv_wr_complete`. The device hears of none before the
//! latter. One thread prepares requests of a queue pair at a time.
use crate::errno::Errno;
use crate::gen::*;
use crate::request::{Payload, Request, INLINE};
use ferrowarp::Remote;
use parking_lot::lock_api::RawMutex as _;
use parking_lot::{Mutex, RawMutex};
use std::ffi::c_uint;
use std::fmt;

/// Most segments of a request.
const SEGMENTS: usize = 4;

/// A request that is being prepared.
#[derive(Clone, Copy)]
struct Prepared {
    wr_id: u64,
    opcode: ibv_wr_opcode,
    flags: c_uint,
    remote: Remote,
    invalidates: u32,
    sges: [ibv_sge; SEGMENTS],
    octets: [u8; INLINE],
    /// Segments, or octets if the request is inline.
    count: usize,
    is_inline: bool,
}

#[derive(Default)]
struct State {
    is_begun: bool,
    requests: Vec<Prepared>,
    /// The first thing that was wrong.
    wrong: Option<Errno>,
}

/// Requests of one queue pair.
pub struct Pending {
    /// Held from the beginning to the end.
    turn: RawMutex,
    state: Mutex<State>,
}

impl Default for Pending {
    fn default() -> Self {
        Self { turn: RawMutex::INIT, state: Mutex::default() }
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("requests", &self.state.lock().requests.len()).finish()
    }
}

impl Pending {
    /// Begins. Another thread that has begun is waited for.
    pub fn begin(&self) {
        self.turn.lock();
        let mut state = self.state.lock();
        state.requests.clear();
        state.wrong = None;
        state.is_begun = true;
    }

    /// A request more.
    pub fn add(
        &self,
        (wr_id, flags): (u64, c_uint),
        opcode: ibv_wr_opcode,
        remote: Remote,
        invalidates: u32,
    ) {
        let (sges, octets) = ([ibv_sge::default(); SEGMENTS], [0; INLINE]);
        // inline is said by the payload
        let flags = flags & !IBV_SEND_INLINE;
        let new =
            Prepared { wr_id, opcode, flags, remote, invalidates, sges, octets, count: 0, is_inline: false };
        self.state.lock().requests.push(new);
    }

    /// The opcode of a function that the device does not have.
    pub fn refuse(&self) {
        self.state.lock().wrong.get_or_insert(Errno::NOT_SUPPORTED);
    }

    /// Segments of the last request.
    pub fn segments(&self, list: impl ExactSizeIterator<Item = ibv_sge>) {
        self.last(|last| {
            last.count = list.len();
            (last.count <= SEGMENTS)
                .then(|| last.sges.iter_mut().zip(list).for_each(|(place, sge)| *place = sge))
        });
    }

    /// Octets of the last request, behind those that it has.
    pub fn octets(&self, octets: &[u8]) {
        self.last(|last| {
            last.is_inline = true;
            let end = last.count + octets.len();
            last.octets.get_mut(last.count..end)?.copy_from_slice(octets);
            last.count = end;
            Some(())
        });
    }

    fn last(&self, change: impl FnOnce(&mut Prepared) -> Option<()>) {
        let mut state = self.state.lock();
        if state.requests.last_mut().and_then(change).is_none() {
            state.wrong.get_or_insert(Errno::INVALID);
        }
    }

    /// The end: each request goes to `post`, unless something was wrong. EINVAL: nothing was begun.
    pub fn end(&self, mut post: impl FnMut(&Request<'_>) -> Result<(), Errno>) -> Result<(), Errno> {
        let mut state = self.state.lock();
        if !std::mem::take(&mut state.is_begun) {
            return Err(Errno::INVALID);
        }
        let done = match state.wrong {
            Some(wrong) => Err(wrong),
            None => state.requests.iter().try_for_each(|request| post(&request.request())),
        };
        // SAFETY: `begin` has the turn, and this ends it once.
        unsafe { self.turn.unlock() };
        done
    }
}

impl Prepared {
    fn request(&self) -> Request<'_> {
        let Self { wr_id, opcode, flags, remote, invalidates, .. } = *self;
        let payload = match self.is_inline {
            true => Payload::Taken(&self.octets[..self.count]),
            false => Payload::Segments(&self.sges[..self.count]),
        };
        Request { wr_id, opcode, flags, remote, invalidates, payload }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrowarp::{STag, TaggedOffset};

    const REMOTE: Remote = Remote { stag: STag(1), to: TaggedOffset(2) };

    #[test]
    fn requests_leave_together_with_their_payloads() {
        let pending = Pending::default();
        assert_eq!(pending.end(|_| Ok(())), Err(Errno::INVALID), "nothing was begun");
        pending.begin();
        pending.add((7, IBV_SEND_SIGNALED), IBV_WR_RDMA_WRITE, REMOTE, 0);
        pending.octets(b"he");
        pending.octets(b"llo");
        pending.add((8, 0), IBV_WR_SEND, REMOTE, 0);
        pending.segments([ibv_sge { addr: 9, length: 3, lkey: 4 }].into_iter());
        let mut shown = vec![];
        let done = pending.end(|request| {
            shown.push(format!(
                "{} {:?}",
                request.wr_id,
                matches!(request.payload, Payload::Taken(b"hello"))
            ));
            Ok(())
        });
        assert_eq!((done, shown.join(", ").as_str()), (Ok(()), "7 true, 8 false"));
    }

    #[test]
    fn a_wrong_request_keeps_all_of_them_back() {
        let pending = Pending::default();
        for wrong in [&(|p: &Pending| p.refuse()) as &dyn Fn(&Pending), &|p| p.octets(&[0; 97])] {
            pending.begin();
            pending.add((1, 0), IBV_WR_SEND, REMOTE, 0);
            wrong(&pending);
            assert!(pending.end(|_| panic!("is not posted")).is_err());
        }
    }
}

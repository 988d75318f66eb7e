// SPDX-License-Identifier: MIT OR Apache-2.0
//! Work requests of C as the driver takes them.
use crate::errno::Errno;
use crate::gen::*;
use ferrowarp::{AnyVerb, ProtectionDomain, Remote, STag, Segment, Sends, TaggedOffset};
use std::ffi::{c_int, c_uint};

/// Most segments of a request of either queue.
const SEGMENTS: usize = 4;
/// Octets that go into a request itself.
pub const INLINE: usize = 96;
/// Flags that a request may have.
const FLAGS: c_uint = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE;

/// A request of the send queue.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// As the completion has it.
    pub wr_id: u64,
    /// `IBV_WR_...`.
    pub opcode: ibv_wr_opcode,
    /// `IBV_SEND_...`.
    pub flags: c_uint,
    /// The peer's place of a Write or Read.
    pub remote: Remote,
    /// What a Send invalidates.
    pub invalidates: u32,
    /// What goes.
    pub payload: Payload<'a>,
}

/// What goes.
#[derive(Clone, Copy)]
pub enum Payload<'a> {
    /// Memory of regions, or, with [`IBV_SEND_INLINE`], any memory.
    Segments(&'a [ibv_sge]),
    /// Octets that were taken already.
    Taken(&'a [u8]),
}

/// The segments of a list of C. EINVAL: too many.
///
/// # Safety
/// `list` has `count` entries, which stay while the slice is used.
#[inline(always)]
pub unsafe fn list<'a>(list: *const ibv_sge, count: c_int) -> Result<&'a [ibv_sge], Errno> {
    match usize::try_from(count) {
        Ok(0) => Ok(&[]),
        Ok(count) if count <= SEGMENTS && !list.is_null() => {
            // SAFETY: the caller has the list.
            Ok(unsafe { std::slice::from_raw_parts(list, count) })
        }
        _ => Err(Errno::INVALID),
    }
}

/// The driver's segment of one of C.
#[inline(always)]
pub fn segment(domain: &ProtectionDomain, sge: &ibv_sge) -> Segment {
    domain.segment(STag(sge.lkey), TaggedOffset(sge.addr), sge.length)
}

/// Gives the driver's segments to `body`.
#[inline(always)]
pub fn with_segments<R>(
    domain: &ProtectionDomain,
    list: &[ibv_sge],
    body: impl FnOnce(&[Segment]) -> R,
) -> R {
    match list {
        [] => body(&[]),
        [one] => body(&[segment(domain, one)]),
        [first, rest @ ..] => {
            let mut all = [segment(domain, first); SEGMENTS];
            all.iter_mut().skip(1).zip(rest).for_each(|(place, sge)| *place = segment(domain, sge));
            body(&all[..list.len().min(SEGMENTS)])
        }
    }
}

/// Gathers the octets of an inline request.
///
/// # Safety
/// The memory of each entry may be read.
unsafe fn gather<'a>(list: &[ibv_sge], room: &'a mut [u8; INLINE]) -> Result<&'a [u8], Errno> {
    let mut end = 0;
    for sge in list {
        let length = sge.length as usize;
        let place = room.get_mut(end..end + length).ok_or(Errno::INVALID)?;
        if length > 0 {
            let from: *const u8 = std::ptr::with_exposed_provenance(sge.addr as usize);
            // SAFETY: the caller's promise; the room is another memory.
            unsafe { place.as_mut_ptr().copy_from_nonoverlapping(from, length) };
        }
        end += length;
    }
    Ok(&room[..end])
}

/// Posts a request into a batch, whose end tells the device.
///
/// # Safety
/// If the request is inline, its memory may be read.
pub unsafe fn post(
    sends: &mut Sends<'_>,
    domain: &ProtectionDomain,
    signals_all: bool,
    request: &Request<'_>,
) -> Result<(), Errno> {
    if request.flags & !FLAGS != 0 {
        return Err(Errno::NOT_SUPPORTED);
    }
    let mut room = [0; INLINE];
    match request.payload {
        Payload::Taken(octets) => put(sends, signals_all, request, &[], Some(octets)),
        Payload::Segments(list) if request.flags & IBV_SEND_INLINE != 0 => {
            // SAFETY: the caller's promise.
            let octets = unsafe { gather(list, &mut room) }?;
            put(sends, signals_all, request, &[], Some(octets))
        }
        Payload::Segments(list) => {
            with_segments(domain, list, |segments| put(sends, signals_all, request, segments, None))
        }
    }
}

/// Posts a request of segments, or of octets in their place.
fn put(
    sends: &mut Sends<'_>,
    signals_all: bool,
    request: &Request<'_>,
    segments: &[Segment],
    octets: Option<&[u8]>,
) -> Result<(), Errno> {
    let Request { wr_id, opcode, flags, remote, invalidates, .. } = *request;
    let is_solicited = flags & IBV_SEND_SOLICITED != 0;
    let verb = match (opcode, segments) {
        (IBV_WR_RDMA_WRITE, _) => AnyVerb::write(segments, remote),
        (IBV_WR_SEND, _) => AnyVerb::send(segments, is_solicited, None),
        (IBV_WR_SEND_WITH_INV, _) => AnyVerb::send(segments, is_solicited, Some(STag(invalidates))),
        (IBV_WR_RDMA_READ, [sink]) => AnyVerb::read(std::array::from_ref(sink), remote),
        (IBV_WR_RDMA_READ, _) => return Err(Errno::INVALID),
        _ => return Err(Errno::NOT_SUPPORTED),
    };
    let verb = if let Some(octets) = octets { verb.inline(octets) } else { verb };
    give(sends, wr_id, verb, signals_all, flags)
}

/// Gives a request to the driver.
#[inline(always)]
pub fn give(
    sends: &mut Sends<'_>,
    wr_id: u64,
    verb: AnyVerb<'_>,
    signals_all: bool,
    flags: c_uint,
) -> Result<(), Errno> {
    let posted = sends.any(wr_id, verb);
    let is_signaled = signals_all || flags & IBV_SEND_SIGNALED != 0;
    let posted = if is_signaled { posted } else { posted.unsignaled() };
    let posted = if flags & IBV_SEND_FENCE == 0 { posted } else { posted.fenced() };
    Ok(posted.post()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_octets_are_gathered_and_too_many_are_einval() {
        let octets: Vec<u8> = (0..100).collect();
        let at = octets.as_ptr().expose_provenance() as u64;
        let sge = |from: u64, length| ibv_sge { addr: at + from, length, lkey: 7 };
        let mut room = [0; INLINE];
        // SAFETY: the octets are there.
        let gathered = unsafe { gather(&[sge(10, 2), sge(0, 0), sge(90, 3)], &mut room) };
        assert_eq!(gathered, Ok(&[10, 11, 90, 91, 92][..]));
        // SAFETY: as above.
        assert_eq!(unsafe { gather(&[sge(0, 90), sge(0, 7)], &mut room) }, Err(Errno::INVALID));
    }

    #[test]
    fn a_list_of_more_segments_than_a_request_has_is_einval() {
        let sges = [ibv_sge::default(); 5];
        // SAFETY: the entries are there.
        let count = |count| unsafe { list(sges.as_ptr(), count) }.map(<[_]>::len);
        assert_eq!([count(0), count(4)], [Ok(0), Ok(4)]);
        assert_eq!([count(5), count(-1)], [Err(Errno::INVALID); 2]);
    }
}

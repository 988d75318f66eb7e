// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posting lists of work requests: called through the context. The device is told once a list.
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::or_errno;
use crate::live::trust;
use crate::qp::Qp;
use crate::request::{give, list, post, segment, with_segments, Payload, Request};
use ferrowarp::{AnyVerb, Remote, STag, Sends, TaggedOffset};
use std::ffi::{c_int, c_uint};

/// Flags of a usual request.
const USUAL: c_uint = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED;

/// The peer's place of a Write or Read.
#[inline(always)]
fn remote(wr: &ibv_send_wr) -> Remote {
    // SAFETY: all of the union's fields are numbers: any octets are values of theirs.
    let remote = unsafe { wr.wr.rdma };
    Remote { stag: STag(remote.rkey), to: TaggedOffset(remote.remote_addr) }
}

/// Posts a request into a batch. A Send or a Write of one segment is posted here, where nothing
/// else stands in its way.
///
/// # Safety
/// The request's list is there, and, if the request is inline, its memory may be read.
#[inline(always)]
unsafe fn post_one(sends: &mut Sends<'_>, qp: &Qp, wr: &ibv_send_wr) -> Result<(), Errno> {
    if wr.num_sge == 1 && wr.send_flags & !USUAL == 0 {
        // SAFETY: null, or the caller's promise.
        if let Some(sge) = unsafe { wr.sg_list.as_ref() } {
            let segments = [segment(&qp.pd.domain, sge)];
            let verb = match wr.opcode {
                IBV_WR_SEND => AnyVerb::send(&segments, wr.send_flags & IBV_SEND_SOLICITED != 0, None),
                IBV_WR_RDMA_WRITE => AnyVerb::write(&segments, remote(wr)),
                // SAFETY: the caller's promise.
                _ => return unsafe { post_other(sends, qp, wr) },
            };
            return give(sends, wr.wr_id, verb, qp.signals_all, wr.send_flags);
        }
    }
    // SAFETY: the caller's promise.
    unsafe { post_other(sends, qp, wr) }
}

/// The same for any request.
///
/// # Safety
/// As [`post_one`].
#[inline(never)]
unsafe fn post_other(sends: &mut Sends<'_>, qp: &Qp, wr: &ibv_send_wr) -> Result<(), Errno> {
    // SAFETY: the caller's promise; all of the unions' fields are numbers.
    unsafe {
        let request = Request {
            wr_id: wr.wr_id,
            opcode: wr.opcode,
            flags: wr.send_flags,
            remote: remote(wr),
            invalidates: wr.__bindgen_anon_1.invalidate_rkey,
            payload: Payload::Segments(list(wr.sg_list, wr.num_sge)?),
        };
        post(sends, &qp.pd.domain, qp.signals_all, &request)
    }
}

/// Posts requests to the send queue. If one is refused, `bad` names it, and those before it are
/// posted.
pub unsafe extern "C" fn post_send(
    qp: *mut ibv_qp,
    wr: *mut ibv_send_wr,
    bad: *mut *mut ibv_send_wr,
) -> c_int {
    let mut at = wr;
    let done = or_errno(|| {
        // SAFETY: the program has the queue pair.
        let object = unsafe { trust::<Qp>(qp) };
        let handles = object.handles();
        let mut sends = handles.as_ref().ok_or(Errno::INVALID)?.posts.sends();
        // SAFETY: null, or a request of the program.
        while let Some(wr) = unsafe { at.as_ref() } {
            // a refusal ends the batch, which tells of those before
            // SAFETY: the program's request has its list and, if it is inline, its memory.
            unsafe { post_one(&mut sends, object, wr) }?;
            at = wr.next;
        }
        Ok(sends.ring()?)
    });
    if done != 0 && !bad.is_null() {
        // SAFETY: the program gives room for a pointer.
        unsafe { bad.write(if at.is_null() { wr } else { at }) };
    }
    done
}

/// Posts receives, as [`post_send`].
pub unsafe extern "C" fn post_recv(
    qp: *mut ibv_qp,
    wr: *mut ibv_recv_wr,
    bad: *mut *mut ibv_recv_wr,
) -> c_int {
    let mut at = wr;
    let done = or_errno(|| {
        // SAFETY: the program has the queue pair.
        let object = unsafe { trust::<Qp>(qp) };
        let handles = object.handles();
        let mut receives = handles.as_ref().ok_or(Errno::INVALID)?.posts.receives();
        let mut refused = Ok(());
        // SAFETY: null, or a request of the program.
        while let Some(wr) = unsafe { at.as_ref() } {
            // SAFETY: the program's request has its list.
            let posted = unsafe { list(wr.sg_list, wr.num_sge) }.and_then(|list| {
                with_segments(&object.pd.domain, list, |segments| Ok(receives.post(wr.wr_id, segments)?))
            });
            if posted.is_err() {
                refused = posted;
                break;
            }
            at = wr.next;
        }
        receives.ring()?;
        refused
    });
    if done != 0 && !bad.is_null() {
        // SAFETY: the program gives room for a pointer.
        unsafe { bad.write(if at.is_null() { wr } else { at }) };
    }
    done
}

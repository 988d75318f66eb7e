// SPDX-License-Identifier: MIT OR Apache-2.0
//! Posting lists of work requests: called through the context. The device is told once a list.
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::or_errno;
use crate::live::trust;
use crate::qp::Qp;
use crate::request::{list, post, with_segments, Payload, Request};
use ferrowarp::{Remote, STag, TaggedOffset};
use std::ffi::c_int;

/// What a request of C says.
///
/// # Safety
/// The request and its list are there.
#[inline(always)]
unsafe fn request(wr: &ibv_send_wr) -> Result<Request<'_>, Errno> {
    // SAFETY: all of the unions' fields are numbers: any octets are values of theirs.
    let (remote, invalidates) = unsafe { (wr.wr.rdma, wr.__bindgen_anon_1.invalidate_rkey) };
    Ok(Request {
        wr_id: wr.wr_id,
        opcode: wr.opcode,
        flags: wr.send_flags,
        remote: Remote { stag: STag(remote.rkey), to: TaggedOffset(remote.remote_addr) },
        invalidates,
        // SAFETY: the caller's promise.
        payload: Payload::Segments(unsafe { list(wr.sg_list, wr.num_sge) }?),
    })
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
        let mut refused = Ok(());
        // SAFETY: null, or a request of the program.
        while let Some(wr) = unsafe { at.as_ref() } {
            // SAFETY: the program's request has its list and, if it is inline, its memory.
            let posted = unsafe {
                request(wr)
                    .and_then(|request| post(&mut sends, &object.pd.domain, object.signals_all, &request))
            };
            if posted.is_err() {
                refused = posted;
                break;
            }
            at = wr.next;
        }
        sends.ring()?;
        refused
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

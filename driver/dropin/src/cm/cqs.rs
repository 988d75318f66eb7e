// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion queues and channels of a queue pair whose program brings none.
use crate::channel;
use crate::cq;
use crate::errno::Errno;
use crate::gen::*;
use std::ptr::null_mut;

/// A completion queue and its channel.
type Pair = (*mut ibv_comp_channel, *mut ibv_cq);

/// Makes a queue of so many completions at least.
fn make(id: *mut rdma_cm_id, most: u32) -> Result<Pair, Errno> {
    // SAFETY: the identifier is there, and the program calls this.
    let verbs = unsafe { (*id).verbs };
    let channel = channel::create(verbs)?;
    let cq = cq::create(verbs, most.max(1), id.cast(), channel, ibv_cq_ex::default());
    let cq = cq.inspect_err(|_| {
        let _ = channel::destroy(channel);
    })?;
    Ok((channel, cq))
}

/// Makes the queues that `attr` leaves open.
pub fn fill(id: *mut rdma_cm_id, attr: &mut ibv_qp_init_attr) -> Result<(), Errno> {
    if attr.recv_cq.is_null() {
        let (channel, cq) = make(id, attr.cap.max_recv_wr)?;
        // SAFETY: as above.
        unsafe { ((*id).recv_cq_channel, (*id).recv_cq) = (channel, cq) };
        attr.recv_cq = cq;
    }
    if attr.send_cq.is_null() {
        let (channel, cq) = make(id, attr.cap.max_send_wr)?;
        // SAFETY: as above.
        unsafe { ((*id).send_cq_channel, (*id).send_cq) = (channel, cq) };
        attr.send_cq = cq;
    }
    Ok(())
}

/// Ends the queues that were made here. A queue that others use stays.
pub fn end(id: *mut rdma_cm_id) {
    // SAFETY: as above.
    let made = unsafe {
        let made = [((*id).recv_cq_channel, (*id).recv_cq), ((*id).send_cq_channel, (*id).send_cq)];
        ((*id).recv_cq_channel, (*id).recv_cq) = (null_mut(), null_mut());
        ((*id).send_cq_channel, (*id).send_cq) = (null_mut(), null_mut());
        made
    };
    for (channel, cq) in made.into_iter().filter(|(_, cq)| !cq.is_null()) {
        let ended = cq::destroy(cq).and_then(|()| channel::destroy(channel));
        if let Err(errno) = ended {
            tracing::warn!(?errno, "a completion queue of an identifier stays");
        }
    }
}

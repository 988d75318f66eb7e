// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue pair and its completion queue.
use crate::library::{checked, failed, Verbs};
use crate::words;
use ferrowarp_dropin::gen::*;
use ferrowarp_tests::script::device::{Done, Post, Verb};
use libc::c_int;
use std::ptr::null_mut;

/// Work requests of a queue.
const DEPTH: u32 = 1_024;

/// Both.
#[derive(Clone, Copy)]
pub struct Queue {
    pub qp: *mut ibv_qp,
    cq: *mut ibv_cq,
}

/// The function of a context's table, or why there is none.
macro_rules! operation {
    ($context:expr, $name:ident) => {
        // SAFETY: the context of a queue lives as long as the process; its table does not change.
        unsafe { (*$context).ops.$name }.ok_or(concat!("no ", stringify!($name)))
    };
}

impl Queue {
    /// A queue pair that receives may be posted to.
    pub fn new(verbs: &Verbs, pd: *mut ibv_pd, entries: u32) -> Result<Self, String> {
        // SAFETY: `pd` was given by libibverbs and is never given back.
        let context = unsafe { (*pd).context };
        let entries = c_int::try_from(entries).map_err(|why| why.to_string())?;
        // SAFETY: the context is open; there is no channel.
        let cq = unsafe { (verbs.ibv_create_cq)(context, entries, null_mut(), null_mut(), 0) };
        if cq.is_null() {
            return Err(failed("ibv_create_cq"));
        }
        let mut wanted = ibv_qp_init_attr { send_cq: cq, recv_cq: cq, ..Default::default() };
        (wanted.cap.max_send_wr, wanted.cap.max_recv_wr) = (DEPTH, DEPTH);
        (wanted.cap.max_send_sge, wanted.cap.max_recv_sge) = (1, 1);
        wanted.qp_type = IBV_QPT_RC;
        // SAFETY: all that `wanted` points to lives.
        let qp = unsafe { (verbs.ibv_create_qp)(pd, &mut wanted) };
        if qp.is_null() {
            return Err(failed("ibv_create_qp"));
        }
        // as `rdma_create_qp` has it
        let rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
        let mut state = ibv_qp_attr { qp_state: IBV_QPS_INIT, qp_access_flags: rights, ..Default::default() };
        let mask = (IBV_QP_STATE | IBV_QP_ACCESS_FLAGS) as c_int;
        // SAFETY: `qp` was just made.
        checked("ibv_modify_qp", unsafe { (verbs.ibv_modify_qp)(qp, &mut state, mask) })?;
        Ok(Self { qp, cq })
    }

    /// Gives both back when it is called.
    pub fn ending(self, verbs: &Verbs) -> impl FnOnce() + Send {
        let (qp, cq) = (self.qp as usize, self.cq as usize);
        let (destroy_qp, destroy_cq) = (verbs.ibv_destroy_qp, verbs.ibv_destroy_cq);
        move || {
            // SAFETY: the caller drops its last copy; no cm_id has it any more. What is still in
            // use stays, which the library says and nobody needs to know.
            unsafe {
                destroy_qp(qp as *mut ibv_qp);
                destroy_cq(cq as *mut ibv_cq);
            }
        }
    }

    fn context(&self) -> *mut ibv_context {
        // SAFETY: `qp` lives until `ending`, which takes `self`.
        unsafe { (*self.qp).context }
    }

    /// A receive into this memory.
    pub fn receive(&self, id: u64, mut place: Option<ibv_sge>) -> Result<(), String> {
        let (list, count) = place.as_mut().map_or((null_mut(), 0), |place| (place as *mut ibv_sge, 1));
        let mut wr = ibv_recv_wr { wr_id: id, next: null_mut(), sg_list: list, num_sge: count };
        let (post, mut bad) = (operation!(self.context(), post_recv)?, null_mut());
        // SAFETY: the request and its list live during the call, which copies them.
        checked("ibv_post_recv", unsafe { post(self.qp, &mut wr, &mut bad) })
    }

    /// A Send, Write or Read from or into this memory.
    pub fn post(&self, post: &Post, mut place: Option<ibv_sge>) -> Result<(), String> {
        let Post { verb, id, stag, to, how, .. } = post;
        let (list, count) = place.as_mut().map_or((null_mut(), 0), |place| (place as *mut ibv_sge, 1));
        let flags = [
            (!how.unsignaled, IBV_SEND_SIGNALED),
            (how.fenced, IBV_SEND_FENCE),
            (how.solicited, IBV_SEND_SOLICITED),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set).fold(0, |flags, (_, flag)| flags | flag);
        let mut wr = ibv_send_wr { wr_id: *id, sg_list: list, num_sge: count, ..Default::default() };
        (wr.send_flags, wr.wr.rdma.remote_addr, wr.wr.rdma.rkey) = (flags, *to, *stag);
        wr.opcode = match (verb, how.inv) {
            (Verb::Send, None) => IBV_WR_SEND,
            (Verb::Send, Some(inv)) => {
                wr.__bindgen_anon_1.invalidate_rkey = inv;
                IBV_WR_SEND_WITH_INV
            }
            (Verb::Write, _) => IBV_WR_RDMA_WRITE,
            (Verb::Read, _) => IBV_WR_RDMA_READ,
        };
        let (call, mut bad) = (operation!(self.context(), post_send)?, null_mut());
        // SAFETY: as of `receive`.
        checked("ibv_post_send", unsafe { call(self.qp, &mut wr, &mut bad) })
    }

    /// The next completion.
    pub fn poll(&self) -> Result<Option<Done>, String> {
        // SAFETY: the completion queue lives until `ending`, which takes `self`.
        let (context, mut wc) = (unsafe { (*self.cq).context }, ibv_wc::default());
        let poll = operation!(context, poll_cq)?;
        // SAFETY: there is room for one completion.
        let count = unsafe { poll(self.cq, 1, &mut wc) };
        if count < 0 {
            return Err(failed("ibv_poll_cq"));
        }
        Ok((count > 0).then(|| done(&wc)))
    }
}

fn done(wc: &ibv_wc) -> Done {
    let is_success = wc.status == IBV_WC_SUCCESS;
    let invalidated = is_success && wc.wc_flags & IBV_WC_WITH_INV != 0;
    // SAFETY: with this flag the union has the STag; all its fields are 32 bits.
    let inv = if invalidated { unsafe { wc.__bindgen_anon_1.invalidated_rkey } } else { 0 };
    Done {
        id: wc.wr_id,
        status: words::status(wc.status),
        op: words::operation(wc.opcode),
        // of others the field has no meaning
        octets: if is_success { wc.byte_len } else { 0 },
        inv,
        // a completion of verbs does not say either
        solicited: false,
        error: 0,
    }
}

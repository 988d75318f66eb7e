// SPDX-License-Identifier: MIT OR Apache-2.0
//! Queue pairs and completion queues with functions of their own.
use super::pair::*;
use crate::context::Context;
use crate::gen::*;
use crate::live::find;
use std::mem::offset_of;
use std::ptr::null_mut;

/// The functions in front of a context, as `verbs_get_ctx` of the header finds them.
fn verbs(context: *mut ibv_context) -> *const verbs_context {
    // SAFETY: the context is there, and says that the functions are.
    assert_eq!(unsafe { (*context).abi_compat }.addr(), usize::MAX);
    context.wrapping_byte_sub(offset_of!(verbs_context, context)).cast()
}

#[test]
fn requests_between_start_and_complete_leave_and_an_extended_queue_reads_them() {
    with_pair(|[left, _]| {
        let vctx = verbs(left.context);
        // SAFETY: objects of the library, which are given up in the end.
        unsafe {
            let mut attr =
                ibv_cq_init_attr_ex { cqe: 16, wc_flags: IBV_WC_STANDARD_FLAGS.into(), ..Default::default() };
            let cq = (*vctx).create_cq_ex.unwrap()(left.context, &mut attr);
            assert!(!cq.is_null());
            let plain = attributes(cq.cast());
            let mut attr = ibv_qp_init_attr_ex {
                send_cq: plain.send_cq,
                recv_cq: plain.recv_cq,
                cap: plain.cap,
                qp_type: plain.qp_type,
                comp_mask: IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
                pd: left.pd,
                send_ops_flags: (IBV_QP_EX_WITH_RDMA_WRITE
                    | IBV_QP_EX_WITH_SEND
                    | IBV_QP_EX_WITH_SEND_WITH_IMM)
                    .into(),
                ..Default::default()
            };
            let qp = (*vctx).create_qp_ex.unwrap()(left.context, &mut attr);
            let ex = qp.cast::<ibv_qp_ex>();
            // in error, each request is flushed: number and order are seen without a peer
            let mut error = ibv_qp_attr { qp_state: IBV_QPS_ERR, ..Default::default() };
            assert_eq!(ibv_modify_qp(qp, &mut error, IBV_QP_STATE as i32), 0);
            (*ex).wr_start.unwrap()(ex);
            ((*ex).wr_id, (*ex).wr_flags) = (7, IBV_SEND_SIGNALED);
            (*ex).wr_rdma_write.unwrap()(ex, 1, 2);
            (*ex).wr_set_inline_data.unwrap()(ex, left.memory.as_mut_ptr().cast(), 5);
            (*ex).wr_id = 8;
            (*ex).wr_send.unwrap()(ex);
            let sge = left.sge(0, 5);
            (*ex).wr_set_sge.unwrap()(ex, sge.lkey, sge.addr, sge.length);
            assert_eq!((*ex).wr_complete.unwrap()(ex), 0);
            let mut ask = ibv_poll_cq_attr::default();
            assert_eq!((*cq).start_poll.unwrap()(cq, &mut ask), 0);
            assert_eq!(
                ((*cq).wr_id, (*cq).status, (*cq).read_opcode.unwrap()(cq)),
                (7, IBV_WC_WR_FLUSH_ERR, IBV_WC_RDMA_WRITE)
            );
            assert_eq!((*cq).next_poll.unwrap()(cq), 0);
            assert_eq!(((*cq).wr_id, (*cq).read_qp_num.unwrap()(cq)), (8, (*qp).qp_num));
            assert_eq!((*cq).next_poll.unwrap()(cq), libc::ENOENT);
            (*cq).end_poll.unwrap()(cq);
            (*ex).wr_start.unwrap()(ex);
            (*ex).wr_send_imm.unwrap()(ex, 1);
            assert_eq!((*ex).wr_complete.unwrap()(ex), libc::EOPNOTSUPP);
            assert_eq!((ibv_destroy_qp(qp), ibv_destroy_cq(cq.cast())), (0, 0));
        }
    });
}

#[test]
fn kinds_of_requests_that_the_device_does_not_have_are_refused_at_the_creation() {
    with_pair(|[left, _]| {
        let vctx = verbs(left.context);
        let plain = attributes(left.cq);
        let mut attr = ibv_qp_init_attr_ex {
            send_cq: plain.send_cq,
            recv_cq: plain.recv_cq,
            cap: plain.cap,
            qp_type: plain.qp_type,
            comp_mask: IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
            pd: left.pd,
            send_ops_flags: IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP.into(),
            ..Default::default()
        };
        // SAFETY: objects of the library.
        assert!(unsafe { (*vctx).create_qp_ex.unwrap()(left.context, &mut attr) }.is_null());
        let mut timed = ibv_cq_init_attr_ex {
            cqe: 16,
            wc_flags: IBV_WC_EX_WITH_COMPLETION_TIMESTAMP.into(),
            ..Default::default()
        };
        // SAFETY: as above.
        assert!(unsafe { (*vctx).create_cq_ex.unwrap()(left.context, &mut timed) }.is_null());
        assert!(find::<Context>(left.context).is_ok() && find::<Context>(null_mut()).is_err());
    });
}

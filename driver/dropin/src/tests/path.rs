// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests and completions.
use super::pair::*;
use crate::gen::*;
use std::ptr::null_mut;

/// A request of one segment.
fn request(wr_id: u64, opcode: ibv_wr_opcode, sge: &mut ibv_sge) -> ibv_send_wr {
    let (sg_list, send_flags) = (std::ptr::from_mut(sge), IBV_SEND_SIGNALED);
    ibv_send_wr { wr_id, opcode, send_flags, sg_list, num_sge: 1, ..Default::default() }
}

/// With a place in the memory of the peer.
fn towards(mut wr: ibv_send_wr, peer: &End, at: usize) -> ibv_send_wr {
    let sge = peer.sge(at, 0);
    wr.wr.rdma = ibv_send_wr__bindgen_ty_2__bindgen_ty_1 { remote_addr: sge.addr, rkey: sge.lkey };
    wr
}

#[test]
fn a_list_of_write_read_and_send_completes_in_order_and_lands() {
    with_pair(|[left, right]| {
        left.memory[..5].copy_from_slice(b"hello");
        right.memory[4096..4099].copy_from_slice(b"abc");
        right.receive(9, right.sge(100, 64));
        let mut sges = [left.sge(0, 5), left.sge(200, 3), left.sge(0, 5)];
        let [first, second, third] = &mut sges;
        let mut send = request(3, IBV_WR_SEND, third);
        send.send_flags |= IBV_SEND_FENCE;
        let mut read = towards(request(2, IBV_WR_RDMA_READ, second), right, 4096);
        let mut write = towards(request(1, IBV_WR_RDMA_WRITE, first), right, 0);
        read.next = &mut send;
        write.next = &mut read;
        assert_eq!(left.post(&mut write), (0, null_mut()));
        let done = [0, 1, 2].map(|_| left.completion());
        assert_eq!(
            done.map(|wc| (wc.wr_id, wc.status, wc.opcode)),
            [
                (1, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE),
                (2, IBV_WC_SUCCESS, IBV_WC_RDMA_READ),
                (3, IBV_WC_SUCCESS, IBV_WC_SEND)
            ]
        );
        let got = right.completion();
        assert_eq!((got.wr_id, got.opcode, got.byte_len), (9, IBV_WC_RECV, 5));
        // SAFETY: the queue pair is there.
        assert_eq!(got.qp_num, unsafe { (*right.qp).qp_num });
        assert_eq!((&right.memory[..5], &right.memory[100..105]), (&b"hello"[..], &b"hello"[..]));
        assert_eq!(&left.memory[200..203], b"abc");
    });
}

#[test]
fn a_request_that_cannot_be_is_named_and_those_before_it_leave() {
    with_pair(|[left, right]| {
        let mut sge = left.sge(0, 5);
        let mut atomic = request(2, IBV_WR_ATOMIC_FETCH_AND_ADD, &mut left.sge(0, 8));
        let mut write = towards(request(1, IBV_WR_RDMA_WRITE, &mut sge), right, 0);
        write.next = &mut atomic;
        let at: *mut _ = &mut atomic;
        assert_eq!(left.post(&mut write), (libc::EOPNOTSUPP, at));
        assert_eq!(left.completion().wr_id, 1);
        write.next = null_mut();
        write.num_sge = 5;
        let at: *mut _ = &mut write;
        assert_eq!(left.post(at), (libc::EINVAL, at));
        // an lkey of nobody is the device's to refuse
        let mut strange = ibv_sge { lkey: 0x1234_5600, ..sge };
        let mut wrong = towards(request(3, IBV_WR_RDMA_WRITE, &mut strange), right, 0);
        assert_eq!(left.post(&mut wrong).0, 0);
        let refused = left.completion();
        assert_eq!((refused.wr_id, refused.status), (3, IBV_WC_LOC_PROT_ERR));
    });
}

#[test]
fn inline_octets_need_no_region_and_unsignaled_requests_make_no_completion() {
    with_pair(|[left, right]| {
        let octets = *b"inline";
        let addr = octets.as_ptr().expose_provenance() as u64;
        let mut sge = ibv_sge { addr, length: 6, lkey: 0 };
        let mut quiet = towards(request(1, IBV_WR_RDMA_WRITE, &mut sge), right, 10);
        quiet.send_flags = IBV_SEND_INLINE;
        let mut told = towards(request(2, IBV_WR_RDMA_WRITE, &mut sge), right, 30);
        told.send_flags |= IBV_SEND_INLINE;
        quiet.next = &mut told;
        assert_eq!(left.post(&mut quiet).0, 0);
        assert_eq!(left.completion().wr_id, 2);
        right.receive(5, right.sge(100, 64));
        let mut send = request(3, IBV_WR_SEND, &mut sge);
        send.send_flags |= IBV_SEND_INLINE;
        assert_eq!(left.post(&mut send).0, 0);
        assert_eq!(right.completion().wr_id, 5);
        let places = [10, 30, 100].map(|at| &right.memory[at..at + 6]);
        assert_eq!(places, [&octets[..]; 3]);
    });
}

#[test]
fn an_armed_queue_gives_one_event_and_its_destroy_waits_for_the_acknowledgement() {
    with_pair(|[left, right]| {
        let (mut cq, mut value) = (null_mut(), null_mut());
        // SAFETY: objects of the library.
        unsafe {
            assert_eq!((*right.context).ops.req_notify_cq.unwrap()(right.cq, 0), 0);
            let fd = (*right.channel).fd;
            assert_eq!(libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK), 0);
            assert_eq!(ibv_get_cq_event(right.channel, &mut cq, &mut value), -1);
            assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EAGAIN));
            assert_eq!(libc::fcntl(fd, libc::F_SETFL, 0), 0);
        }
        right.receive(5, right.sge(0, 64));
        let mut sge = left.sge(0, 5);
        assert_eq!(left.post(&mut request(1, IBV_WR_SEND, &mut sge)).0, 0);
        // SAFETY: as above.
        unsafe {
            assert_eq!(ibv_get_cq_event(right.channel, &mut cq, &mut value), 0);
            assert_eq!(cq, right.cq);
            assert_eq!(right.completion().wr_id, 5);
            ibv_ack_cq_events(cq, 1);
        }
    });
}

#[test]
fn a_queue_pair_that_is_put_in_error_flushes_in_order() {
    with_pair(|[left, _right]| {
        left.receive(1, left.sge(0, 8));
        left.receive(2, left.sge(8, 8));
        let mut attr = ibv_qp_attr { qp_state: IBV_QPS_ERR, ..Default::default() };
        // SAFETY: a queue pair of the library.
        assert_eq!(unsafe { ibv_modify_qp(left.qp, &mut attr, IBV_QP_STATE as i32) }, 0);
        let flushed = [0, 1].map(|_| left.completion());
        assert_eq!(
            flushed.map(|wc| (wc.wr_id, wc.status)),
            [(1, IBV_WC_WR_FLUSH_ERR), (2, IBV_WC_WR_FLUSH_ERR)]
        );
        let mut sge = left.sge(0, 5);
        assert_eq!(left.post(&mut request(3, IBV_WR_SEND, &mut sge)).0, 0);
        assert_eq!(left.completion().status, IBV_WC_WR_FLUSH_ERR);
    });
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What pyverbs and libfabric have found: calls whose answers programs rely on.
use super::pair::*;
use crate::cm::net::stored;
use crate::gen::*;
use std::ffi::{c_int, c_void};
use std::net::SocketAddr;
use std::ptr::null_mut;

// The functions of the libraries, as a program calls them.
extern "C" {
    fn _ibv_query_gid_table(
        context: *mut ibv_context,
        to: *mut ibv_gid_entry,
        most: usize,
        flags: u32,
        octets: usize,
    ) -> isize;
    fn ibv_query_qp(
        qp: *mut ibv_qp,
        attr: *mut ibv_qp_attr,
        mask: c_int,
        init: *mut ibv_qp_init_attr,
    ) -> c_int;
    fn rdma_create_id(
        channel: *mut rdma_event_channel,
        to: *mut *mut rdma_cm_id,
        value: *mut c_void,
        space: rdma_port_space,
    ) -> c_int;
    fn rdma_bind_addr(id: *mut rdma_cm_id, address: *mut sockaddr) -> c_int;
    fn rdma_listen(id: *mut rdma_cm_id, backlog: c_int) -> c_int;
    fn rdma_destroy_id(id: *mut rdma_cm_id) -> c_int;
}

#[test]
fn a_table_of_gids_without_room_for_all_is_refused() {
    with_pair(|[left, _]| {
        let mut table = [ibv_gid_entry::default(); 2];
        let octets = size_of::<ibv_gid_entry>();
        let asked =
            // SAFETY: the table has room for two entries.
            |most| unsafe { _ibv_query_gid_table(left.context, table.as_mut_ptr(), most, 0, octets) };
        assert_eq!([0, 1, 2].map(asked), [-libc::EINVAL as isize, -libc::EINVAL as isize, 2]);
    });
}

#[test]
fn a_queue_pair_is_in_init_from_its_creation() {
    with_pair(|[left, _]| {
        let (mut attr, mut init) = (ibv_qp_attr::default(), attributes(left.cq));
        // SAFETY: objects of the library, and room for the answers.
        unsafe {
            let qp = ibv_create_qp(left.pd, &mut init);
            assert_eq!(ibv_query_qp(qp, &mut attr, IBV_QP_STATE as c_int, &mut init), 0);
            assert_eq!((attr.qp_state, (*qp).state), (IBV_QPS_INIT, IBV_QPS_INIT));
            assert_eq!(ibv_destroy_qp(qp), 0);
        }
    });
}

/// What a synchronous identifier has that was bound to an address and listens.
fn listening(at: &str) -> (*mut ibv_context, *mut ibv_pd) {
    let mut id = null_mut();
    let mut address = stored(at.parse::<SocketAddr>().unwrap());
    // SAFETY: room for the identifier, which is given up in the end, and a whole address.
    unsafe {
        assert_eq!(rdma_create_id(null_mut(), &mut id, null_mut(), RDMA_PS_TCP), 0);
        assert_eq!(rdma_bind_addr(id, (&raw mut address).cast()), 0, "{at}");
        let has = ((*id).verbs, (*id).pd);
        assert_eq!(rdma_listen(id, 1), 0, "{at}");
        assert_eq!(rdma_destroy_id(id), 0);
        has
    }
}

#[test]
fn an_identifier_has_context_and_domain_of_its_device_and_the_loopback_means_all_devices() {
    with_pair(|_| {
        let (context, pd) = listening("10.0.0.1:7171");
        assert!(!context.is_null() && !pd.is_null());
        // SAFETY: the domain stays until the process ends.
        assert_eq!(unsafe { (*pd).context }, context);
        assert_eq!(listening("127.0.0.1:7172"), (null_mut(), null_mut()));
    });
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes and places of the committed types, against a C program that is compiled with the installed
//! headers: the headers judge. `verbs_context` grows at its front with each release, so its fields
//! are measured from its end.
use ferrowarp_dropin::gen::*;
use std::fmt::Write as _;
use std::mem::{offset_of, size_of};
use std::process::Command;

/// For each struct: the lines of C that print its size and the places of its fields, and the same
/// lines with the numbers of Rust.
macro_rules! layouts {
    ($from_end:literal; $($name:ident: $($field:ident)+;)+) => {{
        let (mut code, mut due) = (String::new(), String::new());
        $(
            let size = size_of::<$name>();
            let text = stringify!($name);
            if !$from_end {
                put(&mut code, text, "(size)", &format!("sizeof(struct {text})"));
                writeln!(due, "{text}.(size) {size}").unwrap();
            }
            $(
                let (field, place) = (stringify!($field), offset_of!($name, $field));
                let place = if $from_end { size - place } else { place };
                let from = if $from_end { format!("sizeof(struct {text}) - ") } else { String::new() };
                put(&mut code, text, field, &format!("{from}offsetof(struct {text}, {field})"));
                writeln!(due, "{text}.{field} {place}").unwrap();
            )+
        )+
        (code, due)
    }};
}

fn put(code: &mut String, of: &str, field: &str, value: &str) {
    writeln!(code, "printf(\"{of}.{field} %zu\\n\", (size_t)({value}));").unwrap();
}

#[test]
fn types_are_laid_out_as_the_installed_headers_say() {
    let (code, due) = layouts! { false;
        ibv_device: _ops node_type transport_type name dev_name dev_path ibdev_path;
        ibv_context: device ops cmd_fd async_fd num_comp_vectors mutex abi_compat;
        ibv_context_ops: _compat_query_device _compat_query_port _compat_alloc_pd _compat_dealloc_pd
            _compat_reg_mr _compat_rereg_mr _compat_dereg_mr alloc_mw bind_mw dealloc_mw
            _compat_create_cq poll_cq req_notify_cq _compat_cq_event _compat_resize_cq
            _compat_destroy_cq _compat_create_srq _compat_modify_srq _compat_query_srq
            _compat_destroy_srq post_srq_recv _compat_create_qp _compat_query_qp _compat_modify_qp
            _compat_destroy_qp post_send post_recv _compat_create_ah _compat_destroy_ah
            _compat_attach_mcast _compat_detach_mcast _compat_async_event;
        ibv_pd: context handle;
        ibv_mr: context pd addr length handle lkey rkey;
        ibv_comp_channel: context fd refcnt;
        ibv_cq: context channel cq_context handle cqe mutex cond comp_events_completed
            async_events_completed;
        ibv_cq_ex: context channel cq_context handle cqe mutex cond comp_events_completed
            async_events_completed comp_mask status wr_id start_poll next_poll end_poll read_opcode
            read_vendor_err read_byte_len read_imm_data read_qp_num read_src_qp read_wc_flags read_slid
            read_sl read_dlid_path_bits read_completion_ts read_cvlan read_flow_tag read_tm_info
            read_completion_wallclock_ns;
        ibv_qp: context qp_context pd send_cq recv_cq srq handle qp_num state qp_type mutex cond
            events_completed;
        ibv_qp_ex: qp_base comp_mask wr_id wr_flags wr_atomic_cmp_swp wr_atomic_fetch_add wr_bind_mw
            wr_local_inv wr_rdma_read wr_rdma_write wr_rdma_write_imm wr_send wr_send_imm wr_send_inv
            wr_send_tso wr_set_ud_addr wr_set_xrc_srqn wr_set_inline_data wr_set_inline_data_list
            wr_set_sge wr_set_sge_list wr_start wr_complete wr_abort wr_atomic_write;
        ibv_qp_cap: max_send_wr max_recv_wr max_send_sge max_recv_sge max_inline_data;
        ibv_qp_init_attr: qp_context send_cq recv_cq srq cap qp_type sq_sig_all;
        ibv_qp_init_attr_ex: qp_context send_cq recv_cq srq cap qp_type sq_sig_all comp_mask pd xrcd
            create_flags max_tso_header rwq_ind_tbl rx_hash_conf source_qpn send_ops_flags;
        ibv_qp_attr: qp_state cur_qp_state path_mtu path_mig_state qkey rq_psn sq_psn dest_qp_num
            qp_access_flags cap ah_attr alt_ah_attr pkey_index alt_pkey_index en_sqd_async_notify
            sq_draining max_rd_atomic max_dest_rd_atomic min_rnr_timer port_num timeout retry_cnt
            rnr_retry alt_port_num alt_timeout rate_limit;
        ibv_cq_init_attr_ex: cqe cq_context channel comp_vector wc_flags comp_mask flags parent_domain;
        ibv_device_attr: fw_ver node_guid sys_image_guid max_mr_size page_size_cap vendor_id
            vendor_part_id hw_ver max_qp max_qp_wr device_cap_flags max_sge max_sge_rd max_cq max_cqe
            max_mr max_pd max_qp_rd_atom max_ee_rd_atom max_res_rd_atom max_qp_init_rd_atom
            max_ee_init_rd_atom atomic_cap max_ee max_rdd max_mw max_raw_ipv6_qp max_raw_ethy_qp
            max_mcast_grp max_mcast_qp_attach max_total_mcast_qp_attach max_ah max_fmr max_map_per_fmr
            max_srq max_srq_wr max_srq_sge max_pkeys local_ca_ack_delay phys_port_cnt;
        ibv_device_attr_ex: orig_attr comp_mask odp_caps completion_timestamp_mask hca_core_clock
            device_cap_flags_ex tso_caps rss_caps max_wq_type_rq packet_pacing_caps raw_packet_caps
            tm_caps cq_mod_caps max_dm_size pci_atomic_caps xrc_odp_caps phys_port_cnt_ex;
        ibv_port_attr: state max_mtu active_mtu gid_tbl_len port_cap_flags max_msg_sz bad_pkey_cntr
            qkey_viol_cntr pkey_tbl_len lid sm_lid lmc max_vl_num sm_sl subnet_timeout init_type_reply
            active_width active_speed phys_state link_layer flags port_cap_flags2;
        ibv_gid_entry: gid gid_index port_num gid_type ndev_ifindex;
        ibv_sge: addr length lkey;
        ibv_send_wr: wr_id next sg_list num_sge opcode send_flags wr qp_type;
        ibv_recv_wr: wr_id next sg_list num_sge;
        ibv_wc: wr_id status opcode vendor_err byte_len qp_num src_qp wc_flags pkey_index slid sl
            dlid_path_bits;
        ibv_async_event: element event_type;
        ibv_data_buf: addr length;
        ibv_poll_cq_attr: comp_mask;
        rdma_cm_id: verbs channel context qp route ps port_num event send_cq_channel send_cq
            recv_cq_channel recv_cq srq pd qp_type;
        rdma_cm_event: id listen_id event status param;
        rdma_conn_param: private_data private_data_len responder_resources initiator_depth flow_control
            retry_count rnr_retry_count srq qp_num;
        rdma_addr: addr;
        rdma_route: addr path_rec num_paths;
        rdma_event_channel: fd;
        rdma_addrinfo: ai_flags ai_family ai_qp_type ai_port_space ai_src_len ai_dst_len ai_src_addr
            ai_dst_addr ai_src_canonname ai_dst_canonname ai_route_len ai_route ai_connect_len
            ai_connect ai_next;
    };
    let (more_code, more_due) = layouts! { true;
        verbs_context: query_port advise_mr alloc_null_mr read_counters attach_counters_point_flow
            create_counters destroy_counters reg_dm_mr alloc_dm free_dm modify_flow_action_esp
            destroy_flow_action create_flow_action_esp modify_qp_rate_limit alloc_parent_domain
            dealloc_td alloc_td modify_cq post_srq_ops destroy_rwq_ind_table create_rwq_ind_table
            destroy_wq modify_wq create_wq query_rt_values create_cq_ex query_device_ex
            ibv_destroy_flow ibv_create_flow open_qp create_qp_ex get_srq_num create_srq_ex open_xrcd
            close_xrcd sz context;
    };
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join("layout.c"), folder.join("layout"));
    let includes = "#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n#include <stdio.h>\n#include <stddef.h>\n";
    std::fs::write(&source, format!("{includes}int main(void) {{\n{code}{more_code}return 0;\n}}\n"))
        .unwrap();
    let built = Command::new("cc").arg(&source).arg("-o").arg(&program).output().unwrap();
    let why = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "`cargo xtask setup` installs the headers of rdma-core: {why}");
    let told = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    let due = due + &more_due;
    let wrong: Vec<_> = told.lines().zip(due.lines()).filter(|(told, due)| told != due).collect();
    assert!(wrong.is_empty() && told.lines().count() == due.lines().count(), "header, committed: {wrong:?}");
    assert!(due.lines().count() > 300, "{due}");
}

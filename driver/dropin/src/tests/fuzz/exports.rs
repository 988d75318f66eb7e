// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every function of the library: how it is called, and how it tells a failure.

mod generated {
    include!(concat!(env!("OUT_DIR"), "/exports.rs"));
}

use generated::EXPORTS;

/// A function of eight words; a callee with fewer parameters ignores the others.
pub type Call = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> usize;

/// How a function tells a failure. Then errno is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fails {
    /// By null or 0.
    Null,
    /// By a number below 0.
    Negative,
    /// By a number that is not 0.
    Number,
    /// By a long number below 0.
    Long,
    /// In no way.
    Never,
}

/// A function, and what it takes: a letter a parameter ([`super::values`]).
#[derive(Debug, Clone, Copy)]
pub struct Export {
    /// Its name.
    pub name: &'static str,
    /// Its address.
    pub call: Call,
    /// Its parameters.
    pub takes: &'static str,
    /// Its failure value.
    pub fails: Fails,
}

/// Parameters and failures of functions that are written. An unsupported function takes any.
const TAKES: &[(&str, &str, Fails)] = &[
    ("_ibv_query_gid_ex", "ciioue", Fails::Number),
    ("_ibv_query_gid_table", "cogue", Fails::Negative),
    ("ibv_ack_async_event", "V", Fails::Never),
    ("ibv_ack_cq_events", "Ku", Fails::Never),
    ("ibv_alloc_pd", "c", Fails::Null),
    ("ibv_close_device", "c", Fails::Negative),
    ("ibv_create_comp_channel", "c", Fails::Null),
    ("ibv_create_cq", "cixhi", Fails::Null),
    ("ibv_create_qp", "pQ", Fails::Null),
    ("ibv_dealloc_pd", "p", Fails::Number),
    ("ibv_dereg_mr", "m", Fails::Number),
    ("ibv_destroy_comp_channel", "h", Fails::Number),
    ("ibv_destroy_cq", "k", Fails::Number),
    ("ibv_destroy_qp", "q", Fails::Number),
    ("ibv_event_type_str", "i", Fails::Null),
    ("ibv_fork_init", "", Fails::Number),
    ("ibv_free_device_list", "L", Fails::Never),
    ("ibv_get_async_event", "co", Fails::Negative),
    ("ibv_get_cq_event", "hoo", Fails::Negative),
    ("ibv_get_device_guid", "d", Fails::Null),
    ("ibv_get_device_index", "d", Fails::Never),
    ("ibv_get_device_list", "o", Fails::Null),
    ("ibv_get_device_name", "d", Fails::Null),
    ("ibv_get_pkey_index", "cbj", Fails::Negative),
    ("ibv_get_sysfs_path", "", Fails::Null),
    ("ibv_is_fork_initialized", "", Fails::Never),
    ("ibv_modify_qp", "qAi", Fails::Number),
    ("ibv_node_type_str", "i", Fails::Null),
    ("ibv_open_device", "d", Fails::Null),
    ("ibv_port_state_str", "i", Fails::Null),
    ("ibv_qp_to_qp_ex", "q", Fails::Null),
    ("ibv_query_device", "co", Fails::Number),
    ("ibv_query_gid", "cbio", Fails::Negative),
    ("ibv_query_gid_type", "cbio", Fails::Negative),
    ("ibv_query_pkey", "cbio", Fails::Negative),
    ("ibv_query_port", "cbo", Fails::Number),
    ("ibv_query_qp", "qoio", Fails::Number),
    ("ibv_query_qp_data_in_order", "qiu", Fails::Negative),
    ("ibv_rate_to_mbps", "i", Fails::Never),
    ("ibv_rate_to_mult", "i", Fails::Never),
    ("ibv_read_sysfs_file", "ttog", Fails::Negative),
    ("ibv_reg_mr", "pxni", Fails::Null),
    ("ibv_reg_mr_iova", "pxnxi", Fails::Null),
    ("ibv_reg_mr_iova2", "pxnxi", Fails::Null),
    ("ibv_rereg_mr", "mipxni", Fails::Number),
    ("ibv_resize_cq", "ki", Fails::Number),
    ("ibv_wc_status_str", "i", Fails::Null),
    ("mbps_to_ibv_rate", "i", Fails::Never),
    ("mult_to_ibv_rate", "i", Fails::Never),
    ("raccept", "FoJ", Fails::Negative),
    ("rbind", "FSN", Fails::Negative),
    ("rclose", "F", Fails::Negative),
    ("rconnect", "FSN", Fails::Negative),
    ("rdma_accept", "CP", Fails::Negative),
    ("rdma_ack_cm_event", "v", Fails::Negative),
    ("rdma_bind_addr", "CS", Fails::Negative),
    ("rdma_connect", "CP", Fails::Negative),
    ("rdma_create_ep", "oHpQ", Fails::Negative),
    ("rdma_create_event_channel", "", Fails::Null),
    ("rdma_create_id", "EoaT", Fails::Negative),
    ("rdma_create_qp", "CpQ", Fails::Negative),
    ("rdma_create_qp_ex", "CX", Fails::Negative),
    ("rdma_destroy_ep", "C", Fails::Never),
    ("rdma_destroy_event_channel", "E", Fails::Never),
    ("rdma_destroy_id", "C", Fails::Negative),
    ("rdma_destroy_qp", "C", Fails::Never),
    ("rdma_disconnect", "C", Fails::Negative),
    ("rdma_establish", "C", Fails::Negative),
    ("rdma_event_str", "i", Fails::Null),
    ("rdma_free_devices", "D", Fails::Never),
    ("rdma_freeaddrinfo", "G", Fails::Never),
    ("rdma_get_cm_event", "Eo", Fails::Negative),
    ("rdma_get_devices", "o", Fails::Null),
    ("rdma_get_dst_port", "C", Fails::Never),
    ("rdma_get_request", "Co", Fails::Negative),
    ("rdma_get_src_port", "C", Fails::Never),
    // a failure may be a number of `getaddrinfo`, which sets no errno
    ("rdma_getaddrinfo", "UUHo", Fails::Never),
    ("rdma_init_qp_attr", "CAo", Fails::Negative),
    ("rdma_listen", "Ci", Fails::Negative),
    ("rdma_migrate_id", "CE", Fails::Negative),
    ("rdma_notify", "Ci", Fails::Negative),
    ("rdma_reject", "Cou", Fails::Negative),
    ("rdma_resolve_addr", "CSSi", Fails::Negative),
    ("rdma_resolve_route", "Ci", Fails::Negative),
    ("rdma_set_option", "CWYog", Fails::Negative),
    ("rfcntl", "FIB", Fails::Negative),
    ("rgetsockopt", "FWYoJ", Fails::Negative),
    ("riomap", "FxnbBa", Fails::Long),
    ("riounmap", "Fxn", Fails::Negative),
    ("riowrite", "FoyaB", Fails::Long),
    ("rlisten", "Fi", Fails::Negative),
    ("rpoll", "RyI", Fails::Negative),
    ("rrecv", "FoyB", Fails::Long),
    ("rsend", "FoyB", Fails::Long),
    ("rsetsockopt", "FWYog", Fails::Negative),
    ("rshutdown", "Fb", Fails::Negative),
    ("rsocket", "fsI", Fails::Negative),
];

/// All functions of the table of symbols, but those of the project's own version: these take
/// functions of the C library, and `interfaces.c` alone calls them.
///
/// # Panics
/// If a function that is written has no line in `TAKES`.
pub fn all() -> Vec<Export> {
    let unsupported = |name: &str| crate::tests::fuzz::answer(name) != "written";
    let each = |&(name, function): &(&'static str, unsafe extern "C" fn())| {
        let known = TAKES.iter().find(|line| line.0 == name).map(|line| (line.1, line.2));
        let known = known.or_else(|| unsupported(name).then(|| ("aaaaaa", failure(name))));
        let (takes, fails) =
            known.unwrap_or_else(|| panic!("{name} is written: give it a line in {}", file!()));
        // SAFETY: both are functions of C. The letters have a word for each parameter, and a callee
        // leaves further words alone.
        let call = unsafe { std::mem::transmute::<unsafe extern "C" fn(), Call>(function) };
        Export { name, call, takes, fails }
    };
    EXPORTS.iter().filter(|(name, _)| !name.starts_with("ferrowarp_")).map(each).collect()
}

/// How a function that is not supported fails.
fn failure(name: &str) -> Fails {
    match crate::tests::fuzz::answer(name) {
        "null" => Fails::Null,
        "minus" => Fails::Negative,
        _ => Fails::Number,
    }
}

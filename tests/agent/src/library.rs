// SPDX-License-Identifier: MIT OR Apache-2.0
//! librdmacm and libibverbs of the machine that the agent runs on.
use ferrowarp_dropin::gen::*;
use libc::{c_int, c_void, sockaddr};
use libloading::Library;

/// Declares the functions and loads them.
macro_rules! functions {
    ($(#[$about:meta])* $name:ident of $file:literal { $($function:ident($($of:ty),*) -> $result:ty;)* }) => {
        $(#[$about])*
        pub struct $name {
            $(pub $function: unsafe extern "C" fn($($of),*) -> $result,)*
        }

        impl $name {
            /// Loads the library. The error names what is not there.
            pub fn load() -> Result<Self, String> {
                // SAFETY: initialisers of rdma-core's libraries may run on any thread at any time.
                let library = unsafe { Library::new($file) };
                // functions are called until the process ends
                let library: &'static Library = Box::leak(Box::new(library.map_err(|why| why.to_string())?));
                Ok(Self {
                    $(
                        // SAFETY: the type is that of the function in rdma-core's headers.
                        $function: *unsafe {
                            library.get(concat!(stringify!($function), "\0").as_bytes())
                        }
                        .map_err(|why| why.to_string())?,
                    )*
                })
            }
        }
    };
}

functions! {
    /// librdmacm.
    Cm of "librdmacm.so.1" {
        rdma_get_devices(*mut c_int) -> *mut *mut ibv_context;
        rdma_create_event_channel() -> *mut rdma_event_channel;
        rdma_create_id(*mut rdma_event_channel, *mut *mut rdma_cm_id, *mut c_void, rdma_port_space) -> c_int;
        rdma_destroy_id(*mut rdma_cm_id) -> c_int;
        rdma_bind_addr(*mut rdma_cm_id, *mut sockaddr) -> c_int;
        rdma_listen(*mut rdma_cm_id, c_int) -> c_int;
        rdma_resolve_addr(*mut rdma_cm_id, *mut sockaddr, *mut sockaddr, c_int) -> c_int;
        rdma_resolve_route(*mut rdma_cm_id, c_int) -> c_int;
        rdma_connect(*mut rdma_cm_id, *mut rdma_conn_param) -> c_int;
        rdma_accept(*mut rdma_cm_id, *mut rdma_conn_param) -> c_int;
        rdma_reject(*mut rdma_cm_id, *const c_void, u8) -> c_int;
        rdma_disconnect(*mut rdma_cm_id) -> c_int;
        rdma_get_cm_event(*mut rdma_event_channel, *mut *mut rdma_cm_event) -> c_int;
        rdma_ack_cm_event(*mut rdma_cm_event) -> c_int;
    }
}

functions! {
    /// libibverbs.
    Verbs of "libibverbs.so.1" {
        ibv_alloc_pd(*mut ibv_context) -> *mut ibv_pd;
        ibv_reg_mr(*mut ibv_pd, *mut c_void, usize, c_int) -> *mut ibv_mr;
        ibv_dereg_mr(*mut ibv_mr) -> c_int;
        ibv_create_cq(*mut ibv_context, c_int, *mut c_void, *mut ibv_comp_channel, c_int) -> *mut ibv_cq;
        ibv_destroy_cq(*mut ibv_cq) -> c_int;
        ibv_create_qp(*mut ibv_pd, *mut ibv_qp_init_attr) -> *mut ibv_qp;
        ibv_modify_qp(*mut ibv_qp, *mut ibv_qp_attr, c_int) -> c_int;
        ibv_destroy_qp(*mut ibv_qp) -> c_int;
        ibv_get_async_event(*mut ibv_context, *mut ibv_async_event) -> c_int;
        ibv_ack_async_event(*mut ibv_async_event) -> ();
    }
}

/// What went wrong, by `errno`: the text of a call that returned -1 or nothing.
pub fn failed(call: &str) -> String {
    format!("{call}: {}", std::io::Error::last_os_error())
}

/// What went wrong, if a call of libibverbs that returns a number did not do its work.
pub fn checked(call: &str, number: c_int) -> Result<(), String> {
    match number {
        0 => Ok(()),
        // librdmacm says -1 and sets errno
        number if number < 0 => Err(failed(call)),
        number => Err(format!("{call}: {}", std::io::Error::from_raw_os_error(number))),
    }
}

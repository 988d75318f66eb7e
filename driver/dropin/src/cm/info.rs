// SPDX-License-Identifier: MIT OR Apache-2.0
//! `rdma_getaddrinfo`: names and numbers become addresses by the C library, and the route's own
//! address by the devices.
use super::net::{length, read, route, stored};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_minus, or_nothing};
use crate::live::{keep, take, Object, Shown, Users};
use std::ffi::{c_char, c_int};
use std::net::SocketAddr;
use std::sync::Arc;

/// An answer with its addresses.
#[repr(C)]
#[derive(Debug)]
struct Info {
    shown: Shown<rdma_addrinfo>,
    users: Users,
    /// Ours and the peer's.
    ends: [Shown<sockaddr_storage>; 2],
}

// SAFETY: `repr(C)`, and `shown` is the first field.
unsafe impl Object for Info {
    type C = rdma_addrinfo;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

/// The address of texts, or the number that `getaddrinfo` of the C library gives.
///
/// # Safety
/// The texts are null or end.
unsafe fn look_up(
    node: *const c_char,
    service: *const c_char,
    hints: &rdma_addrinfo,
) -> Result<SocketAddr, c_int> {
    // SAFETY: all zeros are a value of the struct.
    let mut asked: libc::addrinfo = unsafe { std::mem::zeroed() };
    let has = |flag: u32| hints.ai_flags as u32 & flag != 0;
    asked.ai_socktype = libc::SOCK_STREAM;
    asked.ai_family = hints.ai_family;
    if has(RAI_PASSIVE) {
        asked.ai_flags |= libc::AI_PASSIVE;
    }
    if has(RAI_NUMERICHOST) {
        asked.ai_flags |= libc::AI_NUMERICHOST;
    }
    let mut found: *mut libc::addrinfo = std::ptr::null_mut();
    // SAFETY: the caller's texts; the struct and the place for the answer are this frame's.
    let failed = unsafe { libc::getaddrinfo(node, service, &asked, &mut found) };
    if failed != 0 {
        return Err(failed);
    }
    // SAFETY: the answer has an address, and is given back once.
    unsafe {
        let address = read((*found).ai_addr.cast());
        libc::freeaddrinfo(found);
        address.map_err(|_| libc::EAI_FAMILY)
    }
}

/// An address that the program gives.
///
/// # Safety
/// Null, or a whole address.
unsafe fn given(address: *const sockaddr, octets: socklen_t) -> Result<Option<SocketAddr>, Errno> {
    match address.is_null() || octets == 0 {
        true => Ok(None),
        // SAFETY: the caller's promise.
        false => unsafe { read(address) }.map(Some),
    }
}

/// The answer for both ends.
fn answer(hints: &rdma_addrinfo, ends: [Option<SocketAddr>; 2]) -> *mut rdma_addrinfo {
    let place = |end: Option<SocketAddr>| Shown::new(end.map_or_else(sockaddr_storage::default, stored));
    let family = ends.iter().flatten().next().map_or(hints.ai_family, |end| match end {
        SocketAddr::V4(_) => libc::AF_INET,
        SocketAddr::V6(_) => libc::AF_INET6,
    });
    let shown = rdma_addrinfo {
        ai_flags: hints.ai_flags,
        ai_family: family,
        ai_qp_type: IBV_QPT_RC as c_int,
        ai_port_space: RDMA_PS_TCP as c_int,
        ..Default::default()
    };
    let info = Arc::new(Info { shown: Shown::new(shown), users: Users::default(), ends: ends.map(place) });
    let octets = ends.map(|end| end.map_or(0, length) as socklen_t);
    let at = [0, 1].map(|n: usize| match ends[n] {
        Some(_) => info.ends[n].at().cast::<sockaddr>(),
        None => std::ptr::null_mut(),
    });
    // SAFETY: nobody else has the answer yet.
    let shown = unsafe { &mut *info.shown.at() };
    ([shown.ai_src_len, shown.ai_dst_len], [shown.ai_src_addr, shown.ai_dst_addr]) = (octets, at);
    keep(info)
}

/// Addresses of names and numbers: 0, -1, or an error of the C library's `getaddrinfo`.
#[no_mangle]
unsafe extern "C" fn rdma_getaddrinfo(
    node: *const c_char,
    service: *const c_char,
    hints: *const rdma_addrinfo,
    to: *mut *mut rdma_addrinfo,
) -> c_int {
    or_minus(|| {
        // SAFETY: null, or the program's hints.
        let hints = unsafe { hints.as_ref() }.copied().unwrap_or_default();
        let is_other = ![0, RDMA_PS_TCP as c_int].contains(&hints.ai_port_space)
            || ![0, IBV_QPT_RC as c_int].contains(&hints.ai_qp_type);
        if to.is_null() {
            return Err(Errno::INVALID);
        }
        if is_other {
            return Err(Errno::NOT_SUPPORTED);
        }
        // SAFETY: the program's addresses.
        let mut ends = unsafe {
            [given(hints.ai_src_addr, hints.ai_src_len)?, given(hints.ai_dst_addr, hints.ai_dst_len)?]
        };
        let is_passive = hints.ai_flags as u32 & RAI_PASSIVE != 0;
        if !node.is_null() || !service.is_null() {
            // SAFETY: the program's texts.
            match unsafe { look_up(node, service, &hints) } {
                Ok(found) => ends[usize::from(!is_passive)] = Some(found),
                Err(failed) => return Ok(failed),
            }
        }
        let is_routed = hints.ai_flags as u32 & RAI_NOROUTE == 0;
        if let [None, Some(peer)] = ends {
            let own = is_routed.then(|| route(peer.ip())).flatten();
            ends[0] = own.map(|(_, own)| (own, 0).into());
        }
        // SAFETY: the program gives room for a pointer.
        unsafe { to.write(answer(&hints, ends)) };
        Ok(0)
    })
}

/// The end of an answer.
#[no_mangle]
unsafe extern "C" fn rdma_freeaddrinfo(info: *mut rdma_addrinfo) {
    or_nothing(|| take::<Info>(info).map(drop));
}

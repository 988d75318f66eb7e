// SPDX-License-Identifier: MIT OR Apache-2.0
//! `getifaddrs` with the addresses of the devices in front of the host's: libfabric finds RDMA
//! devices by interfaces of the host, and the host has none for a device. A library of its own,
//! made of `interfaces.c`, brings these functions to programs by LD_PRELOAD. No device is opened.
use crate::cm::net::{mask, stored};
use crate::config::{devices, told, Named};
use crate::errno::Errno;
use crate::gen::sockaddr_storage;
use crate::guard::{or_minus, or_nothing};
use crate::live::{keep, take, Object, Shown, Users};
use libc::ifaddrs;
use std::ffi::{c_int, CString};
use std::ptr::null_mut;
use std::sync::Arc;

/// An address of a device.
#[repr(C)]
struct Node {
    shown: Shown<ifaddrs>,
    name: CString,
    address: Shown<sockaddr_storage>,
    mask: Shown<sockaddr_storage>,
}

/// The nodes of one answer. The program has the first one.
#[repr(C)]
struct List {
    first: Node,
    users: Users,
    more: Vec<Node>,
    /// What the host has, behind our nodes.
    host: Shown<*mut ifaddrs>,
}

// SAFETY: `repr(C)`, and the first field begins with `shown`.
unsafe impl Object for List {
    type C = ifaddrs;
    const AT: usize = 0;

    fn users(&self) -> &Users {
        &self.users
    }
}

/// `getifaddrs` and `freeifaddrs` of the C library.
type Get = unsafe extern "C" fn(*mut *mut ifaddrs) -> c_int;
type Free = unsafe extern "C" fn(*mut ifaddrs);

/// The list of the host.
///
/// # Safety
/// `get` is the function of the C library.
unsafe fn hosts(get: Get) -> Result<*mut ifaddrs, Errno> {
    let mut all = null_mut();
    // SAFETY: the place is this frame's.
    match unsafe { get(&mut all) } {
        0 => Ok(all),
        _ => Err(Errno::last()),
    }
}

/// Addresses of devices as nodes without a successor.
fn nodes(named: &[Named]) -> Vec<Node> {
    let flags = (libc::IFF_UP | libc::IFF_RUNNING) as u32;
    let each = |named: &Named| {
        // a name has no 0
        let name = CString::new(named.name.as_bytes()).unwrap_or_default();
        let node = |address: &ferrowarp::Address| Node {
            // SAFETY: all zeros are a value of the struct.
            shown: Shown::new(ifaddrs { ifa_flags: flags, ..unsafe { std::mem::zeroed() } }),
            name: name.clone(),
            address: Shown::new(stored((address.ip, 0).into())),
            mask: Shown::new(stored((mask(address.ip, address.prefix), 0).into())),
        };
        named.net().addresses.iter().map(node).collect::<Vec<_>>()
    };
    named.iter().flat_map(each).collect()
}

/// Nodes of devices in front of the host's list.
fn joined(mut all: Vec<Node>, host: *mut ifaddrs) -> *mut ifaddrs {
    if all.is_empty() {
        return host;
    }
    let first = all.remove(0);
    let list = Arc::new(List { first, users: Users::default(), more: all, host: Shown::new(host) });
    let mut behind = host;
    for node in list.more.iter().rev().chain([&list.first]) {
        // SAFETY: nobody else has the list yet.
        let shown = unsafe { &mut *node.shown.at() };
        (shown.ifa_next, shown.ifa_name) = (behind, node.name.as_ptr().cast_mut());
        (shown.ifa_addr, shown.ifa_netmask) = (node.address.at().cast(), node.mask.at().cast());
        behind = node.shown.at();
    }
    keep(list)
}

/// Addresses of the devices and of the host, in a list that [`ferrowarp_freeifaddrs`] takes.
#[no_mangle]
unsafe extern "C" fn ferrowarp_getifaddrs(host: Option<Get>, to: *mut *mut ifaddrs) -> c_int {
    or_minus(|| {
        let get = host.filter(|_| !to.is_null()).ok_or(Errno::INVALID)?;
        // what is wrong with the text is told where devices are opened
        let named = devices(&told().0).unwrap_or_default();
        // SAFETY: the preloaded library gives the function, and the program room for a pointer.
        unsafe { to.write(joined(nodes(&named), hosts(get)?)) };
        Ok(0)
    })
}

/// The end of a list.
#[no_mangle]
unsafe extern "C" fn ferrowarp_freeifaddrs(host: Option<Free>, all: *mut ifaddrs) {
    or_nothing(|| {
        let all = match take::<List>(all) {
            // SAFETY: the place stays as it was made.
            Ok(list) => unsafe { *list.host.at() },
            // without a device the list is the host's alone
            Err(_) => all,
        };
        // SAFETY: the preloaded library gives the function, which has given the list.
        unsafe { host.ok_or(Errno::INVALID)?(all) };
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cm::net::read;
    use std::ffi::CStr;

    #[test]
    fn addresses_of_devices_stand_before_the_hosts() {
        let named =
            devices("left=vfio-user:/a;ip=10.0.0.1/20;ip=fd00::1/64,vfio-user:/b;ip=10.0.0.2/24").unwrap();
        // SAFETY: the function of the C library.
        let host = unsafe { hosts(libc::getifaddrs) }.unwrap();
        let mut at = joined(nodes(&named), host);
        let head = at;
        for (name, address, mask) in [
            ("left", "10.0.0.1:0", "255.255.240.0:0"),
            ("left", "[fd00::1]:0", "[ffff:ffff:ffff:ffff::]:0"),
            ("ferrowarp1", "10.0.0.2:0", "255.255.255.0:0"),
        ] {
            // SAFETY: the list is there, and its addresses are whole.
            unsafe {
                assert_eq!(CStr::from_ptr((*at).ifa_name).to_str(), Ok(name));
                assert_eq!(read((*at).ifa_addr.cast()).unwrap().to_string(), address);
                assert_eq!(read((*at).ifa_netmask.cast()).unwrap().to_string(), mask);
                at = (*at).ifa_next;
            }
        }
        assert_eq!(at, host);
        // SAFETY: the list is given back once.
        unsafe { ferrowarp_freeifaddrs(Some(libc::freeifaddrs), head) };
        assert_eq!(joined(vec![], null_mut()), null_mut(), "no device");
    }
}

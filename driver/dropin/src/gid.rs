// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of the port: GID 0 has the station address, as other iWARP devices have it. The GIDs
//! behind it are the IP addresses. The table of P_Keys has the default key alone.
use crate::context::Context;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_minus};
use crate::live::find;
use std::ffi::{c_int, c_uint};
use std::mem::size_of;
use std::net::IpAddr;

/// The one port.
const PORT: u32 = 1;
/// The default P_Key.
const PKEY: u16 = 0xFFFF;

fn gids(context: &Context) -> Vec<[u8; 16]> {
    let octets = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => ip.to_ipv6_mapped().octets(),
        IpAddr::V6(ip) => ip.octets(),
    };
    let addresses = context.opened.info.addresses.iter().map(|address| octets(address.ip));
    std::iter::once(context.opened.info.gid()).chain(addresses).collect()
}

fn gid(context: *mut ibv_context, port: u32, index: usize) -> Result<ibv_gid, Errno> {
    let context = find::<Context>(context)?;
    let raw = gids(&context).get(index).copied().filter(|_| port == PORT).ok_or(Errno::INVALID)?;
    Ok(ibv_gid { raw })
}

/// Writes a value to the program's place.
///
/// # Safety
/// `to` has room for the value, or is null.
unsafe fn put<T>(value: T, to: *mut T) -> Result<(), Errno> {
    if to.is_null() {
        return Err(Errno::INVALID);
    }
    // SAFETY: the caller has the room.
    unsafe { to.write(value) };
    Ok(())
}

/// An entry of the table of GIDs.
#[no_mangle]
unsafe extern "C" fn ibv_query_gid(
    context: *mut ibv_context,
    port: u8,
    index: c_int,
    to: *mut ibv_gid,
) -> c_int {
    or_minus(|| {
        let index = usize::try_from(index).map_err(|_| Errno::INVALID)?;
        // SAFETY: the program gives room for a GID.
        unsafe { put(gid(context, port.into(), index)?, to) }.map(|()| 0)
    })
}

/// The type of an entry: neither version of RoCE, which is 0.
#[no_mangle]
unsafe extern "C" fn ferrowarp_ibv_query_gid_type(
    context: *mut ibv_context,
    port: u8,
    index: c_uint,
    to: *mut c_uint,
) -> c_int {
    or_minus(|| {
        gid(context, port.into(), index as usize)?;
        // SAFETY: the program gives room for the type.
        unsafe { put(IBV_GID_TYPE_IB, to) }.map(|()| 0)
    })
}

fn table_entry(port: u32, index: usize, gid: ibv_gid) -> ibv_gid_entry {
    ibv_gid_entry {
        gid,
        gid_index: index as u32,
        port_num: port,
        gid_type: IBV_GID_TYPE_IB,
        ..Default::default()
    }
}

/// An entry with all that is known of it.
#[no_mangle]
unsafe extern "C" fn _ibv_query_gid_ex(
    context: *mut ibv_context,
    port: u32,
    index: u32,
    to: *mut ibv_gid_entry,
    flags: u32,
    octets: usize,
) -> c_int {
    or_errno(|| {
        if flags != 0 || octets < size_of::<ibv_gid_entry>() {
            return Err(Errno::INVALID);
        }
        let gid = gid(context, port, index as usize)?;
        // SAFETY: the program gives room for an entry.
        unsafe { put(table_entry(port, index as usize, gid), to) }
    })
}

/// All entries: how many there are, or the negative number of errno. EINVAL: there is room for
/// fewer.
#[no_mangle]
unsafe extern "C" fn _ibv_query_gid_table(
    context: *mut ibv_context,
    to: *mut ibv_gid_entry,
    most: usize,
    flags: u32,
    octets: usize,
) -> isize {
    let mut entries = 0;
    let failed = or_errno(|| {
        let context = find::<Context>(context)?;
        if flags != 0 || octets < size_of::<ibv_gid_entry>() {
            return Err(Errno::INVALID);
        }
        let all = gids(&context);
        if all.len() > most {
            return Err(Errno::INVALID);
        }
        for (index, raw) in all.into_iter().enumerate() {
            let place = to.wrapping_byte_add(index * octets);
            // SAFETY: the program gives room for `most` entries of `octets` octets.
            unsafe { put(table_entry(PORT, index, ibv_gid { raw }), place) }?;
            entries += 1;
        }
        Ok(())
    });
    if failed == 0 {
        entries
    } else {
        -(failed as isize)
    }
}

/// The one P_Key.
#[no_mangle]
unsafe extern "C" fn ibv_query_pkey(
    context: *mut ibv_context,
    port: u8,
    index: c_int,
    to: *mut u16,
) -> c_int {
    or_minus(|| {
        find::<Context>(context)?;
        if u32::from(port) != PORT || index != 0 {
            return Err(Errno::INVALID);
        }
        // SAFETY: the program gives room for a key.
        unsafe { put(PKEY.to_be(), to) }.map(|()| 0)
    })
}

/// Where a P_Key stands in the table.
#[no_mangle]
unsafe extern "C" fn ibv_get_pkey_index(context: *mut ibv_context, port: u8, key: u16) -> c_int {
    or_minus(|| {
        find::<Context>(context)?;
        match u32::from(port) == PORT && u16::from_be(key) == PKEY {
            true => Ok(0),
            false => Err(Errno::INVALID),
        }
    })
}

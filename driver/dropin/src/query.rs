// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device and its port are and have.
use crate::context::Context;
use crate::devices::put_text;
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::or_errno;
use crate::live::find;
use ferrowarp::{DeviceInfo, LinkState};
use std::ffi::c_int;
use std::mem::{offset_of, size_of};

/// Protection domains of a device.
const DOMAINS: c_int = 4096;
/// The one port.
const PORT: u8 = 1;
/// Octets of the port's attributes in programs that call the symbol.
const COMPAT_PORT: usize = offset_of!(ibv_port_attr, port_cap_flags2);
/// `active_width` and `active_speed` of 10 Gbit/s, as the kernel names Ethernet speeds: 1X, FDR10.
const ONE_LANE: u8 = 1;
const FDR10: u8 = 8;
/// `phys_state`: the link is up, or down.
const LINK_UP: u8 = 5;
const DISABLED: u8 = 3;

/// A number as C counts; what does not fit is its largest one.
fn count(number: impl TryInto<c_int>) -> c_int {
    number.try_into().unwrap_or(c_int::MAX)
}

fn device(context: &Context) -> ibv_device_attr {
    let DeviceInfo { limits, hardware, .. } = &context.opened.info;
    let guid = u64::from_ne_bytes(context.entry.guid());
    let mut attr = ibv_device_attr {
        node_guid: guid,
        sys_image_guid: guid,
        max_mr_size: u64::MAX,
        // whole pages of 4 KiB and more
        page_size_cap: !0xFFF,
        max_qp: count(limits.queue_pairs),
        max_qp_wr: count(limits.queue_pair.sends.min(limits.queue_pair.receives)),
        max_sge: count(limits.queue_pair.send_segments.min(limits.queue_pair.receive_segments)),
        max_sge_rd: 1,
        max_cq: count(limits.completion_queues),
        max_cqe: count(limits.completions),
        max_mr: count(limits.regions),
        max_pd: DOMAINS,
        max_qp_rd_atom: count(limits.ird),
        max_res_rd_atom: count(u32::from(limits.ird) * u32::from(limits.queue_pairs)),
        max_qp_init_rd_atom: count(limits.ord),
        atomic_cap: IBV_ATOMIC_NONE,
        phys_port_cnt: PORT,
        ..Default::default()
    };
    put_text(env!("CARGO_PKG_VERSION"), &mut attr.fw_ver);
    if let Some(hardware) = hardware {
        let (major, minor) = hardware.version;
        attr.vendor_id = hardware.vendor.into();
        attr.vendor_part_id = hardware.device.into();
        attr.hw_ver = u32::from(major) << 16 | u32::from(minor);
    }
    attr
}

/// The enumeration's largest MTU that an IP packet of so many octets has room for.
fn mtu(octets: u16) -> ibv_mtu {
    match octets {
        4096.. => IBV_MTU_4096,
        2048.. => IBV_MTU_2048,
        1024.. => IBV_MTU_1024,
        512.. => IBV_MTU_512,
        _ => IBV_MTU_256,
    }
}

fn port(context: &Context, number: u8) -> Result<ibv_port_attr, Errno> {
    if number != PORT {
        return Err(Errno::INVALID);
    }
    let DeviceInfo { mtu: octets, addresses, .. } = &context.opened.info;
    let is_up = context.opened.device.link()? == LinkState::Up;
    Ok(ibv_port_attr {
        state: if is_up { IBV_PORT_ACTIVE } else { IBV_PORT_DOWN },
        phys_state: if is_up { LINK_UP } else { DISABLED },
        max_mtu: mtu(*octets),
        active_mtu: mtu(*octets),
        gid_tbl_len: count(1 + addresses.len()),
        port_cap_flags: IBV_PORT_CM_SUP,
        max_msg_sz: u32::MAX,
        pkey_tbl_len: 1,
        active_width: ONE_LANE,
        active_speed: FDR10,
        link_layer: IBV_LINK_LAYER_ETHERNET as u8,
        ..Default::default()
    })
}

/// Copies as much of `from` as the program has room for, and puts zeros behind.
///
/// # Safety
/// `to` has room for `octets` octets, or is null.
unsafe fn copy<T>(from: &T, to: *mut T, octets: usize) -> Result<(), Errno> {
    if to.is_null() {
        return Err(Errno::INVALID);
    }
    let most = octets.min(size_of::<T>());
    // SAFETY: `most` octets of `from` are there, and the caller has room for `octets`.
    unsafe {
        to.cast::<u8>().copy_from_nonoverlapping(std::ptr::from_ref(from).cast(), most);
        to.cast::<u8>().add(most).write_bytes(0, octets - most);
    }
    Ok(())
}

/// Attributes of a device.
#[no_mangle]
unsafe extern "C" fn ibv_query_device(context: *mut ibv_context, attr: *mut ibv_device_attr) -> c_int {
    or_errno(|| {
        let context = find::<Context>(context)?;
        // SAFETY: the program gives room for the struct.
        unsafe { copy(&device(&context), attr, size_of::<ibv_device_attr>()) }
    })
}

/// The same, extended: called through the context.
pub unsafe extern "C" fn query_device_ex(
    context: *mut ibv_context,
    input: *const ibv_query_device_ex_input,
    attr: *mut ibv_device_attr_ex,
    octets: usize,
) -> c_int {
    or_errno(|| {
        let context = find::<Context>(context)?;
        // SAFETY: the program gives null or a struct.
        let asks_more = unsafe { input.as_ref() }.is_some_and(|input| input.comp_mask != 0);
        if asks_more || octets < size_of::<ibv_device_attr>() {
            return Err(Errno::INVALID);
        }
        let orig_attr = device(&context);
        let all = ibv_device_attr_ex { orig_attr, phys_port_cnt_ex: PORT.into(), ..Default::default() };
        // SAFETY: the program gives room for `octets` octets.
        unsafe { copy(&all, attr, octets) }
    })
}

/// Attributes of the port, for programs that call the symbol.
#[no_mangle]
unsafe extern "C" fn ibv_query_port(
    context: *mut ibv_context,
    number: u8,
    attr: *mut ibv_port_attr,
) -> c_int {
    // SAFETY: the program gives room for the attributes without the newest one.
    unsafe { query_port(context, number, attr, COMPAT_PORT) }
}

/// The same: called through the context.
pub unsafe extern "C" fn query_port(
    context: *mut ibv_context,
    number: u8,
    attr: *mut ibv_port_attr,
    octets: usize,
) -> c_int {
    or_errno(|| {
        let port = port(&*find::<Context>(context)?, number)?;
        // SAFETY: the program gives room for `octets` octets.
        unsafe { copy(&port, attr, octets) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ethernet_mtu_is_the_largest_one_that_fits() {
        assert_eq!([9000, 1500, 576, 68].map(mtu), [IBV_MTU_4096, IBV_MTU_1024, IBV_MTU_512, IBV_MTU_256]);
    }

    #[test]
    fn a_shorter_struct_is_filled_and_a_longer_one_ends_in_zeros() {
        let mut room = [7_u64; 3];
        // SAFETY: the room has 24 octets.
        unsafe { copy(&[1_u64, 2], room.as_mut_ptr().cast(), 8) }.unwrap();
        assert_eq!(room, [1, 7, 7]);
        // SAFETY: as above.
        unsafe { copy(&[1_u64, 2], room.as_mut_ptr().cast(), 24) }.unwrap();
        assert_eq!(room, [1, 2, 0]);
        // SAFETY: null is refused.
        assert_eq!(unsafe { copy(&1_u8, std::ptr::null_mut(), 1) }, Err(Errno::INVALID));
    }
}

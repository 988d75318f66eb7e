// SPDX-License-Identifier: MIT OR Apache-2.0
//! The list of devices, and what is known of a device that is not open.
use crate::devices::{all, entry, Entry};
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_minus, or_null, or_zero};
use std::ffi::{c_char, c_int, c_void, CStr};
use std::io::Read;

/// What `/sys` says of a device of the kernel, as far as it is true of ours.
const FILES: [(&[u8], &str); 3] =
    [(b"board_id", "ferrowarp"), (b"fw_ver", env!("CARGO_PKG_VERSION")), (b"node_type", "4: RNIC")];

/// All devices, in an array that ends with null. `ibv_free_device_list` takes the array back; the
/// devices stay.
#[no_mangle]
unsafe extern "C" fn ibv_get_device_list(count: *mut c_int) -> *mut *mut ibv_device {
    or_null(|| {
        let all = all();
        let bytes = (all.len() + 1) * size_of::<*mut ibv_device>();
        // SAFETY: a request for memory; null is looked for.
        let list = unsafe { libc::malloc(bytes) }.cast::<*mut ibv_device>();
        if list.is_null() {
            return Err(Errno::NO_ROOM);
        }
        let pointers = all.iter().map(Entry::pointer).chain([std::ptr::null_mut()]);
        for (nth, device) in pointers.enumerate() {
            // SAFETY: the memory has room for all devices and the end.
            unsafe { list.add(nth).write(device) };
        }
        if !count.is_null() {
            // SAFETY: the program gives room for a number.
            unsafe { count.write(all.len() as c_int) };
        }
        Ok(list)
    })
}

/// The end of a list.
#[no_mangle]
unsafe extern "C" fn ibv_free_device_list(list: *mut *mut ibv_device) {
    // SAFETY: null, or what `ibv_get_device_list` gave.
    unsafe { libc::free(list.cast()) }
}

/// Name of a device.
#[no_mangle]
unsafe extern "C" fn ibv_get_device_name(device: *mut ibv_device) -> *const c_char {
    or_null(|| {
        let device = entry(device)?.pointer();
        // SAFETY: devices stay, and their names end.
        Ok(unsafe { &raw mut (*device).name }.cast::<c_char>())
    })
}

/// GUID of a device, in the order of the network.
#[no_mangle]
unsafe extern "C" fn ibv_get_device_guid(device: *mut ibv_device) -> u64 {
    or_zero(|| Ok(u64::from_ne_bytes(entry(device)?.guid())))
}

/// The kernel has no number of such a device.
#[no_mangle]
unsafe extern "C" fn ibv_get_device_index(device: *mut ibv_device) -> c_int {
    or_minus(|| entry(device).map(|_| -1))
}

/// Where `/sys` is.
#[no_mangle]
extern "C" fn ibv_get_sysfs_path() -> *const c_char {
    c"/sys".as_ptr()
}

/// The first octets of a file of `/sys`, without the end of its line: how many, or -1.
#[no_mangle]
unsafe extern "C" fn ibv_read_sysfs_file(
    folder: *const c_char,
    file: *const c_char,
    to: *mut c_char,
    most: usize,
) -> c_int {
    or_minus(|| {
        if folder.is_null() || file.is_null() || to.is_null() || most == 0 {
            return Err(Errno::INVALID);
        }
        // SAFETY: texts of the program, which end.
        let (folder, file) = unsafe { (CStr::from_ptr(folder), CStr::from_ptr(file)) };
        let mut text = match said(folder, file.to_bytes()) {
            Some(said) => said.as_bytes().to_vec(),
            None => read(folder, file, most)?,
        };
        text.truncate(most - 1);
        if text.last() == Some(&b'\n') {
            text.pop();
        }
        // SAFETY: the program has room for `most` octets, of which the text and its end are as many
        // at most.
        unsafe {
            to.cast::<c_void>().copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
            to.add(text.len()).write(0);
        }
        Ok(text.len() as c_int)
    })
}

/// What is said of one of our devices.
fn said(folder: &CStr, file: &[u8]) -> Option<&'static str> {
    // SAFETY: devices stay, and their paths end.
    let path = |entry: &Entry| unsafe { CStr::from_ptr((&raw mut (*entry.pointer()).ibdev_path).cast()) };
    let is_ours = all().iter().any(|entry| path(entry) == folder);
    FILES.iter().find(|(name, _)| is_ours && *name == file).map(|(_, said)| *said)
}

fn read(folder: &CStr, file: &CStr, most: usize) -> Result<Vec<u8>, Errno> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let path = [folder, file].map(|text| OsStr::from_bytes(text.to_bytes()));
    let number = |why: std::io::Error| Errno(why.raw_os_error().unwrap_or(libc::EIO));
    let file = std::fs::File::open(std::path::Path::new(path[0]).join(path[1])).map_err(number)?;
    let mut text = vec![];
    file.take(most as u64).read_to_end(&mut text).map_err(number)?;
    Ok(text)
}

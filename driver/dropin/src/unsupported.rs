// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions that are not supported: each answers with EOPNOTSUPP, in the way of its kind. The
//! caller's arguments stay unread.
use crate::errno::{set, Errno};
use std::ffi::{c_int, c_void};

/// A function without parameters: the C ABI lets a caller give any.
macro_rules! unsupported {
    ($name:ident, null) => {
        unsupported!($name, *mut c_void, std::ptr::null_mut());
    };
    ($name:ident, minus) => {
        unsupported!($name, isize, -1);
    };
    ($name:ident, errno) => {
        unsupported!($name, c_int, Errno::NOT_SUPPORTED.0);
    };
    ($name:ident, $answer:ty, $value:expr) => {
        /// Is not supported.
        #[no_mangle]
        pub extern "C" fn $name() -> $answer {
            set(Errno::NOT_SUPPORTED);
            $value
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/symbols.rs"));

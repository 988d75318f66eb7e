// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors as C has them: the numbers of errno, and what an error of the driver is among them.
use ferrowarp::backend::BackendError;
use ferrowarp::{CallError, ConnError, Error};
use std::ffi::c_int;

/// A number of errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub c_int);

impl Errno {
    /// The function is not offered.
    pub const NOT_SUPPORTED: Self = Self(libc::EOPNOTSUPP);
    /// An argument cannot be.
    pub const INVALID: Self = Self(libc::EINVAL);
    /// The object is in use.
    pub const BUSY: Self = Self(libc::EBUSY);
    /// Nothing is there now.
    pub const AGAIN: Self = Self(libc::EAGAIN);
    /// The device, or this library, has failed.
    pub const FAILED: Self = Self(libc::EIO);
    /// No room.
    pub const NO_ROOM: Self = Self(libc::ENOMEM);

    /// What the last call of the C library left.
    pub fn last() -> Self {
        Self(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
    }
}

/// Sets errno of this thread.
pub fn set(errno: Errno) {
    // SAFETY: the C library gives a place that is this thread's own and always valid.
    unsafe { *libc::__errno_location() = errno.0 }
}

impl From<&Error> for Errno {
    fn from(why: &Error) -> Self {
        Self(match why {
            Error::Url(_) | Error::Config(_) => libc::ENODEV,
            Error::Backend(why) => return why.into(),
            Error::Exhausted { .. } | Error::Full { .. } | Error::NoSlot { .. } => libc::ENOMEM,
            Error::Memory(_) => libc::EFAULT,
            Error::Descriptor(_) | Error::Thread { .. } => libc::EMFILE,
            Error::Call(why) => return why.into(),
            Error::Connection(why) => return why.into(),
            Error::Rejected { .. } => libc::ECONNREFUSED,
            Error::Closed => libc::ECONNRESET,
            Error::TimedOut { .. } => libc::ETIMEDOUT,
            Error::NotConnected(_) | Error::Finished(_) | Error::PeerFinished(_) => libc::ENOTCONN,
            Error::Used(_) | Error::Handles { .. } => libc::EISCONN,
            Error::Kept { .. } => libc::EBUSY,
            Error::Depth { .. }
            | Error::Segments { .. }
            | Error::Segment { .. }
            | Error::Long(_)
            | Error::Inline { .. }
            | Error::Domain(_)
            | Error::NoChannel(_)
            | Error::ReadDepth { .. }
            | Error::NoReads(_) => libc::EINVAL,
            _ => libc::EIO,
        })
    }
}

impl From<Error> for Errno {
    fn from(why: Error) -> Self {
        let errno = (&why).into();
        tracing::debug!(%why, ?errno, "the driver refuses");
        errno
    }
}

impl From<&BackendError> for Errno {
    fn from(why: &BackendError) -> Self {
        Self(match why {
            BackendError::Busy(_) => libc::EBUSY,
            BackendError::Open(_) => libc::ENODEV,
            BackendError::Map { .. } => libc::ENOMEM,
            BackendError::NoRegisters => libc::EOPNOTSUPP,
            BackendError::Forked => libc::EPERM,
            BackendError::Refused { errno, .. } => *errno,
            _ => libc::EIO,
        })
    }
}

impl From<&ConnError> for Errno {
    fn from(why: &ConnError) -> Self {
        Self(match why {
            ConnError::Refused(_) => libc::ECONNREFUSED,
            ConnError::Unreachable(_) => libc::EHOSTUNREACH,
            ConnError::TimedOut(_) | ConnError::Lost => libc::ETIMEDOUT,
            ConnError::Aborted => libc::ECONNABORTED,
            ConnError::Hardware(_) => libc::EIO,
            ConnError::FewReads { .. } | ConnError::Mismatch(_) | ConnError::Frame(_) => libc::EPROTO,
            _ => libc::ECONNRESET,
        })
    }
}

impl From<&CallError> for Errno {
    fn from(why: &CallError) -> Self {
        Self(match why {
            CallError::Unknown(_) => libc::ENOTCONN,
            CallError::QpBusy(_) => libc::EISCONN,
            CallError::PortBusy(_) | CallError::EndBusy { .. } | CallError::NoPort(_) => libc::EADDRINUSE,
            CallError::NoListenPort { .. } => libc::EADDRINUSE,
            CallError::NotOurs { .. } => libc::EADDRNOTAVAIL,
            CallError::Family { .. } => libc::EAFNOSUPPORT,
            _ => libc::EINVAL,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_is_enomem_a_wrong_request_einval_and_a_lost_device_eio() {
        let number = |why: Error| Errno::from(why).0;
        assert_eq!(number(Error::Full { queue: "send", most: 1 }), libc::ENOMEM);
        assert_eq!(number(Error::Inline { octets: 97, most: 96 }), libc::EINVAL);
        assert_eq!(number(BackendError::Stopped("x".into()).into()), libc::EIO);
        assert_eq!(number(BackendError::Busy("x".into()).into()), libc::EBUSY);
        assert_eq!(number(ConnError::Refused(([10, 0, 0, 1], 7).into()).into()), libc::ECONNREFUSED);
        assert_eq!(number(CallError::PortBusy(7).into()), libc::EADDRINUSE);
    }
}

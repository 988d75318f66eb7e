// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an error of the driver is among the events of librdmacm.
use crate::errno::Errno;
use crate::gen::*;
use ferrowarp::{ConnError, Error};
use std::ffi::c_int;

/// Kind, status and private data of the event that tells why there is no connection.
pub fn failed(why: Error, is_active: bool) -> (rdma_cm_event_type, c_int, Vec<u8>) {
    let errno = Errno::from(&why).0;
    tracing::debug!(%why, "no connection");
    let kind = match &why {
        Error::Rejected { private_data, .. } => {
            return (RDMA_CM_EVENT_REJECTED, -libc::ECONNREFUSED, private_data.clone());
        }
        _ if !is_active => RDMA_CM_EVENT_CONNECT_ERROR,
        Error::Connection(ConnError::Unreachable(_) | ConnError::TimedOut(_) | ConnError::Lost) => {
            RDMA_CM_EVENT_UNREACHABLE
        }
        _ if [libc::ECONNREFUSED, libc::ECONNRESET].contains(&errno) => RDMA_CM_EVENT_REJECTED,
        _ => RDMA_CM_EVENT_CONNECT_ERROR,
    };
    (kind, -errno, vec![])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reject_has_its_data_and_a_port_that_nobody_listens_on_is_a_reject_too() {
        let rejected = (RDMA_CM_EVENT_REJECTED, -libc::ECONNREFUSED, vec![7]);
        let why = Error::Rejected { private_data: vec![7], ird: None, ord: None };
        assert_eq!(failed(why, true), rejected);
        let refused = || Error::Connection(ConnError::Refused(([10, 0, 0, 1], 7).into()));
        assert_eq!(failed(refused(), true).0, RDMA_CM_EVENT_REJECTED);
        assert_eq!(failed(refused(), false).0, RDMA_CM_EVENT_CONNECT_ERROR);
        let lost = failed(Error::Connection(ConnError::Lost), true);
        assert_eq!((lost.0, lost.1), (RDMA_CM_EVENT_UNREACHABLE, -libc::ETIMEDOUT));
    }
}

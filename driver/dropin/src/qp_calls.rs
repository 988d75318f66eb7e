// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions of queue pairs that are not of the data path. The states INIT, RTR and RTS are taken
//! as a program says them: the connection brings the device's queue pair there.
use crate::errno::Errno;
use crate::gen::*;
use crate::guard::{or_errno, or_minus, or_null};
use crate::live::{find, keep, take};
use crate::mailbox::Member;
use crate::qp::{create, granted, Qp};
use crate::qp_ex;
use std::ffi::{c_int, c_uint};

/// A queue pair.
#[no_mangle]
unsafe extern "C" fn ibv_create_qp(pd: *mut ibv_pd, attr: *mut ibv_qp_init_attr) -> *mut ibv_qp {
    or_null(|| {
        // SAFETY: null, or attributes of the program.
        let attr = unsafe { attr.as_mut() }.ok_or(Errno::INVALID)?;
        create(pd, attr, qp_ex::functions(0))
    })
}

/// The end of a queue pair. Its requests that were not completed make no completions any more.
pub fn destroy(qp: *mut ibv_qp) -> Result<(), Errno> {
    let object = take::<Qp>(qp)?;
    if let Ok(number) = object.number() {
        object.pd.context.mailbox.leave(Member::Qp(number));
    }
    let settled = object.acks.settle();
    if settled.is_err() {
        // the program may still use what it was given
        keep(object);
    }
    settled
}

/// The end of a queue pair.
#[no_mangle]
unsafe extern "C" fn ibv_destroy_qp(qp: *mut ibv_qp) -> c_int {
    or_errno(|| destroy(qp))
}

/// Whether a program may say that a queue pair goes from one state to another.
fn may_go(from: ibv_qp_state, to: ibv_qp_state) -> bool {
    match (from, to) {
        (_, IBV_QPS_RESET | IBV_QPS_ERR) => true,
        (IBV_QPS_RESET | IBV_QPS_INIT, IBV_QPS_INIT) => true,
        (IBV_QPS_INIT, IBV_QPS_RTR) => true,
        // a connection may have been faster than the program
        (IBV_QPS_RTS, IBV_QPS_INIT | IBV_QPS_RTR) => true,
        (IBV_QPS_RTR | IBV_QPS_RTS | IBV_QPS_SQD, IBV_QPS_RTS) => true,
        _ => false,
    }
}

/// A change of state. What else the attributes say is up to the connection.
#[no_mangle]
unsafe extern "C" fn ibv_modify_qp(qp: *mut ibv_qp, attr: *mut ibv_qp_attr, mask: c_int) -> c_int {
    or_errno(|| {
        let object = find::<Qp>(qp)?;
        // SAFETY: null, or attributes of the program.
        let attr = unsafe { attr.as_ref() }.ok_or(Errno::INVALID)?;
        let mask = mask as c_uint;
        if mask & (IBV_QP_CAP | IBV_QP_ALT_PATH | IBV_QP_RATE_LIMIT) != 0 {
            return Err(Errno::NOT_SUPPORTED);
        }
        if mask & IBV_QP_STATE == 0 {
            return Ok(());
        }
        let (from, to) = (object.state(), attr.qp_state);
        match to {
            _ if !may_go(from, to) => return Err(Errno::INVALID),
            IBV_QPS_ERR => object.pair()?.to_error()?,
            IBV_QPS_RESET if from != IBV_QPS_RESET => object.reset()?,
            _ => {}
        }
        // a connection that is there already stays
        if !(from == IBV_QPS_RTS && [IBV_QPS_INIT, IBV_QPS_RTR].contains(&to)) {
            object.enter(to);
        }
        Ok(())
    })
}

/// The state that programs are shown: a queue pair of an iWARP device is in INIT from its creation.
fn shown(state: ibv_qp_state) -> ibv_qp_state {
    match state {
        IBV_QPS_RESET => IBV_QPS_INIT,
        other => other,
    }
}

/// State and sizes.
#[no_mangle]
unsafe extern "C" fn ibv_query_qp(
    qp: *mut ibv_qp,
    attr: *mut ibv_qp_attr,
    _mask: c_int,
    init: *mut ibv_qp_init_attr,
) -> c_int {
    or_errno(|| {
        let object = find::<Qp>(qp)?;
        if attr.is_null() || init.is_null() {
            return Err(Errno::INVALID);
        }
        let (cap, state) = (granted(&object.pair()?.limits()), shown(object.state()));
        let limits = &object.pd.context.opened.info.limits;
        let port_num = 1;
        // SAFETY: the queue pair is there, and its other fields stay as they were made.
        let fields = unsafe {
            (*qp).state = state;
            &*qp
        };
        let told = ibv_qp_attr {
            qp_state: state,
            cur_qp_state: state,
            path_mtu: IBV_MTU_1024,
            qp_access_flags: IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
            cap,
            max_rd_atomic: limits.ord.min(0xFF) as u8,
            max_dest_rd_atomic: limits.ird.min(0xFF) as u8,
            port_num,
            ..Default::default()
        };
        let made = ibv_qp_init_attr {
            qp_context: fields.qp_context,
            send_cq: fields.send_cq,
            recv_cq: fields.recv_cq,
            srq: fields.srq,
            cap,
            qp_type: fields.qp_type,
            sq_sig_all: object.signals_all.into(),
        };
        // SAFETY: the program gives room for both.
        unsafe {
            attr.write(told);
            init.write(made);
        }
        Ok(())
    })
}

/// Whether the octets of a message arrive in order: nobody promises that.
#[no_mangle]
unsafe extern "C" fn ibv_query_qp_data_in_order(
    qp: *mut ibv_qp,
    _opcode: ibv_wr_opcode,
    _flags: u32,
) -> c_int {
    or_minus(|| find::<Qp>(qp).map(|_| 0))
}

/// The queue pair with the functions of `ibv_wr_start`.
#[no_mangle]
unsafe extern "C" fn ibv_qp_to_qp_ex(qp: *mut ibv_qp) -> *mut ibv_qp_ex {
    or_null(|| {
        find::<Qp>(qp)?;
        let extended = qp.cast::<ibv_qp_ex>();
        // SAFETY: each queue pair has room for the functions.
        match unsafe { (*extended).wr_start } {
            Some(_) => Ok(extended),
            None => Err(Errno::INVALID),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_pair_goes_to_rts_by_init_and_rtr_and_to_err_from_anywhere() {
        let way = [IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS];
        assert!(way.windows(2).all(|pair| may_go(pair[0], pair[1])));
        assert!(way.iter().all(|&from| may_go(from, IBV_QPS_ERR) && may_go(from, IBV_QPS_RESET)));
        let wrong = [(IBV_QPS_RESET, IBV_QPS_RTS), (IBV_QPS_ERR, IBV_QPS_RTS), (IBV_QPS_INIT, IBV_QPS_SQE)];
        assert!(wrong.iter().all(|&(from, to)| !may_go(from, to)));
    }
}

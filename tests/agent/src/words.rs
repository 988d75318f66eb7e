// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of rdma-core in the words of scripts.
use ferrowarp_dropin::gen::*;

/// Status of a completion.
pub fn status(status: ibv_wc_status) -> String {
    let word = match status {
        IBV_WC_SUCCESS => "Success",
        IBV_WC_LOC_LEN_ERR => "LocalLength",
        IBV_WC_LOC_QP_OP_ERR => "LocalOperation",
        IBV_WC_LOC_PROT_ERR => "LocalProtection",
        IBV_WC_WR_FLUSH_ERR => "Flushed",
        IBV_WC_LOC_ACCESS_ERR => "LocalAccess",
        IBV_WC_REM_ACCESS_ERR => "RemoteAccess",
        IBV_WC_REM_OP_ERR => "RemoteOperation",
        IBV_WC_RETRY_EXC_ERR => "RetriesExceeded",
        IBV_WC_FATAL_ERR => "Fatal",
        IBV_WC_GENERAL_ERR => "General",
        other => return format!("status {other}"),
    };
    word.into()
}

/// Kind of a completion.
pub fn operation(opcode: ibv_wc_opcode) -> String {
    let word = match opcode {
        IBV_WC_SEND => "Send",
        IBV_WC_RDMA_WRITE => "Write",
        IBV_WC_RDMA_READ => "Read",
        IBV_WC_RECV => "Receive",
        other => return format!("opcode {other}"),
    };
    word.into()
}

/// Name of an event of the connection manager.
pub fn event(event: rdma_cm_event_type) -> String {
    let word = match event {
        RDMA_CM_EVENT_ADDR_ERROR => "ADDR_ERROR",
        RDMA_CM_EVENT_ROUTE_ERROR => "ROUTE_ERROR",
        RDMA_CM_EVENT_CONNECT_ERROR => "CONNECT_ERROR",
        RDMA_CM_EVENT_UNREACHABLE => "UNREACHABLE",
        RDMA_CM_EVENT_REJECTED => "REJECTED",
        RDMA_CM_EVENT_DISCONNECTED => "DISCONNECTED",
        RDMA_CM_EVENT_DEVICE_REMOVAL => "DEVICE_REMOVAL",
        other => return format!("event {other}"),
    };
    format!("RDMA_CM_EVENT_{word}")
}

/// Name of an asynchronous event of a queue pair that ends it; none of the others.
pub fn fault(event: ibv_event_type) -> Option<&'static str> {
    match event {
        IBV_EVENT_QP_FATAL => Some("IBV_EVENT_QP_FATAL"),
        IBV_EVENT_QP_REQ_ERR => Some("IBV_EVENT_QP_REQ_ERR"),
        IBV_EVENT_QP_ACCESS_ERR => Some("IBV_EVENT_QP_ACCESS_ERR"),
        _ => None,
    }
}

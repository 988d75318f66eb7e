// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeded bugs: each shows that a part bites.
use super::hardware::Bug;

/// All of them.
pub const BUGS: [Bug; 9] = [
    Bug {
        name: "gap",
        part: "F1",
        about: "octets behind a gap are taken for the next ones",
        module: "net_rx_decide_judge",
        from: "if (|d[(64'h0)+:(32)] && ~left) begin",
        to: "if (1'b0) begin",
    },
    Bug {
        name: "revoke",
        part: "F2",
        about: "a region that is revoked stays valid",
        module: "mr_change",
        from: "valid_d = takes_write || takes_revoke || kills;",
        to: "valid_d = takes_write || kills;",
    },
    Bug {
        name: "acks",
        part: "F3-floods",
        about: "an ACK of octets that were not sent is taken",
        module: "net_rx_decide_judge",
        from: "|| (~is_old && (d[(64'h20)+:(32)] > d[(64'h40)+:(32)]));",
        to: ";",
    },
    Bug {
        name: "domain",
        part: "F3-grammar",
        about: "a region serves queue pairs of any protection domain",
        module: "mr_check",
        from: "same_stream = (a_row_q[(64'hc0)+:(16)] == a_ask_q[(64'h88)+:(16)]) &&",
        to: "same_stream = 1'b1 &&",
    },
    Bug {
        name: "doorbell",
        part: "F4",
        about: "a doorbell beyond the queue pairs rings one of those that are there",
        module: "doorbells",
        from: "is_qp = ~|beyond_qp;",
        to: "is_qp = 1'b1;",
    },
    Bug {
        name: "partial",
        part: "F4-bar",
        about: "a write of a part of a register writes the whole register",
        module: "req_judge",
        from: "else if (~&first_be || (two && ~&last_be)) begin",
        to: "else if (~|first_be || (two && ~|last_be)) begin",
    },
    Bug {
        name: "count",
        part: "F5-reads",
        about: "the byte count of a completion is not compared",
        module: "rd_check",
        from: "&& (cpl[(64'h17)+:(12)] == ((was[(64'h9)+:(10)]) & 12'hfff)) &&",
        to: "&&",
    },
    Bug {
        name: "drain",
        part: "F5-resets",
        about: "a reset ends while reads are under way",
        module: "flr",
        from: "quiet = shut_q && ~|reads_q &&",
        to: "quiet = shut_q &&",
    },
    Bug {
        name: "stopped",
        part: "F7",
        about: "a connection that is set up in the cycle of another one's bad FPDU stays stopped",
        module: "mpa_rx_check",
        from: "now_stopped = (now_stopped & ~(1 << (t_conn))",
        to: "now_stopped = (stopped_q & ~(1 << (t_conn))",
    },
];

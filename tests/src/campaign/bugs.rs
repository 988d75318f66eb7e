// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeded bugs: each shows that a part bites.
use super::hardware::Bug;

/// All of them.
pub const BUGS: [Bug; 3] = [
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
        name: "stopped",
        part: "F7",
        about: "a connection that is set up in the cycle of another one's bad FPDU stays stopped",
        module: "mpa_rx_check",
        from: "now_stopped = (now_stopped & ~(1 << (t_conn))",
        to: "now_stopped = (stopped_q & ~(1 << (t_conn))",
    },
];

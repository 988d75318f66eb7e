// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which row a command keeps or reads. No state.
use crate::gen::consts::{admin_opcode, admin_row};
use crate::gen::AdminCommand;
use crate::prelude::*;

/// Tells the kinds of rows apart.
#[block(comb)]
pub struct AdminWhich {
    /// Head of the command.
    pub head: Signal<In, AdminCommand>,
    /// Kind of a row that is kept, as [`super::AdminRows`] numbers them.
    pub kind: Signal<Out, Bits<2>>,
    /// A row is kept.
    pub keeps: Signal<Out, Bit>,
    /// A row is read.
    pub reads: Signal<Out, Bit>,
    /// With `reads`: `fault` or `mr` has the row.
    pub outside: Signal<Out, Bit>,
    /// With `outside`: `mr` has the row.
    pub is_mr: Signal<Out, Bit>,
    /// The consumer index of the raw transmit ring is read, which is no row.
    pub is_index: Signal<Out, Bit>,
}

#[kernel]
impl Logic for AdminWhich {
    fn update(&mut self) {
        let op: Bits<8> = self.head.val().opcode;
        let row: Bits<8> = self.head.val().row;
        let is_conn: Bit =
            (op == admin_opcode::conn_insert().val()) || (op == admin_opcode::conn_update().val());
        let is_qp: Bit = op == admin_opcode::qp_write().val();
        let is_cq: Bit = op == admin_opcode::cq_write().val();
        let is_read: Bit = op == admin_opcode::read_row().val();
        self.is_mr.next = row == admin_row::mr().val();
        self.kind.next = 0.into();
        if is_qp || (row == admin_row::qp().val()) {
            self.kind.next = 1.into();
        }
        if is_cq || (row == admin_row::cq().val()) {
            self.kind.next = 2.into();
        }
        if is_read && (row == admin_row::path().val()) {
            self.kind.next = 3.into();
        }
        if is_conn {
            self.kind.next = 0.into();
        }
        self.keeps.next = is_conn || is_qp || is_cq;
        self.is_index.next = is_read && (row == admin_row::raw_tx().val());
        self.reads.next = is_read && (row != admin_row::raw_tx().val());
        self.outside.next = self.is_mr.val() || (row == admin_row::captured().val());
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which row a command keeps or reads. No state.
use crate::cell::Const;
use crate::gen::consts::{admin_opcode, admin_row};
use crate::gen::AdminCommand;
use rust_hdl::prelude::*;

/// Tells the kinds of rows apart.
#[derive(LogicBlock, Default)]
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
    insert: Const<Bits<8>>,
    update: Const<Bits<8>>,
    qp_write: Const<Bits<8>>,
    cq_write: Const<Bits<8>>,
    read_row: Const<Bits<8>>,
    row_qp: Const<Bits<8>>,
    row_cq: Const<Bits<8>>,
    row_mr: Const<Bits<8>>,
    row_captured: Const<Bits<8>>,
    row_raw_tx: Const<Bits<8>>,
    row_path: Const<Bits<8>>,
    op: Signal<Local, Bits<8>>,
    row: Signal<Local, Bits<8>>,
    is_conn: Signal<Local, Bit>,
    is_qp: Signal<Local, Bit>,
    is_cq: Signal<Local, Bit>,
    is_read: Signal<Local, Bit>,
}

impl AdminWhich {
    /// The teller.
    pub fn new() -> Self {
        Self {
            insert: admin_opcode::conn_insert(),
            update: admin_opcode::conn_update(),
            qp_write: admin_opcode::qp_write(),
            cq_write: admin_opcode::cq_write(),
            read_row: admin_opcode::read_row(),
            row_qp: admin_row::qp(),
            row_cq: admin_row::cq(),
            row_mr: admin_row::mr(),
            row_captured: admin_row::captured(),
            row_raw_tx: admin_row::raw_tx(),
            row_path: admin_row::path(),
            ..Default::default()
        }
    }
}

impl Logic for AdminWhich {
    #[hdl_gen]
    fn update(&mut self) {
        self.op.next = self.head.val().opcode;
        self.row.next = self.head.val().row;
        self.is_conn.next = (self.op.val() == self.insert.val()) || (self.op.val() == self.update.val());
        self.is_qp.next = self.op.val() == self.qp_write.val();
        self.is_cq.next = self.op.val() == self.cq_write.val();
        self.is_read.next = self.op.val() == self.read_row.val();
        self.is_mr.next = self.row.val() == self.row_mr.val();
        self.kind.next = 0.into();
        if self.is_qp.val() || (self.row.val() == self.row_qp.val()) {
            self.kind.next = 1.into();
        }
        if self.is_cq.val() || (self.row.val() == self.row_cq.val()) {
            self.kind.next = 2.into();
        }
        if self.is_read.val() && (self.row.val() == self.row_path.val()) {
            self.kind.next = 3.into();
        }
        if self.is_conn.val() {
            self.kind.next = 0.into();
        }
        self.keeps.next = self.is_conn.val() || self.is_qp.val() || self.is_cq.val();
        self.is_index.next = self.is_read.val() && (self.row.val() == self.row_raw_tx.val());
        self.reads.next = self.is_read.val() && (self.row.val() != self.row_raw_tx.val());
        self.outside.next = self.is_mr.val() || (self.row.val() == self.row_captured.val());
    }
}

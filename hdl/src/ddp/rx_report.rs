// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fault that tells of a bad FPDU. No state.
use super::rx_row::RxJob;
use crate::cell::Const;
use crate::gen::consts::{term_error, wc_status};
use crate::record::{mr_error, Fault};
use rust_hdl::prelude::*;

/// Gives error and status of an FPDU that is not placed.
///
/// If a region of our own receive refuses, the fault is a local one. If the peer chose the region,
/// DDP's codes tell, which have none for access rights. For the source of a Read Request, RDMAP's
/// codes tell.
#[derive(LogicBlock, Default)]
pub struct RxReport {
    /// The FPDU.
    pub job: Signal<In, RxJob>,
    /// A region refused, and why: one of `mr_error`.
    pub refused: Signal<In, Bit>,
    /// Why; with `refused`.
    pub why: Signal<In, Bits<3>>,
    /// The peer may not invalidate the STag.
    pub denied: Signal<In, Bit>,
    /// The fault.
    pub fault: Signal<Out, Fault>,
    m_stream: Const<Bits<3>>,
    m_access: Const<Bits<3>>,
    m_wrap: Const<Bits<3>>,
    m_bounds: Const<Bits<3>>,
    e_stag: Const<Bits<16>>,
    e_stream: Const<Bits<16>>,
    e_wrap: Const<Bits<16>>,
    e_bounds: Const<Bits<16>>,
    e_local: Const<Bits<16>>,
    r_stag: Const<Bits<16>>,
    r_stream: Const<Bits<16>>,
    r_access: Const<Bits<16>>,
    r_wrap: Const<Bits<16>>,
    r_bounds: Const<Bits<16>>,
    e_invalidate: Const<Bits<16>>,
    access: Const<Bits<8>>,
    protection: Const<Bits<8>>,
    item: Signal<Local, RxJob>,
}

impl RxReport {
    /// The table of codes.
    pub fn new() -> Self {
        Self {
            m_stream: Const::of(mr_error::STREAM),
            m_access: Const::of(mr_error::ACCESS),
            m_wrap: Const::of(mr_error::WRAP),
            m_bounds: Const::of(mr_error::BOUNDS),
            e_stag: term_error::ddp_invalid_stag(),
            e_stream: term_error::ddp_stag_not_on_stream(),
            e_wrap: term_error::ddp_to_wrap(),
            e_bounds: term_error::ddp_base_bounds(),
            e_local: term_error::ddp_local_catastrophic(),
            r_stag: term_error::rdmap_invalid_stag(),
            r_stream: term_error::rdmap_stag_not_on_stream(),
            r_access: term_error::rdmap_access_rights(),
            r_wrap: term_error::rdmap_to_wrap(),
            r_bounds: term_error::rdmap_base_bounds(),
            e_invalidate: term_error::rdmap_protection_cannot_invalidate(),
            access: wc_status::loc_access_err(),
            protection: wc_status::loc_prot_err(),
            ..Default::default()
        }
    }
}

impl Logic for RxReport {
    #[hdl_gen]
    fn update(&mut self) {
        self.item.next = self.job.val();
        self.fault.next.qp = self.item.val().qp;
        self.fault.next.error = self.item.val().error;
        self.fault.next.status = self.item.val().status;
        self.fault.next.is_local = false;
        self.fault.next.index = self.item.val().index;
        self.fault.next.has_wr = self.item.val().has_wr;
        if self.denied.val() {
            self.fault.next.status = self.access.val();
            self.fault.next.error = self.e_invalidate.val();
        }
        if self.refused.val() {
            self.fault.next.error = self.e_local.val();
            self.fault.next.status = self.protection.val();
            if self.item.val().is_tagged {
                self.fault.next.status = self.access.val();
                self.fault.next.error = self.e_stag.val();
                if self.why.val() == self.m_stream.val() {
                    self.fault.next.error = self.e_stream.val();
                }
                if self.why.val() == self.m_wrap.val() {
                    self.fault.next.error = self.e_wrap.val();
                }
                if self.why.val() == self.m_bounds.val() {
                    self.fault.next.error = self.e_bounds.val();
                }
            }
            if self.item.val().is_request {
                self.fault.next.status = self.access.val();
                self.fault.next.error = self.r_stag.val();
                if self.why.val() == self.m_stream.val() {
                    self.fault.next.error = self.r_stream.val();
                }
                if self.why.val() == self.m_access.val() {
                    self.fault.next.error = self.r_access.val();
                }
                if self.why.val() == self.m_wrap.val() {
                    self.fault.next.error = self.r_wrap.val();
                }
                if self.why.val() == self.m_bounds.val() {
                    self.fault.next.error = self.r_bounds.val();
                }
            }
        }
    }
}

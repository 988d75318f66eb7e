// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fault that tells of a bad FPDU. No state.
use super::rx_row::RxJob;
use crate::gen::consts::{term_error, wc_status};
use crate::prelude::*;
use crate::record::{mr_error, Fault};

/// Gives error and status of an FPDU that is not placed.
///
/// If a region of our own receive refuses, the fault is a local one. If the peer chose the region,
/// DDP's codes tell, which have none for access rights. For the source of a Read Request, RDMAP's
/// codes tell.
#[block(comb)]
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
    item: Signal<Local, RxJob>,
}

#[kernel]
impl Logic for RxReport {
    fn update(&mut self) {
        self.item.next = self.job.val();
        self.fault.next.qp = self.item.val().qp;
        self.fault.next.error = self.item.val().error;
        self.fault.next.status = self.item.val().status;
        self.fault.next.is_local = false;
        self.fault.next.index = self.item.val().index;
        self.fault.next.has_wr = self.item.val().has_wr;
        if self.denied.val() {
            self.fault.next.status = wc_status::loc_access_err().val();
            self.fault.next.error = term_error::rdmap_protection_cannot_invalidate().val();
        }
        if self.refused.val() {
            self.fault.next.error = term_error::ddp_local_catastrophic().val();
            self.fault.next.status = wc_status::loc_prot_err().val();
            if self.item.val().is_tagged {
                self.fault.next.status = wc_status::loc_access_err().val();
                self.fault.next.error = term_error::ddp_invalid_stag().val();
                if self.why.val() == lit::<3>(mr_error::STREAM) {
                    self.fault.next.error = term_error::ddp_stag_not_on_stream().val();
                }
                if self.why.val() == lit::<3>(mr_error::WRAP) {
                    self.fault.next.error = term_error::ddp_to_wrap().val();
                }
                if self.why.val() == lit::<3>(mr_error::BOUNDS) {
                    self.fault.next.error = term_error::ddp_base_bounds().val();
                }
            }
            if self.item.val().is_request {
                self.fault.next.status = wc_status::loc_access_err().val();
                self.fault.next.error = term_error::rdmap_invalid_stag().val();
                if self.why.val() == lit::<3>(mr_error::STREAM) {
                    self.fault.next.error = term_error::rdmap_stag_not_on_stream().val();
                }
                if self.why.val() == lit::<3>(mr_error::ACCESS) {
                    self.fault.next.error = term_error::rdmap_access_rights().val();
                }
                if self.why.val() == lit::<3>(mr_error::WRAP) {
                    self.fault.next.error = term_error::rdmap_to_wrap().val();
                }
                if self.why.val() == lit::<3>(mr_error::BOUNDS) {
                    self.fault.next.error = term_error::rdmap_base_bounds().val();
                }
            }
        }
    }
}

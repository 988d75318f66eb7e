// SPDX-License-Identifier: MIT OR Apache-2.0
//! The token of a region that is revoked, or of a queue pair that ends: what came before it is out
//! of the device (D5).
use crate::prelude::*;
use crate::stream::Tally;

/// Where the token is.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Token {
    /// There is none.
    Idle,
    /// Behind the FPDUs that wait.
    Queue,
    /// Behind those whose regions may have been checked before.
    Judge,
    /// Behind their octets, and what they tell.
    Place,
    /// Behind the posted writes of those.
    Leave,
    /// Out.
    Out,
}

/// Follows the FPDUs that were in the stage when it came, without holding those behind it.
///
/// FPDUs that wait come first. Then it begins between two FPDUs of `resolve`, so that no check is
/// out of which no job tells. Then it waits three times for what is ahead of it: jobs until they
/// are judged; parts, completions and Read Requests until they were handed over; posted writes
/// until they are on the bus. Checks that are taken after the region was revoked see that, and rows
/// are read after they were written, so nothing that comes later has to be waited for. Faults and
/// events are of the first FPDUs of a stream or of its last one: a cycle without any is enough.
#[block]
pub struct RxToken {
    /// A region was revoked, or a queue pair ends: offered until `ready`.
    pub valid: Signal<In, Bit>,
    /// In this cycle: nothing that came before is on its way.
    pub ready: Signal<Out, Bit>,
    /// An FPDU is offered to the stage.
    pub fpdu_in_valid: Signal<In, Bit>,
    /// The FPDU is taken; with `fpdu_in_valid`.
    pub fpdu_in_ready: Signal<In, Bit>,
    /// The oldest FPDU is offered to `resolve`.
    pub fpdu_out_valid: Signal<In, Bit>,
    /// `resolve` takes the FPDU; with `fpdu_out_valid`.
    pub fpdu_out_ready: Signal<In, Bit>,
    /// `resolve` has no FPDU.
    pub between: Signal<In, Bit>,
    /// `resolve` offers a job to the judge.
    pub job_in_valid: Signal<In, Bit>,
    /// The job is taken; with `job_in_valid`.
    pub job_in_ready: Signal<In, Bit>,
    /// Pulse: the judge is done with one.
    pub job_out: Signal<In, Bit>,
    /// The judge offers octets of an FPDU.
    pub part_in_valid: Signal<In, Bit>,
    /// The octets are taken; with `part_in_valid`.
    pub part_in_ready: Signal<In, Bit>,
    /// The octets are not placed; with `part_in_valid`.
    pub part_in_drop: Signal<In, Bit>,
    /// Pulse: the last of them was taken by the posted FIFO.
    pub part_out: Signal<In, Bit>,
    /// Pulse: the judge lets a message be delivered.
    pub delivery_in: Signal<In, Bit>,
    /// Pulse: the oldest of them was.
    pub delivery_out: Signal<In, Bit>,
    /// Pulse: it lets a Read Request be answered.
    pub request_in: Signal<In, Bit>,
    /// The oldest of them is offered to the send queue.
    pub request_out_valid: Signal<In, Bit>,
    /// The send queue takes the Read Request; with `request_out_valid`.
    pub request_out_ready: Signal<In, Bit>,
    /// No event waits.
    pub quiet: Signal<In, Bit>,
    /// A fault waits.
    pub fault: Signal<In, Bit>,
    /// Posted writes begun so far, whole or not.
    pub accepted: Signal<In, Bits<16>>,
    /// Posted writes of which command and frame are on the bus.
    pub left: Signal<In, Bits<16>>,
    state: Reg<Token>,
    fpdus: Tally<4>,
    jobs: Tally<4>,
    parts: Tally<4>,
    deliveries: Tally<3>,
    requests: Tally<3>,
    mark: Flop<Bits<16>>,
}

#[kernel]
impl Logic for RxToken {
    fn update(&mut self) {
        regs!(state);
        flops!(mark);
        parts!(fpdus, jobs, parts, deliveries, requests);
        self.fpdus.enters.next = self.fpdu_in_valid.val() && self.fpdu_in_ready.val();
        self.fpdus.leaves.next = self.fpdu_out_valid.val() && self.fpdu_out_ready.val();
        self.fpdus.start.next = self.state.q.val() == Token::Idle;
        self.jobs.enters.next = self.job_in_valid.val() && self.job_in_ready.val();
        self.jobs.leaves.next = self.job_out.val();
        self.jobs.start.next = (self.state.q.val() == Token::Queue) && self.between.val();
        let judged: Bit = (self.state.q.val() == Token::Judge) && self.jobs.done.val();
        self.parts.enters.next =
            self.part_in_valid.val() && self.part_in_ready.val() && !self.part_in_drop.val();
        self.parts.leaves.next = self.part_out.val();
        self.parts.start.next = judged;
        self.deliveries.enters.next = self.delivery_in.val();
        self.deliveries.leaves.next = self.delivery_out.val();
        self.deliveries.start.next = judged;
        self.requests.enters.next = self.request_in.val();
        self.requests.leaves.next = self.request_out_valid.val() && self.request_out_ready.val();
        self.requests.start.next = judged;
        let told: Bit =
            self.deliveries.done.val() && self.requests.done.val() && self.quiet.val() && !self.fault.val();
        let ahead: Bits<16> = self.left.val() - self.mark.q.val();
        self.ready.next = self.state.q.val() == Token::Out;
        match self.state.q.val() {
            Token::Idle => {
                if self.valid.val() {
                    self.state.d.next = Token::Queue;
                }
            }
            Token::Queue => {
                if self.fpdus.done.val() && self.between.val() {
                    self.state.d.next = Token::Judge;
                }
            }
            Token::Judge => {
                if judged {
                    self.state.d.next = Token::Place;
                }
            }
            Token::Place => {
                self.mark.d.next = self.accepted.val();
                if self.parts.done.val() && told {
                    self.state.d.next = Token::Leave;
                }
            }
            Token::Leave => {
                if !ahead.get_bit(15) {
                    self.state.d.next = Token::Out;
                }
            }
            Token::Out => {
                self.state.d.next = Token::Idle;
            }
            _ => {}
        }
    }
}

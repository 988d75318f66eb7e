//! Holds completions until the octets before them were handed over.
use crate::cell::Reg;
use crate::queue::CqeItem;
use crate::stream::Queue;
use rust_hdl::prelude::*;

/// One place where delivery waits for placement: completions in order, each after its pulse.
#[derive(LogicBlock, Default)]
pub struct RxDeliver {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset.
    pub reset: Signal<In, Bit>,
    /// Completion.
    pub d: Signal<In, CqeItem>,
    /// Offered.
    pub d_valid: Signal<In, Bit>,
    /// There is room.
    pub d_ready: Signal<Out, Bit>,
    /// The octets before one more completion were handed over.
    pub delivered: Signal<In, Bit>,
    /// Completion that may be seen.
    pub q: Signal<Out, CqeItem>,
    /// Offered.
    pub q_valid: Signal<Out, Bit>,
    /// Taken.
    pub q_ready: Signal<In, Bit>,

    queue: Queue<CqeItem, 3>,
    /// Completions that may leave; never more than the queue and its register before hold.
    allowed: Reg<Bits<4>>,
    some: Signal<Local, Bit>,
    gone: Signal<Local, Bit>,
}

impl Logic for RxDeliver {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, queue);
        dff_setup!(self, clock, allowed);
        self.queue.reset.next = self.reset.val();
        self.allowed.reset.next = self.reset.val();
        self.queue.d.next = self.d.val();
        self.queue.d_valid.next = self.d_valid.val();
        self.d_ready.next = self.queue.d_ready.val();
        self.q.next = self.queue.q.val();
        self.some.next = self.queue.q_valid.val() && self.allowed.q.val().any();
        self.q_valid.next = self.some.val();
        self.gone.next = self.some.val() && self.q_ready.val();
        self.queue.q_ready.next = self.gone.val();
        if self.delivered.val() && !self.gone.val() {
            self.allowed.d.next = self.allowed.q.val() + 1;
        }
        if self.gone.val() && !self.delivered.val() {
            self.allowed.d.next = self.allowed.q.val() - 1;
        }
    }
}

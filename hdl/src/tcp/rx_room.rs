// SPDX-License-Identifier: MIT OR Apache-2.0
//! Room for what is decided on a segment.
use rust_hdl::prelude::*;

/// Says whether every queue behind the decision takes one item more. Combinational.
#[derive(LogicBlock, Default)]
pub struct RxRoom {
    /// The queue of facts takes one.
    pub facts: Signal<In, Bit>,
    /// The queue of control events takes one.
    pub ctls: Signal<In, Bit>,
    /// The queue of announcements takes one.
    pub announces: Signal<In, Bit>,
    /// The queue of jobs takes one.
    pub jobs: Signal<In, Bit>,
    /// All of them take one: a segment may be decided on.
    pub room: Signal<Out, Bit>,
    /// Jobs and announcements take one: octets in order do not wait here.
    pub for_octets: Signal<Out, Bit>,
}

impl Logic for RxRoom {
    #[hdl_gen]
    fn update(&mut self) {
        self.room.next = self.facts.val() && self.ctls.val() && self.announces.val() && self.jobs.val();
        self.for_octets.next = self.jobs.val() && self.announces.val();
    }
}

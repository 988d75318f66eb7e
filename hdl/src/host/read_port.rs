// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DMA read port of the device.
use super::ports::{ReadSink, ReadSource};
use super::read_core::ReadCore;
use crate::prelude::*;
use crate::stream::{StreamSink, StreamSource};

/// Merges the reads of four clients onto one bus port with 32 tags.
///
/// **Contract.** Clients take turns; a client's own tag may be any value, also one that it uses
/// already. Answers to one request come in order, in one or more frames; those of different
/// requests in any order, whatever their clients. `err` beside `final` on the last beat: the read
/// failed, and what came of it means nothing. A client has reserved room for all it asked for and
/// keeps `ready` high: one that does not holds every answer behind (D10).
///
/// **Timing.** Two cycles to the bus and two back; a request and a beat a cycle.
#[block]
pub struct ReadPort {
    /// Requests of client 0.
    pub c0_req: ReadSink<8>,
    /// Its answers.
    pub c0_ans: StreamSource<64, 4>,
    /// Its tag, through each frame.
    pub c0_ans_tag: Signal<Out, Bits<8>>,
    /// The last frame of the request.
    pub c0_ans_final: Signal<Out, Bit>,
    /// Requests of client 1.
    pub c1_req: ReadSink<8>,
    /// Its answers.
    pub c1_ans: StreamSource<64, 4>,
    /// Its tag, through each frame.
    pub c1_ans_tag: Signal<Out, Bits<8>>,
    /// The last frame of the request.
    pub c1_ans_final: Signal<Out, Bit>,
    /// Requests of client 2.
    pub c2_req: ReadSink<8>,
    /// Its answers.
    pub c2_ans: StreamSource<64, 4>,
    /// Its tag, through each frame.
    pub c2_ans_tag: Signal<Out, Bits<8>>,
    /// The last frame of the request.
    pub c2_ans_final: Signal<Out, Bit>,
    /// Requests of client 3.
    pub c3_req: ReadSink<8>,
    /// Its answers.
    pub c3_ans: StreamSource<64, 4>,
    /// Its tag, through each frame.
    pub c3_ans_tag: Signal<Out, Bits<8>>,
    /// The last frame of the request.
    pub c3_ans_final: Signal<Out, Bit>,
    /// Requests on the bus.
    pub rd_req: ReadSource<5>,
    /// Answers of the bus.
    pub rd_ans: StreamSink<64, 4>,
    /// Tag of the frame on `rd_ans`.
    pub rd_ans_tag: Signal<In, Bits<5>>,
    /// It is the last of its request.
    pub rd_ans_final: Signal<In, Bit>,
    core: ReadCore,
}

#[kernel]
impl Logic for ReadPort {
    fn update(&mut self) {
        parts!(core);
        ReadSink::<8>::link(&mut self.c0_req, &mut self.core.req[0]);
        ReadSink::<8>::link(&mut self.c1_req, &mut self.core.req[1]);
        ReadSink::<8>::link(&mut self.c2_req, &mut self.core.req[2]);
        ReadSink::<8>::link(&mut self.c3_req, &mut self.core.req[3]);
        StreamSource::<64, 4>::link(&mut self.c0_ans, &mut self.core.ans[0]);
        StreamSource::<64, 4>::link(&mut self.c1_ans, &mut self.core.ans[1]);
        StreamSource::<64, 4>::link(&mut self.c2_ans, &mut self.core.ans[2]);
        StreamSource::<64, 4>::link(&mut self.c3_ans, &mut self.core.ans[3]);
        self.c0_ans_tag.next = self.core.ans_tag[0].val();
        self.c1_ans_tag.next = self.core.ans_tag[1].val();
        self.c2_ans_tag.next = self.core.ans_tag[2].val();
        self.c3_ans_tag.next = self.core.ans_tag[3].val();
        self.c0_ans_final.next = self.core.ans_final[0].val();
        self.c1_ans_final.next = self.core.ans_final[1].val();
        self.c2_ans_final.next = self.core.ans_final[2].val();
        self.c3_ans_final.next = self.core.ans_final[3].val();
        ReadSource::<5>::link(&mut self.rd_req, &mut self.core.rd_req);
        StreamSink::<64, 4>::link(&mut self.rd_ans, &mut self.core.rd_ans);
        self.core.rd_ans_tag.next = self.rd_ans_tag.val();
        self.core.rd_ans_final.next = self.rd_ans_final.val();
    }
}

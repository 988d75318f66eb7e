// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records between the parts that serve the BARs.
use rust_hdl::prelude::*;

/// A request as it came.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Request {
    /// Its first eight dwords, dword 0 in bits 31:0.
    pub words: Bits<256>,
    /// Dwords that came, 2047 for more.
    pub dwords: Bits<11>,
    /// BARs that it hit: 0, 2, 4.
    pub bar: Bits<3>,
}

/// What went wrong at the bus edge, as the error log keeps it.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Fault {
    /// One of `edge_error`.
    pub kind: Bits<8>,
    /// BARs that the request hit.
    pub bar: Bits<3>,
    /// Its byte enables: first, then last.
    pub be: Bits<8>,
    /// Its length in dwords.
    pub dwords: Bits<10>,
    /// Dword 0 of its header.
    pub head: Bits<32>,
    /// Low half of its address.
    pub addr: Bits<32>,
}

/// A write of one register.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Put {
    /// It lies in BAR4, not in BAR0.
    pub bar4: Bit,
    /// Octets from the start of the BAR, a multiple of 4.
    pub addr: Bits<12>,
    /// What is written, as the host's processor has it.
    pub data: Bits<32>,
}

/// A read of one register.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Ask {
    /// It lies in BAR4, not in BAR0.
    pub bar4: Bit,
    /// Octets from the start of the BAR, a multiple of 4.
    pub addr: Bits<12>,
}

/// A request that wants a completion.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Owed {
    /// Dword 0 of its header.
    pub head: Bits<32>,
    /// Requester and tag.
    pub from: Bits<24>,
    /// Completion Status.
    pub status: Bits<3>,
    /// Byte Count: what the request is for.
    pub octets: Bits<12>,
    /// Octets from the start of the BAR.
    pub addr: Bits<12>,
    /// Lowest octet of the first dword that is wanted.
    pub lead: Bits<2>,
    /// BARs that it hit.
    pub bar: Bits<3>,
    /// Byte enables: first, then last.
    pub be: Bits<8>,
    /// It is a memory read: Lower Address counts.
    pub reads: Bit,
    /// Two dwords.
    pub two: Bit,
}

/// A doorbell on its way.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Bell {
    /// One of `doorbell_kind`.
    pub kind: Bits<8>,
    /// Arming for a solicited completion only.
    pub solicited_only: Bit,
    /// Its page: the queue's number, or the one behind all queues.
    pub number: Bits<16>,
    /// Producer or consumer index.
    pub value: Bits<32>,
}

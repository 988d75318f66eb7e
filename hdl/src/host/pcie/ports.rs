// SPDX-License-Identifier: MIT OR Apache-2.0
//! Channels and records of the PCI Express edge.
//!
//! A TLP is a frame of a [`crate::stream::StreamSource`], whose octets are the TLP's dwords: dword
//! 0 in bits 31:0 of the first beat, dword 1 in 63:32. The stage's README has the rules.
use rust_hdl::prelude::*;

/// What the configuration space says, as the block in front of the edge shows it. Inputs of the
/// edge; they may change at any time and count from the next TLP on.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct PcieConfig {
    /// Bus, device and function number: requester and completer id (bits 15:8, 7:3, 2:0).
    pub id: Bits<16>,
    /// Max_Payload_Size of Device Control: 128 octets shifted left by it, 0 to 5.
    pub mps: Bits<3>,
    /// Max_Read_Request_Size of Device Control: 128 octets shifted left by it, 0 to 5.
    pub mrrs: Bits<3>,
    /// Bus Master Enable of the Command register: without it no request leaves, only completions.
    pub master: Bit,
    /// MSI-X Enable of the MSI-X capability's Message Control.
    pub msix: Bit,
    /// Function Mask beside it.
    pub masked: Bit,
    /// Completion Timeout Disable of Device Control 2: no read is given up.
    pub endless: Bit,
}

/// Pulses of the read side for counters and error log: one cycle a completion, or a read that
/// expired.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct ReadFaults {
    /// A completion that answers no read of ours: dropped.
    pub unexpected: Bit,
    /// A completion of a read that was given up before: dropped.
    pub late: Bit,
    /// Status Unsupported Request, or one that means the same.
    pub refused: Bit,
    /// Status Completer Abort.
    pub aborted: Bit,
    /// Poisoned data.
    pub poisoned: Bit,
    /// Byte count, lower address, length or kind are not those of the read.
    pub malformed: Bit,
    /// A read found no whole answer in time.
    pub expired: Bit,
}

/// A piece of a DMA request that one TLP can be.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Part {
    /// Bus address of its first octet.
    pub addr: Bits<64>,
    /// Octets, 1 to 4096.
    pub length: Bits<13>,
    /// The request's tag.
    pub tag: Bits<8>,
    /// First piece of its request.
    pub first: Bit,
    /// Last piece of its request.
    pub last: Bit,
}

/// Header of a memory request.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Head {
    /// Its dwords as numbers, dword 0 in bits 31:0; the fourth is 0 if there are three.
    pub words: Bits<128>,
    /// It has four dwords: the address needs more than 32 bits.
    pub four: Bit,
    /// Dwords of payload that follow.
    pub payload: Bits<11>,
    /// Last TLP of its DMA request.
    pub ends: Bit,
}

/// A read request under its tag of PCI Express.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Issue {
    /// Tag of PCI Express: also the slot in the store.
    pub tag: Bits<5>,
    /// Low bits of the address: place in the slot.
    pub addr: Bits<9>,
    /// Octets, 1 to 512.
    pub length: Bits<10>,
    /// Tag of the device's read that it is a part of.
    pub whose: Bits<5>,
    /// First part of that read.
    pub first: Bit,
    /// Last part of that read.
    pub last: Bit,
}

/// Header of a completion, as it came.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Cpl {
    /// Fmt and Type.
    pub kind: Bits<8>,
    /// Poisoned.
    pub poisoned: Bit,
    /// Dwords of payload that the header claims.
    pub count: Bits<11>,
    /// Completion Status.
    pub status: Bits<3>,
    /// Byte Count.
    pub octets: Bits<12>,
    /// Requester ID.
    pub id: Bits<16>,
    /// Tag.
    pub tag: Bits<8>,
    /// Lower Address.
    pub low: Bits<7>,
}

/// How a read of PCI Express ended.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Finish {
    /// Its tag.
    pub tag: Bits<5>,
    /// There is no whole answer.
    pub bad: Bit,
    /// More completions may come: the tag must rest.
    pub rests: Bit,
}

/// A part of an answer that is whole, or a read that failed.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Job {
    /// Slot in the store.
    pub tag: Bits<5>,
    /// Place of the first octet in the slot.
    pub addr: Bits<9>,
    /// Octets.
    pub length: Bits<10>,
    /// Tag of the device's read.
    pub whose: Bits<5>,
    /// Last part of that read.
    pub last: Bit,
    /// The read failed: one octet that means nothing, with `err`.
    pub bad: Bit,
    /// The read failed and a later part will say so: nothing to give.
    pub none: Bit,
}

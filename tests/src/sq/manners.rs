// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the stages around the send queue behave.
use ferrowarp_sim::memory::MemoryTiming;
use ferrowarp_sim::Pattern;

/// Clock period of the profile.
const CLOCK_PS: u64 = 6_400;

/// How the stages around behave.
#[derive(Copy, Clone, Debug)]
pub struct Manners {
    /// The host's memory.
    pub memory: MemoryTiming,
    /// When channels and the ULPDU stream are taken.
    pub stalls: Pattern,
    /// Of 100 reservations so many are refused first.
    pub refused: u32,
    /// Octets are acknowledged by themselves, at random offsets.
    pub acks: bool,
    /// Of 100 FPDUs so many leave in several segments.
    pub cut: u32,
}

impl Manners {
    /// Nothing pauses; memory answers after 100 cycles.
    pub fn steady() -> Self {
        let memory = MemoryTiming { read_ns: 640, ..MemoryTiming::steady(CLOCK_PS) };
        Self { memory, stalls: Pattern::None, refused: 0, acks: true, cut: 0 }
    }

    /// Everything pauses, answers change places and come in pieces.
    pub fn rough() -> Self {
        Self {
            memory: MemoryTiming::rough(CLOCK_PS),
            stalls: Pattern::Random,
            refused: 20,
            acks: true,
            cut: 0,
        }
    }

    /// The same, and FPDUs leave in several segments.
    pub fn cut() -> Self {
        Self { cut: 20, ..Self::rough() }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a root complex and the configuration of the function are like.
use crate::memory::MemoryTiming;

/// Cycles after Bus Master Enable fell in which a TLP that was under way may still end: a payload
/// at 64 bits, and registers.
pub(crate) const GRACE: u64 = 600;
/// Lanes of a link on which a TLP takes no time.
const NO_TIME: u64 = 1 << 40;

/// Octets around a TLP on a link: framing 2, sequence number 2, LCRC 4 (base specification 3.5,
/// 4.2); at generation 3 a token of 4 in front, which has the sequence number, and LCRC 4 (revision
/// 3.0, 4.2.2.3).
const AROUND: u64 = 8;
/// Femtoseconds of an octet on a lane: 2.5 and 5 GT/s of 8b/10b, 8 GT/s of 128b/130b.
const OCTET_FS: [u64; 3] = [4_000_000, 2_000_000, 1_015_625];

/// Root complex, link, and what configuration software has written into the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RcConfig {
    /// Latency, jitter, credits (`read_credits` non-posted requests, `write_credits` posted ones),
    /// stalls; with `shuffle` completions are split at random and change places between tags.
    pub timing: MemoryTiming,
    /// Bus, device and function number of the device.
    pub function: u16,
    /// The root complex's own id: completer of reads, requester of BAR accesses.
    pub root: u16,
    /// Max_Payload_Size: 128 octets shifted left by it.
    pub mps: u8,
    /// Max_Read_Request_Size: 128 octets shifted left by it.
    pub mrrs: u8,
    /// Read Completion Boundary: 64 or 128 octets.
    pub rcb: u64,
    /// Every completion ends at the next multiple of it.
    pub shortest: bool,
    /// Lanes of the link.
    pub lanes: u64,
    /// 1, 2 or 3: 2.5, 5 or 8 GT/s.
    pub generation: u64,
    /// Bus Master Enable.
    pub master: bool,
    /// MSI-X Enable.
    pub msix: bool,
    /// MSI-X Function Mask.
    pub masked: bool,
    /// Completion Timeout Disable.
    pub endless: bool,
    /// Base addresses of BAR0, BAR2 and BAR4.
    pub bars: [u64; 3],
    /// Cycles after Bus Master Enable fell in which a request that was under way may still come.
    pub grace: u64,
}

impl RcConfig {
    /// Generation 2 x4, payloads of 256 octets, reads of 512, completions cut at multiples of 64
    /// or, as here, as long as they may be; 600 ns, in order, no stalls.
    pub fn steady(clock_ps: u64) -> Self {
        Self {
            timing: MemoryTiming::steady(clock_ps),
            function: 0x0300,
            root: 0x0000,
            mps: 1,
            mrrs: 2,
            rcb: 64,
            shortest: false,
            lanes: 4,
            generation: 2,
            master: true,
            msix: false,
            masked: false,
            endless: false,
            bars: [0xF000_0000, 0xF100_0000, 0x38_0000_0000],
            grace: GRACE,
        }
    }

    /// Behind a carrier: cycles are nanoseconds, memory answers at once, the link takes no time and
    /// has no credits. A request may be under way for `grace` nanoseconds.
    pub fn carried(grace: u64) -> Self {
        // nothing is counted in picoseconds, of which 64 bits hold half a year only
        let clock_ps = 1;
        let timing = MemoryTiming {
            read_ns: 0,
            write_ns: 0,
            read_credits: usize::from(u8::MAX) + 1,
            write_credits: usize::MAX,
            ..MemoryTiming::steady(clock_ps)
        };
        Self { timing, lanes: NO_TIME, master: false, grace, ..Self::steady(clock_ps) }
    }

    /// The same, with jitter, stalls, few credits, completions cut and out of order.
    pub fn rough(clock_ps: u64) -> Self {
        Self { timing: MemoryTiming::rough(clock_ps), ..Self::steady(clock_ps) }
    }

    /// Max_Payload_Size in octets.
    pub fn max_payload(&self) -> u64 {
        128 << self.mps
    }

    /// Max_Read_Request_Size in octets.
    pub fn max_read(&self) -> u64 {
        128 << self.mrrs
    }

    /// Picoseconds that a TLP takes on the link.
    ///
    /// # Panics
    /// If the generation is none of 1 to 3.
    pub fn link_ps(&self, octets: u64) -> u64 {
        self.link_all_ps(1, octets)
    }

    /// The same of so many TLPs that have so many octets together.
    pub fn link_all_ps(&self, tlps: u64, octets: u64) -> u64 {
        (octets + AROUND * tlps) * OCTET_FS[self.generation as usize - 1] / (1_000 * self.lanes)
    }

    /// The port `cfg` of the edge: `PcieConfig` from its low bit on.
    pub(crate) fn port(&self) -> u64 {
        let flag = |is: bool, bit: u32| u64::from(is) << bit;
        u64::from(self.function)
            | u64::from(self.mps & 7) << 16
            | u64::from(self.mrrs & 7) << 19
            | flag(self.master, 22)
            | flag(self.msix, 23)
            | flag(self.masked, 24)
            | flag(self.endless, 25)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tlp_takes_its_octets_and_eight() {
        let config = RcConfig::steady(6_400);
        // 2 GB/s
        assert_eq!(config.link_ps(272), 140_000);
        assert_eq!(config.link_all_ps(10, 2_720), 1_400_000);
        // 250 MB/s; 64 Gb/s by 128/130
        assert_eq!(RcConfig { generation: 1, lanes: 1, ..config.clone() }.link_ps(272), 1_120_000);
        assert_eq!(RcConfig { generation: 3, lanes: 8, ..config.clone() }.link_ps(272), 35_546);
        assert_eq!((config.max_payload(), config.max_read()), (256, 512));
        assert_eq!(config.port(), 0x0300 | 1 << 16 | 2 << 19 | 1 << 22);
    }
}

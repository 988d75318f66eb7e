// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configuration space of the function: what the PCI Express block in front of the edge has on a
//! board.
//!
//! A type 0 header with 64-bit BARs and the capabilities Power Management, PCI Express and MSI-X.
//! Sections are those of the PCI Express Base Specification 3.0, chapter 7. `lspci` reads it in the
//! tests.

/// Octets of configuration space.
pub const CONFIG_OCTETS: usize = 4096;

/// Offsets of capabilities.
const POWER: usize = 0x40;
const EXPRESS: usize = 0x50;
const MSIX: usize = 0xa0;

/// Who the function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Vendor.
    pub vendor: u16,
    /// Device.
    pub device: u16,
    /// Revision.
    pub revision: u8,
    /// Class, subclass, programming interface.
    pub class: [u8; 3],
}

/// A BAR of memory that is not prefetchable, 64 bits wide: it takes two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// Number, even.
    pub index: usize,
    /// log2 of its octets, 12 or more.
    pub log2: u8,
}

/// Where MSI-X has its table and its pending bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MsixPlace {
    /// Vectors, 1 to 2048.
    pub vectors: u16,
    /// BAR of both.
    pub bar: u8,
    /// Offset of the table, a multiple of 8.
    pub table: u32,
    /// Offset of the pending bits, a multiple of 8.
    pub pending: u32,
}

/// The link that Link Capabilities and Link Status tell of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkShape {
    /// Generation: 1 is 2.5 GT/s, 2 is 5, 3 is 8.
    pub speed: u8,
    /// Lanes.
    pub lanes: u8,
}

/// What a write set off besides what can be read afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Initiate Function Level Reset was written.
    pub flr: bool,
}

/// The space: octets, and which of their bits software may write.
#[derive(Debug, Clone)]
pub struct ConfigSpace {
    octets: Vec<u8>,
    writable: Vec<u8>,
    initial: Vec<u8>,
}

impl ConfigSpace {
    /// As after power-up. Panics if a BAR or a count of vectors cannot be.
    pub fn new(identity: &Identity, bars: &[Bar], msix: &MsixPlace, link: LinkShape) -> Self {
        assert!((1..=2048).contains(&msix.vectors), "{} vectors", msix.vectors);
        let mut space =
            Self { octets: vec![0; CONFIG_OCTETS], writable: vec![0; CONFIG_OCTETS], initial: vec![] };
        space.header(identity, bars);
        space.power();
        space.express(link);
        let place = |offset: u32| offset | u32::from(msix.bar);
        space.put(MSIX, 0x11 | u32::from(msix.vectors - 1) << 16, 0xc000_0000);
        space.put(MSIX + 4, place(msix.table), 0);
        space.put(MSIX + 8, place(msix.pending), 0);
        space.initial = space.octets.clone();
        space
    }

    /// Section 7.5: header of type 0.
    fn header(&mut self, identity: &Identity, bars: &[Bar]) {
        let Identity { vendor, device, revision, class } = *identity;
        self.put(0, u32::from(vendor) | u32::from(device) << 16, 0);
        // memory, bus master, parity, SERR, interrupt disable; a list of capabilities
        self.put(4, 0x0010_0000, 0x0546);
        self.put(8, u32::from_be_bytes([class[0], class[1], class[2], revision]), 0);
        // cache line size: without effect, but kept
        self.put(0xc, 0, 0xff);
        for bar in bars {
            assert!(bar.index < 6 && bar.index.is_multiple_of(2) && (12..64).contains(&bar.log2), "{bar:?}");
            let address = !((1_u64 << bar.log2) - 1);
            self.put(0x10 + 4 * bar.index, 4, address as u32);
            self.put(0x14 + 4 * bar.index, 0, (address >> 32) as u32);
        }
        self.put(0x2c, u32::from(vendor) | 1 << 16, 0);
        self.put(0x34, POWER as u32, 0);
        // interrupt line: kept for software
        self.put(0x3c, 0, 0xff);
    }

    /// Section 7.6: version 3, D0 and D3hot, nothing is lost between them.
    fn power(&mut self) {
        self.put(POWER, 0x01 | (EXPRESS as u32) << 8 | 3 << 16, 0);
        self.put(POWER + 4, 1 << 3, 0x3);
    }

    /// Section 7.8: an endpoint, payloads of 256 octets, Function Level Reset.
    fn express(&mut self, link: LinkShape) {
        let link = u32::from(link.speed) | u32::from(link.lanes) << 4;
        self.put(EXPRESS, 0x10 | (MSIX as u32) << 8 | 2 << 16, 0);
        // role-based error reporting, extended tags are not needed
        self.put(EXPRESS + 4, 1 << 28 | 1 << 15 | 1, 0);
        // relaxed ordering and no snoop may be allowed and are never used; Max_Read_Request_Size
        // 512
        self.put(EXPRESS + 8, 0x2810, 0x78ff);
        self.put(EXPRESS + 0xc, link, 0);
        self.put(EXPRESS + 0x10, link << 16, 0x0043);
        // completion timeout may be disabled; its range is the edge's own
        self.put(EXPRESS + 0x24, 1 << 4, 0);
        self.put(EXPRESS + 0x28, 0, 0x10);
        self.put(EXPRESS + 0x2c, (1 << (link & 7)) * 2 - 2, 0);
        self.put(EXPRESS + 0x30, link & 7, 0xf);
    }

    fn put(&mut self, at: usize, value: u32, writable: u32) {
        self.octets[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self.writable[at..at + 4].copy_from_slice(&writable.to_le_bytes());
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes([0, 1, 2, 3].map(|n| self.octets[at + n]))
    }

    /// Octets from `offset` on; those beyond the end are zero.
    pub fn read(&self, offset: usize, into: &mut [u8]) {
        for (octet, at) in into.iter_mut().zip(offset..) {
            *octet = self.octets.get(at).copied().unwrap_or(0);
        }
    }

    /// Writes octets from `offset` on, as far as their bits may be written.
    pub fn write(&mut self, offset: usize, octets: &[u8]) -> Written {
        let control = EXPRESS + 9;
        let mut written = Written::default();
        for (&octet, at) in octets.iter().zip(offset..) {
            let Some((now, mask)) = self.octets.get_mut(at).zip(self.writable.get(at)) else { break };
            *now = *now & !mask | octet & mask;
            // the bit reads as zero
            written.flr |= at == control && octet & 0x80 != 0;
        }
        written
    }

    /// What a Function Level Reset does to it.
    pub fn reset(&mut self) {
        self.octets.clone_from(&self.initial);
    }

    /// Device Control's Max_Payload_Size code: 128 octets shifted left by it, at most what the
    /// function has.
    pub fn mps(&self) -> u8 {
        ((self.word(EXPRESS + 8) >> 5 & 7) as u8).min(1)
    }

    /// Device Control's Max_Read_Request_Size code: 128 octets shifted left by it.
    pub fn mrrs(&self) -> u8 {
        ((self.word(EXPRESS + 8) >> 12 & 7) as u8).min(5)
    }

    /// Device Control 2's Completion Timeout Disable: the function waits for completions without
    /// end.
    pub fn endless(&self) -> bool {
        self.word(EXPRESS + 0x28) >> 4 & 1 != 0
    }

    /// The function answers accesses to its memory.
    pub fn memory(&self) -> bool {
        self.word(4) & 2 != 0
    }

    /// The function may send requests.
    pub fn master(&self) -> bool {
        self.word(4) & 4 != 0
    }

    /// MSI-X is enabled, and all of its vectors are masked.
    pub fn msix(&self) -> [bool; 2] {
        let control = self.word(MSIX);
        [control >> 31 & 1 != 0, control >> 30 & 1 != 0]
    }

    /// Sets MSI-X Enable, as the kernel's VFIO does for whoever gave it descriptors.
    pub fn enable_msix(&mut self, enabled: bool) {
        let high = &mut self.octets[MSIX + 3];
        *high = *high & 0x7f | u8::from(enabled) << 7;
    }

    /// Bus address of a BAR.
    pub fn bar(&self, index: usize) -> u64 {
        let [low, high] = [0x10, 0x14].map(|at| u64::from(self.word(at + 4 * index)));
        high << 32 | low & !0xf
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use std::process::Command;

    fn space() -> ConfigSpace {
        let identity = Identity { vendor: 0x1234, device: 0xfe77, revision: 1, class: [2, 0, 0] };
        let bars = [Bar { index: 0, log2: 16 }, Bar { index: 2, log2: 20 }, Bar { index: 4, log2: 12 }];
        let msix = MsixPlace { vectors: 16, bar: 4, table: 0, pending: 0x800 };
        ConfigSpace::new(&identity, &bars, &msix, LinkShape { speed: 2, lanes: 4 })
    }

    /// What `lspci -vv` says of it.
    fn lspci(space: &ConfigSpace) -> String {
        let mut octets = [0; 256];
        space.read(0, &mut octets);
        let mut dump = String::from("00:01.0 Ethernet controller: under test\n");
        for (line, octets) in octets.chunks(16).enumerate() {
            write!(dump, "{:02x}:", 16 * line).unwrap();
            octets.iter().for_each(|o| write!(dump, " {o:02x}").unwrap());
            dump.push('\n');
        }
        let file = std::env::temp_dir().join(format!("fw-lspci-{}", std::process::id()));
        std::fs::write(&file, dump).unwrap();
        let said = Command::new("lspci").arg("-vvv").arg("-F").arg(&file).output().expect("lspci (pciutils)");
        std::fs::remove_file(&file).unwrap();
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout).unwrap()
    }

    #[test]
    fn lspci_finds_what_is_meant() {
        let mut space = space();
        space.write(4, &[6, 4]);
        space.write(0x10, &0xfe00_0000_u32.to_le_bytes());
        space.write(0x18, &[0, 0, 0, 0, 8, 0, 0, 0]);
        space.write(MSIX + 2, &[0, 0x80]);
        let said = lspci(&space);
        for wanted in [
            "Mem+ BusMaster+",
            "DisINTx+",
            "Region 0: Memory at fe000000 (64-bit, non-prefetchable)",
            "Region 2: Memory at 800000000 (64-bit, non-prefetchable)",
            "Power Management version 3",
            "Status: D0 NoSoftRst+",
            "Express (v2) Endpoint, MSI 00",
            "MaxPayload 256 bytes",
            "FLReset+",
            "MaxPayload 128 bytes, MaxReadReq 512 bytes",
            "Speed 5GT/s",
            "Width x4",
            "MSI-X: Enable+ Count=16 Masked-",
            "Vector table: BAR=4 offset=00000000",
            "PBA: BAR=4 offset=00000800",
        ] {
            assert!(said.contains(wanted), "`{wanted}` is not in:\n{said}");
        }
    }

    #[test]
    fn bars_are_sized_as_software_does() {
        let mut space = space();
        for (bar, log2) in [(0, 16), (2, 20), (4, 12)] {
            space.write(0x10 + 4 * bar, &[0xff; 8]);
            assert_eq!(space.bar(bar), !((1 << log2) - 1), "BAR{bar}");
        }
        space.write(0, &[0xff; 4]);
        let mut identity = [0; 4];
        space.read(0, &mut identity);
        assert_eq!(identity, [0x34, 0x12, 0x77, 0xfe], "who it is cannot be written");
    }

    #[test]
    fn what_the_edge_needs_follows_the_registers() {
        let mut space = space();
        assert_eq!((space.memory(), space.master(), space.msix()), (false, false, [false, false]));
        assert_eq!((space.mps(), space.mrrs()), (0, 2));
        assert_eq!(space.write(4, &[6]), Written::default());
        space.write(EXPRESS + 8, &[0x20, 0x50]);
        space.write(MSIX + 2, &[0xff, 0xff]);
        assert_eq!((space.memory(), space.master(), space.msix()), (true, true, [true, true]));
        assert_eq!((space.mps(), space.mrrs()), (1, 5));
        assert!(!space.endless());
        space.write(EXPRESS + 0x28, &[0xff]);
        assert!(space.endless() && space.word(EXPRESS + 0x28) == 0x10, "the range of the timeout is fixed");
        assert_eq!(space.word(MSIX) >> 16 & 0x7ff, 15, "the count of vectors cannot be written");
        assert!(space.write(EXPRESS + 8, &[0, 0x80]).flr);
        space.reset();
        assert_eq!((space.master(), space.mps(), space.msix()), (false, 0, [false, false]));
        assert!(!space.endless());
        assert_eq!(space.write(CONFIG_OCTETS - 1, &[1, 2]), Written::default(), "beyond the end");
        let mut end = [1; 2];
        space.read(CONFIG_OCTETS - 1, &mut end);
        assert_eq!(end, [0, 0]);
    }
}

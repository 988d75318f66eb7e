// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host in front of the BAR side of the PCI Express edge: TLPs as dwords, written from the base
//! specification.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{run_case, Bench, Frame, Pattern, SinkId, SourceId};

/// The BAR side at its widths.
pub const TOPS: [Top; 2] = [Top::PcieBarW64, Top::PcieBarW128];

/// Requester ID of the host.
pub const HOST: u32 = 0x0018;
/// Completer ID of the device.
pub const DEVICE: u32 = 0x0300;
/// BARs as bits of `bar_hit`.
pub const BAR0: u64 = 1;
/// Doorbells.
pub const BAR2: u64 = 2;
/// MSI-X.
pub const BAR4: u64 = 4;
/// Where the host placed the BARs: multiples of any of their sizes, one of them above 4 GiB.
pub const BASE: [(u64, u64); 3] = [(BAR0, 0xF000_0000), (BAR2, 0x12_3400_0000), (BAR4, 0xF001_0000)];

/// Longest that a request or its completion may take, in cycles; 4,096 octets with pauses are
/// 1,000.
const PATIENCE: u64 = 4_000;

/// Header of a memory request: three dwords below 4 GiB, else four.
pub fn header(write: bool, addr: u64, dwords: usize, be: u8, tag: u8) -> Vec<u32> {
    let four = addr >> 32 != 0;
    let kind = u32::from(write) << 30 | u32::from(four) << 29;
    let mut tlp = vec![kind | (dwords as u32 & 0x3ff), HOST << 16 | u32::from(tag) << 8 | u32::from(be)];
    if four {
        tlp.push((addr >> 32) as u32);
    }
    tlp.push(addr as u32 & !3);
    tlp
}

/// A memory write. Octet 0 of the payload is the highest of its dword.
pub fn write(addr: u64, be: u8, payload: &[u8]) -> Vec<u32> {
    let mut tlp = header(true, addr, payload.len() / 4, be, 0);
    tlp.extend(payload.chunks(4).map(|o| u32::from_be_bytes([o[0], o[1], o[2], o[3]])));
    tlp
}

/// The address of a place in a BAR.
pub fn place(bar: u64, offset: u64) -> u64 {
    BASE.iter().find(|(b, _)| *b == bar).map_or(0, |(_, base)| base + offset)
}

/// The host.
pub struct Host {
    req: SourceId,
    /// Completions.
    pub cpl: SinkId,
    tag: u8,
}

impl Host {
    /// On a bench of one of [`TOPS`].
    pub fn new(bench: &mut Bench, idle: Pattern, stall: Pattern) -> Self {
        bench.set("cfg", u64::from(DEVICE));
        bench.set("msix_cfg", u64::from(DEVICE));
        for port in ["read_faults", "dropped", "tick", "msix_tick", "keep", "status_ready", "draining"] {
            bench.set(port, 0);
        }
        for port in ["link_up", "stalled", "bus_resets"] {
            bench.set(port, 0);
        }
        for port in ["fact_valid", "seg_valid", "timer_valid", "fpdu_valid", "frames_valid"] {
            bench.set(port, 0);
        }
        bench.set("raw_tx_consumer", 0x0BAD_CAFE);
        bench.set_bytes("pulse", &[]);
        Self { req: bench.source("req", idle), cpl: bench.sink("cpl", stall), tag: 0 }
    }

    /// Sends a TLP that hits these BARs, and waits until the edge has judged it. Returns how often
    /// each error was told.
    pub fn send(&self, bench: &mut Bench, bar: u64, tlp: &[u32]) -> Result<[u64; 17], String> {
        self.give(bench, bar, tlp, false)
    }

    /// The same; with `err` the block in front gives the TLP up at its end.
    pub fn give(&self, bench: &mut Bench, bar: u64, tlp: &[u32], err: bool) -> Result<[u64; 17], String> {
        bench.set("req_bar_hit", bar);
        bench.send(self.req, Frame { data: tlp.iter().flat_map(|dw| dw.to_le_bytes()).collect(), err });
        let mut errors = [0; 17];
        let mut note = |bench: &mut Bench| {
            let told = bench.get("errors");
            errors.iter_mut().enumerate().for_each(|(i, n)| *n += told >> i & 1);
        };
        for _ in 0..PATIENCE {
            if bench.sent_all(self.req) {
                break;
            }
            bench.step();
            note(bench);
        }
        if !bench.sent_all(self.req) {
            return Err("a request is not taken".into());
        }
        for _ in 0..16 {
            bench.step();
            note(bench);
        }
        Ok(errors)
    }

    /// Offers TLPs that hit these BARs one behind the other, without a pause, and waits until the
    /// edge has taken them.
    pub fn burst(&self, bench: &mut Bench, bar: u64, tlps: &[Vec<u32>]) -> Result<(), String> {
        bench.set("req_bar_hit", bar);
        for tlp in tlps {
            bench.send(self.req, Frame::good(tlp.iter().flat_map(|dw| dw.to_le_bytes()).collect()));
        }
        bench.run_until(PATIENCE, |b| b.sent_all(self.req))?;
        (0..16).for_each(|_| bench.step());
        Ok(())
    }

    /// A write that must be without fault.
    pub fn put(&self, bench: &mut Bench, bar: u64, offset: u64, payload: &[u8]) -> Result<(), String> {
        let be = if payload.len() == 4 { 0x0f } else { 0xff };
        match self.send(bench, bar, &write(place(bar, offset), be, payload))? {
            errors if errors == [0; 17] => Ok(()),
            errors => Err(format!("a write at {offset:#x} of BAR {bar} is refused: {errors:?}")),
        }
    }

    /// A register write.
    pub fn set(&self, bench: &mut Bench, offset: u64, value: u32) -> Result<(), String> {
        self.put(bench, BAR0, offset, &value.to_le_bytes())
    }

    /// Asks for dwords; the error is that of the completion.
    pub fn ask(
        &mut self,
        bench: &mut Bench,
        bar: u64,
        offset: u64,
        dwords: usize,
    ) -> Result<Vec<u32>, String> {
        self.tag = self.tag.wrapping_add(1);
        let be = if dwords == 1 { 0x0f } else { 0xff };
        bench.expect(self.cpl, 1);
        self.send(bench, bar, &header(false, place(bar, offset), dwords, be, self.tag))?;
        let cpl = self.completion(bench)?;
        let expected = [
            0x4a00_0000 | dwords as u32,
            DEVICE << 16 | (4 * dwords as u32),
            HOST << 16 | u32::from(self.tag) << 8 | (offset as u32 & 0x7c),
        ];
        if cpl.get(..3) != Some(&expected[..]) || cpl.len() != 3 + dwords {
            return Err(format!("a read of {dwords} at {offset:#x} is answered by {cpl:08x?}"));
        }
        Ok(cpl[3..].iter().map(|dw| dw.swap_bytes()).collect())
    }

    /// A register.
    pub fn get(&mut self, bench: &mut Bench, offset: u64) -> Result<u32, String> {
        Ok(self.ask(bench, BAR0, offset, 1)?[0])
    }

    /// The next completion.
    pub fn completion(&self, bench: &mut Bench) -> Result<Vec<u32>, String> {
        bench.run_until(PATIENCE, |b| b.waiting(self.cpl) > 0)?;
        let mut frames = bench.received(self.cpl);
        if frames.len() != 1 {
            return Err(format!("{} completions for one request", frames.len()));
        }
        Ok(dwords(&frames.remove(0)))
    }
}

/// A TLP's dwords.
pub fn dwords(frame: &Frame) -> Vec<u32> {
    frame.data.chunks(4).map(|o| o.iter().rev().fold(0, |dw, &o| dw << 8 | u32::from(o))).collect()
}

/// Runs a case at each width.
pub fn run_widths(name: &str, seed: u64, body: impl Fn(&mut Bench) -> Result<(), String>) {
    for top in TOPS {
        run_case(&format!("{name}-{}", top.name()), top, seed, &body);
    }
}

/// Bits of the edge that a bench has.
pub fn edge_bits(bench: &mut Bench) -> u32 {
    8 * bench.get_bytes("cpl_data").len() as u32
}

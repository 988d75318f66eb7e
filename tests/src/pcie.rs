// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DMA side of the PCI Express edge between DMA ports that a test drives and the root complex
//! of `sim`.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::pcie::{PciePorts, RcConfig};
use ferrowarp_sim::{run_case, Bench, ChanSinkId, ChanSrcId, Frame, Item, Pattern, RootId, SourceId};
use rand::RngCore;
use std::collections::BTreeMap;

/// The edge at its widths.
pub const TOPS: [Top; 2] = [Top::PcieDmaW64, Top::PcieDmaW128];
/// 156.25 MHz.
pub const CLOCK_PS: u64 = 6_400;
/// Memory below 4 GiB, above it, and across: first address and octets.
pub const LOW: (u64, u64) = (0x4000_0000, 0x8000);
/// As above.
pub const HIGH: (u64, u64) = (0x0000_7f12_3456_8000, 0x8000);
/// As above.
pub const ACROSS: (u64, u64) = (0xFFFF_E000, 0x4000);

/// Names of the fault bits of reads, bit 0 first.
pub const FAULTS: [&str; 7] =
    ["unexpected", "late", "refused", "aborted", "poisoned", "malformed", "expired"];

/// How a read ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Octets of all its frames.
    pub data: Vec<u8>,
    /// The last frame said `err`.
    pub err: bool,
}

/// The ends of everything.
pub struct Dma {
    /// The root complex.
    pub root: RootId,
    /// Read requests.
    pub reads: ChanSrcId,
    /// Beats of answers.
    pub answers: ChanSinkId,
    /// Commands of writes.
    pub commands: ChanSrcId,
    /// Their frames.
    pub frames: SourceId,
    /// Completions of the device's BARs, as TLPs.
    pub completions: SourceId,
    /// Beats of requests to the BARs.
    pub requests: ChanSinkId,
    /// Octets of the regions as they must be, in the order `LOW`, `HIGH`, `ACROSS`.
    pub want: [Vec<u8>; 3],
    open: BTreeMap<u64, Vec<u8>>,
    frame: Option<u64>,
    /// Reads with their tag that have no final frame.
    asked: BTreeMap<u64, usize>,
    tag: u64,
    /// Pulses of faults seen, by name.
    pub faults: BTreeMap<&'static str, u64>,
    /// Pulses of dropped requests.
    pub dropped: u64,
    writes: u64,
}

impl Dma {
    /// Attaches all of it; the regions have random octets. `idle` is when the DMA ports offer and
    /// take.
    pub fn new(bench: &mut Bench, config: RcConfig, idle: Pattern) -> Self {
        let root = bench.root_complex(&PciePorts::default(), config);
        let want = [LOW, HIGH, ACROSS].map(|(addr, len)| {
            let mut octets = vec![0; len as usize];
            bench.rng().fill_bytes(&mut octets);
            let host = &mut bench.root(root).host;
            host.map(addr, len, true).expect("regions are apart");
            host.write(addr, &octets).expect("it is mapped");
            octets
        });
        for (port, value) in [("tick", 0), ("timeout", 100), ("begun", 0), ("lost", 0)] {
            bench.set(port, value);
        }
        Self {
            root,
            reads: bench.channel_source("rd_req", idle),
            answers: bench.channel_sink("rd_ans", idle),
            commands: bench.channel_source("wr_cmd", idle),
            frames: bench.source("wr", idle),
            completions: bench.source("cpl", Pattern::None),
            requests: bench.channel_sink("req", Pattern::None),
            want,
            open: BTreeMap::new(),
            frame: None,
            asked: BTreeMap::new(),
            tag: 0,
            faults: BTreeMap::new(),
            dropped: 0,
            writes: 0,
        }
    }

    /// One cycle, in which pulses are counted.
    pub fn step(&mut self, bench: &mut Bench) {
        bench.step();
        let faults = bench.get("faults");
        for (bit, name) in FAULTS.into_iter().enumerate() {
            *self.faults.entry(name).or_default() += faults >> bit & 1;
        }
        self.dropped += bench.get("dropped");
    }

    /// Pulses of one fault.
    pub fn fault(&self, name: &str) -> u64 {
        self.faults.get(name).copied().unwrap_or_default()
    }

    /// One tick pulse, and the cycles in which the tags are looked at.
    pub fn tick(&mut self, bench: &mut Bench) {
        bench.set("tick", 1);
        self.step(bench);
        bench.set("tick", 0);
        (0..80).for_each(|_| self.step(bench));
    }

    /// Queues a write of random octets, and notes them if the region is one of ours.
    pub fn write(&mut self, bench: &mut Bench, addr: u64, length: usize) {
        let mut octets = vec![0; length];
        bench.rng().fill_bytes(&mut octets);
        for (region, (base, len)) in self.want.iter_mut().zip([LOW, HIGH, ACROSS]) {
            if addr >= base && addr + length as u64 <= base + len {
                let at = (addr - base) as usize;
                region[at..at + length].copy_from_slice(&octets);
            }
        }
        bench.put(self.commands, Item::new().with("addr", addr).with("length", length as u64));
        bench.send(self.frames, Frame::good(octets));
        self.writes += 1;
        bench.set("begun", self.writes & 0xFFFF);
    }

    /// The regions as the host sees them are what they must be.
    pub fn settled(&self, bench: &mut Bench) -> bool {
        let host = &bench.root(self.root).host;
        let all = [LOW, HIGH, ACROSS].iter().zip(&self.want);
        all.into_iter().all(|(&(addr, len), want)| host.read(addr, len).as_ref() == Ok(want))
    }

    /// Steps until every write is in memory.
    pub fn until_written(&mut self, bench: &mut Bench, most: u64) -> Result<(), String> {
        for n in 0..most {
            let sent = bench.put_all(self.commands) && bench.sent_all(self.frames);
            if sent && n % 16 == 0 && self.settled(bench) {
                return Ok(());
            }
            self.step(bench);
        }
        Err(format!("not all writes are in memory after {most} cycles\n{}", bench.dump()))
    }

    /// Octets of the regions that a read should bring.
    pub fn octets(&self, addr: u64, length: usize) -> Vec<u8> {
        let found = self.want.iter().zip([LOW, HIGH, ACROSS]).find_map(|(region, (base, len))| {
            let inside = addr >= base && addr + length as u64 <= base + len;
            inside.then(|| region[(addr - base) as usize..][..length].to_vec())
        });
        found.expect("an address of ours")
    }

    /// Queues a read under the next free tag; false if there is none.
    pub fn ask(&mut self, bench: &mut Bench, index: usize, addr: u64, length: usize) -> bool {
        let free = (0..32).map(|n| (self.tag + n) % 32).find(|t| !self.asked.contains_key(t));
        let Some(tag) = free else { return false };
        self.tag = tag + 1;
        self.asked.insert(tag, index);
        bench.put(self.reads, Item::new().with("addr", addr).with("length", length as u64).with("tag", tag));
        true
    }

    /// Reads that are answered: index and answer.
    pub fn answered(&mut self, bench: &mut Bench) -> Vec<(usize, Answer)> {
        let mut done = vec![];
        for beat in bench.taken(self.answers) {
            let field = |name: &str| beat.u64(name).expect("a port of the top");
            let (tag, last) = (field("tag"), field("last") == 1);
            assert_eq!(*self.frame.get_or_insert(tag), tag, "frames are mixed");
            let octets = &beat.bytes("data").expect("a port of the top")[..field("bytes") as usize];
            self.open.entry(tag).or_default().extend(octets);
            if last {
                self.frame = None;
                if field("final") == 1 {
                    let data = self.open.remove(&tag).unwrap_or_default();
                    let index = self.asked.remove(&tag).expect("an answer to what was asked");
                    done.push((index, Answer { data, err: field("err") == 1 }));
                } else {
                    assert_eq!(field("err"), 0, "err in a frame that is not the last of its read");
                }
            }
        }
        done
    }

    /// Asks for all of it, as many at a time as there are tags, and steps until everything is
    /// answered.
    pub fn read_all(
        &mut self,
        bench: &mut Bench,
        reads: &[(u64, usize)],
        most: u64,
    ) -> Result<Vec<Answer>, String> {
        let mut answers: Vec<Option<Answer>> = vec![None; reads.len()];
        let mut next = 0;
        for _ in 0..most {
            while next < reads.len() && self.ask(bench, next, reads[next].0, reads[next].1) {
                next += 1;
            }
            self.step(bench);
            for (index, answer) in self.answered(bench) {
                answers[index] = Some(answer);
            }
            if answers.iter().all(Option::is_some) {
                return Ok(answers.into_iter().flatten().collect());
            }
        }
        let left = answers.iter().filter(|a| a.is_none()).count();
        Err(format!("{left} of {} reads are not answered after {most} cycles\n{}", reads.len(), bench.dump()))
    }

    /// The same, and each brings what is there.
    pub fn read_right(&mut self, bench: &mut Bench, reads: &[(u64, usize)], most: u64) -> Result<(), String> {
        let answers = self.read_all(bench, reads, most)?;
        for (&(addr, length), answer) in reads.iter().zip(answers) {
            if answer.err || answer.data != self.octets(addr, length) {
                return Err(format!(
                    "read of {length} octets at 0x{addr:x}: err {}, {} octets, not those of memory",
                    answer.err,
                    answer.data.len()
                ));
            }
        }
        Ok(())
    }
}

/// Runs a case at each width.
pub fn run_widths(name: &str, seed: u64, body: impl Fn(&mut Bench) -> Result<(), String>) {
    for top in TOPS {
        run_case(&format!("{name}-{}", top.name()), top, seed, &body);
    }
}

/// Lengths around every boundary that a TLP or a completion knows.
pub fn lengths() -> Vec<usize> {
    let around = |n: usize| n - 3..=n + 3;
    let near = [64, 128, 256, 512, 1024].into_iter().flat_map(around);
    (1..=20).chain(near).chain(4090..=4096).collect()
}

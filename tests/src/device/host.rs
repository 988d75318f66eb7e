// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host: a device, its completion queues and queue pairs, one region of memory.
use super::{Cq, Done, Nic, Qp};
use ferrowarp_abi::codec::{MrRow, Sge};
use ferrowarp_abi::consts::admin_opcode;
use ferrowarp_abi::types::{ByteCount, STag, TaggedOffset};
use ferrowarp_sim::{Bench, MemoryTiming};

/// Memory region of every host, its key and its protection domain.
const REGION: u16 = 9;
const KEY: u8 = 0x55;
const PD: u16 = 7;
/// First tagged offset of the region.
pub const TO_BASE: u64 = 0x1234_5678_9ABC_0000;
/// Octets of the secret for the table of connections: with one of zeros the table is full after
/// four.
const SECRET: usize = 40;
/// log2 of the slots of every work queue, more than an in-flight ring has, and of every completion
/// queue.
const WORK_LOG2: u8 = 8;
const CQ_LOG2: u8 = 12;

/// A host whose queue pairs share two completion queues and one region.
pub struct Host {
    /// Its device.
    pub nic: Nic,
    /// Completion queue of sends, and of receives.
    pub cqs: [Cq; 2],
    /// Its queue pairs.
    pub qps: Vec<Qp>,
    /// IOVA of the region.
    pub base: u64,
    /// What the region must hold.
    pub expected: Vec<u8>,
    /// Octets of the region that were given away.
    used: usize,
}

impl Host {
    /// A device with queue pairs of these numbers and a region of `octets` octets, filled with a
    /// pattern.
    pub fn new(bench: &mut Bench, timing: MemoryTiming, numbers: &[u16], octets: usize) -> Self {
        let secret: Vec<u8> = (0..SECRET).map(|i| (i * 151 + 7) as u8).collect();
        bench.set_bytes("secret", &secret);
        let mut nic = Nic::new(bench, timing);
        let cqs = [1, 2].map(|number| Cq::new(&mut nic, bench, number, CQ_LOG2));
        let qp = |&number| Qp::new(&mut nic, bench, number, PD, [&cqs[0], &cqs[1]], WORK_LOG2);
        let qps = numbers.iter().map(qp).collect();
        let base = nic.map(bench, octets as u64, 0x40, true);
        let row = MrRow {
            base,
            length: octets as u64,
            to_base: TaggedOffset(TO_BASE),
            pd: PD,
            local_write: true,
            remote_read: true,
            remote_write: true,
            is_valid: true,
            key: KEY,
            ..Default::default()
        };
        nic.command(bench, admin_opcode::MR_WRITE, REGION, &row.octets().expect("fields fit"));
        let expected: Vec<u8> = (0..octets).map(|i| (i * 37 + i / 251) as u8).collect();
        bench.host(nic.memory).write(base, &expected).expect("the region is mapped");
        Self { nic, cqs, qps, base, expected, used: 0 }
    }

    /// Sets queue pair `nth` up anew, whose connection is then inserted anew too: its sends
    /// (`queue` 0) or its receives (1) with a completion queue of its own: number `number`,
    /// `2^log2` slots.
    pub fn renew(&mut self, bench: &mut Bench, nth: usize, queue: usize, number: u16, log2: u8) -> Cq {
        let own = Cq::new(&mut self.nic, bench, number, log2);
        let mut cqs = self.cqs.each_ref();
        cqs[queue] = &own;
        let qp = self.qps[nth].number;
        self.qps[nth] = Qp::new(&mut self.nic, bench, qp, PD, cqs, WORK_LOG2);
        own
    }

    /// Sets queue pair `nth` up anew, with rings of its own.
    pub fn afresh(&mut self, bench: &mut Bench, nth: usize) {
        let number = self.qps[nth].number;
        self.qps[nth] = Qp::new(&mut self.nic, bench, number, PD, self.cqs.each_ref(), WORK_LOG2);
    }

    /// STag of the region.
    pub fn stag(&self) -> STag {
        STag(u32::from(REGION) << 8 | u32::from(KEY))
    }

    /// Gives `octets` octets of the region away, after a gap of `gap`; the place in the region.
    ///
    /// # Panics
    /// If the region is too small.
    pub fn give(&mut self, octets: usize, gap: usize) -> usize {
        let at = self.used + gap;
        self.used = at + octets;
        assert!(self.used <= self.expected.len(), "a region of {} octets is too small", self.expected.len());
        at
    }

    /// Place in the region behind what was given away last.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The `octets` octets of the region that are given away next, each bit inverted: as a payload
    /// it changes all of them.
    ///
    /// # Panics
    /// If the region is too small.
    pub fn inverse(&self, octets: usize) -> Vec<u8> {
        self.expected[self.used..self.used + octets].iter().map(|o| !o).collect()
    }

    /// The octet of the region at `at` is as it must be.
    pub fn holds(&self, bench: &mut Bench, at: usize) -> bool {
        let octet = bench.host(self.nic.memory).read(self.base + at as u64, 1);
        octet.is_ok_and(|octet| octet[0] == self.expected[at])
    }

    /// A gather or scatter of the region.
    pub fn sge(&self, at: usize, octets: usize) -> Sge {
        Sge { to: TaggedOffset(TO_BASE + at as u64), length: ByteCount(octets as u32), key: self.stag() }
    }

    /// All completions that are there, of sends and of receives.
    pub fn poll(&mut self, bench: &mut Bench) -> [Vec<Done>; 2] {
        let nic = &self.nic;
        self.cqs.each_mut().map(|cq| std::iter::from_fn(|| cq.poll(nic, bench)).collect())
    }

    /// The region as it is and as it must be; the error names the first octet that differs.
    pub fn compare(&self, bench: &mut Bench, whose: &str) -> Result<(), String> {
        let octets = self.expected.len() as u64;
        let got = bench.host(self.nic.memory).read(self.base, octets).map_err(|e| e.to_string())?;
        match got.iter().zip(&self.expected).position(|(g, e)| g != e) {
            None => Ok(()),
            Some(at) => {
                let (got, want) = (got[at], self.expected[at]);
                Err(format!("memory of {whose}: octet {at} of {octets} is {got:#04x}, expected {want:#04x}"))
            }
        }
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! A board's cable with a device's end in plain code at the board.
use super::*;
use crate::carrier::CarrierStats;
use crate::link::MIN_FRAME;
use crate::pcie::BusState;
use crate::rnic::machine::LOOK_EVERY;
use mirror::{tlp_record, Mirror, Record};

#[allow(dead_code)] // the tests of the carrier use more of the device's end
#[path = "../../../tests/carrier_host/mirror.rs"]
mod mirror;

/// 31.25 MHz and 1 Gb/s.
const CLOCK_PS: u64 = 32_000;
const LINE: LinkConfig = LinkConfig { rate_bps: 1_000_000_000, clock_ps: CLOCK_PS, delay_ns: 500 };

/// A board, the far end of its cable, and the far end of the Ethernet beyond.
struct Set {
    board: Board,
    cable: Link,
    beyond: Link,
    device: Mirror,
    cycle: u64,
}

impl Set {
    fn new(wire: &str) -> Self {
        let wire = wire.parse().unwrap();
        let made = BoardCable::short(wire);
        let (cable, beyond) = (made.link(CLOCK_PS), Link::new(LINE));
        let mut board = Board::new(&made, cable.clone(), (beyond.clone(), Side::A));
        board.frames.bus.root().host.map(0x1_0000, 0x1_0000, true).unwrap();
        let mut set = Self { board, cable, beyond, device: Mirror::new(), cycle: 0 };
        set.run(|set| set.board.frames.bus.link() == BusState::Up);
        set.board.frames.bus.root().config.master = true;
        set
    }

    /// Up to so many cycles, a minute of simulated time at most.
    fn run(&mut self, done: impl Fn(&mut Self) -> bool) {
        let until = self.cycle + 60 * 31_250_000;
        while !done(self) {
            assert!(self.cycle < until, "{:?} {:?}", self.board.frames.bus, self.device);
            self.step();
        }
    }

    fn step(&mut self) {
        let (now_ps, now) = (self.cycle * CLOCK_PS, self.cycle * CLOCK_PS / PS);
        while let Some(frame) = self.cable.receive(Side::A, now_ps) {
            match frame {
                Some(frame) if frame[12..14] == [0x88, 0xB5] => self.device.frame_came(now, &frame),
                // what comes from beyond goes back
                Some(frame) => self.cable.send(Side::A, now_ps, &frame).unwrap(),
                None => {}
            }
        }
        while self.cable.under_way(Side::A) < 2 {
            let Some(frame) = self.device.poll(now) else { break };
            self.cable.send(Side::A, now_ps, &frame).unwrap();
        }
        self.board.step(self.cycle).unwrap();
        self.cycle += LOOK_EVERY;
    }
}

/// A write of 64 dwords, octets of the stream.
fn write(address: u32, value: u8) -> Vec<u8> {
    let head = [[64, 0, 0, 0x40], [0xFF, 0, 0, 0x03]].concat();
    [&head[..], &address.to_le_bytes(), &[value; 256]].concat()
}

/// Sixty-four payloads of the device to memory, beside frames of the Ethernet.
fn passes(wire: &str) -> (u64, CarrierStats, usize) {
    let mut set = Set::new(wire);
    let (mut sent, mut back) = (0_u8, vec![]);
    for n in 0..64_u8 {
        set.device.push(tlp_record(&write(0x1_0000 + 256 * u32::from(n), n + 1)));
    }
    let mut read = |set: &mut Set, sent: &mut u8| {
        if *sent < 64 && set.beyond.under_way(Side::B) == 0 {
            let frame = [&[2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 0x08, 0x00][..], &[*sent; 1_000]].concat();
            set.beyond.send(Side::B, set.cycle * CLOCK_PS, &frame).unwrap();
            *sent += 1;
        }
        back.extend(set.beyond.receive(Side::B, set.cycle * CLOCK_PS).flatten());
    };
    let last = |set: &mut Set| set.board.frames.bus.root().host.read(0x1_3F00, 256).unwrap() == [64; 256];
    let until = set.cycle + 31_250_000;
    while !last(&mut set) || sent < 64 {
        assert!(set.cycle < until, "{:?}", set.board.frames.bus);
        read(&mut set, &mut sent);
        set.step();
    }
    let took = set.cycle;
    (0..5_000).for_each(|_| {
        read(&mut set, &mut sent);
        set.step();
    });
    for n in 0..64_u8 {
        let came = set.board.frames.bus.root().host.read(0x1_0000 + 256 * u64::from(n), 256).unwrap();
        assert_eq!(came, [n + 1; 256]);
    }
    assert!(back.iter().all(|frame| frame.len() == 1_014 && frame[13] == 0 && frame[14] == frame[1_013]));
    assert_eq!(set.device.got, [Record::Config(0x0011_0300)]);
    (took, set.board.stats(), back.len())
}

#[test]
fn both_kinds_of_frames_share_a_cable() {
    let (took, stats, back) = passes("");
    assert_eq!((stats.sent_again, stats.out_of_order, stats.violations, back), (0, 0, 0, 64));
    // 64 frames of 1,014 octets and 13 of the carrier share 1 Gb/s
    assert!(took * CLOCK_PS < 1_500_000_000, "{took} cycles");
    assert_eq!(passes(""), (took, stats, back), "a run repeats");
}

#[test]
fn a_cable_that_loses_frames_loses_no_tlp() {
    for wire in ["loss=0.1,seed=1", "loss=0.3,seed=2", "duplicate=0.3,reorder=0.3,corrupt=0.2,seed=3"] {
        let told = passes(wire);
        assert!(told.1.out_of_order + told.1.duplicates > 0, "{wire}: {:?}", told.1);
        assert_eq!((told.1.violations, told.1.answered), (0, 1), "{wire}");
        assert_eq!(passes(wire), told, "a run repeats");
    }
}

#[test]
fn the_next_frame_is_there_when_the_cable_is_free() {
    let mut set = Set::new("");
    (0..200_u32).for_each(|n| set.board.frames.bus.root().bar_write(0, 0, &n.to_le_bytes()));
    let before = set.cycle;
    set.run(|set| set.device.got.len() >= 201);
    // 24 octets each in frames of 1,408, with 24 octets around each
    let octets = 200 * 24 / 1_400 * (1_440 + MIN_FRAME);
    assert!((set.cycle - before) * CLOCK_PS < 24_000 * octets, "{} cycles", set.cycle - before);
}

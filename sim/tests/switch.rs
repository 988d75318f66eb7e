// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may stand at a port of the switch: the link of a device, and a program outside.
use ferrowarp_sim::eth::{Delivery, EthError, EthPort, JoinedPort, Wire};
use ferrowarp_sim::link::switch::{OutsidePort, PortConfig, Switch, SwitchConfig, SwitchPort};
use ferrowarp_sim::{Link, LinkConfig, Side};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// 10 Gb/s, a cable of 500 ns.
const LINE: LinkConfig = LinkConfig { rate_bps: 10_000_000_000, clock_ps: 6_400, delay_ns: 500 };
/// The cable's delay, and the length of a block.
const BLOCK: u64 = 500_000;
/// Picoseconds of an octet.
const OCTET: u64 = 800;

fn port(text: &str, end: impl SwitchPort + 'static) -> (PortConfig, Box<dyn SwitchPort>) {
    (text.parse().unwrap(), Box::new(end))
}

/// A frame of so many octets to everybody, from a station of this number.
fn frame(station: u8, octets: usize) -> Vec<u8> {
    [&[0xFF; 6], &[2, 0, 0, 0, 0, station], &vec![station; octets - 12][..]].concat()
}

/// The octets between two devices, and the time at which they may take them, would be wrong
/// otherwise.
#[test]
fn a_frame_passes_from_link_to_link_in_the_time_of_both_cables_and_of_being_stored() {
    let links = [Link::new(LINE), Link::new(LINE), Link::new(LINE)];
    let ports = links.iter().map(|link| port("", link.clone())).collect();
    let mut switch = Switch::new(SwitchConfig::default(), ports).unwrap();
    let sent = frame(1, 1_000);
    links[0].send(Side::A, 1_000, &sent).unwrap();
    // preamble, frame and FCS, twice, with a delay each time
    let whole = 1_000 + 2 * (BLOCK + 1_012 * OCTET);
    (1..=10).for_each(|n| switch.exchange(n * BLOCK).unwrap());
    for link in &links[1..] {
        assert_eq!(link.receive(Side::A, whole - 1), None);
        assert_eq!(link.receive(Side::A, whole), Some(Some(sent.clone())));
    }
    assert_eq!((links[0].under_way(Side::B), switch.due_ps()), (0, None));
    assert_eq!(links[1].stats(Side::B).frames, 1);
}

#[test]
fn a_spoilt_frame_reaches_the_device_with_a_bad_fcs_and_the_switch_takes_none() {
    let links = [Link::new(LINE), Link::new(LINE)];
    let ports = vec![port("", links[0].clone()), port("corrupt=1", links[1].clone())];
    let mut switch = Switch::new(SwitchConfig::default(), ports).unwrap();
    links[0].send(Side::A, 0, &frame(1, 60)).unwrap();
    links[0].send_bad(Side::A, 0, &frame(1, 60)).unwrap();
    links[1].send(Side::A, 0, &frame(2, 60)).unwrap();
    (1..=10).for_each(|n| switch.exchange(n * BLOCK).unwrap());
    assert_eq!(links[1].receive(Side::A, 10 * BLOCK), Some(None));
    assert_eq!([0, 1].map(|n| links[n].under_way(Side::B)), [0, 0]);
    let [one, other] = switch.stats().try_into().unwrap();
    assert_eq!((one.frames_in, one.bad), (1, 1));
    assert_eq!((other.frames_in, other.bad, other.spoilt, other.frames_out), (0, 1, 2, 1));
}

/// Counts the frames that were taken from it.
struct Counted(JoinedPort, Arc<AtomicUsize>);

impl EthPort for Counted {
    fn send(&mut self, frame: &[u8]) -> Result<Delivery, EthError> {
        self.0.send(frame)
    }

    fn receive(&mut self) -> Result<Option<Vec<u8>>, EthError> {
        let frame = self.0.receive()?;
        self.1.fetch_add(frame.iter().len(), Ordering::Relaxed);
        Ok(frame)
    }

    fn poll_fd(&self) -> BorrowedFd<'_> {
        self.0.poll_fd()
    }
}

/// A program that floods its port fills the kernel's socket and not this process.
#[test]
fn frames_of_a_program_enter_at_the_rate_of_the_line_behind_the_block() {
    let [inner, mut program] = JoinedPort::pair(&Wire::default()).unwrap();
    let (link, taken) = (Link::new(LINE), Arc::new(AtomicUsize::new(0)));
    let outside = OutsidePort::new(Box::new(Counted(inner, taken.clone())), LINE);
    let ports = vec![port("", outside), port("", link.clone())];
    let mut switch = Switch::new(SwitchConfig::default(), ports).unwrap();
    for n in 0..9 {
        assert_eq!(program.send(&frame(n, 20)).unwrap(), Delivery::Sent);
    }
    // much more time was passed over than a block may take
    let begun = 100 * BLOCK;
    switch.exchange(begun).unwrap();
    // the block holds 625 octets and a frame takes 84, padded, with preamble, FCS and gap
    let begins = |n: u64| begun + n * 84 * OCTET;
    assert_eq!((switch.due_ps(), taken.load(Ordering::Relaxed)), (Some(begins(0) + 72 * OCTET), 8));
    let came = |switch: &Switch| switch.stats()[0].frames_in;
    switch.exchange(begins(8)).unwrap();
    assert_eq!((came(&switch), switch.due_ps()), (8, Some(begins(8) + 72 * OCTET)));
    switch.exchange(begun + 2 * BLOCK).unwrap();
    assert_eq!((came(&switch), switch.stats()[0].octets_in), (9, 9 * 60));
    for n in 0..9 {
        let whole = begins(n) + 2 * 72 * OCTET + BLOCK;
        let padded = [frame(n as u8, 20), vec![0; 40]].concat();
        assert_eq!(link.receive(Side::A, whole - 1), None, "frame {n}");
        assert_eq!(link.receive(Side::A, whole), Some(Some(padded)), "frame {n}");
    }
}

#[test]
fn a_program_gets_a_frame_when_its_last_octet_has_arrived_and_no_spoilt_one() {
    let [inner, mut program] = JoinedPort::pair(&Wire::default()).unwrap();
    let link = Link::new(LINE);
    let ports = vec![port("", OutsidePort::new(Box::new(inner), LINE)), port("", link.clone())];
    let mut switch = Switch::new(SwitchConfig::default(), ports).unwrap();
    link.send(Side::A, 0, &frame(1, 100)).unwrap();
    let whole = 2 * (BLOCK + 112 * OCTET);
    switch.exchange(BLOCK + 112 * OCTET).unwrap();
    assert_eq!((switch.due_ps(), switch.poll_fds().len()), (Some(whole), 1));
    switch.exchange(whole - 1).unwrap();
    assert_eq!(program.receive().unwrap(), None);
    switch.exchange(whole).unwrap();
    assert_eq!((program.receive().unwrap(), switch.due_ps()), (Some(frame(1, 100)), None));
    // nobody is there any more
    drop(program);
    link.send(Side::A, whole, &frame(1, 100)).unwrap();
    (1..=5).for_each(|n| switch.exchange(whole + n * BLOCK).unwrap());
    assert_eq!((switch.stats()[0].frames_out, switch.stats()[0].untaken), (2, 1));
}

#[test]
fn a_cable_without_delay_is_refused_with_its_port() {
    let link = Link::new(LinkConfig { delay_ns: 0, ..LINE });
    let ports = vec![port("", Link::new(LINE)), port("", link)];
    let told = Switch::new(SwitchConfig::default(), ports).err().map(|why| why.to_string()).unwrap();
    assert!(told.starts_with("port 1 of the switch has a cable without delay; give"), "{told}");
}

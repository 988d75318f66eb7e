// SPDX-License-Identifier: MIT OR Apache-2.0
//! Four whole devices on one switch. Each frame that leaves the switch is compared with a switch in
//! plain code: octets, time, mark, drop.
use ferrowarp_sim::link::switch::{Switch, SwitchConfig, SwitchPort};
use ferrowarp_tests::device::{library, Message, Switched, RDMA_WRITE, SEND};
use ferrowarp_tests::switch_model::judged::{compare, config, Passed, Watched};
use ferrowarp_tests::switch_model::Port;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

const DEVICES: usize = 4;
/// The port that marks, the port that loses one frame in a hundred each way, and the port with a
/// short queue.
const MARKS: usize = 0;
const LOSES: usize = 1;
const SHORT: usize = 2;
/// Times that each device writes and sends to each other one.
const ROUNDS: usize = 5;
/// Cycles that a round may take: some expiries of the retransmission timer.
const PATIENCE: u64 = 1_000_000;

fn ports() -> [Port; DEVICES] {
    let mut ports = [(); DEVICES].map(|()| Port {
        untagged: Some(1),
        vids: vec![1],
        queue: 100_000,
        ..Default::default()
    });
    ports[MARKS].ecn = Some(6_000);
    ports[LOSES].odds[0] = 10_000;
    ports[LOSES].seed = 5;
    ports[SHORT].queue = 12_000;
    ports
}

/// Any two of the devices, in both orders.
fn pairs() -> impl Iterator<Item = [usize; 2]> {
    (0..DEVICES).flat_map(|from| (0..DEVICES).map(move |to| [from, to])).filter(|[from, to]| from != to)
}

/// A frame that the switch loses, changes, marks or holds up otherwise than plain code does is
/// seen, and so is an octet that does not come to the right memory.
#[test]
fn four_devices_exchange_writes_and_sends_and_the_switch_does_what_plain_code_does() {
    let library = library().expect("the device's model");
    let (ports, passed) = (ports(), [(); DEVICES].map(|()| Passed::default()));
    let table = SwitchConfig::default();
    let switch = |links: Vec<_>| {
        let ends = links.into_iter().zip(&ports).zip(&passed).map(|((link, port), passed)| {
            (config(port), Box::new(Watched::new(link, passed)) as Box<dyn SwitchPort>)
        });
        Switch::new(table, ends.collect()).expect("cables with delay")
    };
    let mut all = Switched::new(&library, DEVICES, switch).expect("devices that are set up");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut post = |all: &mut Switched, way: [usize; 2], opcode: u8, octets: usize| {
        let mut payload = vec![0; octets];
        rng.fill_bytes(&mut payload);
        all.post(way, Message::plain(opcode, payload)).expect("two devices");
    };
    // the initiator speaks first, as RFC 5044 section 7.1.3 has it
    pairs().filter(|[from, to]| from < to).for_each(|way| post(&mut all, way, SEND, 16));
    all.until_settled(PATIENCE).unwrap();
    // all others to one device at a time, so that its port has more to send than it can
    for round in 0..ROUNDS * DEVICES {
        for way in pairs().filter(|[_, to]| *to == round % DEVICES) {
            post(&mut all, way, RDMA_WRITE, 8_000 + round);
            post(&mut all, way, SEND, 4_000 - round);
        }
        all.until_settled(PATIENCE).unwrap();
    }
    // the last ACKs pass
    (0..20).for_each(|_| all.block().unwrap());
    all.compare().unwrap();
    let learned = (table.aging_ps, table.addresses);
    let counts = compare(&ports, learned, &passed, &all.switch().stats()).unwrap();
    let told = format!("{counts:?}");
    assert!(counts.iter().all(|c| c.frames_in > 200 && c.frames_out > 200), "{told}");
    for (n, count) in counts.iter().enumerate() {
        let happened = [count.marked, count.lost, count.dropped].map(|frames| frames > 0);
        assert_eq!(happened, [MARKS, LOSES, SHORT].map(|port| port == n), "port {n}: {told}");
    }
}

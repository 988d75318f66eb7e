// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two devices and a third station that sends in the name of one of them: ACKs of ACKs come to an
//! end.
use ferrowarp_sim::{run_pair_on, MemoryTiming, Side};
use ferrowarp_tests::device::{clock_ps, library, link, stranger, Plan, Traffic, Wire};

/// Cycles in which nobody has anything to send: two periods of rationed ACKs.
const IDLE: u64 = 200_000;
/// Octets that the third station sends.
const INJECTED: [u32; 2] = [1, 30];
/// Frames that may answer each of them.
const ANSWERS: usize = 4;

/// A acknowledges octets that B has not sent, so B finds that ACK impossible, and A what B answers
/// old. Neither answer may be answered for ever (RFC 5961 section 7).
#[test]
fn octets_that_the_peer_has_not_sent_start_no_war() {
    let library = library().expect("the device's model");
    run_pair_on("ack_war", &library, link(), 0, |pair| {
        let wires: Vec<Wire> = (0..2).map(|nth| Wire::plain(nth, 1500, 14)).collect();
        let timing = MemoryTiming::steady(clock_ps());
        let plan = Plan { wires: wires.clone(), numbers: vec![0, 1], timing, longest: 0, budget: 0 };
        let traffic = Traffic::new(pair, plan)?;
        pair.link.capture();
        for (wire, octets) in wires.iter().zip(INJECTED) {
            let [a, b] = wire.ends;
            for n in 0..octets {
                let frame = stranger(wire, 1, b.seq_start + n, a.seq_start, &[0]);
                pair.link.inject(Side::A, pair.a.cycle() * clock_ps(), frame);
            }
            (0..IDLE).for_each(|_| traffic.step(pair));
            let acks = pair.link.take_captured().len();
            let most = ANSWERS * octets as usize;
            if !(1..=most).contains(&acks) {
                return Err(format!("{octets} octets were followed by {acks} ACKs, 1 to {most} are right"));
            }
        }
        Ok(())
    });
}

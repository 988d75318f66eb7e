// SPDX-License-Identifier: MIT OR Apache-2.0
//! The peer's FIN behind its last messages: the event of the FIN comes first, and the answer to a
//! captured error that is read then comes behind all that was before the FIN, in memory and in the
//! completion queue.
use ferrowarp_abi::consts::{event_kind, work_opcode};
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, seeds};
use ferrowarp_tests::device::{library, link, same, Message, Scene, Shape, BAD, QPS, SEND};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Most messages in front of the FIN, and most octets of each.
const MESSAGES: usize = 4;
const OCTETS: usize = 2_500;
/// Cycles within which the FIN comes.
const SOON: u64 = 40_000;

#[test]
fn what_came_before_a_fin_is_there_when_it_is_asked_for() {
    let library = library().expect("the device's model");
    for seed in seeds(0..24, 0..300) {
        run_pair_on("finished", &library, link(), seed, |pair| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let shape = Shape { is_rough: seed % 2 == 1, ..Shape::default() };
            let mut scene = Scene::shaped(pair, shape, |_| Fate::Deliver)?;
            for _ in 0..rng.random_range(1..=MESSAGES) {
                let octets = rng.random_range(1..OCTETS);
                let message = Message { is_signaled: false, ..Message::random(&mut rng, octets, SEND) };
                scene.traffic.post(pair, 0, BAD, message);
            }
            scene.control(pair, 0, work_opcode::FIN, vec![])?;
            let begun = pair.a.cycle();
            while !scene
                .events(pair, 1)
                .iter()
                .any(|e| (e.kind, e.number) == (event_kind::PEER_FIN, QPS[BAD]))
            {
                if pair.a.cycle() - begun > SOON {
                    return Err(format!("no FIN within {SOON} cycles"));
                }
                scene.traffic.step(pair);
            }
            let (captured, _) = scene.captured(pair, 1, QPS[BAD])?;
            same("B", "whether an error is captured", captured.is_captured, false)?;
            scene.traffic.look(pair)?;
            same("B", "messages that are not completed", scene.traffic.waiting(0, BAD), 0)?;
            scene.traffic.compare(pair)
        });
    }
}

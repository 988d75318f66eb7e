//! Two devices on a link that loses frames: the retransmission timer brings back what was lost, of every kind of message.
use ferrowarp_abi::consts::wc_status;
use ferrowarp_sim::link::Fate;
use ferrowarp_sim::{run_pair_on, seeds, MemoryTiming, Pair};
use ferrowarp_tests::device::{
    clock_ps, library, link, random_size, random_wire, Message, Plan, Traffic, RDMA_WRITE, SEND,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Ticks of the shortest timeout; a tick of these runs is about ten round trips.
const RTO: u64 = 4;
/// Expiries in a row until a connection is lost: with one frame in fifty lost it never comes to that.
const RETRIES: u64 = 12;
/// Cycles that a run may take: some dozens of expiries, each with its back-off.
const PATIENCE: u64 = 3_000_000;

/// Reads, Writes and Sends both ways while one frame in `one_in` is lost.
fn lossy(pair: &mut Pair, seed: u64, one_in: u32) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let wire = random_wire(&mut rng, seed as u16, 0, false);
    let timing = MemoryTiming::steady(clock_ps());
    let plan = Plan { wires: vec![wire], numbers: vec![5], timing, longest: 6_000, budget: 30_000 };
    let mut traffic = Traffic::new(pair, plan)?;
    for bench in [&mut pair.a, &mut pair.b] {
        bench.set("rto_min", RTO);
        bench.set("retry_limit", RETRIES);
    }
    traffic.post(pair, 0, 0, Message::random(&mut rng, 16, SEND));
    traffic.until_settled(pair, 20_000)?;
    let mut fate = ChaCha8Rng::seed_from_u64(!seed);
    pair.link.set_hook(move |_| if fate.random_ratio(1, one_in) { Fate::Drop } else { Fate::Deliver });
    for _ in 0..10 {
        for from in 0..2 {
            let octets = random_size(&mut rng, 4_000);
            match rng.random_range(0..3) {
                0 => traffic.post(pair, from, 0, Message::random(&mut rng, octets, RDMA_WRITE)),
                1 => traffic.post(pair, from, 0, Message::random(&mut rng, octets, SEND)),
                _ => {
                    let payload: Vec<u8> = (0..octets).map(|_| rng.random()).collect();
                    traffic.post_read(pair, from, 0, &payload, [rng.random_range(0..9), 1]);
                }
            }
        }
        for _ in 0..rng.random_range(0..2_000) {
            traffic.step(pair);
        }
        traffic.look(pair)?;
    }
    traffic.until_settled(pair, PATIENCE)?;
    // the last Sends come behind every Write before them
    for from in 0..2 {
        traffic.post(pair, from, 0, Message::random(&mut rng, 16, SEND));
    }
    traffic.until_settled(pair, PATIENCE)?;
    // what is sent again then is no message a second time
    for _ in 0..20_000 {
        traffic.step(pair);
    }
    traffic.look(pair)?;
    traffic.compare(pair)
}

#[test]
fn every_message_arrives_once_though_frames_are_lost() {
    let library = library().expect("the device's model");
    for seed in seeds(0..12, 0..300) {
        run_pair_on("lossy", &library, link(), seed, |pair| lossy(pair, seed, 50));
    }
}

#[test]
fn a_peer_that_is_gone_ends_the_connection() {
    let library = library().expect("the device's model");
    run_pair_on("peer_gone", &library, link(), 1, |pair| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let wire = random_wire(&mut rng, 1, 0, false);
        let timing = MemoryTiming::steady(clock_ps());
        let plan = Plan { wires: vec![wire], numbers: vec![5], timing, longest: 1_000, budget: 2_000 };
        let mut traffic = Traffic::new(pair, plan)?;
        pair.a.set("rto_min", 2);
        pair.a.set("retry_limit", 4);
        traffic.post(pair, 0, 0, Message::plain(SEND, vec![7; 16]));
        traffic.until_settled(pair, 20_000)?;
        pair.link.set_hook(|_| Fate::Drop);
        pair.link.capture();
        traffic.post(pair, 0, 0, Message::plain(RDMA_WRITE, vec![9; 300]));
        // 2, 4, 8 and 16 ticks of 1,000 cycles
        for _ in 0..40_000 {
            traffic.step(pair);
        }
        let sent = pair.link.take_captured().len();
        if sent != 4 {
            return Err(format!("{sent} frames left, not the first one and three again"));
        }
        let [cqes, _] = traffic.hosts[0].poll(&mut pair.a);
        match &cqes[..] {
            [cqe] if cqe.status == wc_status::RETRY_EXC_ERR && cqe.error == 0 => Ok(()),
            other => Err(format!("completions {other:?}, expected one with retry_exc_err")),
        }
    });
}

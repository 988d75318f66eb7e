// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which 4-tuples are different connections, and how many of them the table holds.
use ferrowarp_sim::Bench;
use ferrowarp_tests::net_rx::{plain, Rx};
use ferrowarp_tests::net_rx_frames::{Segment, Tuple};
use ferrowarp_tests::net_rx_model::{Conn, Model};
use ferrowarp_tests::toeplitz::buckets;
use rand::seq::SliceRandom;
use rand::Rng;
use std::collections::BTreeMap;

/// Frames under way at once: raw frames of all of them have room.
const BATCH: usize = 16;
/// Connections of the bench, and slots of two buckets.
const CONNS: usize = 4;
/// Bits of the number of a bucket.
const BUCKET: usize = 3;

/// The key of a tuple in the table: addresses and ports as numbers, lowest octet first, then
/// whether they are those of IPv6.
fn key(tuple: &Tuple) -> Vec<u8> {
    let address = |octets: &[u8]| {
        let mut number = octets.to_vec();
        number.reverse();
        number.resize(16, 0);
        number
    };
    let addresses = [address(&tuple.source), address(&tuple.destination)].concat();
    let ports = [tuple.source_port, tuple.destination_port].map(u16::to_le_bytes).concat();
    [addresses, ports, vec![u8::from(tuple.is_ipv6())]].concat()
}

/// All tuples that differ from one in a single bit.
fn neighbours(tuple: &Tuple) -> Vec<Tuple> {
    let bits = 8 * tuple.source.len();
    let address = |at: usize| move |octets: &mut Vec<u8>| octets[at / 8] ^= 1 << (at % 8);
    let mut out = vec![];
    for at in 0..bits {
        let (mut source, mut destination) = (tuple.clone(), tuple.clone());
        address(at)(&mut source.source);
        address(at)(&mut destination.destination);
        out.extend([source, destination]);
    }
    for at in 0..16 {
        out.push(Tuple { source_port: tuple.source_port ^ 1 << at, ..tuple.clone() });
        out.push(Tuple { destination_port: tuple.destination_port ^ 1 << at, ..tuple.clone() });
    }
    out
}

/// The same numbers, in addresses of the other version of IP; `tuple` is one of IPv4.
fn as_ipv6(tuple: &Tuple) -> Tuple {
    let wide = |octets: &[u8]| [&[0; 12], octets].concat();
    Tuple { source: wide(&tuple.source), destination: wide(&tuple.destination), ..tuple.clone() }
}

/// A segment of one octet, the next of its connection.
fn send(bench: &mut Bench, rx: &Rx, model: &mut Model, conn: &Conn) {
    let same = model.conns.iter().flatten().find(|c| c.tuple == conn.tuple);
    let seq = same.map_or(conn.rcv_nxt, |c| c.rcv_nxt);
    let segment = Segment { data: vec![seq as u8], ..Segment::new(&conn.tuple, seq, conn.una) };
    rx.send(bench, model, segment.frame(), false);
}

#[test]
fn a_tuple_that_differs_in_one_bit_is_another_connection() {
    for is_ipv6 in [false, true] {
        plain(&format!("neighbours_{}", if is_ipv6 { 6 } else { 4 }), |bench, rx| {
            let mut model = Model::default();
            let conn = Conn::new(Tuple::random(bench.rng(), is_ipv6), 1_000, 9);
            assert_eq!(rx.insert(bench, 0, &conn)?, 0);
            model.conns[0] = Some(conn.clone());
            let mut others = neighbours(&conn.tuple);
            if !is_ipv6 {
                others.push(as_ipv6(&conn.tuple));
            }
            let others: Vec<_> = others.into_iter().map(|tuple| Conn { tuple, ..conn.clone() }).collect();
            for batch in others.chunks(BATCH) {
                batch.iter().for_each(|other| send(bench, rx, &mut model, other));
                send(bench, rx, &mut model, &conn);
                rx.check(bench, &mut model)?;
            }
            // each can be inserted beside the first one
            for batch in others.chunks(CONNS - 1) {
                for (i, other) in batch.iter().enumerate() {
                    assert_eq!(rx.insert(bench, i as u64 + 1, other)?, 0, "{:?}", other.tuple);
                    model.conns[i + 1] = Some(other.clone());
                }
                batch.iter().chain([&conn]).for_each(|conn| send(bench, rx, &mut model, conn));
                rx.check(bench, &mut model)?;
                for i in 1..=batch.len() {
                    assert_eq!(rx.remove(bench, i as u64)?, 0);
                    model.conns[i] = None;
                }
            }
            Ok(())
        });
    }
}

/// Tuples that are drawn at most.
const MOST: usize = 100_000;

/// Four tuples for each pair of buckets.
fn crowds(bench: &mut Bench, rx: &Rx) -> Vec<Vec<Tuple>> {
    let mut crowds = BTreeMap::<_, Vec<Tuple>>::new();
    let pairs = 1 << (2 * BUCKET);
    for _ in 0..MOST {
        if crowds.len() == pairs && crowds.values().all(|crowd| crowd.len() == CONNS) {
            break;
        }
        let is_ipv6 = bench.rng().random();
        let tuple = Tuple::random(bench.rng(), is_ipv6);
        let crowd = crowds.entry(buckets(&key(&tuple), &rx.secret, BUCKET)).or_default();
        if crowd.len() < CONNS {
            crowd.push(tuple);
        }
    }
    assert!(crowds.len() == pairs && crowds.values().all(|crowd| crowd.len() == CONNS), "too few tuples");
    crowds.into_values().collect()
}

#[test]
fn four_connections_of_the_same_two_buckets_fit() {
    plain("crowds", |bench, rx| {
        for crowd in crowds(bench, rx) {
            let mut model = Model::default();
            let conns: Vec<_> = crowd.into_iter().map(|tuple| Conn::new(tuple, 1_000, 9)).collect();
            let mut order: Vec<usize> = (0..CONNS).collect();
            order.shuffle(bench.rng());
            for &qp in &order {
                assert_eq!(rx.insert(bench, qp as u64, &conns[qp])?, 0, "{:?}", conns[qp].tuple);
                model.conns[qp] = Some(conns[qp].clone());
            }
            conns.iter().for_each(|conn| send(bench, rx, &mut model, conn));
            rx.check(bench, &mut model)?;
            // one leaves, and comes back into its slot
            let gone = order[0];
            assert_eq!(rx.remove(bench, gone as u64)?, 0);
            model.conns[gone] = None;
            conns.iter().for_each(|conn| send(bench, rx, &mut model, conn));
            rx.check(bench, &mut model)?;
            assert_eq!(rx.insert(bench, gone as u64, &conns[gone])?, 0, "{:?}", conns[gone].tuple);
            model.conns[gone] = Some(conns[gone].clone());
            conns.iter().for_each(|conn| send(bench, rx, &mut model, conn));
            rx.check(bench, &mut model)?;
            for qp in 0..CONNS {
                assert_eq!(rx.remove(bench, qp as u64)?, 0);
            }
        }
        Ok(())
    });
}

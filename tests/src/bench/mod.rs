// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `cargo xtask bench` runs: each bench measures keys, each key has the bar it must reach.
//!
//! A new bench is a file here with a `pub fn bench() -> Bench`, and a line in [`all`].

mod carrier;
mod crc32c;
mod driver;
mod dropin;
mod first;
mod key;
mod loss;
mod mpa_rx;
mod mpa_tx;
pub mod pcie;
mod rate;
mod rnic_1g;
mod room;
mod speed;
mod stack;
mod stream;
mod tcp_tx;

pub use key::{Bar, Bench, Key, Record};
pub use speed::cycles_of;

/// Every bench, in the order in which they are printed.
pub fn all() -> Vec<Bench> {
    vec![
        carrier::bench(),
        crc32c::bench(),
        driver::bench(),
        dropin::bench(),
        first::bench(),
        loss::bench(),
        mpa_rx::bench(),
        mpa_tx::bench(),
        pcie::bench(),
        rate::bench(),
        rnic_1g::bench(),
        room::bench(),
        speed::bench(),
        stack::bench(),
        stream::bench(),
        tcp_tx::bench(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_begin_with_their_bench() {
        let benches = all();
        let mut keys: Vec<_> = benches.iter().flat_map(|b| b.keys.iter().map(|k| &k.name)).collect();
        for bench in &benches {
            let prefix = format!("{}.", bench.name);
            assert!(!bench.keys.is_empty() && bench.keys.iter().all(|k| k.name.starts_with(&prefix)));
        }
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }

    #[test]
    fn a_bench_measures_what_it_names() {
        let bench = |run| Bench { name: "x", keys: vec![Key::line_rate("x.a")], run };
        assert!(bench(|r| {
            r.put("x.a", 1.0);
            Ok(())
        })
        .measure()
        .is_ok());
        assert!(bench(|_| Ok(())).measure().unwrap_err().contains("did not measure its key `x.a`"));
        let more = |r: &mut Record| {
            r.put("x.a", 1.0);
            r.put("x.b", 1.0);
            Ok(())
        };
        assert!(bench(more).measure().unwrap_err().contains("`x.b`"));
    }

    #[test]
    fn a_bar_is_reached_or_not() {
        assert!(Bar::AtLeast(1.0).holds(1.0) && !Bar::AtLeast(1.0).holds(0.999));
        assert!(Bar::AtMost(60.0).holds(59.0) && !Bar::AtMost(60.0).holds(61.0));
        assert!(Bar::Informative.holds(0.0) && !Bar::Informative.holds(f64::NAN));
    }
}

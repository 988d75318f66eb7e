// SPDX-License-Identifier: MIT OR Apache-2.0
//! MAC transmit: frames against what stands on the wire.
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{random_frame, run_case, Bench, Frame, Pattern};
use ferrowarp_tests::mac::{frames, Seen, Symbol};

/// Sends `sent` and returns what stood on the wire, with the pulses `sent` and `spoilt`.
fn carried(bench: &mut Bench, sent: &[Frame], idle: Pattern) -> Result<(Vec<Seen>, [usize; 2]), String> {
    let source = bench.source("tx_rx", idle);
    sent.iter().for_each(|f| bench.send(source, f.clone()));
    let (mut wire, mut pulses, mut quiet) = (vec![], [0; 2], 0);
    // the last frame has left when nothing has been on the wire for longer than a gap
    while quiet < 64 || !bench.sent_all(source) {
        let carrier = bench.get("tx_carrier") == 1;
        wire.push(Symbol { octet: bench.get("tx_octet") as u8, carrier, fault: false });
        for (count, name) in pulses.iter_mut().zip(["tx_sent", "tx_spoilt"]) {
            *count += bench.get(name) as usize;
        }
        quiet = if carrier { 0 } else { quiet + 1 };
        bench.step();
    }
    Ok((frames(&wire)?, pulses))
}

/// The octets of a frame as they stand on the wire, without FCS.
fn padded(frame: &Frame) -> Vec<u8> {
    let mut data = frame.data.clone();
    data.resize(data.len().max(60), 0);
    data
}

#[test]
fn every_length_is_padded_and_has_its_fcs_and_a_gap_of_twelve_octets() {
    run_case("mac-tx-lengths", Top::MacW64, 1, |bench| {
        let sent: Vec<_> = (1..=1_518)
            .chain([9_014])
            .map(|n| random_frame(bench.rng(), n))
            .map(|f| Frame::good(f.data))
            .collect();
        let (seen, pulses) = carried(bench, &sent, Pattern::None)?;
        assert_eq!((seen.len(), pulses), (sent.len(), [sent.len(), 0]));
        for (i, (seen, sent)) in seen.iter().zip(&sent).enumerate() {
            assert_eq!(seen.good(), Some(&padded(sent)[..]), "frame {i}");
            assert!(i == 0 || seen.gap == 12, "a gap of {} in front of frame {i}", seen.gap);
        }
        Ok(())
    });
}

#[test]
fn a_frame_with_err_leaves_with_an_inverted_fcs() {
    run_case("mac-tx-err", Top::MacW64, 2, |bench| {
        let sent: Vec<_> =
            (0..200).map(|n| Frame { err: n % 3 == 1, ..random_frame(bench.rng(), 1 + n) }).collect();
        let (seen, pulses) = carried(bench, &sent, Pattern::None)?;
        let bad = sent.iter().filter(|f| f.err).count();
        assert_eq!((seen.len(), pulses), (200, [200 - bad, bad]));
        for (seen, sent) in seen.iter().zip(&sent) {
            let (data, fcs) = seen.octets.split_at(seen.octets.len() - 4);
            assert_eq!(data, padded(sent));
            let right = ferrowarp_tests::mac::fcs(data);
            assert_eq!(fcs, if sent.err { right.map(|octet| !octet) } else { right });
        }
        Ok(())
    });
}

#[test]
fn a_frame_with_a_late_beat_has_a_wrong_fcs_and_its_rest_is_dropped() {
    for idle in Pattern::ALL {
        run_case(&format!("mac-tx-late-{}", idle.name()), Top::MacW64, 3, |bench| {
            let sent: Vec<_> =
                (0..300).map(|n| Frame::good(random_frame(bench.rng(), 1 + n % 150).data)).collect();
            let (seen, pulses) = carried(bench, &sent, idle)?;
            assert_eq!((seen.len(), pulses.iter().sum::<usize>()), (300, 300));
            let is_good = |seen: &&Seen| seen.good().is_some();
            assert_eq!(seen.iter().filter(is_good).count(), pulses[0]);
            for (i, (seen, sent)) in seen.iter().zip(&sent).enumerate() {
                assert!(i == 0 || seen.gap >= 12, "a gap of {} in front of frame {i}", seen.gap);
                match seen.good() {
                    Some(data) => assert_eq!(data, padded(sent), "frame {i}"),
                    None => assert!(seen.octets.len() <= padded(sent).len() + 4, "frame {i}"),
                }
            }
            Ok(())
        });
    }
}

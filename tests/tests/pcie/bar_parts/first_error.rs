// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of the first error.
use super::*;

const WHAT: u64 = 0x080;
const HEAD: u64 = 0x084;
const ADDRESS: u64 = 0x088;
/// Kinds of `edge_error`.
const UNSUPPORTED: u32 = 2;
const LENGTH: u32 = 4;
const OF_READS: u32 = 16;

/// Asks for the three registers.
fn shown(bench: &mut Bench, host: &mut Host) -> Result<[u32; 3], String> {
    Ok([host.get(bench, WHAT)?, host.get(bench, HEAD)?, host.get(bench, ADDRESS)?])
}

#[test]
fn the_first_error_shows_every_field() {
    for seed in seeds(0..2, 0..20) {
        run_widths("pcie-bar-first-error", seed, |bench| {
            let mut host = Host::new(bench, Pattern::None, Pattern::Random);
            for _ in 0..60 {
                let any: u32 = bench.rng().random();
                host.set(bench, WHAT, any)?;
                assert_eq!(shown(bench, &mut host)?, [0; 3]);
                // reads of three dwords or more, of any BARs; both byte enables have a bit
                let mut read = || {
                    let dwords = bench.rng().random_range(3..=1024);
                    let be = [1, 16].map(|unit: u8| unit * bench.rng().random_range(1..16_u8));
                    let (bar, addr) = (bench.rng().random_range(0..8_u64), bench.rng().random::<u64>() & !3);
                    let mut tlp = header(false, addr, dwords, be[0] | be[1], 0x33);
                    // traffic class and attributes
                    tlp[0] |= bench.rng().random::<u32>() & 0x0074_3000;
                    (bar, tlp)
                };
                let (bar, tlp) = read();
                let second = read();
                let kind = if [BAR0, BAR2, BAR4].contains(&bar) { LENGTH } else { UNSUPPORTED };
                let what = kind | (bar as u32) << 8 | (tlp[1] & 0xff) << 12 | (tlp[0] & 0x3ff) << 20;
                for (bar, tlp) in [(bar, &tlp), (second.0, &second.1)] {
                    host.send(bench, bar, tlp)?;
                    host.completion(bench)?;
                }
                assert_eq!(
                    shown(bench, &mut host)?,
                    [what, tlp[0], *tlp.last().unwrap_or(&0)],
                    "{tlp:08x?} at {bar}"
                );
            }
            Ok(())
        });
    }
}

#[test]
fn an_error_of_the_device_s_own_reads_has_its_kind_alone() {
    run_case("pcie-bar-first-error-reads", Top::PcieBarW64, 1, |bench| {
        let mut host = Host::new(bench, Pattern::None, Pattern::None);
        for error in 0..8 {
            host.set(bench, WHAT, 0)?;
            let (port, value) = if error < 7 { ("read_faults", 1 << error) } else { ("dropped", 1) };
            bench.set(port, value);
            bench.step();
            bench.set(port, 0);
            bench.set("dropped", u64::from(error != 7));
            bench.step();
            bench.set("dropped", 0);
            assert_eq!(shown(bench, &mut host)?, [OF_READS + error, 0, 0]);
        }
        Ok(())
    });
}

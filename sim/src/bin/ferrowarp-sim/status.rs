// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is shown while it runs and when it has ended.
use super::switch::Plan;
use super::Cli;
use ferrowarp_sim::link::switch::{PortStats, PortWatch};
use ferrowarp_sim::rnic::{RnicStats, Served};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{json, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two status lines.
const SHOWN_EVERY: Duration = Duration::from_millis(200);
/// Nanoseconds of a cycle are so many by kHz.
const NS_KHZ: u64 = 1_000_000;

/// What has happened at the end.
pub(super) struct Counted {
    pub(super) devices: Vec<RnicStats>,
    /// The switch, and what its ports have counted.
    pub(super) switch: Option<(Plan, Vec<PortStats>)>,
}

/// Shows what goes on until a signal comes, the time is over, or a device fails. The lines go to a
/// terminal only: one of all devices, and one for each port of a switch.
pub(super) fn watch(
    devices: &[Served],
    switch: Option<(&Plan, PortWatch)>,
    stops: &AtomicBool,
    cli: &Cli,
    clock_khz: u64,
) {
    let line = ProgressBar::new_spinner();
    // the template is this one
    line.set_style(
        ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    let start = Instant::now();
    let mut before = (start, 0);
    while !stops.load(Ordering::Relaxed) && !devices.iter().any(Served::has_ended) {
        if cli.seconds.is_some_and(|s| start.elapsed() >= Duration::from_secs(s)) {
            break;
        }
        std::thread::sleep(SHOWN_EVERY);
        let all: Vec<_> = devices.iter().map(Served::stats).collect();
        let now = (Instant::now(), all.iter().map(|s| s.cycles).sum());
        let rate = (now.1 - before.1) as f64 / (now.0 - before.0).as_secs_f64() / 1e3;
        let ports = switch.as_ref().map_or_else(String::new, |(plan, ports)| plan.line(&ports.stats()));
        line.set_message(message(&all, clock_khz, rate, start.elapsed()) + &ports);
        line.tick();
        before = now;
    }
    line.finish_and_clear();
}

/// The status line; `rate` is in thousands of cycles a second of all devices, `took` the wall time
/// of the simulation.
fn message(all: &[RnicStats], clock_khz: u64, rate: f64, took: Duration) -> String {
    let sum = |part: fn(&RnicStats) -> u64| all.iter().map(part).sum::<u64>();
    let simulated = all.iter().map(|s| s.cycles).max().unwrap_or(0) as f64 / clock_khz as f64;
    let (frames, drops, refused) = (sum(|s| s.sent), sum(|s| s.lost), sum(|s| s.refused));
    format!(
        "{simulated:.3} ms simulated in {:.1} s, {rate:.0} kcycles/s, {:.0} % passed over, {frames} frames, {drops} drops, {refused} accesses refused",
        took.as_secs_f64(),
        share(sum(|s| s.passed_over), sum(|s| s.cycles))
    )
}

/// Per cent.
fn share(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// Statistics of all devices, in their order, and of the ports of a switch.
pub(super) fn json(cli: &Cli, counted: &Counted, clock_khz: u64, took: Duration) -> Value {
    let device = |(n, stats): (usize, &RnicStats)| {
        let mut value = json!(stats);
        value["device"] = json!(cli.device.get(n));
        value["eth"] = json!(cli.eth.get(n));
        value["simulated_ns"] = json!(u128::from(stats.cycles) * u128::from(NS_KHZ) / u128::from(clock_khz));
        value["simulated_per_wall"] =
            json!(stats.cycles as f64 / clock_khz as f64 / 1e3 / took.as_secs_f64());
        value["kcycles_per_s"] = json!(stats.cycles as f64 / took.as_secs_f64() / 1e3);
        value
    };
    let devices: Vec<_> = counted.devices.iter().enumerate().map(device).collect();
    let mut value =
        json!({ "ok": true, "clock_khz": clock_khz, "seconds": took.as_secs_f64(), "devices": devices });
    if let Some((plan, stats)) = &counted.switch {
        value["switch"] = plan.json(&cli.device, stats);
    }
    value
}

/// The same as text.
pub(super) fn text(cli: &Cli, counted: &Counted) -> String {
    let line = |(device, stats): (&String, &RnicStats)| {
        let RnicStats { cycles, passed_over, sent, received, lost, wire_lost, link_downs, refused, .. } =
            stats;
        format!(
            "{device}: {cycles} cycles, {:.0} % of them passed over, {sent} frames sent, {received} received, {lost} dropped, \
             {wire_lost} lost by a wire that was told to lose some, {link_downs} times without a link, {refused} accesses refused\n",
            share(*passed_over, *cycles)
        )
    };
    let devices = cli.device.iter().zip(&counted.devices).map(line);
    let ports = counted.switch.as_ref().map(|(plan, stats)| plan.text(&cli.device, stats));
    devices.chain(ports).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_line_has_the_time_of_the_oldest_device_and_the_sums_of_all() {
        let one =
            RnicStats { cycles: 156_250, sent: 3, received: 9, lost: 1, refused: 2, ..Default::default() };
        let other = RnicStats { cycles: 312_500, passed_over: 93_750, sent: 4, ..one };
        let took = Duration::from_millis(1_250);
        let sums = "7 frames, 2 drops, 4 accesses refused";
        assert_eq!(
            message(&[one, other], 156_250, 79.6, took),
            format!("2.000 ms simulated in 1.2 s, 80 kcycles/s, 20 % passed over, {sums}")
        );
        let sums = "0 frames, 0 drops, 0 accesses refused";
        assert_eq!(
            message(&[], 1, 0.0, took),
            format!("0.000 ms simulated in 1.2 s, 0 kcycles/s, 0 % passed over, {sums}")
        );
    }
}

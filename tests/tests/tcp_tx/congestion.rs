// SPDX-License-Identifier: MIT OR Apache-2.0
//! The congestion window of transmit, against the RFCs in plain code.
mod duplicates;

use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{model, run_case, run_case_on, seeds, Bench};
use ferrowarp_tests::tcp_tx::{Ask, Fact, Grant, Kind, Row, Stage};
use rand::Rng;

const QP: usize = 1;

/// RFC 5681 and RFC 3465 for a sender that sends all from the lost octet on again.
struct Model {
    emss: u32,
    cwnd: u32,
    ssthresh: u32,
    count: u32,
    timed: bool,
    /// Nothing was acknowledged since the timer expired.
    stands: bool,
}

impl Model {
    /// Within RFC 6928 section 2, equation 1.
    fn new(emss: u32) -> Self {
        let cwnd = if emss <= 1_460 { 10 * emss } else { 2 * emss };
        assert!(cwnd <= (10 * emss).min((2 * emss).max(14_600)));
        Self { emss, cwnd, ssthresh: u32::MAX, count: 0, timed: false, stands: false }
    }

    fn acknowledged(&mut self, octets: u32, bounded: bool) {
        self.stands = false;
        if self.cwnd < self.ssthresh {
            if bounded {
                self.cwnd += octets.min(if self.timed { self.emss } else { 2 * self.emss });
            }
            return;
        }
        self.timed = false;
        if !bounded {
            return;
        }
        // what was acknowledged before counts for this growth, what is acknowledged now for the
        // next one
        if self.count >= self.cwnd {
            self.count -= self.cwnd;
            if self.count >= self.cwnd {
                self.count = 0;
            }
            self.cwnd += self.emss;
        }
        self.count += octets;
    }

    fn lost(&mut self, by_timer: bool) {
        let half = (self.cwnd / 2).max(2 * self.emss);
        if !(by_timer && self.stands) {
            self.ssthresh = half;
        }
        self.stands = by_timer;
        self.cwnd = if by_timer { self.emss } else { half };
        self.timed = by_timer;
        self.count = 0;
    }

    /// RFC 5681 section 4.1.
    fn rested(&mut self) {
        let initial = Self::new(self.emss).cwnd;
        if self.cwnd > initial {
            (self.cwnd, self.timed, self.stands, self.count) = (initial, false, false, 0);
        }
    }
}

/// A connection and what is in flight of it, all by offsets.
struct Sender {
    row: Row,
    una: u32,
    nxt: u32,
    model: Model,
    /// What was asked for last ends beyond the congestion window.
    bounded: bool,
    /// All is to leave again, and nothing of it has.
    fired: bool,
    /// SND.NXT then, and SND.UNA if duplicates said so: at neither do three of them count.
    quiet: [u32; 2],
    /// Duplicate ACKs since SND.UNA moved.
    dups: u32,
    /// SND.UNA has not come to that SND.NXT: duplicates do not shrink the window once more (RFC
    /// 6582 section 3.2).
    repairs: bool,
}

impl Sender {
    fn new(bench: &mut Bench, stage: &mut Stage, emss: u16, wnd: u32) -> Result<Self, String> {
        bench.set("tcp_tx_recovery", 3);
        bench.set("tcp_tx_rto_min", 50);
        bench.set("tcp_tx_retry_limit", 255);
        let row = Row { emss, wnd, ..Row::random(bench.rng()) };
        stage.insert(bench, QP, &row)?;
        Ok(Self {
            row,
            una: 0,
            nxt: 0,
            model: Model::new(emss.into()),
            bounded: false,
            fired: false,
            quiet: [u32::MAX; 2],
            dups: 0,
            repairs: false,
        })
    }

    const fn flight(&self) -> u32 {
        self.nxt - self.una
    }

    /// Asks for octets that leave for the first time; they leave.
    fn ask(&mut self, bench: &mut Bench, stage: &mut Stage, length: u32) -> Result<bool, String> {
        // limited transmit (RFC 3042): a segment for each of the first two duplicates
        let roof = self.model.cwnd + if self.dups < 3 { self.dups * self.model.emss } else { 0 };
        let may = self.flight() + length <= roof.min(self.row.wnd);
        self.bounded = self.flight() + length > roof;
        stage.ask(bench, Ask { qp: QP, length: length as usize, kind: Kind::Raw, ..Ask::default() });
        let grant = stage.grant(bench)?;
        let told = format!("{length} octets, {} in flight, cwnd {}", self.flight(), self.model.cwnd);
        assert_eq!(grant.ok, may, "{told}: {grant:?}");
        if may {
            stage.raw_octets(bench, QP, self.row.nxt.wrapping_add(self.nxt), vec![7; length as usize], false);
            stage.frames(bench, 1)?;
            self.nxt += length;
            if self.fired {
                self.quiet[0] = self.nxt;
            }
        }
        Ok(may)
    }

    /// Fills the window.
    fn fill(&mut self, bench: &mut Bench, stage: &mut Stage) -> Result<(), String> {
        while self.ask(bench, stage, self.model.emss)? {}
        Ok(())
    }

    fn acknowledge(&mut self, bench: &mut Bench, stage: &mut Stage, octets: u32) {
        self.model.acknowledged(octets, self.bounded);
        self.una += octets;
        self.dups = 0;
        self.fired &= self.una != self.nxt;
        self.repairs &= self.una < self.quiet[0];
        let ack = Some(self.row.nxt.wrapping_add(self.una));
        stage.fact(bench, QP, Fact { ack, ..Fact::default() });
        stage.steps(bench, 40);
    }

    fn duplicate(&mut self, bench: &mut Bench, stage: &mut Stage) {
        self.dups += 1;
        stage.fact(bench, QP, Fact { dup: true, ..Fact::default() });
        stage.steps(bench, 20);
    }

    fn lose(&mut self, bench: &mut Bench, stage: &mut Stage) {
        stage.rtos.clear();
        for _ in 0..3 {
            self.duplicate(bench, stage);
        }
        let counts = !self.quiet.contains(&self.una);
        assert_eq!(stage.rtos.len(), usize::from(counts), "three duplicates");
        if counts {
            if !self.repairs {
                self.model.lost(false);
            }
            self.repairs = true;
            (self.fired, self.quiet) = (true, [self.nxt, self.una]);
        }
    }

    fn expire(&mut self, bench: &mut Bench, stage: &mut Stage) {
        stage.rtos.clear();
        for _ in 0..1_000_000 {
            stage.pass(bench, 25);
            if !stage.rtos.is_empty() {
                self.model.lost(true);
                // duplicates begin to count anew
                (self.fired, self.quiet) = (true, [self.nxt, u32::MAX]);
                self.repairs = true;
                return;
            }
        }
        panic!("no expiry");
    }

    /// Octets that leave again are bounded by the same window.
    fn again(&mut self, bench: &mut Bench, stage: &mut Stage, ahead: u32, length: u32) -> Result<(), String> {
        let replay = Some((self.una + ahead).into());
        stage.ask(bench, Ask { qp: QP, length: length as usize, kind: Kind::Raw, replay, ..Ask::default() });
        let grant = stage.grant(bench)?;
        let may = ahead + length <= self.model.cwnd.min(self.row.wnd);
        self.bounded = ahead + length > self.model.cwnd;
        let wanted =
            if may { (true, self.row.nxt.wrapping_add(self.una + ahead)) } else { (false, grant.seq) };
        assert_eq!((grant.ok, grant.seq), wanted, "{length} octets, {ahead} ahead, cwnd {}", self.model.cwnd);
        assert!(may || grant == Grant::REFUSED, "{grant:?}");
        Ok(())
    }
}

#[test]
fn the_initial_window_is_that_of_rfc_6928() {
    for (seed, emss) in (0..).zip([64, 536, 1_440, 1_460, 1_461, 4_000, 7_300, 7_301, 8_960]) {
        run_case("tcp_tx-cc-initial", Top::TcpTxW64, seed, |bench| {
            let mut stage = Stage::random(bench);
            let mut sender = Sender::new(bench, &mut stage, emss, 1 << 30)?;
            sender.fill(bench, &mut stage)?;
            // to the last octet
            let room = sender.model.cwnd - sender.flight();
            assert!(room < sender.model.emss);
            if room > 0 {
                assert!(!sender.ask(bench, &mut stage, room + 1)?);
                assert!(sender.ask(bench, &mut stage, room)?);
            }
            assert!(!sender.ask(bench, &mut stage, 1)?);
            Ok(())
        });
    }
}

#[test]
fn the_window_grows_with_what_is_acknowledged_and_shrinks_with_what_is_lost() {
    for seed in seeds(0..3, 0..200) {
        run_case("tcp_tx-cc-walk", Top::TcpTxW64, seed, |bench| {
            let mut stage = Stage::random(bench);
            let emss = bench.rng().random_range(100..1_500);
            let wnd = if seed % 2 == 0 { 1 << 30 } else { 30_000 };
            let mut sender = Sender::new(bench, &mut stage, emss, wnd)?;
            let (mut losses, mut expiries, mut avoids) = (0, 0, 0);
            for _ in 0..150 {
                match bench.rng().random_range(0..4) {
                    0..=2 => sender.fill(bench, &mut stage)?,
                    _ => {
                        let length = bench.rng().random_range(1..=emss.into());
                        sender.ask(bench, &mut stage, length)?;
                    }
                }
                let flight = sender.flight();
                match bench.rng().random_range(0..12) {
                    0 if flight > 0 => {
                        sender.lose(bench, &mut stage);
                        losses += 1;
                    }
                    1 if flight > 0 => {
                        sender.expire(bench, &mut stage);
                        expiries += 1;
                    }
                    2 if flight > 0 => {
                        let ahead = bench.rng().random_range(0..flight);
                        let length = (flight - ahead).min(bench.rng().random_range(1..=emss.into()));
                        sender.again(bench, &mut stage, ahead, length)?;
                    }
                    3 if flight > 0 && sender.dups < 2 => sender.duplicate(bench, &mut stage),
                    _ if flight > 0 => {
                        avoids += u32::from(sender.model.cwnd >= sender.model.ssthresh);
                        let most =
                            if bench.rng().random() { flight } else { flight.min(2 * u32::from(emss)) };
                        let octets = bench.rng().random_range(1..=most);
                        sender.acknowledge(bench, &mut stage, octets);
                    }
                    _ => {}
                }
            }
            assert!(losses > 0 && expiries > 0 && avoids > 0, "{losses} {expiries} {avoids}");
            Ok(())
        });
    }
}

/// Behind as much idle time as the timer waits the window is the initial one at most (RFC 5681
/// section 4.1), ssthresh is what it was.
#[test]
fn idle_time_ends_a_large_window_and_no_small_one() {
    for (seed, recovery) in [(1, 9), (2, 1), (3, 9)] {
        run_case("tcp_tx-cc-rest", Top::TcpTxW64, seed, |bench| {
            let mut stage = Stage::random(bench);
            let mut sender = Sender::new(bench, &mut stage, 1_000, 50_000)?;
            bench.set("tcp_tx_recovery", recovery);
            let (mut large, mut small) = (0, 0);
            for turn in 0..12 {
                sender.fill(bench, &mut stage)?;
                if turn % 4 == 2 {
                    sender.expire(bench, &mut stage);
                    sender.again(bench, &mut stage, 0, 1_000)?;
                    stage.raw_octets(
                        bench,
                        QP,
                        sender.row.nxt.wrapping_add(sender.una),
                        vec![7; 1_000],
                        true,
                    );
                    stage.frames(bench, 1)?;
                }
                while sender.flight() > 0 {
                    let octets = sender.flight().min(2_000);
                    sender.acknowledge(bench, &mut stage, octets);
                }
                // less than the wait, then more: 50 ticks and a round trip of few, doubled by an
                // expiry
                stage.pass(bench, 40);
                sender.fill(bench, &mut stage)?;
                while sender.flight() > 0 {
                    let octets = sender.flight().min(2_000);
                    sender.acknowledge(bench, &mut stage, octets);
                }
                stage.pass(bench, 200);
                stage.steps(bench, 100);
                if recovery == 9 {
                    large += u32::from(sender.model.cwnd > 10_000);
                    small += u32::from(sender.model.cwnd < 10_000);
                    sender.model.rested();
                }
            }
            assert!(recovery != 9 || (large > 0 && small > 0), "{large} {small}");
            Ok(())
        });
    }
}

/// ACKs of an octet each (ACK division) open the window no faster than the octets that they
/// acknowledge.
#[test]
fn ack_division_gains_nothing() {
    run_case("tcp_tx-cc-division", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::random(bench);
        let mut sender = Sender::new(bench, &mut stage, 1_000, 1 << 30)?;
        sender.fill(bench, &mut stage)?;
        let before = sender.model.cwnd;
        for _ in 0..1_000 {
            sender.acknowledge(bench, &mut stage, 1);
        }
        assert_eq!(sender.model.cwnd, before + 1_000);
        sender.fill(bench, &mut stage)
    });
}

#[test]
fn a_set_up_begins_anew_an_update_does_not_and_without_control_the_peer_alone_bounds() {
    run_case("tcp_tx-cc-begins", Top::TcpTxW64, 1, |bench| {
        let mut stage = Stage::random(bench);
        let mut sender = Sender::new(bench, &mut stage, 500, 100_000)?;
        sender.fill(bench, &mut stage)?;
        sender.expire(bench, &mut stage);
        assert!(!sender.ask(bench, &mut stage, 1)?);
        let row = Row { gate: true, ..sender.row.clone() };
        stage.update(bench, QP, &row)?;
        assert!(!sender.ask(bench, &mut stage, 1)?);
        bench.set("tcp_tx_recovery", 2);
        sender.model.cwnd = u32::MAX;
        sender.fill(bench, &mut stage)?;
        assert!(sender.flight() > 99_000);
        let mut sender = Sender::new(bench, &mut stage, 500, 100_000)?;
        sender.fill(bench, &mut stage)?;
        // a window of one small segment holds no larger one
        sender.expire(bench, &mut stage);
        let all = sender.flight();
        sender.acknowledge(bench, &mut stage, all);
        let row = Row { emss: 1_400, ..sender.row.clone() };
        stage.update(bench, QP, &row)?;
        sender.model = Model::new(1_400);
        sender.fill(bench, &mut stage)
    });
}

/// A stage that is built without congestion control: the peer's window alone bounds what is in
/// flight, before losses and behind them.
#[test]
fn a_configuration_without_control_has_no_such_window() {
    let config = Config { congestion: 0, ..Config::profile(Profile::Tiny) };
    let library = model(Top::TcpTxW64, &config).expect("a model");
    run_case_on("tcp_tx-cc-none", &library, 1, |bench: &mut Bench| {
        let mut stage = Stage::random(bench);
        let mut sender = Sender::new(bench, &mut stage, 500, 60_000)?;
        bench.set("tcp_tx_recovery", 15);
        for _ in 0..3 {
            // no duplicate lends anything, either
            (sender.model.cwnd, sender.dups) = (1 << 22, 0);
            sender.fill(bench, &mut stage)?;
            assert!(sender.flight() > 59_000);
            sender.expire(bench, &mut stage);
            sender.model.cwnd = 1 << 22;
            sender.again(bench, &mut stage, 0, 500)?;
            sender.acknowledge(bench, &mut stage, 30_000);
        }
        Ok(())
    });
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a peer may be silent: what an application wants of a connection's timers.
use crate::error::CallError;
use crate::time::Ticks;
use core::num::NonZeroU8;
use core::time::Duration;
use ferrowarp_abi::codec::ConnRow;
use ferrowarp_abi::types::SeqNum;

/// Unit of the keepalive time in the device.
const UNIT_US: u128 = 163_840;

/// When a connection whose peer is silent ends. By default the device's timer of retransmission
/// alone decides.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Liveness {
    /// Waits in a row without an answer after which the connection is lost. `None`: as many as the
    /// device's register says.
    pub retries: Option<NonZeroU8>,
    /// The peer of an idle connection is asked for a sign of life once nothing has come from it for
    /// so long (RFC 9293 section 3.8.4).
    pub keepalive: Option<Duration>,
    /// Octets that left may be unacknowledged for so long (RFC 9293 section 3.8.3).
    pub user_timeout: Option<Duration>,
}

impl Liveness {
    /// Longest keepalive time.
    pub const MOST_KEEPALIVE: Duration = Duration::from_secs(10_737);

    /// Whether the device can keep it.
    pub(super) fn check(&self) -> Result<(), CallError> {
        let too_long = self.keepalive.filter(|time| *time > Self::MOST_KEEPALIVE);
        if let Some(asked) = too_long.or(self.keepalive.filter(Duration::is_zero)) {
            return Err(CallError::Keepalive { asked, most: Self::MOST_KEEPALIVE });
        }
        match self.user_timeout.is_some_and(|time| time.is_zero()) {
            true => Err(CallError::UserTimeout),
            false => Ok(()),
        }
    }

    /// Fills what the hardware needs of it. A keepalive time is rounded up to whole units.
    pub(super) fn fill(&self, row: &mut ConnRow) {
        row.retry_limit = self.retries.map_or(0, NonZeroU8::get);
        let units = self.keepalive.map_or(0, |time| time.as_micros().div_ceil(UNIT_US));
        row.keepalive = u16::try_from(units).unwrap_or(u16::MAX);
    }

    /// The watch over octets that left; `None` if nobody asked for it.
    pub(super) fn watch(&self, tick_us: u32, now: Ticks) -> Option<UserTimeout> {
        self.user_timeout.map(|time| UserTimeout::new(time, tick_us, now))
    }
}

/// Looks now and then how far the peer has acknowledged. The end comes no earlier than one time-out
/// behind the last acknowledgement. It comes a quarter of the time-out later at most, or two ticks
/// if these are longer.
#[derive(Clone, Debug)]
pub struct UserTimeout {
    /// Ticks that octets may be unacknowledged.
    most: u64,
    /// Ticks from look to look.
    every: u64,
    next: Ticks,
    /// A look is under way.
    asked: bool,
    /// Where the peer stands, and since when at least.
    stands: Option<(SeqNum, Ticks)>,
}

impl UserTimeout {
    fn new(time: Duration, tick_us: u32, now: Ticks) -> Self {
        let ticks = time.as_micros().div_ceil(u128::from(tick_us.max(1)));
        let most = u64::try_from(ticks).unwrap_or(u64::MAX).max(1);
        let every = (most / 8).max(1);
        Self { most, every, next: now.after(every), asked: false, stands: None }
    }

    /// When to look next.
    pub(super) fn due(&self) -> Ticks {
        self.next
    }

    /// Whether to look now.
    pub(super) fn looks(&mut self, now: Ticks) -> bool {
        if self.next > now {
            return false;
        }
        self.next = now.after(self.every);
        !core::mem::replace(&mut self.asked, true)
    }

    /// An answer is there; `None` if it does not belong to a look of this watch.
    pub(super) fn answered(&mut self) -> Option<&mut Self> {
        core::mem::replace(&mut self.asked, false).then_some(self)
    }

    /// How far the peer has acknowledged, and what has left; whether the time is over.
    pub(super) fn is_over(&mut self, (una, nxt): (SeqNum, SeqNum), now: Ticks) -> bool {
        match self.stands {
            _ if una == nxt => self.stands = None,
            Some((at, since)) if at == una => return now.since(since) >= self.most,
            _ => self.stands = Some((una, now)),
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keepalive_time_is_rounded_up() {
        let filled = |keepalive: Option<Duration>| {
            let mut row = ConnRow::default();
            let liveness = Liveness { keepalive, retries: NonZeroU8::new(7), ..Liveness::default() };
            assert_eq!(liveness.check(), Ok(()));
            liveness.fill(&mut row);
            assert_eq!(row.retry_limit, 7);
            row.keepalive
        };
        assert_eq!(filled(None), 0);
        for (us, units) in [(1, 1), (163_840, 1), (163_841, 2), (1_000_000, 7), (7_200_000_000, 43_946)] {
            assert_eq!(filled(Some(Duration::from_micros(us))), units, "{us} us");
        }
        assert_eq!(filled(Some(Liveness::MOST_KEEPALIVE)), 65_534);
    }

    #[test]
    fn a_time_that_no_field_holds_is_refused() {
        for keepalive in [Duration::ZERO, Liveness::MOST_KEEPALIVE + Duration::from_nanos(1)] {
            let told = Liveness { keepalive: Some(keepalive), ..Liveness::default() }.check();
            assert!(matches!(told, Err(CallError::Keepalive { asked, .. }) if asked == keepalive));
        }
        let none = Liveness { user_timeout: Some(Duration::ZERO), ..Liveness::default() };
        assert_eq!(none.check(), Err(CallError::UserTimeout));
    }

    #[test]
    fn octets_that_stand_end_a_watch_and_progress_does_not() {
        let mut watch = UserTimeout::new(Duration::from_millis(80), 1_000, Ticks(0));
        let mut una = 0;
        let mut over = None;
        for now in 1..=400 {
            // it acknowledges until 200, with an empty flight now and then
            una = if now <= 200 { now as u32 / 20 } else { una };
            let nxt = if now <= 200 && now % 40 < 20 { una } else { 1_000 };
            if watch.looks(Ticks(now)) {
                let watch = watch.answered().expect("it asked");
                if watch.is_over((SeqNum(una), SeqNum(nxt)), Ticks(now)) {
                    over.get_or_insert(now);
                }
            }
        }
        let over = over.expect("nothing is acknowledged any more");
        assert!((280..=300).contains(&over), "the end came at {over}");
        assert!(watch.answered().is_none(), "nobody asked");
    }
}

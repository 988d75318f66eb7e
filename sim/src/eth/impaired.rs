// SPDX-License-Identifier: MIT OR Apache-2.0
//! A wire's odds on a link in simulated time.
use super::joined::Wire;
use crate::link::{Fate, Impair, Link, LinkConfig, Odds, Sent, Side, LONGEST_HOLD};

impl Link {
    /// A link in blocks that does to frames what `wire` says, in simulated time; the delay of the
    /// wire adds to that of the link. Each direction has random numbers of its own.
    pub fn impaired(config: LinkConfig, wire: &Wire) -> Self {
        Self::impaired_for(config, wire, |_| true)
    }

    /// The same, but frames that `meets` does not name pass unharmed.
    pub(crate) fn impaired_for(
        config: LinkConfig,
        wire: &Wire,
        meets: impl Fn(&Sent<'_>) -> bool + Send + 'static,
    ) -> Self {
        let more_ns = u64::try_from(wire.delay().as_nanos()).unwrap_or(u64::MAX);
        let link =
            Self::in_blocks(LinkConfig { delay_ns: config.delay_ns.saturating_add(more_ns), ..config });
        let odds = wire.odds(LONGEST_HOLD);
        if odds != (Odds { longest_delay_ns: odds.longest_delay_ns, ..Odds::default() }) {
            let mut ways = [wire.seed(), wire.seed() ^ 1 << 63].map(|seed| Impair::new(seed, odds));
            link.set_hook(move |sent| match meets(sent) {
                true => ways[usize::from(sent.from == Side::B)].fate(sent),
                false => Fate::Deliver,
            });
        }
        link
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! TCP of a connection, as the device sees it.
use crate::admin::AdminError;
use crate::inspect::{qp_counters, row, Inspect, Named, Row};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;

/// Unit of the device's timers of TCP.
const UNIT: Duration = Duration::from_micros(10);

/// What the transmit side of a connection knows and has done: what Linux tells by `TCP_INFO`.
///
/// Counts are those of the queue pair's number since the device's reset. A connection goes on where
/// the one before it on that number ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TcpInfo {
    /// SRTT (RFC 6298), in whole units of 10 us; `None` while no round trip of a unit or more was
    /// measured.
    #[serde(rename = "srtt_us", serialize_with = "some_microseconds", deserialize_with = "some_duration")]
    pub srtt: Option<Duration>,
    /// What the retransmission timer waits now, doubled by each expiry (RFC 6298 section 5.5).
    #[serde(rename = "rto_us", serialize_with = "microseconds", deserialize_with = "duration")]
    pub rto: Duration,
    /// Congestion window in octets (RFC 5681).
    pub cwnd: u32,
    /// SND.WND in octets, the peer's window (RFC 9293).
    pub snd_wnd: u32,
    /// Octets from SND.UNA to SND.NXT.
    pub in_flight: u32,
    /// Segments that left again.
    pub retransmitted_segments: u32,
    /// Octets that left again.
    pub retransmitted_octets: u32,
    /// Duplicate ACKs that came.
    pub duplicate_acks: u32,
    /// Third duplicate ACKs, behind which octets left again.
    pub fast_retransmits: u32,
    /// Probes of a lost tail, and of a window that is closed or too small.
    pub probes: u32,
    /// Expiries of the retransmission timer.
    pub timeouts: u32,
}

fn microseconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    (time.as_micros() as u64).serialize(to)
}

fn some_microseconds<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_micros() as u64).serialize(to)
}

fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_micros)
}

fn some_duration<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    Ok(Option::deserialize(from)?.map(Duration::from_micros))
}

/// The number of this name; 0 if the tables of the crate have no such field.
fn number(fields: &[Named], name: &str) -> u32 {
    fields.iter().find(|f| f.name == name).map_or(0, |f| f.value as u32)
}

/// TCP of the connection of a queue pair; `None` if there is no connection.
///
/// The connection is read in two steps, so that octets may leave, or be acknowledged, between.
pub fn tcp_info(device: Inspect<'_>, qp: u16) -> Result<Option<TcpInfo>, AdminError> {
    let conn = row(device, Row::Connection, qp)?;
    if number(&conn, "emss") == 0 {
        return Ok(None);
    }
    let path = row(device, Row::Path, qp)?;
    let counts = qp_counters(device, qp)?;
    let srtt = UNIT * number(&path, "srtt");
    Ok(Some(TcpInfo {
        srtt: (srtt > Duration::ZERO).then_some(srtt),
        rto: UNIT * number(&path, "rto"),
        cwnd: number(&path, "cwnd"),
        snd_wnd: number(&conn, "snd_wnd"),
        in_flight: number(&conn, "snd_nxt").wrapping_sub(number(&conn, "snd_una")),
        retransmitted_segments: number(&counts, "retransmitted_segments"),
        retransmitted_octets: number(&counts, "regenerated_octets"),
        duplicate_acks: number(&counts, "duplicate_acks"),
        fast_retransmits: number(&counts, "fast_retransmits"),
        probes: number(&counts, "probes"),
        timeouts: number(&counts, "timeouts"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::fake::Fake;

    #[test]
    fn a_queue_pair_without_connection_has_none() {
        let fake = Fake::new();
        fake.state().row = vec![0; 144];
        assert_eq!(tcp_info(Inspect::new(&*fake), 3).unwrap(), None);
    }
}

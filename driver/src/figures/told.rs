// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device's figures as JSON, the same in each way to them.
use super::FiguresError;
use crate::error::Error;
use crate::inspect::{counters, qp_counters, Inspect, Named};
use crate::tcp_info::tcp_info;
use serde_json::{json, Map, Value};

/// What a device has counted since its reset, zeros too.
///
/// Without `qp`: `counters` of the device, and `queue_pairs` with the counters of each by its
/// number. With `qp`: the number as `queue_pair`, the `counters` of this one alone, and as
/// `connection` what [`crate::TcpInfo`] has, or `null`. Errors are those of the accesses, and
/// [`FiguresError::QueuePair`].
pub fn told(device: Inspect<'_>, qp: Option<u16>) -> Result<Value, Error> {
    let there = device.capabilities().queue_pairs;
    let Some(qp) = qp else {
        let of_device = values(&counters(device)?);
        let of_pair = |qp: u16| Ok((qp.to_string(), values(&qp_counters(device, qp)?).into()));
        let pairs: Result<Map<_, _>, Error> = (0..there).map(of_pair).collect();
        return Ok(json!({ "ok": true, "counters": of_device, "queue_pairs": pairs? }));
    };
    if qp >= there {
        return Err(FiguresError::QueuePair { asked: qp, there }.into());
    }
    let counters = values(&qp_counters(device, qp)?);
    let connection = tcp_info(device, qp)?;
    Ok(json!({ "ok": true, "queue_pair": qp, "counters": counters, "connection": connection }))
}

fn values(counters: &[Named]) -> Map<String, Value> {
    counters.iter().map(|c| (c.name.to_string(), c.value.into())).collect()
}

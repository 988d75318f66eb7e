// SPDX-License-Identifier: MIT OR Apache-2.0
//! What netem did to the frames of each way, as the guest tells.
use crate::interop::device::PATIENCE;
use crate::interop::guest::Guest;
use anyhow::{ensure, Context, Result};
use serde_json::Value;

/// What netem must have done.
#[derive(Debug)]
pub enum Trace {
    /// It let frames pass.
    Frames,
    /// It lost frames.
    Drops,
    /// It let frames overtake others.
    Overtakes,
    /// It turned bits of frames of the guest, which left again.
    SentAgain,
    /// An echo takes as long as this, in milliseconds.
    RoundTrip(f64),
}

/// What netem counted of one way.
#[derive(Debug, PartialEq, Eq)]
pub struct Way {
    /// Frames that passed.
    pub frames: u64,
    /// Frames that it lost.
    pub drops: u64,
    /// Frames that overtook others.
    pub overtakes: u64,
}

impl Way {
    /// What the guest sent, and what came.
    pub fn both(guest: &Guest) -> Result<[Self; 2]> {
        let command = "/bin/tc -s -j qdisc show";
        let said = guest.run(command, PATIENCE)?.ok(command)?;
        Ok([Self::parse(&said, "eth0")?, Self::parse(&said, "ifb0")?])
    }

    /// What `tc` says of the netem of a network device. That counts overtakers as requeued.
    fn parse(said: &str, device: &str) -> Result<Self> {
        let told: Value = serde_json::from_str(said).with_context(|| format!("`tc`: {said}"))?;
        let mut queues = told.as_array().into_iter().flatten();
        let queue = queues.find(|queue| queue["dev"] == device && queue["kind"] == "netem");
        let queue = queue.with_context(|| format!("no netem on {device}: {said}"))?;
        let count = |what: &str| queue[what].as_u64().with_context(|| format!("netem has no {what}: {said}"));
        Ok(Self { frames: count("packets")?, drops: count("drops")?, overtakes: count("requeues")? })
    }

    /// netem did what it was asked for.
    pub fn shows(&self, trace: &Trace) -> Result<()> {
        let (is_there, due) = match trace {
            Trace::Frames | Trace::SentAgain => (self.frames > 0, "frames"),
            Trace::Drops => (self.drops > 0, "drops"),
            Trace::Overtakes => (self.overtakes > 0, "overtakes"),
            Trace::RoundTrip(_) => (self.frames > 0 && self.drops == 0, "frames and no drops"),
        };
        ensure!(is_there, "netem counted {self:?}, where {due} are due");
        Ok(())
    }
}

/// Segments that the guest has sent again so far.
pub fn sent_again(guest: &Guest) -> Result<u64> {
    let command = "cat /proc/net/snmp";
    let said = guest.run(command, PATIENCE)?.ok(command)?;
    of_tcp(&said).with_context(|| format!("no TCP in /proc/net/snmp: {said}"))
}

/// `RetransSegs` of the two lines `Tcp:` of `/proc/net/snmp`: names, then values.
fn of_tcp(said: &str) -> Option<u64> {
    let [names, values] = [0, 1].map(|nth| said.lines().filter(|line| line.starts_with("Tcp:")).nth(nth));
    let at = names?.split_whitespace().position(|name| name == "RetransSegs")?;
    values?.split_whitespace().nth(at)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_what_netem_of_its_device_counts() {
        let said = r#"[{"kind":"netem","dev":"eth0","packets":2520,"drops":24,"requeues":0},
            {"kind":"ingress","dev":"eth0","packets":5,"drops":0,"requeues":0},
            {"kind":"netem","dev":"ifb0","packets":2295,"drops":0,"requeues":3}]"#;
        let [sent, came] = ["eth0", "ifb0"].map(|device| Way::parse(said, device).unwrap());
        assert_eq!(sent, Way { frames: 2_520, drops: 24, overtakes: 0 });
        assert_eq!(came, Way { frames: 2_295, drops: 0, overtakes: 3 });
        assert!(sent.shows(&Trace::Drops).is_ok() && came.shows(&Trace::Drops).is_err());
        assert!(sent.shows(&Trace::Overtakes).is_err() && came.shows(&Trace::Overtakes).is_ok());
        assert!(sent.shows(&Trace::RoundTrip(2.0)).is_err() && came.shows(&Trace::RoundTrip(2.0)).is_ok());
        assert!(sent.shows(&Trace::Frames).is_ok());
        assert!(Way::parse(said, "lo").unwrap_err().to_string().starts_with("no netem on lo"));
    }

    #[test]
    fn segments_that_left_again_stand_under_their_name() {
        let said = "Tcp: RtoAlgorithm RetransSegs OutRsts\nTcp: 1 33 2\nUdp: InDatagrams\nUdp: 4\n";
        assert_eq!(of_tcp(said), Some(33));
        assert_eq!(of_tcp("Tcp: OutRsts\nTcp: 1\n"), None);
    }
}

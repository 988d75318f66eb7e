// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frames of a capture, a line each, as tshark sums them up.
use super::tshark::{command, TsharkError};
use std::path::Path;
use std::process::Stdio;

/// The columns, in the order of [`Packet`].
const COLUMNS: &str = "gui.column.format:\"n\",\"%m\",\"t\",\"%t\",\"s\",\"%s\",\"d\",\"%d\",\"p\",\"%p\",\"l\",\"%L\",\"i\",\"%i\"";

/// A frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Packet {
    /// Number in the file, from 1.
    pub number: u64,
    /// Seconds since the first frame.
    pub seconds: f64,
    /// Address of the sender.
    pub from: String,
    /// Address of the receiver.
    pub to: String,
    /// The innermost protocol.
    pub protocol: String,
    /// Octets without FCS.
    pub octets: u64,
    /// What the frame is.
    pub what: String,
}

/// Lists the frames of a capture with one `tshark` process.
///
/// # Errors
/// tshark does not start or fails, or writes a line that is none of a frame.
pub fn list(path: &Path) -> Result<Vec<Packet>, TsharkError> {
    let mut command = command(path)?;
    command.args(["-t", "r", "-T", "tabs", "-o", COLUMNS]).stdin(Stdio::null());
    let output = command.output().map_err(TsharkError::Start)?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(TsharkError::Failed { status: output.status.to_string(), stderr });
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| packet(line).ok_or_else(|| TsharkError::Line(line.into()))).collect()
}

fn packet(line: &str) -> Option<Packet> {
    // tshark puts an arrow between two addresses
    let mut cells = line.split('\t').map(str::trim).filter(|cell| *cell != "\u{2192}");
    let mut next = || cells.next();
    Some(Packet {
        number: next()?.parse().ok()?,
        seconds: next()?.parse().ok()?,
        from: next()?.into(),
        to: next()?.into(),
        protocol: next()?.into(),
        octets: next()?.parse().ok()?,
        what: next()?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_frame_is_read_and_another_is_not() {
        let line = "   31\t0.000080441\t10.0.0.2\t\u{2192}\t10.0.0.1\tDDP/RDMA\t1514\t54896 > 18516 Write [more DDP segments]";
        let read = packet(line).unwrap();
        assert_eq!((read.number, read.octets, &*read.protocol), (31, 1514, "DDP/RDMA"));
        assert_eq!(read.what, "54896 > 18516 Write [more DDP segments]");
        assert_eq!(packet("Running as user root"), None);
    }
}

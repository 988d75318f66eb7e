//! The tool `ferrowarp`: a module a command. Each gives its result as text and as JSON ([`Said`]); what is printed, and
//! how it ends, is decided here.
mod counters;
pub mod decode;
mod dump;
mod info;
pub mod list;
pub mod perf;
mod ping;
mod table;
mod tour;

use crate::sysfs::SysfsError;
use crate::{Device, Error};
use clap::{Parser, Subcommand};
use serde_json::{json, Value};
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Works with Ferrowarp RNICs.
#[derive(Parser)]
#[command(name = "ferrowarp", version, after_help = URLS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows the Ferrowarps of this machine and how to give them to user space
    List(list::Args),
    /// Shows what a device is and has
    Info(info::Args),
    /// Speaks rping's protocol with rping or with itself
    Ping(ping::Args),
    /// Measures Writes, Reads and Sends
    Perf(perf::Args),
    /// Shows every operation once, between two devices, and compares every octet
    Tour(tour::Args),
    /// Shows a device's counters
    Counters(counters::Args),
    /// Shows a device's registers and rows, field by field
    Dump(dump::Args),
    /// Explains FPDUs, in hexadecimal or from a capture
    Decode(decode::Args),
}

/// How devices are named, for the help of commands.
pub(crate) const URLS: &str = "Device URLs:
  vfio:0000:03:00.0;ip=10.0.0.2/24          a card, or QEMU's vfio-user-pci in a guest
  vfio-user:/tmp/fw0.sock;ip=10.0.0.2/24    a device that `ferrowarp-sim` serves
  sim:eth=ETH;ip=10.0.0.2/24                the Verilog, simulated in this process
    ETH: qemu-dgram:LOCAL,REMOTE  qemu-stream:PATH  tap:NAME

Options of a device and its connections, for example 'vfio:0000:03:00.0;ip=10.0.0.2/24;markers=on;vlan=5:3;ord=16':
  vlan=5, vlan=5:3         all frames are of VLAN 5 (1 to 4094), with priority 3 (0 to 7)
  markers=on               the peer puts MPA markers into what it sends; with `on` at both ends there are markers both ways
  ird=8, ord=8             RDMA Reads under way at once, of the peer and of this end; `info` tells the most
  ird=8,untold             the same, but the peer is not told (RFC 6581: not negotiated)
  strict=on                no connection with fewer Reads than `ord`
  rtr=write,read           first messages of a peer-to-peer connection that this end has: some of write, read and send
  local=10.0.0.2:4791      this end of connections, and the address of servers; port 0 is a free one
  raw=hello                MPA starts behind a line of text of each end; give it at both ends
  initiator=listen         with `raw=`: the end that listens sends the MPA Request, not the end that connects
  mac=, gw=, crc=          station address, next hop, `crc=off`: no CRCs if the peer agrees
  rto=, retries=           ms that the retransmission timer waits beyond the round trip, expiries until a connection is lost
  tlp=off                  octets leave again by duplicate ACKs and by the timer alone, without the probe of RFC 8985
  figures=/run/fw.sock     another program looks at the device meanwhile: `ferrowarp counters --of /run/fw.sock`
  tick=, pcap=             `sim:`: `clock` for timers in simulated time, a file for all frames";

/// What may be at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Program {
    /// This tool
    Ferrowarp,
    /// rping of rdma-core
    Rping,
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The device or the peer.
    #[error(transparent)]
    Device(#[from] Error),
    /// The machine's list of functions.
    #[error(transparent)]
    Sysfs(#[from] SysfsError),
    /// What is to be decoded.
    #[error(transparent)]
    Decode(#[from] decode::DecodeError),
}

/// What a command found.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// For people.
    pub text: String,
    /// For programs.
    pub json: Value,
}

/// Runs the command line. A reader of the output that goes away is no error.
pub fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env();
    let filter = filter.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let (is_json, result) = match &Cli::parse().command {
        Command::List(args) => (args.json, list::run(args)),
        Command::Info(args) => (args.json, info::run(args)),
        Command::Ping(args) => (args.json, ping::run(args)),
        Command::Perf(args) => (args.json, perf::run(args)),
        Command::Tour(args) => (args.json, tour::run(args)),
        Command::Counters(args) => (args.json, counters::run(args)),
        Command::Dump(args) => (args.json, dump::run(args)),
        Command::Decode(args) => (args.json, decode::run(args)),
    };
    match (&result, is_json) {
        (Ok(said), true) => say(&said.json.to_string()),
        (Ok(said), false) => say(said.text.trim_end()),
        (Err(why), true) => say(&json!({ "ok": false, "error": why.to_string() }).to_string()),
        (Err(why), false) => drop(writeln!(std::io::stderr(), "error: {why}")),
    }
    ExitCode::from(u8::from(result.is_err()))
}

/// Prints a line now. Ends the process in peace if nobody reads any more.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        // there is no other place to say it
        Err(e) => drop(writeln!(std::io::stderr(), "error: standard output: {e}")),
        Ok(()) => {}
    }
}

/// Opens a device only to look at it: it needs no address in the network then, and gets one that is for
/// documentation (RFC 5737).
fn open_to_look(url: &str) -> Result<Device, Error> {
    match url.split(';').any(|part| part.starts_with("ip=") || part.contains(":ip=")) {
        true => Device::open(url),
        false => Device::open(&format!("{url};ip=192.0.2.1/24")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_shows_examples() {
        Cli::command().debug_assert();
        for sub in Cli::command().get_subcommands() {
            let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("ferrowarp {}", sub.get_name())), "`{}`: {help}", sub.get_name());
        }
    }

    #[test]
    fn looking_needs_no_address() {
        let told = |url| open_to_look(url).unwrap_err().to_string();
        assert!(told("vfio:ffff:00:00.0").contains("no PCI function ffff:00:00.0"));
        assert!(told("vfio:ffff:00:00.0;ip=1").contains("ip=`1`"));
    }
}

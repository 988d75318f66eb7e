// SPDX-License-Identifier: MIT OR Apache-2.0
//! How commands name devices, and open them.
use ferrowarp::{Device, Error};

/// How devices are named, for the help of commands.
pub(crate) const URLS: &str = "Device URLs:
  vfio:0000:03:00.0;ip=10.0.0.2/24          a card, or QEMU's vfio-user-pci in a guest
  vfio-user:/tmp/fw0.sock;ip=10.0.0.2/24    a device that `ferrowarp-sim` serves
  sim:eth=ETH;ip=10.0.0.2/24                the Verilog, simulated in this process
    ETH: qemu-dgram:LOCAL,REMOTE  qemu-stream:PATH  tap:NAME

Options of a device and its connections, for example 'vfio:0000:03:00.0;ip=10.0.0.2/24;markers=on;vlan=5:3;ord=16':
  vlan=5, vlan=5:3         all frames are of VLAN 5 (1 to 4094), with priority 3 (0 to 7)
  markers=on               the peer puts MPA markers into its stream; `on` at both ends gives markers both ways
  ird=8, ord=8             RDMA Reads under way at once, of the peer and of this end; `info` shows the limits
  ird=8,untold             the same, but the peer is not told (RFC 6581: not negotiated)
  strict=on                refuses a connection with fewer Reads than `ord`
  rtr=write,read           ready-to-receive messages of peer-to-peer connections: some of write, read and send
  local=10.0.0.2:4791      this end of connections, and the address of servers; port 0 is a free port
  raw=hello                MPA starts behind a line of text of each end; give `raw=` at both ends
  initiator=listen         with `raw=`: the end that listens sends the MPA Request, not the end that connects
  mac=, gw=, crc=          station address, next hop, `crc=off`: no CRCs if the peer agrees
  rto=, retries=           least wait of the retransmission timer beyond the round trip in ms; expiries until a connection is lost
  tlp=off                  no probe of a lost tail (RFC 8985): only duplicate ACKs and the timer cause a resend
  figures=/run/fw.sock     other programs may read the counters: `ferrowarp counters --of /run/fw.sock`
  tick=, pcap=             `sim:` only: `tick=clock` for timers in simulated time; a file for all frames";

/// What may be at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Program {
    /// This tool
    Ferrowarp,
    /// rping of rdma-core
    Rping,
}

/// Opens a device only to look at it: it needs no address in the network then, and gets one that is
/// for documentation (RFC 5737).
pub(crate) fn open_to_look(url: &str) -> Result<Device, Error> {
    match url.split(';').any(|part| part.starts_with("ip=") || part.contains(":ip=")) {
        true => Device::open(url),
        false => Device::open(&format!("{url};ip=192.0.2.1/24")),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ferrowarp::backend::fake::Fake;
    use ferrowarp::url::NetUrl;
    use ferrowarp_abi::types::MacAddr;
    use ferrowarp_firmware::config::Address;
    use std::sync::Arc;

    /// A device that a test plays, and the same, open.
    pub(crate) fn opened() -> (Arc<Fake>, Device) {
        let addresses = vec![Address { ip: "10.0.0.2".parse().unwrap(), prefix: 24 }];
        let net = NetUrl::new(MacAddr([2, 0, 0, 0, 0, 2]), addresses);
        let fake = Fake::new();
        (fake.clone(), Device::new(fake, &net).unwrap())
    }

    #[test]
    fn looking_needs_no_address() {
        let told = |url| open_to_look(url).unwrap_err().to_string();
        assert!(told("vfio:ffff:00:00.0").contains("no PCI function ffff:00:00.0"));
        assert!(told("vfio:ffff:00:00.0;ip=1").contains("ip=`1`"));
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Messages that come back, by tasks of `tokio`: nobody polls in a loop, nobody blocks a thread.
//!
//!     cargo run -p ferrowarp --features sim,tokio --example echo -- \
//!         'sim:eth=qemu-dgram:/tmp/a,/tmp/b;ip=10.0.0.1/24' 'sim:eth=qemu-dgram:/tmp/b,/tmp/a;ip=10.0.0.2/24'
use ferrowarp::{
    Access, CompletionQueue, ConnectOptions, Device, Error, MemoryRegion, QpOptions, QueuePair, Status,
    WcOpcode,
};
use std::net::SocketAddr;
use std::time::Duration;

const PORT: u16 = 7001;
const PATIENCE: Duration = Duration::from_secs(120);
const OCTETS: usize = 1024;

/// A queue pair, and one buffer that is received into and sent from.
struct End {
    cq: CompletionQueue,
    qp: QueuePair,
    buffer: MemoryRegion,
}

impl End {
    fn new(device: &Device) -> Result<Self, Error> {
        let pd = device.protection_domain()?;
        let cq = device.completion_queue(16)?;
        let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
        let buffer = pd.allocate(OCTETS, Access::LOCAL)?;
        Ok(Self { cq, qp, buffer })
    }

    fn expect(&self) -> Result<(), Error> {
        self.qp.post_recv(0, &[self.buffer.segment(0, OCTETS)?])
    }

    /// The octets of the next message; none when the peer is done.
    async fn message(&self) -> Result<Option<usize>, Error> {
        loop {
            let done = self.cq.wait_async(PATIENCE).await?;
            match (done.status, done.opcode) {
                (Status::Success, WcOpcode::Receive) => return Ok(Some(done.octets as usize)),
                (Status::Success, _) => {}
                _ => return Ok(None),
            }
        }
    }
}

fn options() -> ConnectOptions {
    ConnectOptions::default().patience(PATIENCE)
}

/// Gives every message of one client back: how many there were.
async fn server(device: Device) -> Result<u32, Error> {
    let listener = device.listen(PORT, 1)?;
    let end = End::new(&device)?;
    end.expect()?;
    let connection = listener.next_async(PATIENCE).await?.accept_async(&end.qp, options().into()).await?;
    let mut count = 0;
    while let Some(octets) = end.message().await? {
        let text = end.buffer.memory().copy(0, octets)?;
        end.expect()?;
        // the receive may be used while the answer is on its way: the answer has octets of its own
        connection.queue_pair().send_inline(1, &text).post()?;
        count += 1;
    }
    connection.disconnect_async(PATIENCE).await?;
    Ok(count)
}

/// Sends each text and waits for it.
async fn client(device: Device, remote: SocketAddr, texts: &[&str]) -> Result<Vec<String>, Error> {
    let end = End::new(&device)?;
    let connection = device.connect_async(&end.qp, remote, options()).await?;
    let mut echoes = vec![];
    for text in texts {
        end.expect()?;
        connection.queue_pair().send_inline(1, text.as_bytes()).post()?;
        let octets = end.message().await?.ok_or(Error::Closed)?;
        echoes.push(String::from_utf8_lossy(&end.buffer.memory().copy(0, octets)?).into_owned());
    }
    connection.disconnect_async(PATIENCE).await?;
    Ok(echoes)
}

/// Both ends in one process and one thread.
pub fn run(
    server_url: &str,
    client_url: &str,
    server_ip: &str,
    texts: &[&str],
) -> Result<Vec<String>, Error> {
    let (ours, theirs) = (Device::open(client_url)?, Device::open(server_url)?);
    let remote = SocketAddr::new(server_ip.parse().expect("an IP address"), PORT);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // the first one listens before the other connects
    let (count, echoes) =
        runtime.block_on(async { tokio::try_join!(server(theirs), client(ours, remote, texts)) })?;
    assert_eq!(count as usize, echoes.len());
    Ok(echoes)
}

#[allow(dead_code, clippy::print_stdout)] // a test has this file as a module; it prints for people
fn main() -> Result<(), Error> {
    let urls: Vec<String> = std::env::args().skip(1).collect();
    let [ours, theirs] = urls.as_slice() else { panic!("two device URLs, the server's with 10.0.0.1") };
    run(ours, theirs, "10.0.0.1", &["one", "two", "three"])?.iter().for_each(|echo| println!("{echo}"));
    Ok(())
}

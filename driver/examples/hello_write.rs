// SPDX-License-Identifier: MIT OR Apache-2.0
//! A client writes a greeting into the server's memory, where the server finds it: one RDMA Write,
//! and a Send behind it.
//!
//!     hello_write server 'vfio-user:/tmp/fw0.sock;ip=10.0.0.1/24'
//!     hello_write client 'vfio-user:/tmp/fw1.sock;ip=10.0.0.2/24' 10.0.0.1
use ferrowarp::{
    AcceptOptions, Access, Completion, CompletionQueue, ConnectOptions, Device, Listener, QpOptions,
    RemoteRegion, Status,
};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const GREETING: &[u8] = b"hello, remote memory";
const PORT: u16 = 7000;
/// How long a step may take; a simulated device is slow.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for the next completion. A request that failed completes, too: its status says how.
fn done(cq: &CompletionQueue) -> Result<Completion, Failure> {
    let done = cq.wait(PATIENCE)?;
    if done.status != Status::Success {
        return Err(format!("{:?} {}: {}", done.opcode, done.wr_id, done.status).into());
    }
    Ok(done)
}

/// Offers a region to the next client and returns what was written there.
pub fn server(device: &Device, listener: &Listener) -> Result<Vec<u8>, Failure> {
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(16)?;
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
    let region = pd.allocate(4096, Access { remote_write: true, ..Access::LOCAL })?;
    // a receive for the client's Send, posted before that can come
    qp.post_recv(1, &[])?;
    let request = listener.next(PATIENCE)?;
    // where the region is travels in the answer to the connection request: private data
    let private_data = region.remote().to_bytes().to_vec();
    let options = AcceptOptions::default().private_data(private_data).patience(PATIENCE);
    let connection = request.accept(&qp, options)?;
    // a Write does not complete here; the Send behind it says that all of it is there
    done(&cq)?;
    let greeting = region.memory().copy(0, GREETING.len())?;
    connection.disconnect(PATIENCE)?;
    Ok(greeting)
}

/// Writes the greeting to the server at `remote`; returns how the two requests ended.
pub fn client(device: &Device, remote: SocketAddr) -> Result<[Completion; 2], Failure> {
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(16)?;
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
    let region = pd.allocate(GREETING.len(), Access::default())?;
    region.memory().write(0, GREETING)?;
    let options = ConnectOptions::default().patience(PATIENCE);
    let connection = device.connect(&qp, remote, options)?;
    let place = RemoteRegion::from_bytes(connection.private_data())?.at(0, GREETING.len())?;
    // work is posted through the connection's queue pair: one without a connection takes receives
    // only
    let qp = connection.queue_pair();
    qp.write(1, &[region.segment(0, GREETING.len())?], place).post()?;
    let written = done(&cq)?;
    qp.send(2, &[]).post()?;
    let sent = done(&cq)?;
    connection.disconnect(PATIENCE)?;
    Ok([written, sent])
}

#[allow(dead_code, clippy::print_stdout)] // a test has this file as a module; it prints for people
fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["server", url] => {
            let device = Device::open(url)?;
            let listener = device.listen(PORT, 1)?;
            println!("listening on port {PORT}");
            println!("{}", String::from_utf8_lossy(&server(&device, &listener)?));
        }
        ["client", url, address] => {
            let remote = SocketAddr::new(address.parse::<IpAddr>()?, PORT);
            for Completion { opcode, status, .. } in client(&Device::open(url)?, remote)? {
                println!("{opcode:?}: {status}");
            }
        }
        _ => return Err("give `server URL` or `client URL ADDRESS`".into()),
    }
    Ok(())
}

//! Two devices; one writes a greeting into the other's memory.
//!
//!     cargo run -p ferrowarp --example hello_write -- \
//!         'sim:eth=qemu-dgram:/tmp/a,/tmp/b;ip=10.0.0.1/24' 'sim:eth=qemu-dgram:/tmp/b,/tmp/a;ip=10.0.0.2/24'
//!
//! On hardware the halves are two programs on two machines: `server` and `client` share nothing but the wire.
use ferrowarp::{Access, ConnectOptions, Device, Error, Listener, QpOptions, Remote, SendOptions, Status};
use ferrowarp_abi::types::{STag, TaggedOffset};
use std::net::SocketAddr;
use std::time::Duration;

const GREETING: &[u8] = b"hello, remote memory";
const PORT: u16 = 7000;
const PATIENCE: Duration = Duration::from_secs(120);

/// Offers a region and waits for what is written there.
pub fn server(device: &Device, listener: &Listener) -> Result<Vec<u8>, Error> {
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(16)?;
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
    let region = pd.allocate(4096, Access::ALL)?;
    qp.post_recv(1, &[])?;
    let request = listener.next(PATIENCE)?;
    // where the region is travels in the answer to the Request: private data
    let mut place = region.stag().0.to_be_bytes().to_vec();
    place.extend(region.to_base().0.to_be_bytes());
    let options = ConnectOptions { private_data: place, patience: PATIENCE, ..Default::default() };
    let connection = request.accept(&qp, options)?;
    // an empty Send behind the Write says that all of it is there
    assert_eq!(cq.wait(PATIENCE)?.status, Status::Success);
    let greeting = region.memory().copy(0, GREETING.len())?;
    connection.disconnect(PATIENCE)?;
    Ok(greeting)
}

/// Writes the greeting.
pub fn client(url: &str, remote: SocketAddr) -> Result<(), Error> {
    let device = Device::open(url)?;
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(16)?;
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
    let region = pd.allocate(GREETING.len(), Access::default())?;
    region.memory().write(0, GREETING)?;
    let options = ConnectOptions { patience: PATIENCE, ..Default::default() };
    let connection = device.connect(&qp, remote, options)?;
    let place = connection.private_data();
    let stag = STag(place[..4].iter().fold(0, |n, &o| n << 8 | u32::from(o)));
    let to = TaggedOffset(place[4..12].iter().fold(0, |n, &o| n << 8 | u64::from(o)));
    // two requests, one doorbell; only the last one completes
    let mut sends = connection.queue_pair().sends();
    sends.write(1, &[region.segment(0, GREETING.len())?], Remote { stag, to }, false)?;
    sends.send(2, &[], SendOptions::default())?;
    sends.ring()?;
    assert_eq!(cq.wait(PATIENCE)?.wr_id, 2);
    connection.disconnect(PATIENCE)
}

/// Both halves in one process.
pub fn run(server_url: &str, client_url: &str, server_ip: &str) -> Result<Vec<u8>, Error> {
    let remote = SocketAddr::new(server_ip.parse().expect("an IP address"), PORT);
    let device = Device::open(server_url)?;
    let listener = device.listen(PORT, 1)?;
    std::thread::scope(|scope| {
        let served = scope.spawn(|| server(&device, &listener));
        let written = client(client_url, remote);
        let greeting = served.join().expect("no panic in the server")?;
        written.map(|()| greeting)
    })
}

#[allow(dead_code, clippy::print_stdout)] // a test has this file as a module; it prints for people
fn main() -> Result<(), Error> {
    let urls: Vec<String> = std::env::args().skip(1).collect();
    let [ours, theirs] = urls.as_slice() else { panic!("two device URLs, the server's with 10.0.0.1") };
    println!("{}", String::from_utf8_lossy(&run(ours, theirs, "10.0.0.1")?));
    Ok(())
}

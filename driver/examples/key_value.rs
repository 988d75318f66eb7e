// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table of keys and values that clients read without the server's processor: one-sided Reads.
//!
//!     cargo run -p ferrowarp --features sim --example key_value -- \
//!         'sim:eth=qemu-dgram:/tmp/a,/tmp/b;ip=10.0.0.1/24' 'sim:eth=qemu-dgram:/tmp/b,/tmp/a;ip=10.0.0.2/24'
//!
//! A slot has 64 octets: length and text of key and of value. A key is in the slot of its hash or
//! one behind it.
use ferrowarp::{
    AcceptOptions, Access, ConnectOptions, Device, Error, Listener, MemoryRegion, QpOptions, RemoteRegion,
    Status,
};
use std::net::SocketAddr;
use std::time::Duration;

const SLOT: usize = 64;
const SLOTS: usize = 128;
const PORT: u16 = 7002;
const PATIENCE: Duration = Duration::from_secs(120);

fn slot_of(key: &str) -> usize {
    let hash = key.bytes().fold(0x811C_9DC5_u32, |hash, o| (hash ^ u32::from(o)).wrapping_mul(0x0100_0193));
    hash as usize % SLOTS
}

/// Keeps a pair in the first free slot from that of its key on.
fn put(table: &MemoryRegion, key: &str, value: &str) -> Result<(), Error> {
    let mut slot = slot_of(key);
    while table.memory().copy(slot * SLOT, 1)?[0] != 0 {
        slot = (slot + 1) % SLOTS;
    }
    let octets = [&[key.len() as u8], key.as_bytes(), &[value.len() as u8], value.as_bytes()].concat();
    assert!(octets.len() <= SLOT, "key and value have 62 octets at most");
    Ok(table.memory().write(slot * SLOT, &octets)?)
}

/// Fills the table, tells where it is, and does nothing more until the client is gone.
pub fn server(device: &Device, listener: &Listener, pairs: &[(&str, &str)]) -> Result<(), Error> {
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(16)?;
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
    let access = Access { remote_read: true, ..Access::default() };
    let table = pd.allocate(SLOT * SLOTS, access)?;
    pairs.iter().try_for_each(|(key, value)| put(&table, key, value))?;
    qp.post_recv(1, &[])?;
    let private_data = table.remote().to_bytes().to_vec();
    let request = listener.next(PATIENCE)?;
    let options = AcceptOptions::default().private_data(private_data).ird(4).patience(PATIENCE);
    let connection = request.accept(&qp, options)?;
    // the receive is flushed when the client closes
    cq.wait(PATIENCE)?;
    connection.disconnect(PATIENCE)
}

/// Looks keys up, in turn.
pub fn client(device: &Device, remote: SocketAddr, keys: &[&str]) -> Result<Vec<Option<String>>, Error> {
    let pd = device.protection_domain()?;
    let cq = device.completion_queue(16)?;
    let qp = device.queue_pair(&pd, [&cq, &cq], QpOptions::default())?;
    let slot = pd.allocate(SLOT, Access::LOCAL)?;
    let options = ConnectOptions::default().ord(4).patience(PATIENCE);
    let connection = device.connect(&qp, remote, options)?;
    let table = RemoteRegion::from_bytes(connection.private_data())?;
    let read = |n: usize| {
        let remote = table.at(n * SLOT, SLOT)?;
        connection.queue_pair().read(n as u64, slot.segment(0, SLOT)?, remote).post()?;
        assert_eq!(cq.wait(PATIENCE)?.status, Status::Success);
        Ok::<_, Error>(slot.memory().copy(0, SLOT)?)
    };
    let find = |key: &&str| {
        for n in (0..SLOTS).map(|n| (slot_of(key) + n) % SLOTS) {
            let octets = read(n)?;
            let (found, rest) = octets[1..].split_at(octets[0].into());
            if found.is_empty() {
                break;
            }
            if found == key.as_bytes() {
                let value = &rest[1..][..rest[0].into()];
                return Ok(Some(String::from_utf8_lossy(value).into_owned()));
            }
        }
        Ok(None)
    };
    let values = keys.iter().map(find).collect::<Result<_, Error>>()?;
    connection.disconnect(PATIENCE)?;
    Ok(values)
}

/// Both ends in one process.
pub fn run(
    urls: [&str; 2],
    server_ip: &str,
    pairs: &[(&str, &str)],
    keys: &[&str],
) -> Result<Vec<Option<String>>, Error> {
    let remote = SocketAddr::new(server_ip.parse().expect("an IP address"), PORT);
    let [theirs, ours] = [Device::open(urls[0])?, Device::open(urls[1])?];
    let listener = theirs.listen(PORT, 1)?;
    std::thread::scope(|scope| {
        let served = scope.spawn(|| server(&theirs, &listener, pairs));
        let values = client(&ours, remote, keys);
        served.join().expect("no panic in the server")?;
        values
    })
}

#[allow(dead_code, clippy::print_stdout)] // a test has this file as a module; it prints for people
fn main() -> Result<(), Error> {
    let urls: Vec<String> = std::env::args().skip(1).collect();
    let [ours, theirs] = urls.as_slice() else { panic!("two device URLs, the server's with 10.0.0.1") };
    let values = run([ours, theirs], "10.0.0.1", &[("iron", "Fe"), ("gold", "Au")], &["gold", "tin"])?;
    values.iter().for_each(|value| println!("{value:?}"));
    Ok(())
}

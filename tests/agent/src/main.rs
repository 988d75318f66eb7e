// SPDX-License-Identifier: MIT OR Apache-2.0
//! Does in a guest with Linux siw what scripts of connections say, by librdmacm and libibverbs of
//! the guest: `siw-agent NUMBER PORT PEER`. Lines of JSON go over the virtio-serial port
//! `ferrowarp-agent` (`script::agent` of `ferrowarp-tests` has them).
mod application;
mod events;
mod flow;
mod library;
mod memory;
mod orders;
mod queue;
mod words;

use application::{does_not_wait, Application};
use ferrowarp_tests::script::agent::{Ask, Said};
use ferrowarp_tests::script::device::Octets;
use libc::{poll, pollfd, POLLIN};
use std::fs::{read_dir, read_to_string, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::time::Duration;

/// Name of the virtio-serial port.
const PORT: &str = "ferrowarp-agent";
/// Between two looks at what the libraries tell, in milliseconds.
const LOOK_MS: i32 = 2;
/// Between two attempts to write.
const RETRY: Duration = Duration::from_millis(1);

/// Lines over the port.
struct Lines {
    file: File,
    text: Vec<u8>,
}

impl Lines {
    fn open() -> Result<Self, String> {
        let ports = read_dir("/sys/class/virtio-ports").map_err(|why| format!("no virtio ports: {why}"))?;
        let named = |path: &PathBuf| read_to_string(path.join("name")).is_ok_and(|name| name.trim() == PORT);
        let port = ports.flatten().map(|entry| entry.path()).find(named);
        let port = port.ok_or_else(|| format!("no virtio port `{PORT}`"))?;
        let device = PathBuf::from("/dev").join(port.file_name().unwrap_or_default());
        let file = OpenOptions::new().read(true).write(true).open(&device);
        let file = file.map_err(|why| format!("{}: {why}", device.display()))?;
        does_not_wait(file.as_raw_fd())?;
        Ok(Self { file, text: vec![] })
    }

    /// Waits for octets, but not for long.
    fn wait(&self) {
        let mut files = [pollfd { fd: self.file.as_raw_fd(), events: POLLIN, revents: 0 }];
        // SAFETY: the list has one entry. What comes of it does not matter: reads do not wait.
        unsafe { poll(files.as_mut_ptr(), 1, LOOK_MS) };
    }

    /// The next line, if there is one.
    fn next(&mut self) -> Result<Option<Vec<u8>>, String> {
        loop {
            if let Some(end) = self.text.iter().position(|octet| *octet == b'\n') {
                return Ok(Some(self.text.drain(..=end).collect()));
            }
            let mut room = vec![0; 32_768];
            match self.file.read(&mut room) {
                Ok(0) => return Err("the host is gone".into()),
                Ok(octets) => self.text.extend(&room[..octets]),
                Err(why) if why.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(why) => return Err(why.to_string()),
            }
        }
    }

    fn say(&mut self, said: &Said) -> Result<(), String> {
        let line = serde_json::to_string(said).map_err(|why| why.to_string())?;
        // the line of an agent before may be cut
        let line = if matches!(said, Said::Hello(_)) { format!("\n{line}\n") } else { line + "\n" };
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match self.file.write(rest) {
                Ok(octets) => rest = &rest[octets..],
                Err(why) if why.kind() == ErrorKind::WouldBlock => std::thread::sleep(RETRY),
                Err(why) => return Err(why.to_string()),
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), String> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [number, port, peer] = &arguments[..] else { return Err("siw-agent NUMBER PORT PEER".into()) };
    let number = number.parse().map_err(|why| format!("{number}: {why}"))?;
    let port = port.parse().map_err(|why| format!("{port}: {why}"))?;
    let peer = peer.parse().map_err(|why| format!("{peer}: {why}"))?;
    let (mut application, mut lines) = (Application::new(peer, port)?, Lines::open()?);
    lines.say(&Said::Hello(number))?;
    let mut is_greeted = false;
    loop {
        lines.wait();
        application.look()?;
        while let Some(line) = lines.next()? {
            // what an agent before was asked and did not read is not for this one
            let Ok(ask) = serde_json::from_slice::<Ask>(&line) else { continue };
            if let Ask::Hello(said) = ask {
                is_greeted = said == number;
                continue;
            }
            if !is_greeted {
                continue;
            }
            let is_last = ask == Ask::End;
            let answer = match ask {
                Ask::Order(number, order) => Said::Did(application.order(number, order)),
                Ask::Take(number) => Said::Did(application.take(number)),
                Ask::Memory { region, at, octets } => {
                    Said::Octets(application.memory(&region, at, octets).map(Octets))
                }
                Ask::Hello(_) | Ask::End => Said::Did(Ok(())),
            };
            // what came about by the order is heard before its answer
            application.look()?;
            application.said.push(answer);
            for said in std::mem::take(&mut application.said) {
                lines.say(&said)?;
            }
            if is_last {
                return Ok(());
            }
        }
        for said in std::mem::take(&mut application.said) {
            lines.say(&said)?;
        }
    }
}

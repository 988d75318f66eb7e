//! Two simulated devices whose Ethernet is a pair of sockets, in wall time.
use ferrowarp::Device;
use std::path::PathBuf;
use std::time::Duration;

/// Two models on a busy machine take some ten thousand cycles a second.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A folder for the sockets, gone at the end.
pub struct Cable(PathBuf);

impl Cable {
    /// `name` tells it from those of other tests.
    ///
    /// # Panics
    /// If there is no room for it.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ferrowarp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for sockets");
        Self(path)
    }

    /// The device of address 10.0.0.`own`, whose cable leads to that of 10.0.0.`peer`.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn device(&self, own: u8, peer: u8) -> Device {
        Device::open(&self.url(own, peer)).expect("a simulated device")
    }

    /// Its URL.
    pub fn url(&self, own: u8, peer: u8) -> String {
        let socket = |n: u8| self.0.join(format!("{n}.sock")).display().to_string();
        let (local, remote) = (socket(own), socket(peer));
        format!("sim:eth=qemu-dgram:{local},{remote};ip=10.0.0.{own}/24")
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        // what stays behind in the folder for temporary files harms nobody
        drop(std::fs::remove_dir_all(&self.0));
    }
}

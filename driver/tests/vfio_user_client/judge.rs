// SPDX-License-Identifier: MIT OR Apache-2.0
//! The server of the crate `vfio_user` as the judge of the driver's client.
use super::unmapped;
use ferrowarp::backend::{Backend, BackendError, PciBackend};
use ferrowarp::dma::DmaMemory;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use vfio_bindings::bindings::vfio::vfio_region_info;
use vfio_user::{DmaMapFlags, DmaUnmapFlags, IrqInfo, Server, ServerBackend, ServerRegion};

/// Registers by place: what a Ferrowarp is.
const REGISTERS: [(u64, u32); 4] = [(0, 0x4677_5270), (8, 4 << 16), (12, 1), (16, 0x0408_0304)];
const CONFIG: u32 = 7;

/// What the server was asked.
#[derive(Debug, Default)]
struct Seen {
    /// Flags, address, octets, and the first octets of the file.
    maps: Vec<(u32, u64, u64, Vec<u8>)>,
    unmaps: Vec<(u64, u64)>,
    /// Region, offset, octets.
    writes: Vec<(u32, u64, Vec<u8>)>,
    interrupts: usize,
    resets: usize,
}

#[derive(Clone, Default)]
struct Device(Arc<Mutex<Seen>>);

impl ServerBackend for Device {
    fn region_read(&mut self, region: u32, offset: u64, data: &mut [u8]) -> io::Result<()> {
        let value =
            REGISTERS.iter().find(|(at, _)| region == 0 && *at == offset).map_or(0, |(_, value)| *value);
        data.copy_from_slice(&value.to_le_bytes()[..data.len()]);
        Ok(())
    }

    fn region_write(&mut self, region: u32, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().writes.push((region, offset, data.into()));
        Ok(())
    }

    fn dma_map(
        &mut self,
        flags: DmaMapFlags,
        offset: u64,
        address: u64,
        size: u64,
        file: Option<File>,
    ) -> io::Result<()> {
        let mut octets = vec![0; 5];
        file.ok_or(io::ErrorKind::InvalidInput)?.read_exact_at(&mut octets, offset)?;
        self.0.lock().unwrap().maps.push((flags.bits(), address, size, octets));
        Ok(())
    }

    fn dma_unmap(&mut self, _flags: DmaUnmapFlags, address: u64, size: u64) -> io::Result<()> {
        let mut seen = self.0.lock().unwrap();
        seen.unmaps.push((address, size));
        // the second one is refused
        if seen.unmaps.len() == 2 {
            Err(io::ErrorKind::PermissionDenied.into())
        } else {
            Ok(())
        }
    }

    fn reset(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().resets += 1;
        Ok(())
    }

    fn set_irqs(&mut self, index: u32, flags: u32, start: u32, count: u32, fds: Vec<File>) -> io::Result<()> {
        assert_eq!((index, flags, start, count, fds.len()), (2, 4 | 32, 0, 1, 1));
        self.0.lock().unwrap().interrupts += 1;
        Ok(())
    }
}

#[test]
fn another_projects_server_understands_each_request() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("socket");
    let region = |index| {
        let size = if index == CONFIG { 256 } else { 1 << 20 };
        let region_info = vfio_region_info { argsz: 32, flags: 3, index, size, ..Default::default() };
        ServerRegion { region_info, sparse_areas: vec![], mmap_fd: None }
    };
    let irqs = (0..5).map(|index| IrqInfo { index, flags: 1, count: 16 }).collect();
    let server = Server::new(&path, true, irqs, (0..9).map(region).collect()).unwrap();
    let device = Device::default();
    let mut serves = device.clone();
    let served = std::thread::spawn(move || server.run(&mut serves));

    let backend = PciBackend::vfio_user(&path).unwrap();
    let memory = |octets: &[u8]| {
        let memory = DmaMemory::zeroed(backend.arena(), 4096).unwrap();
        memory.write(0, octets).unwrap();
        Arc::new(memory)
    };
    let iovas =
        [backend.map(memory(b"first"), true), backend.map(memory(b"other"), false)].map(Result::unwrap);
    unmapped(&backend, iovas[0]).unwrap();
    let refused = unmapped(&backend, iovas[1]);
    assert!(matches!(refused, Err(BackendError::Refused { .. })), "{refused:?}");
    assert_eq!(backend.register(0), Ok(REGISTERS[0].1));
    backend.reset().unwrap();
    drop(backend);
    served.join().unwrap().unwrap();

    let seen = device.0.lock().unwrap();
    let maps = [(3, iovas[0], 4096, b"first".to_vec()), (1, iovas[1], 4096, b"other".to_vec())];
    assert_eq!(seen.maps, maps);
    assert_eq!(seen.unmaps, iovas.map(|iova| (iova, 4096)));
    assert_eq!((seen.interrupts, seen.resets), (1, 1));
    let commands: Vec<_> = seen.writes.iter().filter(|(region, ..)| *region == CONFIG).collect();
    assert_eq!(commands, [&(CONFIG, 4, vec![6, 0]), &(CONFIG, 4, vec![0, 0])]);
}

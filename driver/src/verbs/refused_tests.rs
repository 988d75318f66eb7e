// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an application may ask wrongly: an error with the value, and nothing is left behind.
use super::tests::scene;
use super::*;
use crate::cm::ConnectOptions;
use crate::dma::DmaError;
use crate::error::Error;
use ferrowarp_abi::consts::wc_status;
use ferrowarp_abi::types::{STag, TaggedOffset};
use ferrowarp_firmware::error::CallError;
use memmap2::MmapOptions;
use std::ptr::NonNull;

/// Octets of the pages that are mapped here.
const PAGES: usize = 3 * 4096;

#[test]
fn memory_that_may_only_be_read_is_registered_for_reading_alone() {
    let scene = scene();
    let pages = MmapOptions::new().len(PAGES).map_anon().unwrap().make_read_only().unwrap();
    let start = NonNull::new(pages.as_ptr().cast_mut()).unwrap();
    let before = scene.fake.mapped();
    for access in [
        Access { local_write: true, ..Access::default() },
        Access { remote_write: true, ..Access::default() },
        Access::ALL,
    ] {
        // SAFETY: it is refused before anybody reaches the pages
        let refused = unsafe { scene.pd.register_foreign(start, PAGES, access) };
        let told = refused.map(drop).unwrap_err();
        let address = pages.as_ptr() as u64;
        assert!(matches!(told, Error::Memory(DmaError::ReadOnly { address: a }) if a == address), "{told}");
        assert!(told.to_string().contains("register it without `local_write` and `remote_write`"), "{told}");
    }
    assert_eq!(scene.fake.mapped(), before);
    let access = Access { remote_read: true, ..Access::default() };
    // SAFETY: the pages outlive the region, and nobody writes them
    let region = unsafe { scene.pd.register_foreign(start, PAGES, access) }.unwrap();
    assert_eq!(region.memory().copy(PAGES - 3, 3).unwrap(), [0; 3]);
}

#[test]
fn sizes_that_overflow_are_refused_with_the_value() {
    let scene = scene();
    for octets in [0, usize::MAX, usize::MAX - 4096, isize::MAX as usize] {
        let told = scene.pd.allocate(octets, Access::ALL).map(drop).unwrap_err();
        assert!(matches!(told, Error::Memory(DmaError::Size(n)) if n == octets), "{octets}: {told}");
        assert!(told.to_string().contains("ask for 1 to"), "{told}");
    }
    let own = [0_u8; 16];
    let start = NonNull::from(&own[0]);
    for octets in [usize::MAX, usize::MAX - 15, 0] {
        // SAFETY: it is refused before anybody reaches it
        let told = unsafe { scene.pd.register_foreign(start, octets, Access::default()) };
        let told = told.map(drop).unwrap_err();
        assert!(matches!(told, Error::Memory(DmaError::Size(n)) if n == octets), "{octets}: {told}");
    }
    for (at, octets) in [(usize::MAX, 2), (101, 0), (0, 101)] {
        let told = scene.region.segment(at, octets).unwrap_err();
        assert!(matches!(told, Error::Segment { len: 100, .. }), "{at}, {octets}: {told}");
    }
    let long = scene.region.segment(1, usize::MAX).unwrap_err();
    assert!(matches!(long, Error::Long(n) if n == u64::MAX), "{long}");
}

#[test]
fn too_many_segments_are_refused_and_nothing_is_rung() {
    let scene = scene();
    scene.connect();
    let segments = [scene.region.segment(0, 10).unwrap(); 9];
    let limits = scene.qp.limits();
    let (gathers, scatters) = (limits.send_segments, limits.receive_segments);
    let connected = QueuePair::connected(&scene.qp.0);
    let told = connected.send(1, &segments[..gathers + 1]).post().unwrap_err();
    let fits = |given, limit| given == limit + 1;
    assert!(
        matches!(told, Error::Segments { queue: "send", given, most } if fits(given, gathers) && most == gathers),
        "{told}"
    );
    let told = scene.qp.post_recv(1, &segments[..scatters + 1]).unwrap_err();
    assert!(
        matches!(told, Error::Segments { queue: "receive", given, most } if fits(given, scatters) && most == scatters),
        "{told}"
    );
    assert!(scene.fake.state().doorbells.is_empty());
    // what fits is taken afterwards
    connected.send(1, &segments[..gathers]).post().unwrap();
    scene.qp.post_recv(1, &segments[..scatters]).unwrap();
}

#[test]
fn private_data_that_fits_no_frame_is_refused_before_anything_is_sent() {
    let scene = scene();
    for octets in [509, 513] {
        let options = ConnectOptions { private_data: vec![0; octets], ..Default::default() };
        let told = scene.device.connect(&scene.qp, ([10, 0, 0, 1], 7).into(), options).map(drop).unwrap_err();
        assert!(matches!(told, Error::Call(CallError::PrivateData { octets: n, most: 508 }) if n == octets));
        assert!(told
            .to_string()
            .contains(&format!("{octets} octets of private data are too many: give at most 508")));
    }
    assert_eq!(scene.device.audit().unwrap().connections, 0);
    assert!(scene.fake.state().doorbells.is_empty(), "a frame was sent");
}

#[test]
fn a_segment_by_stag_and_address_is_left_to_the_device_to_judge() {
    let scene = scene();
    scene.connect();
    let (stag, first) = (scene.region.stag(), scene.region.to_base());
    let whole = scene.pd.segment(stag, TaggedOffset(first.0 + 10), 20);
    assert_eq!(whole, scene.region.segment(10, 20).unwrap());
    // none of these is of a region
    let wild = scene.pd.segment(STag(0xFFFF_FFFF), TaggedOffset(u64::MAX), u32::MAX);
    let qp = scene.qp.assume_connected();
    qp.send(1, &[wild]).post().unwrap();
    scene.done(0, false, wc_status::LOC_PROT_ERR);
    assert_eq!(scene.polled(), [(1, Status::LocalProtection, WcOpcode::Send)]);
    // segments of another domain are refused as all others are
    let other = scene.device.protection_domain().unwrap();
    let strange = other.segment(stag, first, 1);
    assert!(matches!(scene.qp.post_recv(1, &[strange]), Err(Error::Domain("a segment"))));
}

#[test]
fn who_assumes_a_connection_is_told_that_there_is_none() {
    let scene = scene();
    let qp = scene.qp.assume_connected();
    assert!(matches!(qp.send(1, &[]).post(), Err(Error::NotConnected(0))));
    scene.qp.to_error().unwrap();
    qp.send(2, &[]).post().unwrap();
    assert_eq!(scene.polled(), [(2, Status::Flushed, WcOpcode::Send)]);
}

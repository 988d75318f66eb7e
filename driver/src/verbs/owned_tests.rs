// SPDX-License-Identifier: MIT OR Apache-2.0
//! Buffers that a region owns: what comes back, and what stays with the device.
use super::tests::scene;
use super::*;
use crate::dma::{DmaError, StableMemory};
use crate::error::Error;
use ferrowarp_abi::consts::{admin_opcode, admin_status};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// A buffer that counts how many of its kind were dropped.
struct Counted(Vec<u8>, Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: the vector's bytes are on the heap, and nobody else reaches the vector.
unsafe impl StableMemory for Counted {
    fn bytes(&mut self) -> NonNull<[u8]> {
        self.0.bytes()
    }
}

#[test]
fn a_buffer_comes_back_with_what_the_device_wrote() {
    let scene = scene();
    let mapped = scene.fake.mapped();
    let buffer = vec![7_u8; 100];
    let address = buffer.as_ptr() as u64;
    let region = scene.pd.register(buffer, Access::ALL).unwrap();
    assert_eq!((region.to_base().0, region.remote().len), (address, 100), "the buffer is not copied");
    region.memory().write(10, &[1, 2]).unwrap();
    assert_eq!(scene.fake.mapped(), mapped + 1);
    let buffer: Vec<u8> = region.into_inner().unwrap();
    assert_eq!((buffer.as_ptr() as u64, &buffer[9..13]), (address, &[7, 1, 2, 7][..]));
    assert_eq!(scene.fake.mapped(), mapped);
    assert_eq!(scene.fake.told(admin_opcode::MR_REVOKE).len(), 1);
}

#[test]
fn words_of_a_buffer_are_what_a_peer_writes() {
    let scene = scene();
    let region = scene.pd.register(vec![1_u64, 2, 3], Access::ALL).unwrap();
    assert_eq!(region.memory().load_u64(8, Ordering::Acquire).unwrap(), 2);
    region.memory().store_u64(16, 9, Ordering::Release).unwrap();
    assert_eq!(region.into_inner().unwrap(), [1, 2, 9]);
}

#[test]
fn a_buffer_that_the_device_keeps_is_not_given_back_and_lives_as_long_as_the_device() {
    let scene = scene();
    let dropped = Arc::new(AtomicUsize::new(0));
    let buffer = || Counted(vec![0; 64], dropped.clone());
    let [given, kept, held] = [(); 3].map(|()| scene.pd.register(buffer(), Access::ALL).unwrap());
    drop(given);
    assert_eq!(dropped.load(Ordering::Relaxed), 1, "a drop of the region drops the buffer");
    scene.fake.state().refused.insert(admin_opcode::MR_REVOKE, admin_status::BAD_INDEX);
    let told = kept.into_inner().map(drop).unwrap_err();
    assert!(matches!(told, Error::Kept { bytes: 64 }) && told.to_string().contains("64 bytes"), "{told}");
    scene.fake.state().refused.clear();
    scene.fake.state().holds = true;
    assert!(matches!(held.into_inner(), Err(Error::Kept { .. })));
    scene.fake.state().holds = false;
    assert_eq!(dropped.load(Ordering::Relaxed), 1, "the device may write memory that was freed");
    assert_eq!(scene.fake.state().resets, 0, "a buffer that stays needs no reset");
    let fake = scene.fake.clone();
    drop(scene);
    drop(fake);
    assert_eq!(dropped.load(Ordering::Relaxed), 3, "buffers outlive their device");
}

#[test]
fn a_buffer_without_bytes_is_refused() {
    let told = scene().pd.register(Vec::<u8>::new(), Access::ALL).map(drop);
    assert!(matches!(told.map_err(Error::from), Err(Error::Memory(DmaError::Size(0)))));
}

#[test]
fn a_buffer_that_is_not_registered_comes_back() {
    let scene = scene();
    let buffer = vec![7_u8; 100];
    let address = buffer.as_ptr();
    scene.fake.state().refused.insert(admin_opcode::MR_WRITE, admin_status::BAD_ROW);
    let refused = scene.pd.register(buffer, Access::ALL).map(drop).unwrap_err();
    assert_eq!(refused.to_string(), refused.error.to_string());
    let buffer = refused.buffer.unwrap();
    assert_eq!((buffer.as_ptr(), buffer[99]), (address, 7));
    scene.fake.state().refused.clear();
    scene.pd.register(buffer, Access::ALL).unwrap();
}

#[test]
fn a_slice_is_a_segment_of_its_range() {
    let region = scene().region;
    let segment = |at, octets| region.segment(at, octets).unwrap();
    assert_eq!(region.slice(..).unwrap(), segment(0, 100));
    assert_eq!(region.slice(10..).unwrap(), segment(10, 90));
    assert_eq!(region.slice(..=9).unwrap(), segment(0, 10));
    assert_eq!(region.slice(20..30).unwrap(), segment(20, 10));
    assert!(matches!(region.slice(90..101), Err(Error::Segment { at: 90, octets: 11, len: 100 })));
    assert!(region.slice(..=usize::MAX).is_err());
    #[allow(clippy::reversed_empty_ranges)] // as a caller may compute one
    let backwards = region.slice(30..20);
    assert!(matches!(backwards, Err(Error::Segment { at: 30, .. })));
}

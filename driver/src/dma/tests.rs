// SPDX-License-Identifier: MIT OR Apache-2.0
//! Octets of memories, and memories of a file.
use super::*;

/// Memory of a device that has no other.
fn zeroed(len: usize) -> Result<DmaMemory, DmaError> {
    DmaMemory::zeroed(&Arc::default(), len)
}

#[test]
fn octets_come_back_and_ends_are_kept() {
    let memory = zeroed(100).unwrap();
    memory.write(90, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).unwrap();
    assert_eq!(memory.copy(88, 12).unwrap(), [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!(memory.write(91, &[0; 10]), Err(DmaError::Outside { at: 91, octets: 10, len: 100 }));
    assert!(memory.copy(usize::MAX, 2).is_err());
    assert!(memory.copy(100, 0).unwrap().is_empty());
    assert_eq!(zeroed(0).unwrap_err(), DmaError::Size(0));
    assert_eq!(memory.address() % PAGE as u64, 0);
    assert_eq!(zeroed(usize::MAX).unwrap_err(), DmaError::Size(usize::MAX));
}

#[test]
fn every_alignment_has_its_octets() {
    let memory = zeroed(64).unwrap();
    for (at, octets) in (0..20).flat_map(|at| (0..30).map(move |octets| (at, octets))) {
        memory.write(0, &[0xEE; 64]).unwrap();
        let sent: Vec<u8> = (1..=octets).collect();
        memory.write(at, &sent).unwrap();
        let end = at + sent.len();
        let all = memory.copy(0, 64).unwrap();
        assert_eq!(all[at..end], sent);
        assert_eq!(memory.copy(at, sent.len()).unwrap(), sent);
        assert!(all[..at].iter().chain(&all[end..]).all(|&o| o == 0xEE), "{octets} octets at {at}");
    }
}

#[test]
#[cfg(not(miri))] // which has no memory files
fn a_device_elsewhere_finds_the_octets_in_the_file() {
    use std::os::unix::fs::FileExt;
    let arena = Arc::default();
    let [first, memory] = [1, 5000].map(|len| DmaMemory::zeroed(&arena, len).unwrap());
    let (file, at) = memory.file().unwrap();
    assert!(Arc::ptr_eq(file, first.file().unwrap().0), "a device has one file");
    assert_eq!((first.file().unwrap().1, at, file.metadata().unwrap().len()), (0, 4096, 3 * 4096));
    memory.write(4998, &[1, 2]).unwrap();
    file.write_all_at(&[3], at + 4997).unwrap();
    let mut octets = [0; 2];
    file.read_exact_at(&mut octets, at + 4998).unwrap();
    assert_eq!((octets, memory.copy(4997, 3).unwrap()), ([1, 2], vec![3, 1, 2]));
    assert_eq!(first.copy(0, 1).unwrap(), [0]);
}

#[test]
#[cfg(not(miri))] // which has no memory files
fn memory_goes_back_to_the_system_and_comes_again_as_zeros() {
    use std::os::unix::fs::MetadataExt;
    let arena = Arc::default();
    let octets = 16 * PAGE;
    let all: Vec<_> = (0..4).map(|_| DmaMemory::zeroed(&arena, octets).unwrap()).collect();
    all.iter().for_each(|memory| memory.write(0, &vec![0xEE; octets]).unwrap());
    let file = all[0].file().unwrap().0.clone();
    let pages = || file.metadata().unwrap().blocks() * 512 / PAGE as u64;
    assert_eq!(pages(), 64);
    let mut kept = all.into_iter();
    let first = kept.next().unwrap();
    drop((kept.next(), kept.next()));
    assert_eq!(pages(), 32);
    // where the two were
    let again = DmaMemory::zeroed(&arena, 2 * octets).unwrap();
    assert_eq!(again.file().unwrap().1, octets as u64);
    assert!(again.copy(0, 2 * octets).unwrap().iter().all(|octet| *octet == 0));
    let last = kept.next().unwrap();
    assert!([&first, &last].iter().all(|memory| memory.copy(0, octets).unwrap() == vec![0xEE; octets]));
    drop((first, again, last));
    assert_eq!((pages(), file.metadata().unwrap().len()), (0, 4 * octets as u64));
}

#[test]
#[cfg(not(miri))] // which does not fork
fn a_child_of_the_process_takes_and_gives_no_memory() {
    use std::cell::Cell;
    let arena = Arc::default();
    let memory = DmaMemory::zeroed(&arena, 100).unwrap();
    memory.write(0, &[7]).unwrap();
    let memory = Cell::new(Some(memory));
    let ended = crate::process::tests::child(|| {
        drop(memory.take());
        DmaMemory::zeroed(&arena, 100).is_err_and(|why| why == DmaError::Forked)
    });
    assert_eq!(ended, 0, "a child takes memory of its parent's device");
    assert_eq!(memory.take().unwrap().copy(0, 1).unwrap(), [7], "a child gives its parent's memory back");
}

#[test]
fn memory_of_the_application_is_reached_where_it_is() {
    let mut octets = vec![7_u8; 16];
    let start = NonNull::new(octets.as_mut_ptr()).unwrap();
    // SAFETY: the vector outlives the value and is not used meanwhile.
    let memory = unsafe { DmaMemory::foreign(start, 16) }.unwrap();
    memory.write(3, &[1, 2]).unwrap();
    drop(memory);
    assert_eq!(octets[2..6], [7, 1, 2, 7]);
}

#[test]
fn a_memory_that_begins_and_ends_anywhere_keeps_what_is_beside_a_store() {
    for (begin, len) in (0..8).flat_map(|begin| [1, 4, 7, 8, 13, 19].map(|len| (begin, len))) {
        let mut octets = [u64::from_ne_bytes([0xEE; 8]); 4];
        let start = NonNull::from(&mut octets).cast::<u8>();
        // SAFETY: the array outlives the value and is not used meanwhile; `begin` and `len` are
        // less than its 32 octets.
        let memory = unsafe { DmaMemory::foreign(start.add(begin), len) }.unwrap();
        for (at, sent) in (0..len).flat_map(|at| (0..=len - at).map(move |sent| (at, sent))) {
            memory.write(0, &vec![0xEE; len]).unwrap();
            let bytes: Vec<u8> = (1..=sent as u8).collect();
            memory.write(at, &bytes).unwrap();
            assert_eq!(memory.copy(at, sent).unwrap(), bytes);
            let all = memory.copy(0, len).unwrap();
            let (before, behind) = (&all[..at], &all[at + sent..]);
            assert!(before.iter().chain(behind).all(|&o| o == 0xEE), "{sent} at {at} of {len} at {begin}");
        }
        memory.write(0, &vec![0xEE; len]).unwrap();
        drop(memory);
        assert_eq!(octets, [u64::from_ne_bytes([0xEE; 8]); 4], "{len} at {begin}");
    }
}

/// Stores of two sizes into one word: a store of the whole word would take the other half back.
#[test]
fn threads_that_store_into_the_halves_of_a_word_keep_each_others_numbers() {
    let most = if cfg!(miri) { 50 } else { 20_000 };
    let memory = zeroed(16).unwrap();
    std::thread::scope(|scope| {
        for at in [0, 4] {
            let memory = &memory;
            scope.spawn(move || {
                for n in 1..=most {
                    memory.store_u32(at, n, Ordering::Release).unwrap();
                    assert_eq!(memory.load_u32(at, Ordering::Acquire), Ok(n));
                    memory.read(at, &mut [0; 3]).unwrap();
                    memory.load_u64(0, Ordering::Relaxed).unwrap();
                }
            });
        }
    });
    assert_eq!([0, 4].map(|at| memory.load_u32(at, Ordering::Relaxed).unwrap()), [most; 2]);
}

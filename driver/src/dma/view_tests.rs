// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers, words and slices of memory where it is.
use super::*;
use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

fn memory(len: usize) -> DmaMemory {
    DmaMemory::zeroed(&Arc::default(), len).unwrap()
}

#[test]
fn a_number_is_stored_and_loaded_whole_in_the_order_of_the_machine() {
    let memory = memory(24);
    memory.store_u64(8, 0x0102_0304_0506_0708, Release).unwrap();
    memory.store_u32(16, 0x0A0B_0C0D, SeqCst).unwrap();
    assert_eq!(memory.copy(8, 8).unwrap(), 0x0102_0304_0506_0708_u64.to_ne_bytes());
    assert_eq!(memory.load_u32(16, Relaxed), Ok(0x0A0B_0C0D));
    memory.write(16, &7_u64.to_ne_bytes()).unwrap();
    assert_eq!((memory.load_u64(16, Acquire), memory.load_u64(0, SeqCst)), (Ok(7), Ok(0)));
}

#[test]
fn a_number_outside_or_between_two_places_is_refused() {
    let memory = memory(20);
    assert_eq!(memory.load_u64(16, Acquire), Err(DmaError::Outside { at: 16, octets: 8, len: 20 }));
    assert_eq!(memory.load_u32(16, Acquire), Ok(0));
    assert_eq!(memory.store_u32(20, 1, Relaxed), Err(DmaError::Outside { at: 20, octets: 4, len: 20 }));
    assert_eq!(
        memory.load_u32(usize::MAX, Relaxed).unwrap_err(),
        DmaError::Outside { at: usize::MAX, octets: 4, len: 20 }
    );
    assert_eq!(memory.store_u32(6, 1, Relaxed), Err(DmaError::Unaligned { at: 6, to: 4 }));
    let told = memory.load_u64(4, Acquire).unwrap_err().to_string();
    assert!(told.contains("byte 4") && told.contains("not aligned to 8"), "{told}");
}

#[test]
fn an_order_that_an_access_cannot_have_is_an_error_and_no_panic() {
    let memory = memory(8);
    for order in [Release, AcqRel] {
        assert_eq!(memory.load_u64(0, order), Err(DmaError::Order { access: "load", order }));
    }
    for order in [Acquire, AcqRel] {
        assert_eq!(memory.store_u32(0, 1, order), Err(DmaError::Order { access: "store", order }));
    }
    assert_eq!(memory.load_u64(0, Acquire), Ok(0), "a store that is refused changes nothing");
}

#[test]
fn words_are_the_memory_itself() {
    let memory = memory(40);
    let words = memory.words(8..32).unwrap();
    assert_eq!(words.len(), 3);
    words[1].store(5, Relaxed);
    assert_eq!(memory.load_u64(16, Acquire), Ok(5));
    assert!(memory.words(40..40).unwrap().is_empty());
    assert_eq!(memory.words(4..12).unwrap_err(), DmaError::Unaligned { at: 4, to: 8 });
    assert_eq!(memory.words(8..20).unwrap_err(), DmaError::Unaligned { at: 20, to: 8 });
    assert_eq!(memory.words(32..48).unwrap_err(), DmaError::Outside { at: 32, octets: 16, len: 40 });
    #[allow(clippy::reversed_empty_ranges)] // as a caller may compute one
    let backwards = memory.words(16..8);
    assert!(matches!(backwards, Err(DmaError::Outside { at: 16, .. })));
}

#[test]
fn slices_are_the_memory_itself() {
    let memory = memory(5000);
    {
        // SAFETY: nobody else has the memory.
        let bytes = unsafe { memory.as_mut_slice() };
        bytes[4990..].fill(9);
    }
    assert_eq!(memory.copy(4989, 2).unwrap(), [0, 9]);
    memory.write(1, &[3]).unwrap();
    // SAFETY: nobody writes the memory any more.
    let bytes = unsafe { memory.as_slice() };
    assert_eq!((bytes.len(), &bytes[..3]), (5000, &[0, 3, 0][..]));
}

#[test]
fn memory_that_begins_anywhere_has_numbers_where_its_addresses_are_multiples() {
    let mut octets = [0_u64; 4];
    let start = NonNull::from(&mut octets).cast::<u8>();
    // SAFETY: the array outlives the value and is not used meanwhile; 3 + 20 of its octets.
    let memory = unsafe { DmaMemory::foreign(start.add(3), 20) }.unwrap();
    memory.store_u64(5, u64::MAX, Release).unwrap();
    assert_eq!(memory.store_u64(8, 1, Release), Err(DmaError::Unaligned { at: 8, to: 8 }));
    drop(memory);
    assert_eq!(octets, [0, u64::MAX, 0, 0]);
}

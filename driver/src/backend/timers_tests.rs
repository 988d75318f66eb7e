// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a device gets of the timers that a URL names.
use super::pci_tests::opened_with;
use super::{Backend, Timers, END};

#[test]
fn a_url_turns_off_probes_and_nothing_else_of_recovery() {
    for (tlp, bits) in [(true, 15_u32), (false, 11)] {
        let (table, _) = opened_with(Timers { tlp, ..Timers::DEFAULT });
        let writes = &table.0.lock().unwrap().writes;
        assert!(writes.contains(&(0, 0x06c, bits.to_le_bytes().to_vec())), "{writes:?}");
    }
}

#[test]
fn a_url_says_what_an_end_waits_for_the_device() {
    let told = |end| opened_with(Timers { end, ..Timers::DEFAULT }).1.ends_within();
    assert_eq!([told(20 * END), told(Timers::DEFAULT.end)], [20 * END, END]);
}

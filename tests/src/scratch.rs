// SPDX-License-Identifier: MIT OR Apache-2.0
//! Paths for sockets and captures of a test.
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A path in the folder for temporary files that no other call gives, in this process or in
/// another one. `name` tells a person whose path this is; nothing is made there.
pub fn scratch(name: &str) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (process, nth) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(format!("ferrowarp-{name}-{process}-{nth}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tests_of_a_process_may_use_one_name() {
        assert_ne!(scratch("bound"), scratch("bound"));
    }
}

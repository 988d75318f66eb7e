// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which test is running, from what Cargo and the test runner tell it.

/// Name of the running test binary without the hash that Cargo appends.
pub fn binary() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    plain_binary(&stem).to_string()
}

/// Path of the running test in its binary. The test runner names a test's thread after it, except
/// with `--test-threads=1`; a thread that the test started has no such name.
pub fn name() -> Option<String> {
    std::thread::current().name().filter(|name| *name != "main").map(String::from)
}

fn plain_binary(stem: &str) -> &str {
    match stem.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => name,
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_cargo_is_taken_off() {
        assert_eq!(plain_binary("stream_fifo-0123456789abcdef"), "stream_fifo");
        assert_eq!(plain_binary("stream-fifo"), "stream-fifo");
    }

    #[test]
    fn this_test_is_found() {
        assert_eq!(binary(), "ferrowarp_sim");
        assert_eq!(name().as_deref(), Some("this_test::tests::this_test_is_found"));
        let other = std::thread::spawn(name).join().unwrap();
        assert_eq!(other, None, "a thread of its own");
    }
}

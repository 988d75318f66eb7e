// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asking programs by a line of shell.
use std::process::Command;

/// First line that a query prints; none if the query fails or prints nothing.
pub fn first_line(query: &str) -> Option<String> {
    let query = format!("set -o pipefail; {query}");
    let out = Command::new("bash").args(["-c", &query]).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let line = text.lines().next()?.trim();
    (out.status.success() && !line.is_empty()).then(|| line.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_first_line_of_a_query_that_succeeds() {
        assert_eq!(first_line("printf 'X 1.2\\nmore\\n'").as_deref(), Some("X 1.2"));
        assert_eq!(first_line("echo X 1.2; false"), None);
        assert_eq!(first_line("false | echo 1"), None);
        assert_eq!(first_line("true"), None);
        assert_eq!(first_line("no-such-program-of-ferrowarp"), None);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The licence line: first in each source, or second behind `#!` in a script.
use super::finding::Finding;
use super::rules;
use ferrowarp_hdl::emit::LICENSE_LINE;

/// What the line of another licence has in common with ours.
const MARK: &str = "SPDX-License-Identifier:";

/// Checks a source.
pub fn check(file: &str, text: &str) -> Option<Finding> {
    let place = place(text);
    let found = text.lines().nth(place).unwrap_or_default();
    if found == line_of(file) {
        return None;
    }
    let what = format!("`{found}` stands where `{}` must", line_of(file));
    Some(Finding::on(file, place + 1, 1, rules::LICENSE_LINE, what))
}

/// The text with its licence line; `None` if the line is there.
pub fn fixed(file: &str, text: &str) -> Option<String> {
    check(file, text)?;
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let place = place(text).min(lines.len());
    if lines.get(place).is_some_and(|line| line.contains(MARK)) {
        lines.remove(place);
    }
    let new = line_of(file) + "\n";
    lines.insert(place, &new);
    Some(lines.concat())
}

/// Lines of a text, its licence line left out.
pub fn lines(text: &str) -> usize {
    let licensed = text.lines().nth(place(text)).is_some_and(|line| line.contains(MARK));
    text.lines().count() - usize::from(licensed)
}

/// Index of the line that the licence line is to be.
fn place(text: &str) -> usize {
    usize::from(text.starts_with("#!/"))
}

/// The line, as the language of a file writes comments.
fn line_of(file: &str) -> String {
    if file.ends_with(".sh") {
        LICENSE_LINE.replacen("//", "#", 1)
    } else {
        LICENSE_LINE.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_missed_and_written_once() {
        for (file, text, place) in [
            ("x.rs", "//! Doc\nfn f() {}\n", 1),
            ("x.sv", "", 1),
            ("x.sh", "#!/bin/sh\nset -e\n", 2),
            ("x.rs", "// SPDX-License-Identifier: BSD-2-Clause\n#![no_std]\n", 1),
        ] {
            assert_eq!(check(file, text).map(|f| f.line), Some(place), "{text}");
            let new = fixed(file, text).unwrap();
            assert_eq!(new.matches(MARK).count(), 1, "{new}");
            assert!(check(file, &new).is_none() && fixed(file, &new).is_none(), "{new}");
            assert_eq!(lines(&new), lines(text), "{new}");
        }
        assert!(fixed("x.sh", "#!/bin/sh\na\n").unwrap().starts_with("#!/bin/sh\n# SPDX-"));
        assert_eq!(fixed("x.rs", "#![no_std]").unwrap(), format!("{LICENSE_LINE}\n#![no_std]"));
    }
}

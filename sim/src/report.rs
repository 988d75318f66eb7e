// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a failing case leaves behind: files, and a text with a line that repeats it.
use crate::this_test;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files of one failing case.
pub(crate) struct Files {
    pub(crate) fst: PathBuf,
    frames: PathBuf,
}

impl Files {
    /// Names below `dir`; characters of the case's name that a file name should not have become
    /// `-`.
    pub(crate) fn new(dir: &Path, name: &str, seed: u64) -> Self {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        let stem = format!("{}-{seed}", name.chars().map(plain).collect::<String>());
        Self { fst: dir.join(format!("{stem}.fst")), frames: dir.join(format!("{stem}.frames.txt")) }
    }

    /// Creates the folder and removes what an earlier failure of the same case left.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(self.fst.parent().unwrap_or(Path::new(".")))?;
        for file in [&self.fst, &self.frames] {
            match fs::remove_file(file) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the frames of the case: `<cycle> <prefix> <sent|received|passed> <length>
    /// octets: <hex>`.
    pub(crate) fn write_frames(&self, lines: &[String]) -> io::Result<()> {
        fs::write(&self.frames, lines.iter().map(|l| format!("{l}\n")).collect::<String>())
    }
}

/// A case that failed.
pub(crate) struct Failed<'a> {
    pub(crate) name: &'a str,
    pub(crate) seed: u64,
    pub(crate) top: &'a str,
    pub(crate) why: &'a str,
    pub(crate) cycle: u64,
}

/// The report. `second` tells how the traced run went: failed alike or not, or why there is no
/// waveform. `repeat` is the command that runs the case again.
pub(crate) fn text(failed: &Failed<'_>, files: &Files, second: Result<bool, String>, repeat: &str) -> String {
    let Failed { name, seed, top, why, cycle } = failed;
    let left = match second {
        Ok(true) => format!("waveform: {}\nframes:   {}", files.fst.display(), files.frames.display()),
        Ok(false) => format!(
            "waveform: {} (the second run went another way: the body draws on more than the bench's generator, or the traced model began \
             with other registers, as those of Verilator 5.006 may)",
            files.fst.display()
        ),
        Err(why) => format!("no waveform: {why}"),
    };
    format!("case {name} on {top}, seed {seed}, failed at cycle {cycle}: {why}\n{left}\nrepeat:   {repeat}")
}

/// The command that runs this test again with this seed, from what Cargo and the test runner tell a
/// test.
pub(crate) fn repeat_line(seed: u64) -> String {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| env!("CARGO_PKG_NAME").into());
    line(seed, &package, &this_test::binary(), this_test::name().as_deref())
}

/// Cargo names the binary of a library's own tests after the crate.
fn line(seed: u64, package: &str, target: &str, test: Option<&str>) -> String {
    let which = if target == package.replace('-', "_") { "--lib".into() } else { format!("--test {target}") };
    let test = test.map(|path| format!(" {path} -- --exact")).unwrap_or_default();
    format!("FERROWARP_SEED={seed} cargo test -p {package} {which}{test}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_package_binary_and_test() {
        assert_eq!(
            line(7, "ferrowarp-tests", "crc", Some("w64::frames")),
            "FERROWARP_SEED=7 cargo test -p ferrowarp-tests --test crc w64::frames -- --exact"
        );
        assert_eq!(
            line(7, "ferrowarp-tests", "ferrowarp_tests", None),
            "FERROWARP_SEED=7 cargo test -p ferrowarp-tests --lib"
        );
    }

    #[test]
    fn a_case_name_becomes_a_file_name() {
        let files = Files::new(Path::new("d"), "a::b/c", 3);
        assert_eq!(files.fst, Path::new("d/a--b-c-3.fst"));
        assert_eq!(files.frames, Path::new("d/a--b-c-3.frames.txt"));
    }
}

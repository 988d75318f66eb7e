// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tarball holds.
use crate::steps::Step;
use crate::{child, emit, repo};
use anyhow::{Context, Result};
use ferrowarp_hdl::config::{Config, Profile};
use ferrowarp_hdl::top::Top;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

/// The programs, as Cargo names them.
pub const PROGRAMS: [&str; 2] = ["ferrowarp", "ferrowarp-sim"];
/// The checksums of all other files.
pub const SUMS: &str = "SHA256SUMS";
/// The README, with places between `@`.
const README: &str = include_str!("README.md");

/// A tarball.
pub struct Tarball {
    pub path: PathBuf,
    /// Size of the file.
    pub octets: u64,
    /// The one folder at its top.
    pub folder: String,
    /// The simulated device, relative to the folder.
    pub model: PathBuf,
}

/// Makes the tarball in `output` from the programs in `target/debug`, which are built.
pub fn make(step: &Step, output: &Path) -> Result<Tarball> {
    let system = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let name = format!("ferrowarp-{}-{system}", env!("CARGO_PKG_VERSION"));
    // what an earlier run left would be packed as well
    let place = repo::emptied("release-contents")?;
    let folder = place.join(&name);
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).with_context(|| format!("cannot make {}", bin.display()))?;
    for program in PROGRAMS {
        step.note(program);
        let built = repo::root().join("target/debug").join(program);
        step.capture(Command::new("strip").arg("-o").arg(bin.join(program)).arg(built))?;
    }
    let config = ferrowarp_tests::device::config();
    let model = ferrowarp_sim::export(Top::RnicW64, &config, &bin.join(ferrowarp_sim::PREBUILT))?;
    let mut profiles = vec![];
    for profile in Profile::ALL {
        step.note(&format!("Verilog of profile {}", profile.name()));
        let config = Config::profile(profile);
        let top = Top::of(&config)?;
        let emitted = ferrowarp_sim::emitted(top, &config)?;
        emit::write(&emitted, &config, &folder.join("verilog").join(profile.name()))?;
        profiles.push((profile, top));
    }
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(repo::root().join(licence), folder.join(licence)).context(licence)?;
    }
    let readme = readme(&system.replace('-', " "), &libc()?, &profiles);
    repo::write(&folder.join("README.md"), &readme)?;
    repo::write(&folder.join(SUMS), &sums(&folder)?)?;
    let path = pack(step, &place, &name, output)?;
    let octets = fs::metadata(&path).with_context(|| path.display().to_string())?.len();
    let model = model.strip_prefix(&folder).unwrap_or(&model).into();
    fs::remove_dir_all(&place).with_context(|| format!("cannot remove {}", repo::shown(&place)))?;
    Ok(Tarball { path, octets, folder: name, model })
}

/// The README of this machine's release.
fn readme(system: &str, libc: &str, profiles: &[(Profile, Top)]) -> String {
    let row = |(profile, top): &(Profile, Top)| format!("| `{}` | `{}` |\n", profile.name(), top.name());
    let rows: String = profiles.iter().map(row).collect();
    let places =
        [("VERSION", env!("CARGO_PKG_VERSION")), ("SYSTEM", system), ("LIBC", libc), ("PROFILES", &rows)];
    places.iter().fold(README.into(), |text, (name, value)| text.replace(&format!("@{name}@"), value))
}

/// The C library that the programs were linked with: `glibc 2.41`.
fn libc() -> Result<String> {
    let said = child::capture(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    Ok(said.trim().into())
}

/// Lines that `sha256sum --check` reads, in the order of the names.
fn sums(folder: &Path) -> Result<String> {
    let mut lines = String::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let octets = fs::read(entry.path()).with_context(|| entry.path().display().to_string())?;
            let name = entry.path().strip_prefix(folder)?.display();
            let sum: String = Sha256::digest(octets).iter().map(|octet| format!("{octet:02x}")).collect();
            lines += &format!("{sum}  {name}\n");
        }
    }
    Ok(lines)
}

/// Packs `place/name` without a trace of who did so and when: equal contents give equal tarballs.
fn pack(step: &Step, place: &Path, name: &str, output: &Path) -> Result<PathBuf> {
    fs::create_dir_all(output).with_context(|| format!("cannot make {}", output.display()))?;
    let path = output.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args([
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=u=rwX,go=rX",
    ]);
    step.capture(tar.arg("-czf").arg(&path).arg("-C").arg(place).arg(name))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_of_the_readme_stays_empty() {
        let text = readme("x86_64 linux", "glibc 2.36", &[(Profile::Tiny, Top::RnicW64)]);
        assert!(!text.contains('@'), "{text}");
        assert!(text.contains("x86_64 linux with glibc 2.36") && text.contains("| `tiny` | `rnic_w64` |"));
    }

    #[test]
    fn sums_are_those_that_sha256sum_checks() {
        let folder = std::env::temp_dir().join(format!("fw-sums-{}", std::process::id()));
        fs::create_dir_all(folder.join("b")).unwrap();
        fs::write(folder.join("b/one"), "abc").unwrap();
        fs::write(folder.join("a"), "").unwrap();
        let text = sums(&folder).unwrap();
        let names: Vec<_> = text.lines().map(|line| line.split("  ").nth(1).unwrap()).collect();
        assert_eq!(names, ["a", "b/one"]);
        fs::write(folder.join(SUMS), text).unwrap();
        let check = || child::capture(Command::new("sha256sum").args(["--check", SUMS]).current_dir(&folder));
        check().unwrap();
        fs::write(folder.join("a"), "changed").unwrap();
        assert!(check().unwrap_err().to_string().contains("a: FAILED"));
        fs::remove_dir_all(&folder).unwrap();
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a shared library has the symbols of the table at their versions, and no others.
use super::table::Symbol;
use crate::repo;
use anyhow::{ensure, Context, Result};
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, Sym};
use object::Endianness;
use std::collections::BTreeSet;
use std::path::Path;

/// Holds the library against the table. The error names what one of them lacks.
pub fn check(library: &Path, symbols: &[Symbol<'_>]) -> Result<()> {
    let octets = std::fs::read(library).with_context(|| format!("cannot read {}", repo::shown(library)))?;
    let (due, have) = (due(symbols), offered(&octets).with_context(|| repo::shown(library))?);
    let list = |these: Vec<&String>| these.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
    let (missing, strange) = (list(due.difference(&have).collect()), list(have.difference(&due).collect()));
    ensure!(
        due == have,
        "symbols of {} are not those of symbols.tsv; missing: [{missing}]; not in the table: [{strange}]",
        repo::shown(library)
    );
    Ok(())
}

/// `name@version` of each version that is not the default, `name@@version` of the default.
fn due(symbols: &[Symbol<'_>]) -> BTreeSet<String> {
    let each = |symbol: &Symbol<'_>| {
        let last = symbol.versions.len() - 1;
        let shown = |(nth, version): (usize, &&str)| {
            format!("{}{}{version}", symbol.name, if nth == last { "@@" } else { "@" })
        };
        symbol.versions.iter().enumerate().map(shown).collect::<Vec<_>>()
    };
    symbols.iter().flat_map(each).collect()
}

/// The same of an ELF file's dynamic symbols. A symbol without a version is its name alone.
fn offered(octets: &[u8]) -> Result<BTreeSet<String>> {
    let header = FileHeader64::<Endianness>::parse(octets)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, octets)?;
    let symbols = sections.symbols(endian, octets, object::elf::SHT_DYNSYM)?;
    let versions = sections.versions(endian, octets)?.context("no version table")?;
    let mut offered = BTreeSet::new();
    for (index, symbol) in symbols.enumerate() {
        // the name of a version is a symbol of its own, without a section
        let is_node = symbol.st_shndx(endian) == object::elf::SHN_ABS;
        if symbol.is_undefined(endian) || symbol.st_bind() == object::elf::STB_LOCAL || is_node {
            continue;
        }
        let name = std::str::from_utf8(symbol.name(endian, symbols.strings())?)?;
        let at = versions.version_index(endian, index);
        let version = match versions.version(at)? {
            Some(version) => {
                let at = if at.is_hidden() { "@" } else { "@@" };
                format!("{at}{}", std::str::from_utf8(version.name())?)
            }
            None => String::new(),
        };
        offered.insert(format!("{name}{version}"));
    }
    Ok(offered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_symbol_that_lost_its_version_is_named() {
        let folder = repo::target("xtask-tests/dropin-versions");
        let (source, script) = (folder.join("a.c"), folder.join("a.map"));
        repo::write(&source, "void a(void) {}\nvoid b(void) {}\n").unwrap();
        repo::write(&script, "V1 { global: a; b; };\nL { local: *; };\n").unwrap();
        let library = folder.join("a.so");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
        crate::child::capture(cc.arg(format!("-Wl,--version-script={}", script.display()))).unwrap();
        let symbol = |name, version| Symbol { name, versions: vec![version], answer: "written" };
        check(&library, &[symbol("a", "V1"), symbol("b", "V1")]).unwrap();
        let why = check(&library, &[symbol("a", "V1"), symbol("b", "V2")]).unwrap_err().to_string();
        assert!(why.contains("missing: [b@@V2]; not in the table: [b@@V1]"), "{why}");
    }
}

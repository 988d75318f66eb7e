// SPDX-License-Identifier: MIT OR Apache-2.0
//! Makes the functions that are not supported, and the versions of symbols that have several, out
//! of the table `symbols.tsv`.
mod table;

use std::env::var;
use std::fmt::Write as _;
use std::path::PathBuf;

/// `cargo xtask dropin` sets the variable. Without the version script, which only that command has,
/// a linker refuses versions.
const VERSIONS: &str = "FERROWARP_SYMBOL_VERSIONS";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=symbols.tsv");
    println!("cargo::rerun-if-changed=table.rs");
    println!("cargo::rerun-if-env-changed={VERSIONS}");
    let text = std::fs::read_to_string("symbols.tsv")?;
    let symbols = table::symbols(&text)?;
    let jump = match var("CARGO_CFG_TARGET_ARCH")?.as_str() {
        "x86_64" => "jmp",
        "aarch64" => "b",
        other => return Err(format!("no jump is known for {other}; name one in build.rs").into()),
    };
    let (mut source, mut declared, mut exports) = (String::new(), String::new(), String::new());
    for symbol in &symbols {
        let last = symbol.versions.len() - 1;
        // a function with several versions has a name of its own
        let name = if last == 0 { symbol.name.to_string() } else { format!("ferrowarp_{}", symbol.name) };
        if symbol.answer != "written" {
            writeln!(source, "unsupported!({name}, {});", symbol.answer)?;
        }
        writeln!(declared, "fn {name}();")?;
        writeln!(exports, "({:?}, {name}),", symbol.name)?;
        let is_linked = last > 0 && var(VERSIONS).is_ok();
        for (nth, version) in symbol.versions.iter().enumerate().filter(|_| is_linked) {
            // an assembler gives a label one version: each version is a jump to the function
            let (label, at) = (format!("{name}_{nth}"), if nth == last { "@@" } else { "@" });
            let lines = format!(
                ".globl {label}\n.type {label}, %function\n{label}: {jump} {name}\n\
                 .symver {label}, {}{at}{version}",
                symbol.name
            );
            writeln!(source, "std::arch::global_asm!({lines:?});")?;
        }
    }
    let to = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    // tests call every function by its name
    let all = format!(
        "extern \"C\" {{\n{declared}}}\npub const EXPORTS: &[(&str, unsafe extern \"C\" fn())] = &[\n{exports}];\n"
    );
    std::fs::write(to.join("exports.rs"), all)?;
    Ok(std::fs::write(to.join("symbols.rs"), source)?)
}

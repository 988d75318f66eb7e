// SPDX-License-Identifier: MIT OR Apache-2.0
// The table `symbols.tsv`, as build.rs and xtask read it.

/// A symbol that the library offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its versions. The last one is the default.
    pub versions: Vec<&'a str>,
    /// `written`, or the answer of a function that is not supported.
    pub answer: &'a str,
}

/// All lines of the table. The error names the line that is none.
pub fn symbols(text: &str) -> Result<Vec<Symbol<'_>>, String> {
    let mut all = vec![];
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            [name, versions, answer @ ("written" | "null" | "minus" | "errno")] if !versions.is_empty() => {
                all.push(Symbol { name, versions: versions.split(' ').collect(), answer });
            }
            _ => return Err(format!("symbols.tsv:{}: `{line}` is no symbol", number + 1)),
        }
    }
    Ok(all)
}

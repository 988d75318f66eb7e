//! `target/bench.json`: one flat object of dotted keys and numbers, merged by every command that measures.
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Keys with their figures, in the order of the keys.
pub type Figures = BTreeMap<String, f64>;

/// Where the figures are.
pub fn path() -> PathBuf {
    crate::repo::target("bench.json")
}

/// Adds `new` to the file: a key measured before is replaced, others stay.
pub fn merge(new: &Figures) -> Result<()> {
    merge_into(&path(), new)
}

fn merge_into(path: &Path, new: &Figures) -> Result<()> {
    let mut all = read(path)?;
    all.extend(new.iter().map(|(k, v)| (k.clone(), *v)));
    crate::repo::write(path, &(serde_json::to_string_pretty(&all)? + "\n"))
}

fn read(path: &Path) -> Result<Figures> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Figures::new()),
        Err(e) => return Err(e).with_context(|| format!("cannot read {}", path.display())),
    };
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not an object of numbers; remove it", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_keeps_other_keys_and_replaces_measured_ones() {
        let path = crate::repo::target("xtask-tests").join(format!("bench-{}.json", std::process::id()));
        merge_into(&path, &Figures::from([("a.x".into(), 1.0), ("b.y".into(), 2.0)])).unwrap();
        merge_into(&path, &Figures::from([("b.y".into(), 3.5)])).unwrap();
        assert_eq!(read(&path).unwrap(), Figures::from([("a.x".into(), 1.0), ("b.y".into(), 3.5)]));
        std::fs::write(&path, "[]").unwrap();
        assert!(read(&path).is_err());
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read(&path).unwrap(), Figures::new());
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of benches, merged into `target/bench.json`.
use crate::paths;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Why a figure was not recorded or read.
#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    /// A file operation failed.
    #[error("{file}: {source}", file = .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// The file is not an object of numbers.
    #[error("{file} is not an object of numbers ({source}); remove it and run the benches again", file = .file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// JSON has no such number.
    #[error("figure `{key}` = {value} is not finite")]
    NotFinite {
        /// The key.
        key: String,
        /// The value.
        value: f64,
    },
}

/// Sets `key` (dotted, as in `crc32c.w64.beats_per_cycle`) in `target/bench.json`, keeping all
/// others.
pub fn record(key: &str, value: f64) -> Result<(), MetricsError> {
    record_in(&paths::bench_json(), key, value)
}

/// All figures of `target/bench.json`, by key; none if there is no file.
pub fn read() -> Result<BTreeMap<String, f64>, MetricsError> {
    read_from(&paths::bench_json())
}

fn read_from(file: &Path) -> Result<BTreeMap<String, f64>, MetricsError> {
    match fs::read_to_string(file) {
        Ok(text) => {
            serde_json::from_str(&text).map_err(|source| MetricsError::Format { file: file.into(), source })
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(source) => Err(MetricsError::Io { file: file.into(), source }),
    }
}

fn record_in(file: &Path, key: &str, value: f64) -> Result<(), MetricsError> {
    if !value.is_finite() {
        return Err(MetricsError::NotFinite { key: key.into(), value });
    }
    let io = |source| MetricsError::Io { file: file.into(), source };
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).map_err(io)?;
    }
    // test binaries and threads record at the same time
    let lock = File::create(file.with_extension("json.lock")).map_err(io)?;
    lock.lock().map_err(io)?;
    let mut figures = read_from(file)?;
    figures.insert(key.into(), value);
    let text = serde_json::to_string_pretty(&figures)
        .map_err(|source| MetricsError::Format { file: file.into(), source })?;
    let fresh = file.with_extension("json.new");
    fs::write(&fresh, text + "\n").and_then(|()| fs::rename(&fresh, file)).map_err(io)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_many_threads_are_merged_and_sorted() {
        let file = paths::target().join(format!("test-metrics-{}.json", std::process::id()));
        std::thread::scope(|s| {
            for i in (0..8).rev() {
                let file = &file;
                s.spawn(move || record_in(file, &format!("k.{i}"), f64::from(i)).unwrap());
            }
        });
        record_in(&file, "k.3", 0.5).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        let keys: Vec<_> = text.lines().filter_map(|l| l.trim().strip_prefix("\"k.")).collect();
        assert_eq!(
            keys,
            [
                "0\": 0.0,",
                "1\": 1.0,",
                "2\": 2.0,",
                "3\": 0.5,",
                "4\": 4.0,",
                "5\": 5.0,",
                "6\": 6.0,",
                "7\": 7.0"
            ]
        );
        assert!(matches!(record_in(&file, "x", f64::NAN), Err(MetricsError::NotFinite { .. })));
        fs::write(&file, "[1]").unwrap();
        assert!(matches!(record_in(&file, "x", 1.0), Err(MetricsError::Format { .. })));
        fs::remove_file(&file).unwrap();
        fs::remove_file(file.with_extension("json.lock")).unwrap();
    }
}

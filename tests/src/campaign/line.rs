// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a shard: a line of JSON for each session and for each run.
use super::figures::Figures;
use super::invariant::Invariant;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What a session begins with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The campaign's seed, which all runs are drawn from.
    pub seed: u64,
    /// The shard, as `1/4`.
    pub shard: String,
    /// The hardware: hash of its text.
    pub device: String,
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What is broken.
    pub invariant: Invariant,
    /// The run, cut down if that was possible.
    pub run: String,
    /// Text of the failure.
    pub why: String,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The run, as [`super::Run`] is written.
    pub run: String,
    /// Its number in its part, if it was drawn; none of a run of the list of seeds.
    pub nth: Option<u64>,
    /// Seconds of wall time.
    pub seconds: f64,
    /// What was counted; of a run that failed nothing is.
    pub figures: Figures,
    /// What went wrong.
    pub failure: Option<Failure>,
}

impl Line {
    /// Name of the run's part.
    pub fn part(&self) -> &str {
        self.run.split(':').next().unwrap_or_default()
    }
}

/// Why the file of a shard cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It cannot be read or written.
    #[error("cannot {0} {1}: {2}")]
    File(&'static str, PathBuf, #[source] std::io::Error),
    /// A line is none.
    #[error("{0} line {1} is no line of a campaign ({2}); begin anew without --resume")]
    Line(PathBuf, usize, String),
    /// There is nothing to go on with.
    #[error("{0} has no session to go on with; begin without --resume")]
    Empty(PathBuf),
}

/// A line of either kind.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Entry {
    Session(Session),
    Run(Line),
}

/// The file of a shard, open for more lines.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// An empty file.
    pub fn begin(path: &Path) -> Result<Self, LogError> {
        let told = |doing| move |e| LogError::File(doing, path.into(), e);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(told("make the folder of"))?;
        }
        let file = File::create(path).map_err(told("write"))?;
        Ok(Self { path: path.into(), file })
    }

    /// A file that is there, with its last session and its runs. A last line that was cut off, as
    /// by a machine that stopped, is taken away.
    pub fn resume(path: &Path) -> Result<(Self, Session, Vec<Line>), LogError> {
        let told = |doing| move |e| LogError::File(doing, path.into(), e);
        let text = std::fs::read_to_string(path).map_err(told("read"))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let (mut session, mut lines) = (None, vec![]);
        for (n, line) in (1..).zip(text[..whole].lines()) {
            match serde_json::from_str(line) {
                Ok(Entry::Session(s)) => session = Some(s),
                Ok(Entry::Run(run)) => lines.push(run),
                Err(why) => return Err(LogError::Line(path.into(), n, why.to_string())),
            }
        }
        let session = session.ok_or_else(|| LogError::Empty(path.into()))?;
        let file = OpenOptions::new().append(true).open(path).map_err(told("write"))?;
        file.set_len(whole as u64).map_err(told("write"))?;
        Ok((Self { path: path.into(), file }, session, lines))
    }

    /// Adds a session.
    pub fn session(&mut self, session: &Session) -> Result<(), LogError> {
        self.add(&Entry::Session(session.clone()))
    }

    /// Adds a run.
    pub fn run(&mut self, line: &Line) -> Result<(), LogError> {
        self.add(&Entry::Run(line.clone()))
    }

    fn add(&mut self, entry: &Entry) -> Result<(), LogError> {
        let told = |e| LogError::File("write", self.path.clone(), e);
        let text = serde_json::to_string(entry).map_err(|e| told(e.into()))?;
        self.file.write_all(format!("{text}\n").as_bytes()).map_err(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(nth: u64) -> Line {
        let figures = Figures { cycles: 7, ..Default::default() };
        Line { run: format!("F1:2:{nth}"), nth: Some(nth), seconds: 0.5, figures, failure: None }
    }

    #[test]
    fn a_shard_goes_on_behind_its_last_whole_line() {
        let path = crate::scratch::scratch("campaign-log").with_extension("jsonl");
        let session = Session { seed: 9, shard: "1/2".into(), device: "d".into() };
        let mut log = Log::begin(&path).unwrap();
        log.session(&session).unwrap();
        log.run(&line(0)).unwrap();
        log.file.write_all(b"{\"run\":{\"run\":\"F1").unwrap();
        let (mut log, found, lines) = Log::resume(&path).unwrap();
        assert_eq!((found, lines), (session, vec![line(0)]));
        let failure = Failure { invariant: Invariant::I5, run: "F1:2:1:3".into(), why: "x\ny".into() };
        let failed = Line { failure: Some(failure), ..line(1) };
        log.run(&failed).unwrap();
        assert_eq!(Log::resume(&path).unwrap().2, [line(0), failed]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_without_a_session_is_refused() {
        let path = crate::scratch::scratch("campaign-none").with_extension("jsonl");
        std::fs::write(&path, "").unwrap();
        assert!(matches!(Log::resume(&path), Err(LogError::Empty(_))));
        std::fs::write(&path, "{}\n").unwrap();
        assert!(Log::resume(&path).unwrap_err().to_string().contains("line 1"));
        std::fs::remove_file(path).unwrap();
    }
}

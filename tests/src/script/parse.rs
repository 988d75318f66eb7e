// SPDX-License-Identifier: MIT OR Apache-2.0
//! A script as its steps. What a script proves must be checked by a step.
use super::table::{statement, Statement};
use super::text::{line, Line, ScriptError};
use super::value::{Names, Sum};
use crate::proves::matrix;
use crate::proves::ROWS_PER_TEST;
use std::collections::BTreeSet;

/// What a script runs on.
pub const DEVICES: [&str; 3] = ["sim", "siw", "linux"];

/// Values of a loop.
const MOST: usize = 256;

/// A script.
#[derive(Debug)]
pub struct Script {
    /// Name of its file, without ending.
    pub name: String,
    /// What it is about: its first comment.
    pub about: String,
    /// Rows that its steps prove.
    pub proves: BTreeSet<String>,
    /// Devices that it runs on, of [`DEVICES`].
    pub devices: Vec<String>,
    /// What the URL of the device has more.
    pub url: String,
    /// What is done and seen.
    pub steps: Vec<Step>,
}

impl Script {
    /// Whether it is about TCP alone, and runs in both halves of a device.
    pub fn has_halves(&self) -> bool {
        self.steps.iter().any(|step| step.statement.words.0 == "tcp")
    }

    /// Whether Linux siw runs it. A script about TCP is for the halves of a device.
    pub fn is_for_siw(&self) -> bool {
        self.devices.iter().any(|on| on == "siw") && !self.has_halves()
    }
}

/// A step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its line, from 1 on.
    pub line: usize,
    /// What kind of step it is.
    pub statement: &'static Statement,
    /// Words behind the first two.
    pub words: Vec<String>,
    /// Fields.
    pub fields: Vec<(String, String)>,
    /// Rows that it proves.
    pub rows: Vec<String>,
}

impl Script {
    /// Reads a script. The error names the line and what is wrong: a statement that is not
    /// understood, a row that no matrix has, a row that no step checks.
    pub fn parse(name: &str, text: &str) -> Result<Self, ScriptError> {
        let fault = |line, why| ScriptError { script: format!("{name}.iw"), line, why };
        let mut script = Self {
            name: name.into(),
            about: String::new(),
            proves: BTreeSet::new(),
            devices: vec![],
            url: String::new(),
            steps: vec![],
        };
        let (mut proved, mut said, mut loops) = (BTreeSet::new(), 1, vec![]);
        for (n, text) in text.lines().enumerate().map(|(n, text)| (n + 1, text)) {
            if script.about.is_empty() {
                script.about = text.trim_start_matches('#').trim().to_string();
                if !text.starts_with('#') {
                    return Err(fault(n, "a script begins with a comment that says what it shows".into()));
                }
                continue;
            }
            if let Some(url) = text.trim_start().strip_prefix("url ") {
                script.url = url.split_whitespace().collect::<Vec<_>>().join(";");
                continue;
            }
            let Line { words, fields, rows } = line(text).map_err(|why| fault(n, why))?;
            let Some(first) = words.first() else { continue };
            match first.as_str() {
                "proves" => {
                    said = n;
                    script.header(&words[1..]).map_err(|why| fault(n, why))?;
                }
                "devices" => script.devices(&words[1..]).map_err(|why| fault(n, why))?,
                "for" => loops
                    .push(Loop::new(n, &words, &fields, script.steps.len()).map_err(|why| fault(n, why))?),
                "end" => {
                    let last = loops.pop().ok_or_else(|| fault(n, "`end` without `for`".into()))?;
                    last.unroll(&mut script.steps).map_err(|why| fault(n, why))?;
                }
                _ => {
                    let step = Step::new(n, words, fields, rows).map_err(|why| fault(n, why))?;
                    proved.extend(step.rows.iter().cloned());
                    script.steps.push(step);
                }
            }
        }
        if let Some(open) = loops.first() {
            return Err(fault(open.line, "`for` without `end`".into()));
        }
        if let Some(row) = script.proves.difference(&proved).next() {
            return Err(fault(
                said,
                format!("`{row}` is proved by no step: name it behind a step that checks"),
            ));
        }
        if let Some(row) = proved.difference(&script.proves).next() {
            let step = script.steps.iter().find(|step| step.rows.contains(row));
            let line = step.map_or(1, |step| step.line);
            return Err(fault(line, format!("`{row}` is missing behind `proves` at the head of the script")));
        }
        if script.devices.is_empty() {
            script.devices.push("sim".into());
        }
        Ok(script)
    }

    fn header(&mut self, rows: &[String]) -> Result<(), String> {
        for row in rows {
            if matrix::row(row).is_none() {
                return Err(format!("`{row}` is no row of the matrices in tests/conformance"));
            }
            if !self.proves.insert(row.clone()) {
                return Err(format!("`{row}` stands twice"));
            }
        }
        Ok(())
    }

    fn devices(&mut self, devices: &[String]) -> Result<(), String> {
        match devices.iter().find(|device| !DEVICES.contains(&device.as_str())) {
            Some(device) => Err(format!("`{device}` is none of {}", DEVICES.join(", "))),
            None => {
                self.devices.extend_from_slice(devices);
                Ok(())
            }
        }
    }
}

/// Steps that run for each value of a name.
struct Loop {
    line: usize,
    name: String,
    values: Vec<u64>,
    /// Its first step.
    first: usize,
}

impl Loop {
    /// `for $n FIRST LAST`, with the distance of the values as `step=`, or `for $n 1,2,4`.
    fn new(line: usize, words: &[String], fields: &[(String, String)], first: usize) -> Result<Self, String> {
        let number = |text: &str| Sum::parse(text)?.of(&Names::new());
        let form = "a loop is `for $n FIRST LAST`, `step=N` if the distance is not 1, or `for $n 1,2,4`";
        if let ([_, name, list], []) = (words, fields) {
            let values = list.split(',').map(number).collect::<Result<_, _>>()?;
            return Ok(Self { line, name: name.clone(), values, first });
        }
        let [_, name, from, to] = words else { return Err(form.into()) };
        let step = match fields {
            [] => 1,
            [(field, value)] if field == "step" => number(value)?.max(1),
            _ => return Err(form.into()),
        };
        let (from, to) = (number(from)?, number(to)?);
        let values: Vec<u64> = (from..=to).step_by(step as usize).take(MOST + 1).collect();
        if !name.starts_with('$') || values.is_empty() || values.len() > MOST {
            return Err(format!("{form}; a name begins with `$`, and there are 1 to {MOST} values"));
        }
        Ok(Self { line, name: name.clone(), values, first })
    }

    /// Puts its steps behind each other, as often as it has values.
    fn unroll(self, steps: &mut Vec<Step>) -> Result<(), String> {
        let body = steps.split_off(self.first);
        for value in self.values {
            let words = ["set", "name", &self.name, &value.to_string()].map(String::from);
            steps.push(Step::new(self.line, words.to_vec(), vec![], vec![])?);
            steps.extend_from_slice(&body);
        }
        Ok(())
    }
}

impl Step {
    fn new(
        line: usize,
        words: Vec<String>,
        fields: Vec<(String, String)>,
        rows: Vec<String>,
    ) -> Result<Self, String> {
        let [subject, verb, words @ ..] = &words[..] else {
            return Err(format!("`{}` needs a second word", words.join(" ")));
        };
        let statement = statement(subject, verb)?;
        statement.check(words, &fields)?;
        if !rows.is_empty() && !statement.checks {
            return Err(format!("`{subject} {verb}` checks nothing, so it proves no row"));
        }
        if rows.len() > ROWS_PER_TEST {
            return Err(format!("{} rows at one step, at most {ROWS_PER_TEST} are allowed", rows.len()));
        }
        Ok(Self { line, statement, words: words.to_vec(), fields, rows })
    }

    /// A field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Whether a word is there.
    pub fn has(&self, flag: &str) -> bool {
        self.words.iter().any(|word| word == flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Script::parse("x", &format!("# about\n{text}")).unwrap_err().to_string()
    }

    #[test]
    fn a_script_has_steps_and_rows() {
        let text = "# A title\nproves MPA-8-01\nurl crc=off ird=2\ndevices sim siw\napp listen\nwire fin [MPA-8-01]\n";
        let script = Script::parse("x", text).unwrap();
        assert_eq!((script.about.as_str(), script.steps.len()), ("A title", 2));
        assert_eq!(
            (&script.devices[..], script.url.as_str()),
            (&["sim".into(), "siw".into()][..], "crc=off;ird=2")
        );
    }

    #[test]
    fn what_is_not_understood_is_refused_with_its_line() {
        assert!(refused("app lisen").starts_with("x.iw:2: `app` has no `lisen`, but qp, listen"));
        assert!(refused("nobody listens").contains("none of app, peer, wire"));
        assert!(refused("peer fpdu sent").contains("`sent` is none of write"));
        assert!(refused("peer fpdu send stag=1").contains("no field `stag`"));
        assert!(refused("peer fpdu send msn=*").contains("for what is seen"));
        assert!(refused("app idle 3").contains("no time"));
        assert!(refused("app memory r 0").contains("REGION AT OCTETS"));
        assert!(refused("devices moon").contains("none of sim"));
    }

    #[test]
    fn a_loop_runs_its_steps_for_each_value() {
        let text = "# x\nfor $n 1 5 step=2\nfor $m 0 1\napp recv $n\nend\nend\napp listen";
        let script = Script::parse("x", text).unwrap();
        let of = |verb| script.steps.iter().filter(|step| step.statement.words.1 == verb).count();
        assert_eq!((of("recv"), of("name"), of("listen")), (6, 9, 1));
        let script = Script::parse("x", "# x\nfor $n 1,0x8,3\napp recv $n\nend").unwrap();
        assert_eq!(script.steps.len(), 6);
        assert!(refused("for n 1 2\nend").contains("begins with `$`"));
        assert!(refused("for $n 0 400\nend").contains("1 to 256"));
        assert!(refused("for $n 1 2\napp listen").starts_with("x.iw:2: `for` without"));
        assert!(refused("end").contains("without `for`"));
    }

    #[test]
    fn rows_that_no_step_checks_are_refused() {
        assert!(refused("proves MPA-99").contains("no row"));
        assert!(refused("proves MPA-8-01\nwire fin").contains("proved by no step"));
        assert!(refused("wire fin [MPA-8-01]").contains("missing behind `proves`"));
        assert!(refused("app listen [MPA-8-01]").contains("checks nothing"));
    }
}

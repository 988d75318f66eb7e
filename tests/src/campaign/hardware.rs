// SPDX-License-Identifier: MIT OR Apache-2.0
//! The models of a campaign, and one run on them.
use super::figures::Figures;
use super::run::Run;
use crate::device::config;
use ferrowarp_hdl::config::Config;
use ferrowarp_hdl::emit::Emitted;
use ferrowarp_hdl::top::Top;
use ferrowarp_sim::{
    emitted, model, model_of, report_case_on, report_pair_on, try_case_on, try_pair_on, Bench, Library,
    LinkConfig, Pair,
};
use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

/// A seeded bug: one change of the emitted text, which a part has to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bug {
    /// Its name.
    pub name: &'static str,
    /// The part that finds it.
    pub part: &'static str,
    /// What goes wrong.
    pub about: &'static str,
    /// End of the name of the module that is changed.
    pub module: &'static str,
    /// Text of that module, there once.
    pub from: &'static str,
    /// What stands there instead.
    pub to: &'static str,
}

impl Bug {
    /// The emitted text with the bug.
    ///
    /// # Errors
    /// If the module, or the text in it, is not there once.
    pub fn planted(&self, emitted: &Emitted) -> Result<Emitted, String> {
        let text = &emitted.verilog;
        let head = format!("module {}_{}(", emitted.top, self.module);
        let places: Vec<_> = text.match_indices(&head).map(|(at, _)| at).collect();
        let [begin] = places[..] else {
            return Err(format!("bug {}: `{head}` is there {} times", self.name, places.len()));
        };
        let end = text[begin..].find("\nendmodule").map_or(text.len(), |at| begin + at);
        let module = &text[begin..end];
        match module.matches(self.from).count() {
            1 => {
                let module = module.replacen(self.from, self.to, 1);
                let verilog = [&text[..begin], &module, &text[end..]].concat();
                Ok(Emitted { verilog, ..emitted.clone() })
            }
            n => Err(format!("bug {}: `{}` is there {n} times in its module", self.name, self.from)),
        }
    }
}

/// Models, with a seeded bug or without.
#[derive(Default)]
pub struct Hardware {
    bug: Option<Bug>,
    broken: Mutex<Vec<(Top, Config, Arc<Library>)>>,
}

impl Hardware {
    /// The hardware as it is emitted, or with a bug in it.
    pub fn new(bug: Option<Bug>) -> Self {
        Self { bug, ..Self::default() }
    }

    /// The model of the device that most parts run on.
    ///
    /// # Errors
    /// As [`Hardware::model`].
    pub fn device(&self) -> Result<Arc<Library>, String> {
        self.model(Top::DeviceW64, &config())
    }

    /// The model of a top, built if it is not there.
    ///
    /// # Errors
    /// What emission, Verilator or compiler say, and what [`Bug::planted`] says.
    pub fn model(&self, top: Top, config: &Config) -> Result<Arc<Library>, String> {
        let Some(bug) = self.bug else { return model(top, config).map_err(|e| e.to_string()) };
        let mut broken = self.broken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., library)) = broken.iter().find(|(t, c, _)| *t == top && c == config) {
            return Ok(library.clone());
        }
        let text = bug.planted(&emitted(top, config).map_err(|e| e.to_string())?)?;
        let library = model_of(&text).map_err(|e| e.to_string())?;
        broken.push((top, config.clone(), library.clone()));
        Ok(library)
    }
}

/// One run on the models.
pub struct Trial<'a> {
    /// The run.
    pub run: &'a Run,
    hardware: &'a Hardware,
    /// The line that repeats the run: a failure is run again and leaves its files.
    leaves: Option<String>,
}

impl<'a> Trial<'a> {
    /// A run that leaves nothing.
    pub fn new(hardware: &'a Hardware, run: &'a Run) -> Self {
        Self { run, hardware, leaves: None }
    }

    /// A run that leaves frames and a waveform if it fails, and tells the line that repeats it.
    pub fn leaving(hardware: &'a Hardware, run: &'a Run, repeat: &str) -> Self {
        Self { run, hardware, leaves: Some(repeat.into()) }
    }

    /// Runs a body on two devices and the link between them.
    ///
    /// # Errors
    /// What the body says, what the bench finds, or why there is no model.
    pub fn pair(
        &self,
        (top, config): (Top, &Config),
        link: LinkConfig,
        body: impl Fn(&mut Pair) -> Result<Figures, String>,
    ) -> Result<Figures, String> {
        let library = self.hardware.model(top, config)?;
        let found = Cell::new(Figures::default());
        let body = |pair: &mut Pair| {
            let figures = body(pair)?;
            let cycles = pair.a.cycle();
            let frames = ferrowarp_sim::Side::BOTH.map(|side| pair.link.stats(side).frames).iter().sum();
            found.set(Figures { cycles, device_cycles: 2 * cycles, frames, ..figures });
            Ok(())
        };
        let seed = self.run.seed;
        match &self.leaves {
            None => try_pair_on(&library, link, seed, body)?,
            Some(repeat) => report_pair_on(&self.run.file_name(), &library, link, seed, repeat, body)?,
        }
        Ok(found.get())
    }

    /// Runs a body on one bench.
    ///
    /// # Errors
    /// As [`Trial::pair`].
    pub fn bench(
        &self,
        (top, config): (Top, &Config),
        body: impl Fn(&mut Bench) -> Result<Figures, String>,
    ) -> Result<Figures, String> {
        let library = self.hardware.model(top, config)?;
        let found = Cell::new(Figures::default());
        let body = |bench: &mut Bench| {
            let figures = body(bench)?;
            let cycles = bench.cycle();
            found.set(Figures { cycles, device_cycles: cycles, ..figures });
            Ok(())
        };
        let seed = self.run.seed;
        match &self.leaves {
            None => try_case_on(&library, seed, body)?,
            Some(repeat) => report_case_on(&self.run.file_name(), &library, seed, repeat, body)?,
        }
        Ok(found.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUG: Bug = Bug { name: "b", part: "F1", about: "", module: "x", from: "a + 1", to: "a + 2" };

    #[test]
    fn a_bug_changes_one_place_of_one_module() {
        let verilog = "module t_x(a);\n y = a + 1;\nendmodule\nmodule t_y(a);\n y = a + 1;\nendmodule\n";
        let (top, verilog) = ("t".to_string(), verilog.to_string());
        let emitted = Emitted { top, verilog: verilog.clone(), ports: vec![], modules: 2, modules_before: 2 };
        let planted = BUG.planted(&emitted).map(|text| text.verilog);
        assert_eq!(planted, Ok(verilog.replacen("a + 1", "a + 2", 1)));
        let told = Bug { from: "a + 3", ..BUG }.planted(&emitted).map(drop).unwrap_err();
        assert!(told.contains("0 times in its module"), "{told}");
        assert!(Bug { module: "z", ..BUG }.planted(&emitted).is_err());
    }
}

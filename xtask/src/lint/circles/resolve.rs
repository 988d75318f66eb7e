// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a path to the file that defines what the path names.
use super::modules::{Crate, Scope};
use super::paths::Module;
use std::collections::BTreeSet;

/// Names that were looked for in the imports of a module, so that no search goes round.
type Seen = BTreeSet<(Module, String)>;

/// Where a path leads.
enum Place {
    /// To a module.
    Module(Module),
    /// To something that this file defines.
    File(String),
}

impl Crate {
    /// The file that defines what `path` names in `module`. `None` for what another crate defines,
    /// and for a module that only declares and gives names on.
    pub fn file_of(&self, module: &[String], path: &[String]) -> Option<&str> {
        match self.place(module, path, &mut Seen::new())? {
            // A lone word that is the name of a module may be that of a variable as well.
            Place::Module(_) if path.len() == 1 => None,
            Place::Module(module) => {
                let scope = self.scopes.get(&module)?;
                (!scope.items.is_empty()).then_some(scope.file.as_str())
            }
            Place::File(file) => self.files.iter().map(|f| f.path.as_str()).find(|p| *p == file),
        }
    }

    fn place(&self, module: &[String], path: &[String], seen: &mut Seen) -> Option<Place> {
        let (first, mut rest) = path.split_first()?;
        let mut here = match first.as_str() {
            "crate" => vec![],
            "self" => module.to_vec(),
            "super" => parent(module)?,
            _ => {
                rest = path;
                module.to_vec()
            }
        };
        while let Some((_, after)) = rest.split_first().filter(|(name, _)| *name == "super") {
            here = parent(&here)?;
            rest = after;
        }
        let explicit = rest.len() < path.len();
        self.walk(here, rest, explicit, seen)
    }

    /// Follows `path` from a module. `explicit` says that the path began with `crate`, `self` or
    /// `super`: an unknown name then belongs to the module, as what a macro makes does.
    fn walk(&self, from: Module, path: &[String], explicit: bool, seen: &mut Seen) -> Option<Place> {
        let Some((name, rest)) = path.split_first() else { return Some(Place::Module(from)) };
        let child: Module = from.iter().chain([name]).cloned().collect();
        if self.scopes.contains_key(&child) {
            return self.walk(child, rest, true, seen);
        }
        let scope = self.scopes.get(&from)?;
        if scope.items.contains(name) {
            return Some(Place::File(scope.file.clone()));
        }
        if let Some(place) = self.imported(&from, scope, name, seen) {
            return match place {
                Place::Module(module) => self.walk(module, rest, true, seen),
                file => Some(file),
            };
        }
        explicit.then(|| Place::File(scope.file.clone()))
    }

    /// Where a name leads that a module imports, by itself or with everything of another module.
    fn imported(&self, from: &[String], scope: &Scope, name: &String, seen: &mut Seen) -> Option<Place> {
        if !seen.insert((from.to_vec(), name.clone())) {
            return None;
        }
        let whole = scope.uses.get(name);
        if let Some(path) = whole.filter(|path| **path != [name.clone()]) {
            return self.place(from, path, seen);
        }
        scope.globs.iter().find_map(|glob| {
            let Place::Module(module) = self.place(from, glob, seen)? else { return None };
            self.walk(module, std::slice::from_ref(name), false, seen)
        })
    }
}

fn parent(module: &[String]) -> Option<Module> {
    module.split_last().map(|(_, parent)| parent.to_vec())
}

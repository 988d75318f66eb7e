// SPDX-License-Identifier: MIT OR Apache-2.0
//! Emitted text as modules: those that a harness needs, and one changed place.
use anyhow::{bail, Context, Result};
use std::collections::{BTreeMap, BTreeSet};

/// A named change of one module, which is to break a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bug {
    /// Module that it stands in.
    pub module: String,
    /// Text of the module, there exactly once.
    pub from: String,
    /// What stands there instead.
    pub to: String,
}

/// The modules of an emitted text, by name.
pub struct Modules<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Modules<'a> {
    /// Cuts a text into its modules.
    pub fn of(verilog: &'a str) -> Self {
        let mut modules = BTreeMap::new();
        let mut rest = verilog;
        while let Some(at) = rest.find("module ") {
            let text = &rest[at..];
            let end = text.find("\nendmodule").map_or(text.len(), |e| e + "\nendmodule".len());
            let name = text["module ".len()..].split(['(', ';']).next().unwrap_or_default().trim();
            modules.insert(name, &text[..end]);
            rest = &text[end..];
        }
        Self(modules)
    }

    /// The modules of these names and all below them, as one text, with `bug` in it. Those of
    /// `instead`, and what only they have below them, are left out.
    ///
    /// # Errors
    /// A module that is not there, with the ones of a like name; a bug whose place is not there
    /// exactly once.
    pub fn below(&self, names: &[String], instead: &[String], bug: Option<&Bug>) -> Result<String> {
        let mut open: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut found = BTreeSet::new();
        if let Some(stranger) = instead.iter().find(|name| !self.0.contains_key(name.as_str())) {
            bail!("{}", self.stranger(stranger));
        }
        while let Some(name) = open.pop() {
            if instead.iter().any(|other| other == name) {
                continue;
            }
            let text = self.0.get(name).with_context(|| self.stranger(name))?;
            if found.insert(name) {
                open.extend(self.instances(text));
            }
        }
        if let Some(bug) = bug.filter(|bug| !found.contains(bug.module.as_str())) {
            bail!("the bug's module `{}` is not below {}", bug.module, names.join(", "));
        }
        let mut all = String::new();
        for name in found {
            match bug.filter(|bug| bug.module == name) {
                Some(bug) => all += &broken(self.0[name], bug)?,
                None => all += self.0[name],
            }
            all += "\n\n";
        }
        Ok(all)
    }

    /// Modules that a module has instances of: the first word of a line that ends in an open
    /// parenthesis.
    fn instances<'t>(&self, text: &'t str) -> Vec<&'t str>
    where
        'a: 't,
    {
        let opens = text.lines().filter(|line| line.trim_end().ends_with('('));
        let kinds = opens.filter_map(|line| line.split_whitespace().next());
        kinds.filter(|kind| self.0.contains_key(kind)).collect()
    }

    fn stranger(&self, name: &str) -> String {
        let tail = name.rsplit('_').next().unwrap_or(name);
        let like: Vec<_> = self.0.keys().filter(|k| k.ends_with(tail)).take(8).copied().collect();
        format!("the text has no module `{name}`; of a like name: {}", like.join(", "))
    }
}

/// A module's text with the bug.
fn broken(text: &str, bug: &Bug) -> Result<String> {
    match text.matches(&bug.from).count() {
        1 => Ok(text.replacen(&bug.from, &bug.to, 1)),
        n => bail!("`{}` is {n} times in module `{}`; it must be there once", bug.from, bug.module),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "module top(a);\n    mid one(\n        .a(a)\n    );\nendmodule\n\n\
                        module mid(a);\n    leaf two(\n        .a(a)\n    );\n    q = a;\nendmodule\n\n\
                        module leaf(a);\nendmodule\n\nmodule other(a);\nendmodule\n";

    fn bug(module: &str, from: &str) -> Bug {
        Bug { module: module.into(), from: from.into(), to: "q = ~a".into() }
    }

    #[test]
    fn what_is_below_a_module_comes_with_it_and_nothing_else() {
        let modules = Modules::of(TEXT);
        let text = modules.below(&["mid".into()], &[], None).unwrap();
        assert!(text.contains("module mid(") && text.contains("module leaf("), "{text}");
        assert!(!text.contains("module top(") && !text.contains("module other("), "{text}");
        let without = modules.below(&["mid".into()], &["leaf".into()], None).unwrap();
        assert!(without.contains("module mid(") && !without.contains("module leaf("), "{without}");
        let refused = format!("{:#}", modules.below(&["a_leaf".into()], &[], None).unwrap_err());
        assert!(refused.contains("no module `a_leaf`") && refused.ends_with("leaf"), "{refused}");
    }

    #[test]
    fn a_bug_stands_in_exactly_one_place() {
        let modules = Modules::of(TEXT);
        let below = |bug: &Bug| modules.below(&["top".into()], &[], Some(bug)).map_err(|e| e.to_string());
        assert!(below(&bug("mid", "q = a")).unwrap().contains("q = ~a;"));
        assert!(below(&bug("mid", "q = b")).unwrap_err().contains("is 0 times in module `mid`"));
        assert!(below(&bug("mid", "a")).unwrap_err().contains("it must be there once"));
        assert!(below(&bug("other", "a")).unwrap_err().contains("is not below top"));
    }
}

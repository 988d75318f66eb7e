// SPDX-License-Identifier: MIT OR Apache-2.0
//! Circles: files of a crate, and folders of hdl, that import each other.
//!
//! A file uses another one if its code names something by a path, and the other file defines it.
//! - Code under `#[cfg(test)]` and `#[test]`, and files that are compiled for tests only, use
//!   nothing.
//! - `mod x;` and `pub use x::Y;` use nothing: they declare, or give a name on. A use of a name
//!   that was given on is a use of the file that defines the name. So a `mod.rs` that only declares
//!   and gives on is in no circle.
//! - A name that no file defines, as a macro makes it, belongs to the module in which a path looks
//!   for it.
//!
//! A circle is a strongly connected component of more than one file. Two counts of a crate are
//! kept.
//! - `file_circles_NAME`: the *front* of a folder (`mod.rs`, `lib.rs`, `main.rs`, or `x.rs` beside
//!   a folder `x`) may use the files of its own folder, at any depth: these uses do not count.
//! - `file_circles_front_NAME`: they count too.
//!
//! Each is the number of files in circles. An import that goes makes this number smaller or leaves
//! it as it is; the number of circles would grow when a large circle falls into two.

mod graph;
mod modules;
mod paths;
mod resolve;

use super::debt::Debt;
use super::finding::Finding;
use super::rules;
use graph::Graph;
use modules::Crate;
use std::collections::BTreeMap;

/// The folder whose folders may not import each other both ways.
const FOLDERS: &str = "hdl/src/";
/// Key of the pairs of such folders.
const FOLDER_KEY: &str = "folder_pairs_hdl";

/// Imports: from a file to a file, with a line of the first.
type Imports = BTreeMap<(String, String), usize>;

/// Collects the files of all crates.
#[derive(Default)]
pub struct Circles {
    /// By the folder of the crate's sources.
    crates: BTreeMap<String, Crate>,
}

impl Circles {
    /// Adds a file, given by its path from the root; one outside of `src` is in no crate.
    pub fn add(&mut self, path: &str, syntax: &syn::File) {
        let Some(at) = path.find("/src/") else { return };
        let mut root = at + "/src/".len();
        // A program of several files is a crate of its own.
        let mut parts = path[root..].split('/');
        if let (Some("bin"), Some(name), Some(_)) = (parts.next(), parts.next(), parts.next()) {
            root += "bin/".len() + name.len() + 1;
        }
        self.crates.entry(path[..root].into()).or_default().add(path, &path[root..], syntax);
    }

    /// The counts: files in circles of each crate, and pairs of folders.
    pub fn debts(mut self) -> Vec<Debt> {
        let mut found: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
        let mut pairs = vec![];
        for (root, parts) in &mut self.crates {
            parts.drop_tests();
            let imports = imports(parts);
            let name = root.split("/src/").next().unwrap_or(root).replace('/', "_");
            found.entry(format!("file_circles_front_{name}")).or_default().extend(circles(&imports));
            let aside: Imports = imports.into_iter().filter(|((from, to), _)| !is_front(from, to)).collect();
            found.entry(format!("file_circles_{name}")).or_default().extend(circles(&aside));
            if root == FOLDERS {
                pairs = folders(&aside);
            }
        }
        let mut debts: Vec<Debt> = found.into_iter().map(|(key, places)| Debt::of(&key, places)).collect();
        debts.push(Debt::of(FOLDER_KEY, pairs));
        debts
    }
}

fn imports(parts: &Crate) -> Imports {
    let mut imports = Imports::new();
    for file in &parts.files {
        for named in &file.named {
            let target = parts.file_of(&named.module, &named.path).filter(|target| *target != file.path);
            if let Some(target) = target {
                imports.entry((file.path.clone(), target.into())).or_insert(named.line);
            }
        }
    }
    imports
}

/// True if `file` is the front of a folder in which `other` lies.
fn is_front(file: &str, other: &str) -> bool {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => is_in(other, folder),
        _ => is_in(other, file.trim_end_matches(".rs")),
    }
}

/// The graph of `imports` with each file replaced by what `node` says, if anything.
fn graph<'a>(imports: &'a Imports, node: impl Fn(&'a str) -> Option<&'a str>) -> Graph {
    let mut graph = Graph::new();
    for (from, to) in imports.keys() {
        if let (Some(from), Some(to)) = (node(from), node(to)) {
            graph.entry(from.into()).or_default().insert(to.into());
        }
    }
    graph
}

/// A finding for each file in a circle, at its first import of a file of the circle.
fn circles(imports: &Imports) -> Vec<Finding> {
    let mut findings = vec![];
    for circle in graph::circles(&graph(imports, Some)) {
        for file in &circle {
            let within: Vec<_> =
                imports.iter().filter(|((from, to), _)| from == file && circle.contains(to)).collect();
            let line = within.iter().map(|(_, line)| **line).min().unwrap_or(1);
            let names: Vec<_> = within.iter().map(|((_, to), _)| to.as_str()).collect();
            let what = format!("in a circle of {} files by {}", circle.len(), names.join(", "));
            findings.push(Finding::on(file, line, 1, rules::FILE_CIRCLE, what));
        }
    }
    findings
}

/// A finding for each pair of folders that import each other, at an import of each.
fn folders(imports: &Imports) -> Vec<Finding> {
    let first = |a: &str, b: &str| {
        let edge = imports.iter().find(|((from, to), _)| is_in(from, a) && is_in(to, b));
        edge.map(|((from, to), line)| (from, to, *line))
    };
    let between = graph(imports, |file| {
        let (folder, _) = file.strip_prefix(FOLDERS)?.split_once('/')?;
        Some(&file[..FOLDERS.len() + folder.len()])
    });
    let mut findings = vec![];
    for (a, b) in graph::pairs(&between) {
        let (Some((from, to, line)), Some(back)) = (first(&a, &b), first(&b, &a)) else { continue };
        let what = format!("{a} imports {to}, and {}:{} imports {}", back.0, back.2, back.1);
        findings.push(Finding::on(from, line, 1, rules::FOLDER_PAIR, what));
    }
    findings
}

fn is_in(file: &str, folder: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn debts(files: &[(&str, &str)]) -> Vec<(String, Vec<(String, usize)>)> {
        let mut circles = Circles::default();
        for (path, text) in files {
            circles.add(path, &syn::parse_file(text).unwrap());
        }
        let places = |d: &Debt| d.places.iter().map(|f| (f.file.clone(), f.line)).collect();
        let debts = circles.debts();
        let some = debts.iter().filter(|d| !d.places.is_empty());
        some.map(|d| (d.key.clone(), places(d))).collect()
    }

    /// The debts but for those that count the uses of fronts.
    fn aside(files: &[(&str, &str)]) -> Vec<(String, Vec<(String, usize)>)> {
        debts(files).into_iter().filter(|(key, _)| !key.contains("_front_")).collect()
    }

    fn files(files: &[(&str, &str)]) -> Vec<String> {
        aside(files).into_iter().flat_map(|(_, places)| places).map(|(file, _)| file).collect()
    }

    #[test]
    fn files_that_import_each_other_are_counted_by_crate() {
        let found = aside(&[
            ("sim/src/lib.rs", "mod a; mod b; mod c;"),
            ("sim/src/a.rs", "use crate::{b::B, c::C};\npub struct A;"),
            ("sim/src/b.rs", "\n\npub fn b() { super::a::A; }\npub struct B;"),
            ("sim/src/c.rs", "pub struct C;"),
            ("abi/src/a.rs", "use crate::b::B;"),
            ("abi/src/b.rs", "pub struct B;"),
        ]);
        let both = vec![("sim/src/a.rs".to_string(), 1), ("sim/src/b.rs".to_string(), 3)];
        assert_eq!(found, [("file_circles_sim".to_string(), both)]);
    }

    #[test]
    fn a_name_given_on_leads_to_the_file_that_defines_it() {
        let facade = ("x/src/a/mod.rs", "mod b; mod c; pub use b::B; pub use c::*;");
        let one = ("x/src/a/b.rs", "use super::C; pub struct B;");
        assert!(files(&[facade, one, ("x/src/a/c.rs", "pub struct C;")]).is_empty());
        let other = ("x/src/a/c.rs", "pub struct C; fn f(b: crate::a::B) {}");
        assert_eq!(files(&[facade, one, other]), ["x/src/a/b.rs", "x/src/a/c.rs"]);
        let code = ("x/src/a/mod.rs", "mod b; mod c; pub use b::B; pub use c::C; pub fn f(b: B) {}");
        let up = ("x/src/a/b.rs", "use super::f; pub struct B;");
        let found = debts(&[code, up, ("x/src/a/c.rs", "pub struct C;")]);
        let both = vec![("x/src/a/b.rs".to_string(), 1), ("x/src/a/mod.rs".to_string(), 1)];
        assert_eq!(found, [("file_circles_front_x".to_string(), both)]);
        assert!(is_front("x/src/a.rs", "x/src/a/b/c.rs") && is_front("x/src/main.rs", "x/src/b.rs"));
        assert!(!is_front("x/src/a.rs", "x/src/ab.rs") && !is_front("x/src/a/mod.rs", "x/src/b.rs"));
    }

    #[test]
    fn macros_are_looked_into_and_tests_are_not() {
        let a = |code: &'static str| ("x/src/a.rs", code);
        let b = ("x/src/b.rs", "use crate::a::A;\npub fn b() {}");
        assert_eq!(files(&[a("pub struct A; m! { x, [crate::b::b()] }"), b]).len(), 2);
        assert_eq!(files(&[a("use crate::b; pub struct A; fn f() { b::b() }"), b]).len(), 2);
        for test in [
            "pub struct A; #[cfg(test)] mod tests { use crate::b::b; }",
            "pub struct A; #[cfg(any(test, x))] use crate::b::b;",
            "pub struct A; #[test] fn f() { crate::b::b() }",
            "pub struct A; impl A { #[cfg(test)] fn f() { crate::b::b() } }",
            "pub struct A; fn f() { other::b::b(); let b = 1; b }",
        ] {
            assert!(files(&[a(test), b]).is_empty(), "{test}");
        }
        assert_eq!(files(&[a("pub struct A; #[cfg(not(test))] use crate::b::b;"), b]).len(), 2);
        let apart = a("pub struct A; #[cfg(test)] #[path = \"b.rs\"] mod tests;");
        assert!(files(&[apart, b]).is_empty());
    }

    #[test]
    fn a_program_of_several_files_is_a_crate_of_its_own() {
        let found = debts(&[
            ("x/src/lib.rs", "pub fn f() {}"),
            ("x/src/bin/p/main.rs", "mod a; pub fn f() { a::a() }"),
            ("x/src/bin/p/a.rs", "pub fn a() { crate::f() }"),
        ]);
        assert_eq!(found[0].0, "file_circles_front_x");
        assert_eq!(found[0].1[0].0, "x/src/bin/p/a.rs");
    }

    #[test]
    fn folders_of_hdl_that_import_each_other_are_pairs() {
        let found = aside(&[
            ("hdl/src/mpa/mod.rs", "mod a; mod c;"),
            ("hdl/src/tcp/mod.rs", "mod b; mod d;"),
            ("hdl/src/mpa/a.rs", "use crate::tcp::b::B;"),
            ("hdl/src/mpa/c.rs", "pub struct C;"),
            ("hdl/src/tcp/b.rs", "pub struct B;"),
            ("hdl/src/tcp/d.rs", "use crate::mpa::c::C;"),
        ]);
        assert_eq!(found, [("folder_pairs_hdl".to_string(), vec![("hdl/src/mpa/a.rs".to_string(), 1)])]);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modules of a crate: which file holds what.
use super::paths::{self, Module, Named};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Item, UseTree};

/// One file of a crate, read.
pub struct File {
    /// Path from the workspace root.
    pub path: String,
    /// Path from the folder of the sources.
    pub below: String,
    /// Module that the file is.
    pub module: Module,
    /// All paths that code which is no test names, each with the module around it.
    pub named: Vec<Named>,
}

/// What a module holds.
#[derive(Default)]
pub struct Scope {
    /// File of the module.
    pub file: String,
    /// Names that the module defines; modules are none of them.
    pub items: BTreeSet<String>,
    /// Names that the module imports, each with its path.
    pub uses: BTreeMap<String, Vec<String>>,
    /// Paths of which the module imports everything.
    pub globs: Vec<Vec<String>>,
}

/// All modules of one crate.
#[derive(Default)]
pub struct Crate {
    pub files: Vec<File>,
    pub scopes: BTreeMap<Module, Scope>,
    /// Modules, and paths below `src`, of files that are compiled for tests only.
    tests: BTreeSet<String>,
}

impl Crate {
    /// Adds a file. `below` is its path from the folder of the sources, `src`.
    pub fn add(&mut self, path: &str, below: &str, syntax: &syn::File) {
        let module = module_of(below);
        let named = paths::of(&module, syntax);
        let folder = below.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        self.scope(path, &folder, &module, &syntax.items);
        self.files.push(File { path: path.into(), below: below.into(), module, named });
    }

    /// Takes out the files that are compiled for tests only; after the last file was added.
    pub fn drop_tests(&mut self) {
        let tests = std::mem::take(&mut self.tests);
        let within = |m: &[String]| (1..=m.len()).any(|n| tests.contains(&m[..n].join("::")));
        self.files.retain(|f| !tests.contains(&f.below) && !within(&f.module));
        self.scopes.retain(|module, _| !within(module));
    }

    fn scope(&mut self, path: &str, folder: &str, module: &[String], items: &[Item]) {
        let mut scope = Scope { file: path.into(), ..Scope::default() };
        for item in items {
            let test = paths::is_test(paths::attributes(item));
            match item {
                Item::Mod(item) => {
                    let child = [module, &[item.ident.to_string()]].concat();
                    match &item.content {
                        Some((_, inner)) if !test => self.scope(path, folder, &child, inner),
                        None if test => {
                            self.tests.insert(child.join("::"));
                            self.tests.extend(path_of(item).map(|file| format!("{folder}{file}")));
                        }
                        _ => {}
                    }
                }
                _ if test => {}
                Item::Use(item) => imports(&item.tree, &mut vec![], &mut scope),
                item => scope.items.extend(name(item)),
            }
        }
        self.scopes.insert(module.to_vec(), scope);
    }
}

/// `a/b.rs`, `a/b/mod.rs` and `a/b/main.rs` are module `a::b`; `lib.rs` and `main.rs` are the root.
fn module_of(below: &str) -> Module {
    let mut parts: Vec<&str> = below.trim_end_matches(".rs").split('/').collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(last)) {
        parts.pop();
    }
    parts.into_iter().map(String::from).collect()
}

/// The value of an attribute `path`.
fn path_of(item: &syn::ItemMod) -> Option<String> {
    let attribute = item.attrs.iter().find(|a| a.path().is_ident("path"))?;
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(value) = &pair.value else { return None };
    let syn::Lit::Str(file) = &value.lit else { return None };
    Some(file.value())
}

/// The name that an item defines; a name of its own for items without one.
fn name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(i) => &i.ident,
        Item::Enum(i) => &i.ident,
        Item::Fn(i) => &i.sig.ident,
        Item::Impl(_) => return Some("impl".into()),
        Item::Macro(i) => match &i.ident {
            Some(name) => name,
            None => return Some("!".into()),
        },
        Item::Static(i) => &i.ident,
        Item::Struct(i) => &i.ident,
        Item::Trait(i) => &i.ident,
        Item::Type(i) => &i.ident,
        Item::Union(i) => &i.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Adds what a `use` brings into `scope`; `path` is what stands before `tree`.
fn imports(tree: &UseTree, path: &mut Vec<String>, scope: &mut Scope) {
    match tree {
        UseTree::Path(p) => {
            path.push(p.ident.to_string());
            imports(&p.tree, path, scope);
            path.pop();
        }
        UseTree::Name(n) if n.ident == "self" => {
            let last = path.last().cloned().unwrap_or_default();
            scope.uses.insert(last, path.clone());
        }
        UseTree::Name(n) => {
            let whole = [path.as_slice(), &[n.ident.to_string()]].concat();
            scope.uses.insert(n.ident.to_string(), whole);
        }
        UseTree::Rename(r) => {
            let whole = [path.as_slice(), &[r.ident.to_string()]].concat();
            scope.uses.insert(r.rename.to_string(), whole);
        }
        UseTree::Glob(_) => scope.globs.push(path.clone()),
        UseTree::Group(g) => g.items.iter().for_each(|tree| imports(tree, path, scope)),
    }
}

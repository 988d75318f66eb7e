// SPDX-License-Identifier: MIT OR Apache-2.0
//! The paths that the code of a file names, tests left out.
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, Meta, UseTree, Visibility};

/// A module's path from the root of its crate; empty for the root.
pub type Module = Vec<String>;

/// A path and the module in which it is named.
pub struct Named {
    pub module: Module,
    pub path: Vec<String>,
    /// Line, from 1.
    pub line: usize,
}

/// All paths of a file that is `module`. A `pub use` gives names on and uses none itself.
pub fn of(module: &[String], syntax: &syn::File) -> Vec<Named> {
    let mut paths = Paths { module: module.to_vec(), named: vec![] };
    paths.visit_file(syntax);
    paths.named
}

/// True for `#[test]` and for `#[cfg(..)]` with the word `test`, `not(test)` left out.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        let Meta::List(list) = &a.meta else { return a.path().is_ident("test") };
        list.path.is_ident("cfg") && mentions_test(list.tokens.clone())
    })
}

fn mentions_test(tokens: TokenStream) -> bool {
    let mut trees = tokens.into_iter();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Ident(name) if name == "not" => drop(trees.next()),
            TokenTree::Ident(name) if name == "test" => return true,
            TokenTree::Group(group) if mentions_test(group.stream()) => return true,
            _ => {}
        }
    }
    false
}

/// Attributes of an item.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

struct Paths {
    module: Module,
    named: Vec<Named>,
}

impl Paths {
    fn add(&mut self, path: Vec<String>, line: usize) {
        self.named.push(Named { module: self.module.clone(), path, line });
    }

    /// The paths of a `use`; `path` is what stands before `tree`.
    fn tree(&mut self, tree: &UseTree, path: &mut Vec<String>) {
        match tree {
            UseTree::Path(p) => {
                path.push(p.ident.to_string());
                self.tree(&p.tree, path);
                path.pop();
            }
            UseTree::Group(g) => g.items.iter().for_each(|tree| self.tree(tree, path)),
            UseTree::Glob(g) => self.add(path.clone(), g.star_token.spans[0].start().line),
            UseTree::Name(n) if n.ident == "self" => self.add(path.clone(), n.ident.span().start().line),
            UseTree::Name(syn::UseName { ident }) | UseTree::Rename(syn::UseRename { ident, .. }) => {
                self.add([path.as_slice(), &[ident.to_string()]].concat(), ident.span().start().line);
            }
        }
    }

    /// The paths in the tokens of a macro: words with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut line, mut colons) = (vec![], 0, 0);
        for tree in tokens {
            match tree {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.flush(&mut path, line);
                        line = name.span().start().line;
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && !path.is_empty() => colons += 1,
                other => {
                    self.flush(&mut path, line);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.flush(&mut path, line);
    }

    fn flush(&mut self, path: &mut Vec<String>, line: usize) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.add(path, line);
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        match item {
            Item::Use(item) => {
                if matches!(item.vis, Visibility::Inherited) {
                    self.tree(&item.tree, &mut vec![]);
                }
            }
            Item::Mod(item) => {
                self.module.push(item.ident.to_string());
                visit::visit_item_mod(self, item);
                self.module.pop();
            }
            item => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let test = matches!(item, ImplItem::Fn(f) if is_test(&f.attrs));
        if !test {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let line = path.segments[0].ident.span().start().line;
            self.add(path.segments.iter().map(|s| s.ident.to_string()).collect(), line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, m: &'ast syn::Macro) {
        self.tokens(m.tokens.clone());
        visit::visit_macro(self, m);
    }
}

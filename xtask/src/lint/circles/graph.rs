// SPDX-License-Identifier: MIT OR Apache-2.0
//! Graphs of who imports whom, and their circles.
use std::collections::{BTreeMap, BTreeSet};

/// Each node with the nodes that it imports.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// The strongly connected components of more than one node: each node of one reaches all others.
pub fn circles(graph: &Graph) -> Vec<BTreeSet<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        graph.keys().map(|node| (node.as_str(), reached(graph, node))).collect();
    let reaches = |a: &str, b: &str| reach.get(a).is_some_and(|all| all.contains(b));
    let mut found: Vec<BTreeSet<String>> = vec![];
    for node in graph.keys().filter(|node| reaches(node, node)) {
        let circle: BTreeSet<_> =
            graph.keys().filter(|o| reaches(node, o) && reaches(o, node)).cloned().collect();
        if circle.len() > 1 && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

/// Pairs of nodes that import each other.
pub fn pairs(graph: &Graph) -> Vec<(String, String)> {
    let imports = |a: &str, b: &str| graph.get(a).is_some_and(|all| all.contains(b));
    let edges = graph.iter().flat_map(|(a, all)| all.iter().map(move |b| (a, b)));
    edges.filter(|(a, b)| a < b && imports(b, a)).map(|(a, b)| (a.clone(), b.clone())).collect()
}

/// All nodes that a path of at least one import leads to.
fn reached<'a>(graph: &'a Graph, from: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = graph.get(from).into_iter().flatten().map(String::as_str).collect();
    while let Some(node) = open.pop() {
        if found.insert(node) {
            open.extend(graph.get(node).into_iter().flatten().map(String::as_str));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::new();
        for (a, b) in edges {
            graph.entry(a.to_string()).or_default().insert(b.to_string());
        }
        graph
    }

    #[test]
    fn circles_are_components_of_more_than_one_node() {
        let found =
            circles(&graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "d"), ("e", "a")]));
        let shown: Vec<Vec<_>> = found.iter().map(|c| c.iter().map(String::as_str).collect()).collect();
        assert_eq!(shown, [["a", "b", "c"]]);
        assert_eq!(circles(&graph(&[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("b", "c")])).len(), 2);
        assert!(circles(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])).is_empty());
    }

    #[test]
    fn pairs_import_each_other_without_a_third() {
        let graph = graph(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("d", "b"), ("a", "a")]);
        assert_eq!(pairs(&graph), [("a".to_string(), "b".to_string())]);
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is committed beside the tests about rows: entries of the files of `tests/conformance`.
use serde::Deserialize;

/// One entry of `tests/conformance/waivers.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// Rows refused.
    pub ids: Vec<String>,
    /// Why.
    pub reason: String,
}

/// One entry of `tests/conformance/inner.toml`: a row about an interface inside of the device or a
/// type of the API, and the tests that prove the row there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inner {
    /// The row.
    pub id: String,
    /// Tests as `BINARY PATH`; all of them must have passed.
    pub tests: Vec<String>,
    /// Why neither wire nor verbs can show the row.
    pub reason: String,
}

/// One entry of `tests/conformance/derived.toml`: a row that says no more than that all rows of
/// sections hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derived {
    /// The row.
    pub id: String,
    /// What the ids of those rows begin with.
    pub of: Vec<String>,
}

/// One entry of `tests/conformance/answers.toml`: SHOULD rows that the device does not meet.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The rows.
    pub ids: Vec<String>,
    /// What the device does instead, and why.
    pub reason: String,
}

/// What is committed beside the tests.
#[derive(Debug, Default)]
pub struct Committed {
    /// Rows that are refused.
    pub waivers: Vec<Waiver>,
    /// Rows that wire and verbs cannot show.
    pub inner: Vec<Inner>,
    /// Rows about whole sections.
    pub derived: Vec<Derived>,
    /// SHOULD rows that are answered.
    pub answers: Vec<Answer>,
}

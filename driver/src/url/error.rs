// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with a URL.

/// Why a text is no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The part before the first colon is no kind of device.
    #[error("`{0}` is no kind of device in `{1}`; write vfio:ADDRESS;ip=..., vfio-user:PATH;ip=... or sim:eth=...;ip=...")]
    Scheme(String, String),
    /// This build has no such devices.
    #[error("this build has no `{0}:` devices; build the crate `ferrowarp` with the feature `{0}`")]
    NotBuilt(&'static str),
    /// A part without `=`.
    #[error("`{0}` has no `=`; parts are KEY=VALUE with `;` between them, the keys are: {1}")]
    NoValue(String, &'static str),
    /// No such key.
    #[error("`{0}` is no key of such a URL; the keys are: {1}")]
    Key(String, &'static str),
    /// A part that may stand once.
    #[error("`{0}` is given twice; give it once")]
    Twice(&'static str),
    /// A part that must be there.
    #[error("`{part}` is missing; add for example `{part}={example}`")]
    Missing {
        /// Its key.
        part: &'static str,
        /// What it may look like.
        example: &'static str,
    },
    /// A value that its key cannot have.
    #[error("{part}=`{text}`: {why}; write for example `{part}={example}`")]
    Value {
        /// Key.
        part: &'static str,
        /// Value.
        text: String,
        /// What is wrong with it.
        why: String,
        /// A right one.
        example: &'static str,
    },
}

/// A value that its key cannot have, and why.
pub(super) fn wrong(part: &'static str, text: &str, why: impl ToString, example: &'static str) -> UrlError {
    UrlError::Value { part, text: text.into(), why: why.to_string(), example }
}

/// Puts a value into its place, which is empty if the part stands once.
pub(super) fn once<T>(part: &'static str, place: &mut Option<T>, value: T) -> Result<(), UrlError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(UrlError::Twice(part)),
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which devices there are: FERROWARP_DEVICES, or the file `/etc/ferrowarp/devices`.
use ferrowarp::url::{DeviceUrl, NetUrl};

/// The variable with devices.
pub const VARIABLE: &str = "FERROWARP_DEVICES";
/// The file that is read if the variable is not set.
const FILE: &str = "/etc/ferrowarp/devices";
/// Octets of a name, as `ibv_device` has room for it.
const LONGEST: usize = 63;
/// What the URL of a device begins with.
const SCHEMES: [&str; 2] = ["vfio-user:", "vfio:"];

/// A device that may be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Name for programs.
    pub name: String,
    /// How it is opened.
    pub url: String,
    /// The URL in parts.
    pub parsed: DeviceUrl,
}

/// Why a text names no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadConfig {
    /// No URL of this library.
    #[error("`{0}` names no device: write `vfio-user:PATH;ip=ADDRESS/PREFIX` or `vfio:ADDRESS;ip=ADDRESS/PREFIX`, with `NAME=` before it if you like")]
    Scheme(String),
    /// The driver refuses the URL.
    #[error("`{url}`: {why}")]
    Url {
        /// As given.
        url: String,
        /// Why.
        why: String,
    },
    /// Two devices of one name.
    #[error("two devices have the name `{0}`: give each a name of its own")]
    Twice(String),
    /// A name that does not fit.
    #[error("the name `{0}` is impossible: use 1 to {LONGEST} letters, digits, `_`, `-` or `.`")]
    Name(String),
}

impl Named {
    /// Where it stands in the network.
    pub fn net(&self) -> &NetUrl {
        match &self.parsed {
            DeviceUrl::Vfio(url) => &url.net,
            DeviceUrl::VfioUser(url) => &url.net,
            DeviceUrl::Sim(url) => &url.net,
        }
    }
}

/// The text that names the devices, and where it stands.
pub fn told() -> (String, &'static str) {
    match std::env::var(VARIABLE) {
        Ok(text) => (text, VARIABLE),
        Err(_) => (std::fs::read_to_string(FILE).unwrap_or_default(), FILE),
    }
}

/// Devices of a text: one a line, or several with commas between. A comma inside of a URL is not
/// followed by another URL. Empty lines, and lines that begin with `#`, count for nothing.
pub fn devices(text: &str) -> Result<Vec<Named>, BadConfig> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut all: Vec<Named> = vec![];
    for entry in lines.flat_map(split) {
        let (name, url) = parts(entry).ok_or_else(|| BadConfig::Scheme(entry.into()))?;
        let name = name.map_or_else(|| format!("ferrowarp{}", all.len()), String::from);
        let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_fit) {
            return Err(BadConfig::Name(name));
        }
        if all.iter().any(|other| other.name == name) {
            return Err(BadConfig::Twice(name));
        }
        let bad = |why: ferrowarp::url::UrlError| BadConfig::Url { url: url.into(), why: why.to_string() };
        let parsed = url.parse().map_err(bad)?;
        all.push(Named { name, url: url.into(), parsed });
    }
    Ok(all)
}

/// Name and URL of an entry.
fn parts(entry: &str) -> Option<(Option<&str>, &str)> {
    let is_url = |text: &str| SCHEMES.iter().any(|scheme| text.starts_with(scheme));
    match entry.split_once('=') {
        _ if is_url(entry) => Some((None, entry)),
        Some((name, url)) if is_url(url) && !name.contains([';', ':', ',']) => Some((Some(name), url)),
        _ => None,
    }
}

/// The entries of a line.
fn split(line: &str) -> Vec<&str> {
    let (line, mut entries) = (line.trim_end_matches(','), vec![]);
    let (mut from, mut look) = (0, 0);
    while let Some(at) = line[look..].find(',').map(|at| look + at) {
        if parts(line[at + 1..].trim_start()).is_some() {
            entries.push(line[from..at].trim());
            from = at + 1;
        }
        look = at + 1;
    }
    entries.push(line[from..].trim());
    entries.retain(|entry| !entry.is_empty());
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<(String, String)> {
        devices(text).unwrap().into_iter().map(|device| (device.name, device.url)).collect()
    }

    #[test]
    fn devices_stand_on_lines_or_behind_commas_and_urls_may_have_commas() {
        let first = "vfio-user:/tmp/a,b.sock;ip=10.0.0.1/24;rtr=write,read;ird=8,untold";
        let second = "vfio:0000:03:00.0;ip=10.0.0.2/24";
        let due = [("ferrowarp0", first), ("left", second)].map(|(n, u)| (n.to_string(), u.to_string()));
        for between in [",", ", ", "\n", "\n# a comment\n\n"] {
            assert_eq!(named(&format!("{first}{between}left={second}")), due, "{between:?}");
        }
        assert_eq!(named(&format!("{first},")), due[..1], "a comma at the end");
        assert_eq!(named("# none\n"), []);
    }

    #[test]
    fn a_text_that_names_no_device_says_why() {
        let why = |text: &str| devices(text).unwrap_err().to_string();
        assert!(why("sim:eth=tap:x;ip=10.0.0.1/24").contains("names no device"));
        assert!(why("vfio-user:/a;ip=10.0.0.1").contains("`vfio-user:/a;ip=10.0.0.1`"));
        assert!(why("a b=vfio-user:/a;ip=10.0.0.1/24").contains("`a b` is impossible"));
        let twice = "x=vfio-user:/a;ip=10.0.0.1/24\nx=vfio-user:/b;ip=10.0.0.2/24";
        assert!(why(twice).contains("two devices have the name `x`"));
    }
}

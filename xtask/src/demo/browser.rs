// SPDX-License-Identifier: MIT OR Apache-2.0
//! A look at a page with headless Chromium: what the page holds, and whether anything overflows.
use super::page::SECTIONS;
use crate::{child, repo};
use anyhow::{ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Widths of the windows, in pixels: a desk and a telephone.
const WIDTHS: [u32; 2] = [1280, 400];
const HEIGHT: u32 = 3200;
/// Runs in a copy of the page. In each window nothing may be wider than the window. On a desk no
/// part may need a scroll bar of its own either.
const PROBE: &str = "<script>
const wide = [...document.querySelectorAll('*')].filter(e =>
    e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.panel')
    || innerWidth > 1000 && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0);
document.documentElement.dataset.overflow =
    wide.map(e => e.tagName + '.' + e.className).join(' ') || 'none';
</script>";

/// What a look gives.
pub struct Look {
    /// The document behind its scripts, in a window of the first width.
    pub document: String,
    /// Pictures, PNG: light and dark.
    pub pictures: [PathBuf; 2],
}

/// Loads the page of the demo in both windows, and takes pictures in `folder`.
///
/// # Errors
/// Chromium does not start or fails; a section is missing or empty; something overflows.
pub fn look(page: &Path, folder: &Path) -> Result<Look> {
    let text = std::fs::read_to_string(page).with_context(|| format!("cannot read {}", repo::shown(page)))?;
    let probed = folder.join("probed.html");
    repo::write(&probed, &text.replace("</body>", &format!("{PROBE}</body>")))?;
    let mut documents = vec![];
    for width in WIDTHS {
        let document = child::capture(chromium(width).arg("--dump-dom").arg(url(&probed)?))?;
        let wide = document.split("data-overflow=\"").nth(1).and_then(|rest| rest.split('"').next());
        let wide = wide.with_context(|| format!("Chromium ran no script of {}", repo::shown(&probed)))?;
        ensure!(
            wide == "none",
            "{}: in a window of {width} pixels these overflow: {wide}",
            repo::shown(page)
        );
        for section in SECTIONS {
            let text = document.split(&format!("<section id=\"{section}\">")).nth(1).unwrap_or_default();
            let text = text.split("</section>").next().unwrap_or_default();
            let is_there = text.contains("<td") || text.contains("<pre");
            ensure!(is_there, "{}: the section `{section}` is missing or empty", repo::shown(page));
        }
        documents.push(document);
    }
    let picture = |scheme: &str, number: u8| {
        let file = folder.join(format!("page-{scheme}.png"));
        let mut chromium = chromium(WIDTHS[0]);
        chromium.arg(format!("--screenshot={}", file.display()));
        chromium.arg(format!("--blink-settings=preferredColorScheme={number}")).arg(url(page)?);
        child::capture(&mut chromium)?;
        let octets = std::fs::metadata(&file).map_or(0, |about| about.len());
        ensure!(
            octets > 10_000,
            "the picture {} has {octets} octets, so it shows nothing",
            repo::shown(&file)
        );
        Ok(file)
    };
    let pictures = [picture("light", 1)?, picture("dark", 0)?];
    Ok(Look { document: documents.swap_remove(0), pictures })
}

/// Chromium with a window of this width.
fn chromium(width: u32) -> Command {
    let mut command = Command::new("chromium-headless-shell");
    // root has no sandbox; the page is our own
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--log-level=3"]);
    command.arg(format!("--window-size={width},{HEIGHT}"));
    // nothing is fetched, which a resource on the network would need
    command.args(["--host-resolver-rules=MAP * ~NOTFOUND", "--timeout=20000"]);
    command
}

fn url(page: &Path) -> Result<String> {
    let page = std::path::absolute(page)?;
    Ok(format!("file://{}", page.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::latency::Passed;
    use crate::demo::page::Page;
    use crate::demo::visit::{Shown, Visit};
    use crate::setup;
    use ferrowarp_sim::pcap::listing::Packet;
    use ferrowarp_sim::skip;

    fn page(diagram: &str) -> String {
        let shown =
            |what: &str, octets, device_ns| Shown { what: what.into(), octets, wall_us: 2e6, device_ns };
        let visit = Visit {
            shown: vec![
                shown("connect with private data", 0, Some(38_500.0)),
                shown("RDMA Write", 1 << 20, Some(904_620.0)),
                shown("Write to what is invalid, and the Terminate", 0, Some(9_850.0)),
            ],
            compared: 2_105_345,
            terminate: "1/1/00, DDP: invalid STag <&>".into(),
        };
        let passed = |what, cycle| Passed { what, port: "pcie_rx", cycle };
        let packet = |number, protocol: &str| Packet {
            number,
            seconds: number as f64 * 1e-6,
            from: "02:00:0a:00:00:02".into(),
            to: "ff:ff:ff:ff:ff:ff".into(),
            protocol: protocol.into(),
            octets: 1514,
            what: "54896 > 18516 Write [more DDP segments], and a remark that needs a line of its own".into(),
        };
        let page = Page {
            visit: &visit,
            passed: &[passed("doorbell arrives", 100), passed("completion leaves", 1_900)],
            clock_ps: 6_400,
            diagram,
            packets: &[packet(1, "ARP"), packet(2, "DDP/RDMA")],
            octets: 4_096,
            facts: &["tshark: 2 frames".into()],
        };
        page.html()
    }

    #[test]
    fn a_browser_finds_all_parts_of_the_page_and_nothing_that_overflows() {
        if let Err(why) = setup::browser() {
            return skip::skip(&why.to_string());
        }
        let folder = repo::target("page-tests");
        let file = folder.join("page.html");
        repo::write(&file, &page(&"tx_valid    ____/‾‾‾‾\\____\n".repeat(8))).unwrap();
        let look = look(&file, &folder).unwrap();
        assert_eq!(look.document.matches("<tr").count(), 1 + 3 + 2 + 1 + 2 + 1 + 2);
        assert!(look.document.contains("invalid STag &lt;&amp;&gt;"));
        assert!(look.pictures.iter().all(|picture| picture.is_file()));
        repo::write(&file, &page("x").replace("id=\"packets\"", "")).unwrap();
        let why = super::look(&file, &folder).err().unwrap().to_string();
        assert!(why.contains("the section `packets` is missing"), "{why}");
        // a line that is wider than the window of a desk
        repo::write(&file, &page(&"‾".repeat(400))).unwrap();
        let why = super::look(&file, &folder).err().unwrap().to_string();
        assert!(why.contains("1280 pixels") && why.contains("overflow"), "{why}");
    }

    #[test]
    fn the_page_loads_nothing() {
        let page = page("x");
        assert!(!page.contains("http") && !page.contains("src=") && !page.contains("url("), "{page}");
    }
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where `ferrowarp-sim` and `ferrowarp` are started from: the build folder, or a root folder that
//! is all they see.
use crate::{child, repo};
use anyhow::{ensure, Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What an unprivileged user, and root of a container, may need for a root folder.
const REFUSED: &str = "a program in an empty root needs a user namespace and a mount namespace; in a container, start the \
                       container with `--privileged`; elsewhere, set the sysctl kernel.unprivileged_userns_clone to 1 and \
                       kernel.apparmor_restrict_unprivileged_userns to 0, or run the command as root";

/// Enters the root that is the first argument. The root has a folder `proc`: a program finds itself
/// and its descriptors there, as on any Linux.
const ENTER: &str = r#"mount --rbind /proc "$0/proc" && exec chroot "$0" "$@""#;

/// Programs of one folder.
pub struct Programs {
    /// As the programs see the folder.
    folder: PathBuf,
    root: Option<PathBuf>,
}

impl Programs {
    /// Those that Cargo built in `target/debug`.
    pub fn built() -> Self {
        Self { folder: repo::root().join("target/debug"), root: None }
    }

    /// Those of `folder`, an absolute path below the folder `root`. The programs see nothing of the
    /// file system but `root` and `/proc`, and have no environment.
    ///
    /// # Errors
    /// The system refuses the namespaces that this takes.
    pub fn inside(root: &Path, folder: &Path) -> Result<Self> {
        let mut probe = unshare(root);
        // the program is asked for its version: an empty root has no other one
        probe.arg(folder.join("ferrowarp")).arg("--version").stdin(Stdio::null());
        let output = probe.output().with_context(|| format!("cannot start {}", child::shown(&probe)))?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "`{}` failed ({}): {}; {REFUSED}",
            child::shown(&probe),
            output.status,
            complaint.trim()
        );
        Ok(Self { folder: folder.into(), root: Some(root.into()) })
    }

    /// Starts the program `name`.
    pub fn command(&self, name: &str) -> Command {
        let path = self.folder.join(name);
        match &self.root {
            None => Command::new(path),
            Some(root) => {
                let mut command = unshare(root);
                command.arg(path);
                command
            }
        }
    }

    /// The path by which others find a file that the programs call `path`.
    pub fn outside(&self, path: &Path) -> PathBuf {
        match &self.root {
            None => path.into(),
            Some(root) => root.join(path.strip_prefix("/").unwrap_or(path)),
        }
    }
}

/// Starts what follows with `root` as its file system. The process that `unshare` is becomes the
/// program, so a signal reaches the program.
fn unshare(root: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", ENTER]).arg(root);
    command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_without_the_program_is_refused_with_what_to_do() {
        let root = std::env::temp_dir().join(format!("fw-programs-{}", std::process::id()));
        std::fs::create_dir_all(root.join("proc")).unwrap();
        let why = Programs::inside(&root, Path::new("/bin")).err().unwrap().to_string();
        assert!(why.contains("/bin/ferrowarp") && why.contains("--privileged"), "{why}");
        std::fs::remove_dir_all(&root).unwrap();
        let built = Programs::built();
        assert_eq!(built.outside(Path::new("/tmp/a")), Path::new("/tmp/a"));
    }
}

//! A tree of files that looks like the parts of `/sys` and `/dev` which are read here.
use super::Roots;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The tree; it goes with the value.
pub(crate) struct Tree(TempDir);

/// A function in it.
pub(crate) struct Made<'a> {
    tree: &'a Tree,
    path: PathBuf,
}

impl Tree {
    pub(crate) fn new() -> Self {
        let tree = Self(TempDir::new().unwrap());
        fs::create_dir_all(tree.roots().sysfs.join("bus/pci/devices")).unwrap();
        fs::create_dir_all(&tree.roots().dev).unwrap();
        tree
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots { sysfs: self.0.path().join("sys"), dev: self.0.path().join("dev") }
    }

    pub(crate) fn function(&self, address: &str, [vendor, device]: [u16; 2]) -> Made<'_> {
        let path = self.roots().sysfs.join("bus/pci/devices").join(address);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("vendor"), format!("{vendor:#06x}\n")).unwrap();
        fs::write(path.join("device"), format!("{device:#06x}\n")).unwrap();
        Made { tree: self, path }
    }

    /// A file below `/dev`.
    pub(crate) fn node(&self, name: &str) -> PathBuf {
        let file = self.roots().dev.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, []).unwrap();
        file
    }

    pub(crate) fn reserved(&self, group: u32, text: &str) {
        fs::write(self.group(group).join("reserved_regions"), text).unwrap();
    }

    fn group(&self, group: u32) -> PathBuf {
        let folder = self.roots().sysfs.join(format!("kernel/iommu_groups/{group}"));
        fs::create_dir_all(folder.join("devices")).unwrap();
        folder
    }
}

impl Made<'_> {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn group(self, group: u32) -> Self {
        let folder = self.tree.group(group);
        symlink(&folder, self.path.join("iommu_group")).unwrap();
        symlink(&self.path, folder.join("devices").join(self.path.file_name().unwrap())).unwrap();
        self
    }

    pub(crate) fn driver(self, name: &str) -> Self {
        symlink(self.tree.roots().sysfs.join("bus/pci/drivers").join(name), self.path.join("driver"))
            .unwrap();
        self
    }

    pub(crate) fn cdev(self, name: &str) -> Self {
        fs::create_dir_all(self.path.join("vfio-dev").join(name)).unwrap();
        self
    }

    pub(crate) fn config(self, octets: &[u8]) -> Self {
        fs::write(self.path.join("config"), octets).unwrap();
        self
    }
}

#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Stage 1 of `cargo xtask interop`: a Debian trixie system in the folder ROOT, from the mirror that this machine's own
# apt uses. Needs root.
#
# base.sh ROOT
set -euo pipefail
root=$1
suite=trixie
export LC_ALL=C

say() { echo "== $*"; }

# Where the machine's packages of Debian itself come from.
mirror() {
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
        sed -n 's/^Debian|Debian|//p' | head -n 1
}
command -v apt-get >/dev/null || {
    echo "no apt-get: the guest is made of Debian packages, on a Debian machine"
    exit 1
}
[ -n "$(mirror)" ] || apt-get -q update
mirror=$(mirror)
[ -n "$mirror" ] || {
    echo "this machine's apt sources name no mirror of Debian (Origin and Label \"Debian\"): add one and run apt-get update"
    exit 1
}

if ! command -v debootstrap >/dev/null; then
    say "debootstrap is not installed: installing it"
    apt-get -q update
    DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
        install --no-install-recommends debootstrap
fi

say "base system of $suite from $mirror"
rm -rf "$root" "$root.new"
mkdir -p "$root.new"
debootstrap --variant=minbase "$suite" "$root.new" "$mirror"

cat >"$root.new/etc/apt/sources.list" <<END
deb $mirror $suite main
deb $mirror $suite-updates main
deb $mirror $suite-backports main
END
cat >"$root.new/etc/apt/apt.conf.d/ferrowarp" <<END
APT::Install-Recommends "false";
Acquire::Retries "3";
DPkg::Options { "--force-unsafe-io"; };
END
# What nobody reads here is not unpacked; no service starts.
cat >"$root.new/etc/dpkg/dpkg.cfg.d/ferrowarp" <<END
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
END
printf '#!/bin/sh\nexit 101\n' >"$root.new/usr/sbin/policy-rc.d"
chmod +x "$root.new/usr/sbin/policy-rc.d"
mv "$root.new" "$root"

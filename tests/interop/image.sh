#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Stage 4 of `cargo xtask interop`: what a guest boots. OUT/vmlinux is the kernel cut out of ROOT's bzImage, which QEMU
# starts faster than the bzImage; OUT/initramfs has busybox, the modules, siw and the tools of rdma-core.
#
# image.sh ROOT SIW GUEST OUT       SIW: the folder of siw.sh; GUEST: the folder of `init`
set -euo pipefail
root=$(realpath "$1") siw=$2 guest=$3 out=$4
kernel=$(cat "$root/etc/ferrowarp-kernel")
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
mkdir -p "$out"
inside=/var/tmp/image # the tree, seen from ROOT
tree=$root$inside
trap 'rm -rf "$tree"' EXIT
rm -rf "$tree"
mkdir -p "$tree"

echo "== vmlinux"
# Documentation/arch/x86/boot.rst: setup_sects, payload_offset and payload_length, little-endian.
image=$root/boot/vmlinuz-$kernel
number() { od -An -v -t "u$2" -j "$1" -N "$2" "$image" | tr -d ' '; }
start=$((($(number $((0x1f1)) 1) + 1) * 512 + $(number $((0x248)) 4)))
dd if="$image" of="$tree/payload" iflag=skip_bytes,count_bytes skip="$start" count="$(number $((0x24c)) 4)" status=none
case $(od -An -t x1 -N 4 "$tree/payload" | tr -d ' ') in
    28b52ffd) unpack="zstd -dc" ;;
    fd377a58) unpack="xz -dc" ;;
    1f8b*) unpack="gzip -dc" ;;
    02214c18) unpack="lz4 -dc" ;;
    *) echo "the kernel's payload is packed in a way unknown here"; exit 1 ;;
esac
# The payload ends with its length, at which the program complains; what it wrote is whole.
chroot "$root" $unpack <"$tree/payload" >"$out/vmlinux.new" 2>/dev/null || true
[ "$(head -c 4 "$out/vmlinux.new" | od -An -t x1 | tr -d ' ')" = 7f454c46 ] || {
    echo "what was cut out of $image is no ELF file"
    exit 1
}
mv "$out/vmlinux.new" "$out/vmlinux"
rm "$tree/payload"

echo "== initramfs"
mkdir -p "$tree"/{bin,dev,proc,sys,run,tmp,modules,etc/libibverbs.d}
cp "$root/usr/bin/busybox" "$tree/bin/"
cp "$guest/init" "$tree/init"
chmod +x "$tree/init"

# Modules in the order in which they can be loaded. The kernel loads them unpacked fastest. The last seven lose and delay frames
# both ways: netem is a queue of what is sent, and what comes is sent through an ifb; prio and u32 tell frames apart.
mkdir "$tree/siw"
cp "$siw"/{stock,tuned}.ko "$tree/siw/"
depends=$(chroot "$root" modinfo -F depends "$inside/siw/stock.ko")
impair="sch_netem ifb sch_ingress cls_matchall act_mirred sch_prio cls_u32"
for module in virtio_net rdma_ucm vfio_iommu_type1 vfio-pci ${depends//,/ } $impair; do
    chroot "$root" modprobe -S "$kernel" --show-depends "$module"
done | sed -n 's/^insmod //p' | awk '!seen[$1]++ { print $1 }' >"$tree/modules/paths"
n=100
while read -r path; do
    file=$tree/modules/$n-$(basename "$path" .xz)
    case $path in
        *.xz) chroot "$root" xz -dc "$path" >"$file" ;;
        *) cp "$root/$path" "$file" ;;
    esac
    n=$((n + 1))
done <"$tree/modules/paths"
rm "$tree/modules/paths"

# Tools, the libraries that they name, and those that they load: the provider of siw; libgcc_s, which a thread that is
# cancelled needs; libm, which the tool `ferrowarp` needs, that is put beside them later.
tools="rping ucmatose rdma_server rdma_client cmtime rcopy rstream riostream ibv_devices ibv_devinfo qperf rdma ip tc
    ib_send_bw ib_write_bw ib_read_bw ib_send_lat ib_write_lat ib_read_lat"
lib=/usr/lib/x86_64-linux-gnu
extra="$lib/libgcc_s.so.1 $lib/libm.so.6 $(chroot "$root" sh -c "echo $lib/libibverbs/libsiw-*.so")"
files=
for tool in $tools; do
    files+=" $(chroot "$root" sh -c "command -v $tool")"
done
for file in $files; do
    cp -L "$root$file" "$tree/bin/"
done
for file in $(chroot "$root" ldd $files $extra | awk '/=> \//{ print $3 } /^\t\/lib64/{ print $1 }' | sort -u) $extra; do
    mkdir -p "$tree$(dirname "$file")"
    cp -L "$root$file" "$tree$file"
done
cp "$root/etc/libibverbs.d/siw.driver" "$tree/etc/libibverbs.d/"

chroot "$root" sh -ec "cd $inside && find . | cpio -o --quiet -H newc -R 0:0" >"$out/initramfs.new"
mv "$out/initramfs.new" "$out/initramfs"

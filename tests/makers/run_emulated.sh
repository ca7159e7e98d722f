#!/usr/bin/env bash
# The tests on another processor, emulated by qemu, on Debian as root: specs/promises.md, 10, says what passed.
#
#   tests/makers/run_emulated.sh aarch64 [ARGUMENT OF PYTEST...]    64-bit ARM (NEON): numpy and numba from wheels
#   tests/makers/run_emulated.sh s390x [ARGUMENT OF PYTEST...]      big-endian: Debian's numpy; there is no numba for it
#   tests/makers/run_emulated.sh i386 [ARGUMENT OF PYTEST...]       32 bits: as s390x, on this processor, without qemu
#
# Run it from the project's root. It tests a copy of the files that git tracks or would track. Compiled kernels stay in
# the copy, so that later runs need not compile them. The first run takes some minutes and 1 GB in $DMLRAND_EMULATED
# (default /var/tmp/dmlrand-emulated). A test takes 10 to 20 times longer than on the machine itself. The script registers
# qemu in binfmt_misc, so that tests can start processes. Doctests need the settings of
# tests/conftest.py, which pytest reads with a file of tests: run_emulated.sh aarch64 tests/project/test_clauses.py dmlrand.
set -euo pipefail
processor=${1:-} project=$PWD
[ -f pyproject.toml ] || { echo "run it from the project's root" >&2; exit 2; }
case $processor in
  aarch64) kernels= architecture=arm64 suite=bookworm packages=python3,libgomp1,libstdc++6 ;;
  s390x | i386) # numpy's kernels are chosen, so that child processes do not warn that numba is missing
    kernels=DMLRAND_KERNELS=numpy architecture=$processor suite=trixie
    packages=$(printf 'python3-%s,' numpy pytest hypothesis rapidjson tqdm cffi dask)python3 ;;
  *) echo "usage: run_emulated.sh aarch64|s390x|i386 [ARGUMENT OF PYTEST...]" >&2; exit 2 ;;
esac
shift
emulator=qemu-$processor-static
[ "$processor" != i386 ] || emulator=
home=${DMLRAND_EMULATED:-/var/tmp/dmlrand-emulated}/$processor root=$home/root

if [ ! -f "$home/ready" ]; then
  rm -rf --one-file-system "$home" && mkdir -p "$home" && cd "$home"
  command -v debootstrap >/dev/null && { [ -z "$emulator" ] || command -v "$emulator" >/dev/null; } \
    || { apt-get update -q && apt-get install -y -q debootstrap ${emulator:+qemu-user-static}; }
  mirror=$(sed -n "s/^URIs: *//p" /etc/apt/sources.list.d/debian.sources | head -1)
  # Unpacking is enough to run Python, and takes a tenth of the time of configuring the packages under qemu.
  debootstrap --foreign --arch="$architecture" --variant=minbase --include="$packages" "$suite" root "$mirror"
  for package in root/var/cache/apt/archives/*.deb; do dpkg -x "$package" root; done
  mkdir -p root/project root/proc root/dev
  if [ "$processor" = aarch64 ]; then
    python3 -m pip -q install --only-binary=:all: --python-version 3.11 --target root/usr/local/lib/python3.11/dist-packages \
      --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
      numpy numba ml_dtypes "dask[array]" distributed python-rapidjson tqdm matplotlib pytest hypothesis mypy zarr \
      pytest-xdist cffi onnx onnxruntime
  fi
  touch ready
fi

formats=/proc/sys/fs/binfmt_misc
if [ -n "$emulator" ]; then
  [ -e $formats/register ] || mount -t binfmt_misc binfmt_misc $formats
  [ -e "$formats/qemu-$processor" ] || cat "/usr/lib/binfmt.d/qemu-$processor.conf" > $formats/register
fi
[ -e "$root/etc/ld.so.cache" ] || chroot "$root" /sbin/ldconfig  # ctypes looks for libraries there
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --rbind --make-rslave /dev "$root/dev"
mkdir -p "$root/project"
find "$root/project" -type f ! -path '*/__pycache__/*' -delete
(cd "$project" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -c) | tar x -C "$root/project"

# Debian finds these two libraries by links that configuring the packages would make.
libraries=/usr/lib/$processor-linux-gnu/blas:/usr/lib/$processor-linux-gnu/lapack
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 QEMU_CPU=max LD_LIBRARY_PATH="$libraries" \
  PYTHONPATH=/project:/project/tests/support DMLRAND_TEST_LIMIT="${DMLRAND_TEST_LIMIT:-3600}" $kernels \
  chroot "$root" \
  sh -c 'cd /project && exec python3 -m pytest -o addopts= --doctest-modules --import-mode=importlib -q -p no:cacheprovider \
    -m "not costly and not slow and not peers and not proof" --tb=short "$@"' \
  pytest "${@:-tests}"

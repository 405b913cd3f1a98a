#!/bin/sh
# Check and measure hetc on a GPU machine: its devices, the demo, and the benchmarks.
#
#   benchmarks/gpu.sh [--wheels DIR] [--out DIR] [--repeat N] [--budget S] [--device NAME] [--tests] [--install-icd]
#
# --wheels DIR   install the wheels in DIR first, into a temporary folder; for machines without a network. Made by
#                pip download -d DIR pyopencl xdsl pytest   (on a machine like it, or with pip's --platform options)
# --out DIR      where the results go (default: out/gpu)
# --repeat N     pairs of measurements a comparison (default: 15)
# --budget S     seconds that a comparison may take (default: 0.5)
# --device NAME  the device to use (default: gpu)
# --tests        run the device tests, too
# --install-icd  tell the whole system about NVIDIA's OpenCL driver, as root. Containers often have the driver without
#                /etc/OpenCL/vendors/nvidia.icd; without this option only the programs started here see it.
#
# Every step runs even if one before it failed; the exit status is 0 only if none did.
set -u
cd "$(dirname "$0")/.." || exit 1

wheels="" out=out/gpu repeat=15 budget=0.5 device=gpu tests=no install_icd=no
while [ $# -gt 0 ]; do
  case "$1" in
    --wheels) wheels=${2:?--wheels needs a folder}; shift 2 ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --repeat) repeat=${2:?--repeat needs a number}; shift 2 ;;
    --budget) budget=${2:?--budget needs a number}; shift 2 ;;
    --device) device=${2:?--device needs a name}; shift 2 ;;
    --tests) tests=yes; shift ;;
    --install-icd) install_icd=yes; shift ;;
    *) sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
done

temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT
python=python3
[ -n "$wheels" ] || [ ! -x .venv/bin/python ] || python=.venv/bin/python
if [ -n "$wheels" ]; then
  # Packages that the machine has already, NumPy for one, need no wheel.
  $python -m pip install --quiet --no-index --no-deps --target "$temporary/site" "$wheels"/*.whl || exit 1
  PYTHONPATH="$temporary/site${PYTHONPATH:+:$PYTHONPATH}"
fi
PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONPATH PYTHONUNBUFFERED=1

driver=$(ldconfig -p 2>/dev/null | sed -n 's/.*libnvidia-opencl\.so\.1 .*=> //p' | head -n 1)
for candidate in /usr/local/nvidia/lib64 /usr/lib/x86_64-linux-gnu /usr/lib64; do
  [ -n "$driver" ] || [ ! -e "$candidate/libnvidia-opencl.so.1" ] || driver=$candidate/libnvidia-opencl.so.1
done
if [ -n "$driver" ] && ! grep -qs nvidia /etc/OpenCL/vendors/*.icd; then
  if [ "$install_icd" = yes ]; then
    mkdir -p /etc/OpenCL/vendors && echo "$driver" > /etc/OpenCL/vendors/nvidia.icd || exit 1
  else
    mkdir "$temporary/vendors" && echo "$driver" > "$temporary/vendors/nvidia.icd"
    export OCL_ICD_VENDORS="$temporary/vendors"
  fi
fi

mkdir -p "$out" || exit 1
status=0
step() {
  echo "== $*"
  "$@" || { echo "== failed: $*"; status=1; }
}
step $python -c 'import hetc; print(*hetc.devices(), sep="\n")'
if [ "$tests" = yes ]; then
  step $python -m pytest -q -p no:cacheprovider tests/device
fi
step env HETC_DEVICE="$device" $python -m examples.demo
picture=
if $python -c 'import matplotlib' 2>/dev/null; then picture=$out/run.png; fi
step $python -m benchmarks.run --device "$device" --repeat "$repeat" --budget "$budget" --json "$out/run.json" \
  --output "$out/run.md" ${picture:+--plot "$picture"}
step $python -m benchmarks.compile_time --family gpu --repeat 5
exit $status

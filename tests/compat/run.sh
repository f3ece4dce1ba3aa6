#!/usr/bin/env bash
# Load the benchmarks in an environment without this package, on datasets 3.6: as a loading script,
# and from the Parquet exports.
#   run.sh PYTHON_WITH_COBSAT PYTHON
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HF_HOME="$work/hf" HF_HUB_OFFLINE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
"$1" -m cobsat.cli export --out "$work/export" --config color_i-2shot --config color_i-8shot
"$1" -m cobsat.cli export --out "$work/questions" --benchmark touchstone-mini
"$2" -m venv "$work/venv"
env -u HF_HUB_OFFLINE "$work/venv/bin/python" -m pip install --quiet 'datasets==3.6.*' pillow
cd "$work"
"$work/venv/bin/python" "$here/load.py" "$here/../../cobsat_dataset/cobsat.py" "$work/export" \
  "$work/questions"

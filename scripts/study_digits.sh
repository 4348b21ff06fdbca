#!/usr/bin/env bash
# The study of docs/study.md from nothing: stimuli, lists, the real server with simulated people, scores, VCR.
#   scripts/study_digits.sh [OUT]     (default outputs/study; a folder that is there is gone on with)
# At the end every number that docs/study.md prints an interval for is compared with what came out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=${1:-outputs/study}
port=${PORT:-8123}
bin=${BIN:-.venv/bin}

if [ ! -x "$bin/controversy" ]; then make .venv/.installed-dev; fi
if [ ! -f controversy/experiment/page/index.html ]; then make page; fi
mkdir -p "$out"

step() { printf '\n$ controversy %s\n' "$*"; "$bin/controversy" "$@"; }

step synthesize -m study=digits "out=$out/sweep"
[ -f "$out/set/manifest.json" ] || step collect "sets=[\"$out/sweep/*\"]" "out=$out/set" per_pair=45 evaluate_missing=true
step verify "set=$out/set" rescore=false
step experiment lists "set=$out/set" "out=$out/experiment" lists.per_stimulus=20

printf '\n$ controversy experiment serve out=%s lists.per_stimulus=20 port=%s &\n' "$out/experiment" "$port"
"$bin/controversy" experiment serve "out=$out/experiment" lists.per_stimulus=20 "port=$port" \
    limits.joining=[100,100] limits.per_address=[10000,10000] limits.per_session=[1000,1000] >"$out/server.txt" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 300); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then break; fi
    kill -0 "$server" 2>/dev/null || { cat "$out/server.txt" >&2; exit 1; }
    sleep 0.1
done
printf '\n$ python scripts/simulate_participants.py %s http://127.0.0.1:%s\n' "$out/experiment" "$port"
"$bin/python" scripts/simulate_participants.py "$out/experiment" "http://127.0.0.1:$port"
kill "$server"
wait "$server" || true

rm -f "$out/judgments.csv"
step experiment export "experiment=$out/experiment" format=judgments "out=$out/judgments.csv"
step score "set=$out/set" "judgments=$out/judgments.csv" "out=$out/scores" \
    exclude.min_catch_accuracy=0.8 bootstrap.samples=2000
step vcr "out=$out/vcr" n_images=20 per_image=5 n_bootstrap=200
printf '\n$ python scripts/check_study.py %s docs/study.md\n' "$out"
"$bin/python" scripts/check_study.py "$out" docs/study.md

#!/bin/bash
# A run in SHARDS tasks of a Slurm job array, and a job that merges their reports when
# all have ended. From a directory that every node sees:
#
#   bash replanbench.slurm.sh
#
# A task that is killed, or requeued with its node, goes on from its checkpoint; one that
# has its report is not run again, so that the line above may be repeated. The merged
# report is that of one run on one machine, but for the environment.
#
# What is run is in the function run. Every long command takes --shard; for instance
#
#   run() { replanbench score replies.jsonl.zst --format json --shard "$1"; }
#   run() { aws s3 cp s3://BUCKET/replies.jsonl.zst - | replanbench score - --format json --shard "$1"; }
#   run() { rclone cat REMOTE:BUCKET/replies.jsonl.zst | replanbench score - --format json --shard "$1"; }
#
# (score reads twice what comes by a pipe, from a copy in TMPDIR.)
#SBATCH --job-name=replanbench
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

SHARDS=${SHARDS:-8}
CASES=${CASES:-1000000}
WORK=${WORK:-$PWD/replanbench-run}

run() {
  replanbench fuzz<<Dialect>> --cases "$CASES" --workers 1 --dir "$WORK/campaign" --resume --quiet --format json --shard "$1"<<Engine>>
}

# task runs one shard. Exit code 1 says that there are findings: the report tells them.
task() {
  local report="$WORK/shard-$1.json"
  [ -e "$report" ] && return
  mkdir -p "$WORK"
  run "$1/$SHARDS" >"$report.part" || [ $? -eq 1 ]
  mv "$report.part" "$report"
}

merge() {
  replanbench report "$WORK"/shard-*.json --format json --report html="$WORK/report.html" >"$WORK/report.json"
}

case ${1:-submit} in
submit)
  export SHARDS CASES WORK
  mkdir -p "$WORK"
  array=$(sbatch --parsable --array="1-$SHARDS" --output="$WORK/task-%a.log" "$0" task)
  sbatch --dependency="afterany:$array" --output="$WORK/merge.log" "$0" merge
  ;;
task) task "$SLURM_ARRAY_TASK_ID" ;;
merge) merge ;;
*) echo "usage: $0 [submit|task|merge]" >&2; exit 2 ;;
esac

#!/bin/bash
# Runs a campaign and a score in eight tasks of a Slurm that it starts on this machine,
# kills a task of each in the middle and requeues it, and compares the merged reports
# with those of whole runs, byte for byte but for the environment. It needs root, and
# slurmctld, slurmd and munged (Debian: slurm-wlm, munge):
#
#   slurm.sh PROGRAM
set -euo pipefail
program=$(realpath "${1:?give the program replanbench}")
for tool in munged slurmctld slurmd sbatch; do
  command -v "$tool" >/dev/null || PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >/dev/null || { echo "there is no $tool (apt-get install slurm-wlm munge)"; exit 1; }
done
export PATH=$PATH:/usr/sbin:/sbin
CASES=${CASES:-160000}

base=$(mktemp -d /tmp/replanbench-slurm-XXXXXX)
chmod 755 "$base"
pids=()
stop() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  [ -n "${KEEP:-}" ] || rm -rf "$base"
}
trap stop EXIT
mkdir "$base"/{bin,state,spool,munge,jobs}
chmod 700 "$base/munge"
cp "$program" "$base/bin/replanbench"
export PATH=$base/bin:$PATH

# One munge, one controller, one node of eight processors, for us alone.
head -c 128 /dev/urandom >"$base/munge/key"
chmod 400 "$base/munge/key"
munged --foreground --force --key-file="$base/munge/key" --socket="$base/munge.socket" --pid-file="$base/munge/pid" --log-file="$base/munge/log" --seed-file="$base/munge/seed" 2>"$base/munge.log" &
pids+=($!)
host=$(hostname -s)
cat >"$base/slurm.conf" <<CONF
ClusterName=replanbench
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$base/munge.socket
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool
SlurmctldPidFile=$base/slurmctld.pid
SlurmdPidFile=$base/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=1,sched_interval=2
KillWait=2
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
printf 'CgroupPlugin=cgroup/v1\n' >"$base/cgroup.conf"
export SLURM_CONF=$base/slurm.conf
sleep 1
slurmctld -D >"$base/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D >"$base/slurmd.log" 2>&1 &
pids+=($!)
for _ in $(seq 60); do
  [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && break
  sleep 1
done
[ "$(sinfo -h -o %t)" = idle ] || { echo "Slurm does not start:"; tail -n 20 "$base"/slurm*.log; exit 1; }

say() { echo "$(date +%T) $*"; }

# bare is a report without its environment.
bare() { sed '/^  "environment": {$/,/^  }$/d' "$1"; }

# restarts is how often task 3 was started again.
restarts() { scontrol show job "${1}_3" 2>/dev/null | grep -o 'Restarts=[0-9]*' | head -n 1; }

# array runs a file for Slurm, kills task 3 when the condition holds and requeues it, and
# compares what is merged with a whole report.
array() { # DIR WHOLE CONDITION
  local dir=$1 whole=$2 condition=$3 start=$SECONDS array merge
  cd "$dir"
  export WORK=$dir/run SHARDS=8
  bash replanbench.slurm.sh >submitted
  merge=$(grep -o '[0-9]*$' submitted)
  array=$((merge - 1))
  say "$(basename "$dir"): array $array of 8 tasks, merge $merge"
  for _ in $(seq 3000); do
    eval "$condition" && break
    sleep 0.1
  done
  say "task 3 is $(squeue -h -j "${array}_3" -o %T 2>/dev/null): kill and requeue it"
  scontrol requeue "${array}_3"
  until [ "$(squeue -h -j "${array}_3" -o %T 2>/dev/null)" = RUNNING ] || [ -e "$WORK/shard-3.json" ]; do
    scontrol update "JobId=${array}_3" StartTime=now 2>/dev/null || true # else it waits for two minutes
    sleep 0.5
  done
  say "task 3 runs again ($(restarts "$array"))"
  while squeue -h -j "$array,$merge" 2>/dev/null | grep -q .; do sleep 0.5; done
  [ -s "$dir/run/report.json" ] || { echo "there is no merged report:"; tail -n 5 "$dir"/run/*.log; exit 1; }
  if ! cmp <(bare "$whole") <(bare "$dir/run/report.json"); then
    diff <(bare "$whole") <(bare "$dir/run/report.json") | head -n 40
    exit 1
  fi
  say "$(basename "$dir"): the merged report is the whole one, $(bare "$whole" | wc -c) bytes ($((SECONDS - start)) s)"
}

say "campaign of $CASES cases against an engine with a defect"
mkdir "$base/jobs/campaign"
cd "$base/jobs/campaign"
replanbench init --cluster slurm >/dev/null
sed -i 's/fuzz --cases/fuzz --engine defect:accepts-cycle --cases/' replanbench.slurm.sh
replanbench fuzz --cases "$CASES" --engine defect:accepts-cycle --dir "$base/jobs/campaign/run/campaign" --quiet --format json >"$base/whole.json" || [ $? -eq 1 ]
rm -r run
export CASES
array "$base/jobs/campaign" "$base/whole.json" '[ -e "$WORK/campaign/checkpoint-3-of-8.json" ]'

say "score of $((3 * CASES / 4)) replies to $((CASES / 4)) cases"
mkdir "$base/jobs/score"
cd "$base/jobs/score"
awk -v n="$((CASES / 4))" 'BEGIN { for (i = 0; i < n; i++) for (k = 0; k < 3; k++)
  printf "{\"v\":1,\"id\":\"%d/%d\",\"dialect\":\"planpatch\",\"case\":\"c%d\",\"plan\":{\"title\":\"t\",\"steps\":[{\"id\":\"a\",\"description\":\"d\"},{\"id\":\"b\",\"description\":\"d\"}]},\"model\":\"m%d\",\"sample\":%d,\"source\":\"synthetic\",\"reply\":\"%s\"}\n", i, k, i, i % 2, k, (i * 7 + k) % 5 ? "{\\\"remove_steps\\\":[\\\"a\\\"]}" : "I cannot" }' >replies.jsonl
replanbench init --cluster slurm >/dev/null
sed -i "s|^  replanbench fuzz .*|  replanbench score $PWD/replies.jsonl --workers 1 --format json --shard \"\$1\"|" replanbench.slurm.sh
replanbench score "$PWD/replies.jsonl" --format json >"$base/whole.json"
array "$base/jobs/score" "$base/whole.json" '[ -e "$WORK/shard-3.json.part" ]'
say "all reports are the same"

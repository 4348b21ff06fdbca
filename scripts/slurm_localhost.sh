#!/usr/bin/env bash
# A real Slurm of one node on this machine, for tests and to try a sweep before a cluster sees it. As root:
#
#   eval "$(scripts/slurm_localhost.sh start)"    # starts munged, slurmctld and slurmd; sets SLURM_CONF
#   sinfo                                         # one partition, "local", with all cores and memory
#   scripts/slurm_localhost.sh stop
#
# It needs Debian's packages slurm-wlm and munge (scripts/slurm_localhost.sh install), touches nothing under /etc,
# and keeps configuration, key, state and logs in one folder, $SLURM_LOCALHOST (default /tmp/slurm-localhost).
set -euo pipefail

HOME_FOLDER=${SLURM_LOCALHOST:-/tmp/slurm-localhost}
CONF=$HOME_FOLDER/slurm.conf
MUNGE=$HOME_FOLDER/munge

install() {
    command -v slurmctld > /dev/null && command -v munged > /dev/null && return
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2
    apt-get install -y -qq --no-install-recommends slurm-wlm munge >&2
}

configure() {
    local host memory
    host=$(hostname -s)
    memory=$(awk '/MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
    mkdir -p "$MUNGE" "$HOME_FOLDER"/{state,spool}
    chmod 700 "$MUNGE"
    [ -e "$MUNGE/key" ] || head -c 1024 /dev/urandom > "$MUNGE/key"
    chmod 400 "$MUNGE/key"
    # MinJobAge and KillWait are short so that tests of killed jobs are; the rest is what one node as root needs.
    cat > "$CONF" <<END
ClusterName=localhost
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$MUNGE/socket
CryptoType=crypto/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=${SLURM_LOCALHOST_PORT:-16817}
SlurmdPort=$((${SLURM_LOCALHOST_PORT:-16817} + 1))
StateSaveLocation=$HOME_FOLDER/state
SlurmdSpoolDir=$HOME_FOLDER/spool
SlurmctldPidFile=$HOME_FOLDER/slurmctld.pid
SlurmdPidFile=$HOME_FOLDER/slurmd.pid
SlurmctldLogFile=$HOME_FOLDER/slurmctld.log
SlurmdLogFile=$HOME_FOLDER/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MinJobAge=30
KillWait=20
SchedulerParameters=sched_interval=5,batch_sched_delay=1
JobRequeue=1
RequeueExit=75
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=local Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
}

start() {
    for program in munged slurmctld slurmd sbatch; do
        command -v "$program" > /dev/null || { echo "there is no $program: install slurm-wlm and munge" >&2; exit 1; }
    done
    configure
    export SLURM_CONF=$CONF
    if ! scontrol ping > /dev/null 2>&1; then
        # As root munged wants to be told twice that its folder may be anywhere.
        munged --force --key-file="$MUNGE/key" --socket="$MUNGE/socket" --pid-file="$MUNGE/pid" \
            --log-file="$MUNGE/log" --seed-file="$MUNGE/seed" > /dev/null 2>&1
        slurmctld -c > /dev/null 2>&1
        slurmd > /dev/null 2>&1
    fi
    for _ in $(seq 60); do
        if sinfo --noheader --format=%T 2> /dev/null | grep -q -E 'idle|mixed|allocated'; then
            echo "export SLURM_CONF=$CONF"
            return
        fi
        sleep 0.5
    done
    echo "Slurm did not start; the last lines of its logs:" >&2
    tail -n 5 "$MUNGE/log" "$HOME_FOLDER"/*.log >&2
    exit 1
}

stop() {
    local pid
    for file in "$HOME_FOLDER/slurmd.pid" "$HOME_FOLDER/slurmctld.pid" "$MUNGE/pid"; do
        pid=$(cat "$file" 2> /dev/null) || continue
        kill "$pid" 2> /dev/null || continue
        for _ in $(seq 50); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
    done
}

case "${1:-}" in
    install | start | stop) "$1" ;;
    *) sed -n '2,9s/^# \?//p' "$0" >&2; exit 2 ;;
esac

# Two nodes of a real Slurm in one place of its own; sourced by deploy/slurm/slurm-test.sh.
#
# All of it lies in namespaces that `own_machine` makes: a network that has only itself, process numbers that end with
# it, a name and mounts of its own. So nothing of the machine's is touched, no port is taken, and when the script ends,
# however it ends, nothing stays.
#
# shellcheck shell=bash

# Slurm and munge from the packages; their services are not started.
slurm_packages() {
    local missing=()
    for package in munge slurmctld slurmd slurm-client iproute2; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    if [ "$(id -u)" -ne 0 ]; then
        echo "slurm-test: needs ${missing[*]} (sudo apt-get install ${missing[*]})" >&2
        exit 69
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Begins the script again in namespaces of its own.
own_machine() { # SCRIPT ARGUMENT…
    [ -z "${SCRUB_SLURM_INSIDE:-}" ] || return 0
    local own=(--mount --pid --net --uts --fork --kill-child --mount-proc --propagation private)
    [ "$(id -u)" -eq 0 ] || own=(--user --map-root-user "${own[@]}")
    if ! unshare "${own[@]}" true 2>/dev/null; then
        echo "slurm-test: this machine allows no namespaces; nothing was tested on Slurm" >&2
        exit 69
    fi
    SCRUB_SLURM_INSIDE=1 exec unshare "${own[@]}" bash "$@"
}

# A node that can lose its power: it and all that it started are one tree of processes.
start_node() { # NAME
    unshare --pid --fork --kill-child --mount-proc slurmd -D -N "$1" >>"$slurm/log/$1" 2>&1 &
    printf '%s' $! >"$slurm/$1.power"
}

cut_power() { # NAME
    # The child of `unshare` is the first process of the node, and the kernel ends the others with it.
    pkill -KILL --parent "$(cat "$slurm/$1.power")"
    wait "$(cat "$slurm/$1.power")" 2>/dev/null || true
}

start_cluster() { # FOLDER
    slurm=$1
    mkdir -p "$slurm"/{state,log,spool/n1,spool/n2}
    # munge wants a folder that only it can change.
    mkdir -m 700 "$slurm/munge"
    ip link set lo up
    # Slurm asks for names with AI_ADDRCONFIG, and a machine with 127.0.0.1 alone counts as one without addresses.
    ip address add 192.0.2.1/32 dev lo
    hostname head
    printf '127.0.0.1 localhost head\n127.0.0.2 n1\n127.0.0.3 n2\n' >"$slurm/hosts"
    mount --bind "$slurm/hosts" /etc/hosts

    mungekey --create --keyfile="$slurm/munge/key"
    munged --foreground --force --key-file="$slurm/munge/key" --socket="$slurm/munge.socket" --pid-file="$slurm/munge/pid" \
        --log-file="$slurm/log/munge" --seed-file="$slurm/munge/seed" >"$slurm/log/munged" 2>&1 &

    # linuxproc: without a plugin named, slurmd asks for control groups. cred_expire is how long a requeued job waits at
    # least; a minute is the least time limit, and the controller looks at limits twice a minute. config_overrides: the
    # nodes have as many processors as it says here.
    cat >"$slurm/slurm.conf" <<END
ClusterName=scrub
SlurmctldHost=head
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool/%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
JobRequeue=1
KillWait=10
SlurmdTimeout=10
ReturnToService=2
MinJobAge=86400
NodeName=n1 NodeAddr=127.0.0.2 Port=7001 CPUs=2 RealMemory=16000 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.3 Port=7002 CPUs=2 RealMemory=16000 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
    # Newer ones look for control groups even where no plugin of theirs is asked for; older ones do not know the word.
    if [ "$(slurmd -V | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -ge 24 ]; then echo "CgroupPlugin=disabled" >"$slurm/cgroup.conf"; fi
    export SLURM_CONF=$slurm/slurm.conf
    until [ -S "$slurm/munge.socket" ]; do sleep 0.1; done
    slurmctld -D -c >"$slurm/log/slurmctld" 2>&1 &
    start_node n1
    start_node n2
    until_true 30 "both nodes are there" nodes_idle
}

nodes_idle() { [ "$(timeout 10 sinfo --noheader --Node --format=%T 2>/dev/null | grep -c '^idle')" -eq 2 ]; }

# Slurm works by its own clocks, so tests of it ask until something is so; what never comes is a failure with a name.
until_true() { # SECONDS WHAT COMMAND…
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        if [ "$SECONDS" -ge "$end" ]; then
            echo "slurm-test: it did not come to: $what" >&2
            timeout 10 squeue >&2 || true
            tail -n 20 "$slurm"/log/{slurmctld,n1,n2} >&2
            exit 1
        fi
        sleep 0.2
    done
}

field() { # JOB NAME
    timeout 10 scontrol show job --oneliner "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

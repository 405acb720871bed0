# Sourced by scripts that try things in bare Debians; they have their own mount namespace, and set
#   root      a permanent folder with a bare Debian of each release
#   scratch   a temporary folder with the systems that are made from them
# Provides: codename, asked_by_swift, make_base, system, layers, inside, apt.

# codename RELEASE: Debian's name for the release.
codename() {
    case $1 in
    12) echo bookworm ;;
    13) echo trixie ;;
    *) echo "bare-systems: the name of Debian $1 is unknown: add it here" >&2 && return 64 ;;
    esac
}

# asked_by_swift RELEASE: the packages that Swift's installation for Debian requires in addition to the compiler.
asked_by_swift() {
    echo ca-certificates git tzdata gcc binutils libc6-dev libncurses6 libxml2 libedit2 libsqlite3-0 libz3-4 zlib1g-dev
    case $1 in
    12) echo libstdc++-12-dev libcurl4 ;;
    13) echo libstdc++-14-dev libcurl4t64 ;;
    esac
}

# make_base RELEASE: a bare Debian in $base, from an earlier run if there is one. Returns 69 if it is not available.
make_base() {
    local name
    name=$(codename "$1") || return
    base=$root/$name
    # In Debian it is a module.
    grep -q overlay /proc/filesystems || modprobe overlay 2>/dev/null || true
    grep -q overlay /proc/filesystems || { echo "bare-systems: there is no overlay file system here" >&2; return 69; }
    [ ! -e "$base/etc/debian_version" ] || return 0
    bash Scripts/install-packages.sh mmdebstrap >/dev/null
    # Under another name until it is complete.
    rm -rf --one-file-system "$base.new"
    mmdebstrap --quiet --variant=apt "$name" "$base.new" >"$base.log" 2>&1 || {
        tail -5 "$base.log" >&2
        echo "bare-systems: Debian $1 is not available" >&2
        return 69
    }
    mv "$base.new" "$base"
}

# system NAME FROM [FOLDER…]: a copy of another system, in $scratch/NAME/system. It is a layer on the disk that is
# removed after this run. FROM is the output of `layers`; each FOLDER is mounted under its name in /, read-only.
system() {
    local above=$scratch/$1 from=$2 folder place
    mkdir -p "$above"/{above,work,system}
    mount -t overlay overlay -o "lowerdir=$from,upperdir=$above/above,workdir=$above/work" "$above/system"
    for folder in "${@:3}"; do
        place=$above/system/${folder##*/}
        mkdir -p "$place"
        mount --bind -o ro "$(readlink -f "$folder")" "$place"
    done
    mount -t proc proc "$above/system/proc"
    mount --bind /dev "$above/system/dev"
    mkdir -p "$above/system/dev/pts"
    mount --bind /dev/pts "$above/system/dev/pts"
    cp /etc/resolv.conf "$above/system/etc/resolv.conf"
    # It does not have to survive a crash of the machine.
    echo force-unsafe-io >"$above/system/etc/dpkg/dpkg.cfg.d/quick"
}
# layers NAME [BELOW]: the FROM of `system` for a copy of NAME, which is no longer mounted; BELOW is NAME's own FROM.
layers() { echo "$scratch/$1/above:${2:-$base}"; }
# inside NAME WORD…: runs a command in the system.
inside() {
    chroot "$scratch/$1/system" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"
}
# apt NAME WORD…: apt-get in the system. Its output is shown if it fails.
apt() {
    inside "$1" apt-get -qq -y -o Dpkg::Use-Pty=0 "${@:2}" >"$scratch/apt.log" 2>&1 && return
    tail -20 "$scratch/apt.log" >&2
    echo "bare-systems: apt-get ${*:2} failed" >&2
    return 1
}

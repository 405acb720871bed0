#!/usr/bin/env bash
# Every order in which our package and Debian's disk wiper `scrub` can be installed and removed, in a separate bare
# system. /usr/bin/scrub must never be ours while the wiper is installed, and none of its files may be lost or changed.
#
#   packaging/check/package-orders.sh PACKAGE.deb LAYERS FOLDER      LAYERS: folders of a system in which PACKAGE can be installed
#
# Run by package-check.sh. The wiper is Debian's own. For the moments during a change it is Debian's with scripts that
# record whose program /usr/bin/scrub is while dpkg works.
set -euo pipefail
deb=$1 layers=$2 scratch=$3/orders
mkdir -p "$scratch"/{above,work,system}
system=$scratch/system
mount -t overlay overlay -o "lowerdir=$layers,upperdir=$scratch/above,workdir=$scratch/work" "$system"
mount -t proc proc "$system/proc"
mount --bind /dev "$system/dev"
cp /etc/resolv.conf "$system/etc/resolv.conf"
trap 'umount --recursive "$system"' EXIT
fail() { echo "package-orders: $1" >&2; exit 1; }
inside() {
    chroot "$system" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
quietly() { inside "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "$*"; }; }

echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/quick"
mkdir -p "$system/d"
cp "$deb" "$system/d/ours.deb"
(cd "$system/d" && inside sh -c 'cd /d && apt-get -qq download scrub' >/dev/null 2>&1 && mv scrub_*.deb wiper.deb) ||
    { echo "package-orders: Debian's package scrub is not available; installing next to it was not tried" >&2; exit 69; }

# again FROM TO VERSION: the same package under another version. Ours gets an older one, theirs a newer one.
again() {
    dpkg-deb --raw-extract "$system/d/$1.deb" "$scratch/$2"
    sed -i "s/^Version: .*/Version: $3/" "$scratch/$2/DEBIAN/control"
    if [ "$1" = wiper ]; then
        for script in preinst postinst prerm postrm; do
            printf '#!/bin/sh\necho "%s $1 $(/d/who)" >>/trace\n' "$script" >"$scratch/$2/DEBIAN/$script"
            chmod 755 "$scratch/$2/DEBIAN/$script"
        done
    fi
    dpkg-deb --root-owner-group -Znone --build "$scratch/$2" "$system/d/$2.deb" >/dev/null
}
# Which program it is, by its output, as our programs check it.
cat >"$system/d/who" <<'EOF'
#!/bin/sh
if [ ! -e /usr/bin/scrub ] && [ ! -L /usr/bin/scrub ]; then echo no one; exit; fi
case $(/usr/bin/scrub --version 2>&1 | head -n 1) in
"scrub version "*) echo the wiper ;;
[0-9]* | "scrub "[0-9]*) echo ours ;;
*) echo something else ;;
esac
EOF
chmod 755 "$system/d/who"
# Not compressed: it is unpacked thirty times.
again ours same "$(dpkg-deb --field "$deb" Version)"
mv "$system/d/same.deb" "$system/d/ours.deb"
again ours older 0.0.1
again wiper traced 2.6.1-2
again wiper newer 2.6.1-3

count=0
# is WHO: whose program /usr/bin/scrub is, and the rules that always apply.
is() {
    local found installed
    found=$(inside /d/who)
    [ "$found" = "$1" ] || fail "$order: /usr/bin/scrub is $found, not $1"
    installed=$(inside dpkg-query -W -f '${db:Status-Status}' scrub 2>/dev/null || true)
    if [ "$installed" = installed ] && [ "$found" = ours ]; then fail "$order: ours has taken the wiper's place"; fi
    if [ "$installed" = installed ] && [ "$order" != divert ] && [ "$order" != deleted ]; then
        [ -z "$(inside dpkg --verify scrub)" ] || fail "$order: files of the wiper are lost: $(inside dpkg --verify scrub)"
    fi
    if [ -n "$(inside dpkg --audit)" ]; then fail "$order: dpkg --audit: $(inside dpkg --audit)"; fi
    count=$((count + 1))
}
begin() {
    order=$1
    inside dpkg --purge scrub scrub-view scrub-video >/dev/null 2>&1 || fail "$order: the packages cannot be removed"
    is "no one"
    rm -f "$system/trace"
}
take() { quietly dpkg "$@"; }
put() { quietly sh -c 'cd /d && exec dpkg --install "$@"' sh "${@/%/.deb}"; }

for wiper in wiper traced; do
    begin "ours-wiper"; put ours; is ours; put $wiper; is "the wiper"; take --remove scrub; is ours; take --remove scrub-video; is "no one"
    begin "ours-wiper-ours-goes"; put ours; put $wiper; take --purge scrub-video; is "the wiper"; take --purge scrub; is "no one"
    begin "wiper-ours"; put $wiper; put ours; is "the wiper"; take --remove scrub-video; is "the wiper"; take --remove scrub; is "no one"
    begin "wiper-ours-wiper-goes"; put $wiper; put ours; take --purge scrub; is ours; take --purge scrub-video; is "no one"
    begin "at-once"; put ours $wiper; is "the wiper"; take --purge scrub scrub-video; is "no one"
    begin "at-once-the-other-way"; put $wiper ours; is "the wiper"; take --purge scrub-video scrub; is "no one"
    begin "ours-is-newer"; put older; is ours; put ours; is ours; put $wiper; is "the wiper"; put older; is "the wiper"; put ours; is "the wiper"
    begin "wiper-again"; put ours; put $wiper; put $wiper; is "the wiper"; put newer; is "the wiper"; take --remove scrub; is ours
    begin "unpacked-only"; put ours; quietly sh -c "dpkg --unpack /d/$wiper.deb"; [ "$(inside /d/who)" = "the wiper" ] || fail "$order"
    take --configure --pending; is "the wiper"; take --remove scrub; is ours
    begin "ours-unpacked-only"; quietly dpkg --unpack /d/ours.deb; [ "$(inside /d/who)" = "no one" ] || fail "$order"
    put $wiper; take --configure --pending; is "the wiper"
done

# During a change: what the wiper's own scripts saw.
begin moments
put ours; put traced; put newer; take --remove scrub; take --purge scrub
put traced; take --remove scrub-video; put ours; take --remove scrub
if grep -E '^(postinst configure|prerm) ' "$system/trace" | grep -v ' the wiper$'; then fail "moments: the wiper's scripts met another program"; fi
moments=$(wc -l <"$system/trace")

# Someone has deleted the wiper's file: its place stays reserved.
begin deleted; put wiper; rm "$system/usr/bin/scrub"; put ours; is "no one"; take --purge scrub; is ours
# An administrator has moved the wiper: even then the name is not ours.
begin divert; put wiper; quietly dpkg-divert --local --rename --divert /usr/bin/scrub.wiper --add /usr/bin/scrub; put ours; is "no one"
quietly dpkg-divert --local --rename --remove /usr/bin/scrub; is "the wiper"
# A third program stays, whatever is installed and removed.
begin stranger; printf '#!/bin/sh\necho mine\n' >"$system/usr/bin/scrub"; chmod 755 "$system/usr/bin/scrub"
put ours; is "something else"; take --purge scrub-video; is "something else"; rm "$system/usr/bin/scrub"

# Only what dpkg itself keeps is left of ours.
begin traces
traces() { (cd "$system" && find . -path ./proc -prune -o -path ./dev -prune -o -path ./var/log -prune -o -path ./var/lib/dpkg -prune -o -print | sort); }
traces >"$scratch/before"
put older; put ours; take --remove scrub-video; traces >"$scratch/removed"
# dpkg keeps what belongs to the administrator.
diff "$scratch/before" <(grep -vE '^\./etc/bash_completion\.d(/scrub-video)?$' "$scratch/removed") || fail "removing leaves files behind"
put ours; take --purge scrub-video; traces >"$scratch/purged"
diff "$scratch/before" "$scratch/purged" || fail "purging leaves files behind"
if inside dpkg-query -W scrub-video >/dev/null 2>&1; then fail "dpkg still knows scrub-video"; fi
begin end
echo "next to the wiper: $count states are right, and so are $moments moments of its scripts; nothing is left behind"

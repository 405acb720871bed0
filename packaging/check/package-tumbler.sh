#!/usr/bin/env bash
# Inside a session bus: asks tumbler, the thumbnail service of Thunar and others, for a film's picture, and waits for
# it.
#
#   dbus-run-session -- packaging/check/package-tumbler.sh FILM
set -euo pipefail
film=$1
picture=$HOME/.cache/thumbnails/large/$(printf 'file://%s' "$film" | md5sum | cut -d' ' -f1).png
service=(--session --dest org.freedesktop.thumbnails.Thumbnailer1 --object-path /org/freedesktop/thumbnails/Thumbnailer1)
# If GStreamer has a reader of films, tumbler prefers its own to other entries.
mkdir -p "$HOME/.config/tumbler"
sed '/^\[GstThumbnailer\]/,/^\[/s/^Disabled=.*/Disabled=true/' /etc/xdg/tumbler/tumbler.rc >"$HOME/.config/tumbler/tumbler.rc"
# It is started by its first call.
gdbus call "${service[@]}" --method org.freedesktop.thumbnails.Thumbnailer1.Queue \
    "['file://$film']" "['video/mp4']" large default 0 >/dev/null
for _ in $(seq 600); do
    if [ -s "$picture" ]; then
        echo "tumbler: $(od -An -tu1 -j16 -N8 "$picture" | awk '{print $3 * 256 + $4 "x" $7 * 256 + $8}')"
        exit 0
    fi
    sleep 0.1
done
echo "package-tumbler: $picture does not exist after a minute" >&2
exit 1

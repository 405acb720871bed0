#!/usr/bin/env bash
# Inside a bare system with the library's packages and gcc: compiles the examples with the flags from pkg-config, and
# runs them with the installed library and with the built one. Both must do the same.
#
#   packaging/check/package-c.sh EXAMPLES BUILT_LIBRARY FILM
set -euo pipefail
examples=$1 library=$2 film=$3
cd "$(mktemp -d)"
for source in "$examples"/*.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2046 # several words
    gcc -std=c11 -Wall -Wextra -pedantic -Werror "$source" $(pkg-config --cflags --libs scrub) -o "$name"
    ldd "$name" | grep -E 'libscrub.so.1 => (/usr)?/lib/' || { echo "package-c: $name does not use the installed library" >&2; exit 1; }
done
for loaded in installed built; do
    if [ $loaded = built ]; then export LD_LIBRARY_PATH=$library; fi
    mkdir $loaded
    ./thumbnailer "$film" $loaded/poster.png 128 >$loaded/poster.txt
    printf '0.42\nf100\nlast\n' | ./frame-server "$film" >$loaded/frames
done
diff -r installed built
echo "poster and frames are the same: $(cat installed/poster.txt), $(stat -c %s installed/frames) bytes"

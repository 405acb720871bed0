#!/usr/bin/env python3
"""Asks a viewer for its page and for the frame 88 of its only film: its hash must match the command line's.

package-viewer.py PLACE ANSWER      PLACE is what `scrub view --json` printed, ANSWER what `scrub seek … f88 --hash --json` printed
"""

import json
import sys
import urllib.parse
import urllib.request

place, answer = json.loads(sys.argv[1]), json.loads(sys.argv[2])
api = place["api"].rstrip("/") + "/"
with urllib.request.urlopen(place["url"], timeout=20) as response:
    page = response.read()
    assert b"<html" in page.lower(), "the page is a page"
with urllib.request.urlopen(urllib.parse.urljoin(api, "media"), timeout=20) as response:
    media = json.loads(response.read())
listed = media if isinstance(media, list) else media["media"]
with urllib.request.urlopen(urllib.parse.urljoin(api, f"media/{listed[0]['id']}/frame?at=f88&format=png&hash=1"), timeout=20) as response:
    assert response.read(8) == b"\x89PNG\r\n\x1a\n", "the frame is a PNG"
    found = response.headers["Scrub-Hash"]
if found != answer["hash"]:
    sys.exit(f"package-viewer: frame 88 has the hash {found} there, {answer['hash']} here")
print(f"page of {len(page)} bytes, frame 88: {found}")

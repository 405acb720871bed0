#!/usr/bin/env bash
# The site: README, docs/ and the library's reference as pages that link to each other, in .build/site. A broken link is
# an error, and so is a warning of the reference.
set -euo pipefail
cd "$(dirname "$0")/../.."

bash docs/tools/docs.sh
bash Scripts/install-packages.sh python3-markdown
/usr/bin/python3 docs/tools/site.py .build/site .build/docs/Scrub.doccarchive

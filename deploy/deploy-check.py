"""The Kubernetes manifests of deploy/: strictly by the schema of each version from 1.33 on, and by what a schema cannot say.

    python3 deploy/deploy-check.py deploy        (in an environment with kubernetes-validate; deploy/deploy-check.sh makes one)

First it proves that it bites: each of a list of mistakes, put into the real manifests, has to be refused.
"""

import copy
import json
import pathlib
import re
import sys

import kubernetes_validate
import yaml

# backoffLimitPerIndex is for everybody since 1.33.
VERSIONS = ["1.33", "1.34", "1.35", "1.36", "1.37"]


def documents(folder):
    return [value for path in sorted(folder.glob("kubernetes/*.yaml")) for value in yaml.safe_load_all(path.read_text()) if value]


def by_schema(values):
    """What the schemas refuse."""
    for value in values:
        for version in VERSIONS:
            try:
                kubernetes_validate.validate(value, version, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
                yield f"{value['kind']} {value['metadata'].get('name')}, {version}: {error}"


def mebibytes(text):
    number, unit = re.fullmatch(r"([0-9]+)(Mi|Gi|Ti)", text).groups()
    return int(number) * {"Mi": 1, "Gi": 1024, "Ti": 1024 * 1024}[unit]


def by_rule(values):
    """What the API server or the work itself refuses."""
    claims = {value["metadata"]["name"]: value for value in values if value["kind"] == "PersistentVolumeClaim"}
    jobs = [value for value in values if value["kind"] == "Job"]
    results = {}
    for job in jobs:
        name, spec = job["metadata"]["name"], job["spec"]
        pod = spec["template"]["spec"]
        [container] = pod["containers"]
        words = container["args"]
        of_pod, security = pod.get("securityContext", {}), container.get("securityContext", {})

        # Pod Security Standards, `restricted`, and what is stricter.
        if not of_pod.get("runAsNonRoot") or not of_pod.get("runAsUser"):
            yield f"{name}: runs as root"
        if of_pod.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield f"{name}: no filter of system calls"
        if security.get("allowPrivilegeEscalation") is not False or security.get("capabilities", {}).get("drop") != ["ALL"]:
            yield f"{name}: keeps rights"
        if security.get("readOnlyRootFilesystem") is not True or pod.get("automountServiceAccountToken") is not False:
            yield f"{name}: a root that can be written, or a token that nobody needs"
        if pod.get("restartPolicy") != "Never":
            yield f"{name}: podFailurePolicy and backoffLimitPerIndex want restartPolicy Never"
        if pod.get("terminationGracePeriodSeconds") != 60:
            yield f"{name}: after TERM the program needs up to 20 seconds, and storage its time"

        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        if len(volumes) != len(pod["volumes"]):
            yield f"{name}: a volume twice"
        for mount in container["volumeMounts"]:
            if mount["name"] not in volumes:
                yield f"{name}: no volume {mount['name']}"
        for volume in volumes.values():
            claim = volume.get("persistentVolumeClaim")
            if claim and claim["claimName"] not in claims:
                yield f"{name}: no claim {claim['claimName']}"

        requests, limits = container["resources"]["requests"], container["resources"]["limits"]
        if mebibytes(requests["memory"]) > mebibytes(limits["memory"]):
            yield f"{name}: asks for more memory than its limit"
        if mebibytes(requests["memory"]) != mebibytes(limits["memory"]):
            yield f"{name}: is promised less memory than it may use, and ended when the node has no more"

        for option in ("--profile", "--to"):
            results.setdefault(option, set()).add(words[words.index(option) + 1])
        places = [mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")]
        if not any(words[words.index("--to") + 1].startswith(place + "/") for place in places):
            yield f"{name}: --to lies where nothing can be written"

        if spec.get("completionMode") == "Indexed":
            if words[words.index("--shard") + 1] != str(spec["completions"]):
                yield f"{name}: --shard is not the number of completions"
            if spec["parallelism"] > spec["completions"]:
                yield f"{name}: more at once than there are"
            codes = {}
            for rule in spec["podFailurePolicy"]["rules"]:
                on = rule.get("onExitCodes")
                if on and on["containerName"] != container["name"]:
                    yield f"{name}: a rule for a container that is not there"
                codes.update({code: rule["action"] for code in (on or {}).get("values", [])})
            if codes != {75: "Ignore", 64: "FailIndex", 65: "FailIndex", 66: "FailIndex", 69: "FailIndex"}:
                yield f"{name}: exit codes: {codes}"
    if any(len(values) != 1 for values in results.values()):
        yield f"the Jobs do not agree: {results}"


def in_text(text, job):
    """Blocks of JSON in the README: they are JSON, and their words are those of the Job."""
    for block in re.findall(r"```json\n(.*?)```", text, re.S):
        try:
            words = json.loads(block)["containerProperties"]["command"]
        except (ValueError, KeyError) as error:
            yield f"README.md: {error} in {block[:60]!r}"
            continue
        args = job["spec"]["template"]["spec"]["containers"][0]["args"]
        if missing := [word for word in words if word not in args]:
            yield f"README.md: {missing} are no words of the Job"


MISTAKES = {
    "a misspelt field": lambda job: job["spec"].__setitem__("backofLimitPerIndex", 3),
    "a number as text": lambda job: job["spec"].__setitem__("completions", "16"),
    "a field in the wrong place": lambda job: job["spec"]["template"]["spec"].__setitem__("backoffLimitPerIndex", 3),
    "another number of shards": lambda job: job["spec"].__setitem__("completions", 17),
    "a policy of no name": lambda job: job["spec"]["template"]["spec"].__setitem__("restartPolicy", "OnFailure"),
    "root": lambda job: job["spec"]["template"]["spec"]["securityContext"].__setitem__("runAsUser", 0),
    "a volume that is not there": lambda job: job["spec"]["template"]["spec"]["containers"][0]["volumeMounts"][0].__setitem__("name", "x"),
    "a request above the limit": lambda job: job["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"].__setitem__(
        "memory", "64Gi"),
    "75 as a failure": lambda job: job["spec"]["podFailurePolicy"]["rules"].pop(1),
}


def main():
    values = documents(pathlib.Path(sys.argv[1]))
    place = next(number for number, value in enumerate(values) if value["metadata"]["name"] == "scrub-batch")
    missed = []
    for what, mistake in MISTAKES.items():
        wrong = copy.deepcopy(values)
        mistake(wrong[place])
        if not list(by_schema([wrong[place]])) and not list(by_rule(wrong)):
            missed.append(f"not noticed: {what}")
    text = pathlib.Path(sys.argv[1], "README.md").read_text()
    refused = missed + list(by_schema(values)) + list(by_rule(values)) + list(in_text(text, values[place]))
    for line in refused:
        print(f"deploy-check: {line}", file=sys.stderr)
    if not refused:
        kinds = ", ".join(f"{value['kind']} {value['metadata']['name']}" for value in values)
        print(f"Kubernetes {VERSIONS[0]} to {VERSIONS[-1]}: {kinds}; {len(MISTAKES)} mistakes noticed")
    return 1 if refused else 0


sys.exit(main())

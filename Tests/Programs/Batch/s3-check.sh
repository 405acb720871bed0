#!/usr/bin/env bash
# scrub batch --to s3://… against a real server: moto's (pip, in an environment of its own), on loopback, which checks
# signatures.
#
#     bash Tests/Programs/Batch/s3-check.sh SCRUB CLIPS [FOLDER]
#
# Proves: results are there, byte for byte those of a folder, and are kept by state and by records alone. Other options
# replace them, and their extra files go. Runs killed at moments over their length are resumed. A wrong key and a wrong
# bucket are refused before anything is decoded, and no output or log has credentials. Needs python3 with venv, and a
# package index.
set -euo pipefail
scrub=$(realpath "$1") clips=$(realpath "$2") work=$(mktemp -d "${3:-/tmp}/s3-check.XXXXXX")
trap '[[ -z ${server:-} ]] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q 'moto[server]' boto3
cat > "$work/serve.py" <<'PY'
import sys
import werkzeug.serving
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

# Keep-alive, as stores do.
werkzeug.serving.WSGIRequestHandler.protocol_version = "HTTP/1.1"
app = DomainDispatcherApplication(create_backend_app)
server = werkzeug.serving.make_server("127.0.0.1", 0, app, threaded=True)
print(server.server_port, flush=True)
server.serve_forever()
PY
# Five requests prepare it; from then on every one must be signed by a known key that may do it.
INITIAL_NO_AUTH_ACTION_COUNT=5 "$work/venv/bin/python" "$work/serve.py" > "$work/port" 2> "$work/server.log" &
server=$!
for _ in $(seq 100); do [[ -s $work/port ]] && break; sleep 0.1; done
endpoint=http://127.0.0.1:$(cat "$work/port")
cat > "$work/client.py" <<'PY'
import hashlib, json, os, pathlib, sys
import boto3
from botocore.config import Config

def client(name):
    return boto3.client(name, endpoint_url=os.environ["ENDPOINT"], config=Config(retries={"max_attempts": 1}, s3={"addressing_style": "path"}))

if sys.argv[1] == "prepare":
    iam = client("iam")
    iam.create_user(UserName="scrub")
    key = iam.create_access_key(UserName="scrub")["AccessKey"]
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    iam.put_user_policy(UserName="scrub", PolicyName="all", PolicyDocument=json.dumps(policy))
    client("s3").create_bucket(Bucket="films")
    client("s3").list_buckets()
    print(key["AccessKeyId"], key["SecretAccessKey"])
else:
    s3 = client("s3")
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket="films", Prefix=sys.argv[2])
    for item in (item for page in pages for item in page.get("Contents", [])):
        body = s3.get_object(Bucket="films", Key=item["Key"])["Body"].read()
        print(hashlib.sha256(body).hexdigest(), item["Key"][len(sys.argv[2]):])
PY
client() { ENDPOINT=$endpoint AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID:-none} AWS_SECRET_ACCESS_KEY=${AWS_SECRET_ACCESS_KEY:-none} AWS_DEFAULT_REGION=us-east-1 "$work/venv/bin/python" "$work/client.py" "$@"; }
read -r id secret < <(client prepare)
export AWS_ACCESS_KEY_ID=$id AWS_SECRET_ACCESS_KEY=$secret AWS_REGION=us-east-1 AWS_ENDPOINT_URL=$endpoint
fail() { echo "s3-check: $*" >&2; tail -5 "$work/server.log" >&2; exit 1; }

mkdir -p "$work/lib/below"
number=0
for clip in h264-bf3.mp4 h264-open-gop.mkv nonzero.ts h264-mbaff.ts hevc-open-gop.ts av1-svt.mkv; do
    for copy in a "b ü+&"; do cp "$clips/$clip" "$work/lib/below/$copy-$clip"; number=$((number + 1)); done
done
run() { # STATE TO WORD…
    XDG_STATE_HOME=$work/$1 XDG_CACHE_HOME=$work/cache "$scrub" batch "$work/lib" --profile web --to "$2" --json --log "$work/log" "${@:3}" 2>> "$work/errors" | tee -a "$work/output" | tail -1
}
is() { [[ $1 == *"$2"* ]] || fail "expected $2 in: $1"; }
tree() { (cd "$1" && find . -type f ! -path './.scrub-batch/*' -printf '%P\0' | xargs -0 sha256sum | sed 's/^\([0-9a-f]*\)  /\1 /' | LC_ALL=C sort); }
same() { client list "$2" | LC_ALL=C sort > "$work/there"; tree "$1" > "$work/here"; diff "$work/here" "$work/there" > "$work/difference" || { head -5 "$work/difference" >&2; fail "$2 is not as the folder"; }; }

is "$(run one "$work/folder" --every 1)" "\"done\":$number"
is "$(run one s3://films/first --every 1)" "\"done\":$number"
same "$work/folder" first/
is "$(run one s3://films/first --every 1)" "\"kept\":$number"
is "$(run one s3://films/first --every 1 --check)" "\"kept\":$number"
is "$(run two s3://films/first --every 1)" "\"kept\":$number"
echo "sent, kept by the state and by the records"
run one "$work/other" --count 1 > /dev/null
is "$(run one s3://films/first --count 1)" "\"done\":$number"
same "$work/other" first/
echo "replaced"
begun=$(date +%s%N)
is "$(run three s3://films/whole --every 1)" "\"done\":$number"
length=$(( ($(date +%s%N) - begun) / 1000000 ))
for part in 1 2 3 4 5 6 7 8; do
    XDG_STATE_HOME=$work/kill-$part XDG_CACHE_HOME=$work/cache "$scrub" batch "$work/lib" --profile web --every 1 --to "s3://films/kill-$part" > /dev/null 2>&1 &
    run=$!
    sleep "$(awk "BEGIN { print ($part - rand()) * $length / 8000 }")"
    kill -9 $run 2> /dev/null || true
    wait $run 2> /dev/null || true
    run "kill-$part" "s3://films/kill-$part" --every 1 > /dev/null
    same "$work/folder" "kill-$part/"
done
echo "killed 8 times over ${length} ms, and resumed"
run twice-a s3://films/twice --every 1 > /dev/null & first=$!
run twice-b s3://films/twice --every 1 > /dev/null
wait $first
is "$(run twice-a s3://films/twice --every 1)" "\"kept\":$number"
same "$work/folder" twice/
echo "two runs at once"
if AWS_SECRET_ACCESS_KEY=wrong run wrong s3://films/wrong > /dev/null; then fail "a wrong key was taken"; fi
if run wrong s3://nowhere/wrong > /dev/null; then fail "a bucket was made up"; fi
tail -2 "$work/errors"
[[ -z $(client list wrong/) ]] || fail "something was written with a wrong key"
if grep -rqsF -e "$secret" "$work/output" "$work/errors" "$work/log" || grep -rqsF "$secret" "$work"/{one,two,three,wrong}; then fail "the secret was told"; fi
echo "s3-check: all as it should be"

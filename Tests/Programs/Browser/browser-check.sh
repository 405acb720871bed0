#!/usr/bin/env bash
# Loads a thumbnail set in a real browser: the page of the web profile, and a <video> whose metadata track is
# thumbnails.vtt, over HTTP. Compares the track's cues with the manifest, and leaves pictures to look at.
# Needs Debian's chromium, which install-packages.sh does not install; not part of the tests.
#
#   bash Tests/Programs/Browser/browser-check.sh VIDEO FOLDER      (SCRUB=PROGRAM for another program than .build/release/scrub)
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
video=$(realpath "${1:?a video, such as testdata/clips/demo.mp4}")
mkdir -p "${2:?a folder for the set and the pictures}"
out=$(realpath "$2")
scrub=${SCRUB:-$root/.build/release/scrub}
if ! command -v chromium >/dev/null; then
    echo "browser-check: chromium is needed (apt-get install chromium)" >&2
    exit 69
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -f "$out/track.json"
"$scrub" thumbs "$video" --no-cache --profile web --tolerance exact --every "${EVERY:-1}" --output "$out"
cp "$video" "$out/web/video.${video##*.}"
cat >"$out/web/track.html" <<PAGE
<!doctype html><html lang="en"><meta charset="utf-8"><title>track</title>
<style>body{margin:24px;font:14px sans-serif}video{display:block;width:640px}#view{margin-top:12px}</style>
<video muted><track kind="metadata" src="thumbnails.vtt" default></video>
<div id="view"></div><p id="label"></p><img src="hold" alt=""><pre id="cues" style="white-space:pre-wrap;overflow-wrap:anywhere"></pre>
<script>
const video=document.querySelector('video'),element=document.querySelector('track'),view=document.getElementById('view');
element.track.mode='hidden';
const once=(target,name)=>new Promise((done,failed)=>{
  target.addEventListener(name,done,{once:true});target.addEventListener('error',()=>failed(name),{once:true})});
// The cue's region of the sheet, as a player shows it to a pointer at that time.
function region(time){
  const cue=[...element.track.cues].find(c=>c.startTime<=time&&time<c.endTime),[url,text]=cue.text.split('#xywh=');
  const [x,y,w,h]=text.split(',').map(Number);
  return {url,x,y,w,h};
}
function pixels(source,r,x,y,w,h){
  const canvas=new OffscreenCanvas(r.w,r.h),context=canvas.getContext('2d');
  context.drawImage(source,x,y,w,h,0,0,r.w,r.h);
  return context.getImageData(0,0,r.w,r.h).data;
}
async function run(){
  await (element.readyState===2||once(element,'load'));
  // A simple server knows no ranges, and without them a video cannot be sought: all of it first.
  const loaded=once(video,'loadeddata');
  video.src=URL.createObjectURL(await (await fetch('video.${video##*.}')).blob());
  await loaded;
  const cues=[];
  for(const cue of element.track.cues){
    const r=region(cue.startTime),sheet=new Image();
    sheet.src=r.url;await sheet.decode();
    const sought=once(video,'seeked');
    video.currentTime=cue.startTime+0.002;
    await sought;
    const a=pixels(sheet,r,r.x,r.y,r.w,r.h),b=pixels(video,r,0,0,video.videoWidth,video.videoHeight);
    let sum=0;
    for(let i=0;i<a.length;i++)sum+=Math.abs(a[i]-b[i]);
    cues.push({start:cue.startTime,end:cue.endTime,text:cue.text,difference:sum/(r.w*r.h*3)});
  }
  const time=video.duration*.6,r=region(time),sought=once(video,'seeked');
  video.currentTime=time;await sought;
  view.style.cssText='width:'+r.w+'px;height:'+r.h+'px;background:url('+r.url+') -'+r.x+'px -'+r.y+'px';
  document.getElementById('label').textContent='video and thumbnail at '+video.currentTime.toFixed(2)+' s';
  return {duration:video.duration,cues};
}
run().catch(reason=>({failed:String(reason)})).then(async result=>{
  document.getElementById('cues').textContent=JSON.stringify(result);
  await new Promise(done=>requestAnimationFrame(()=>requestAnimationFrame(done)));
  await fetch('result',{method:'POST',body:JSON.stringify(result)});
});
</script></html>
PAGE

# The browser takes its picture when the page is loaded, and the image "hold" is not before the page has told its
# result.
cat >"$work/server.py" <<'SERVER'
import functools
import http.server
import sys
import threading

told = threading.Event()


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/hold":
            told.wait(60)
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def do_POST(self):
        with open(sys.argv[2], "wb") as file:
            file.write(self.rfile.read(int(self.headers["Content-Length"])))
        told.set()
        self.send_response(204)
        self.end_headers()


# Port 0: the system chooses a free one.
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=sys.argv[1]))
print(server.server_port, flush=True)
server.serve_forever()
SERVER
mkfifo "$work/port"
python3 "$work/server.py" "$out/web" "$out/track.json" >"$work/port" 2>"$work/server.log" &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
read -r port <"$work/port"

browse() {
    timeout 120 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" "$@" \
        >"$work/chromium.log" 2>&1 || { cat "$work/chromium.log" "$work/server.log" >&2; exit 69; }
}
browse --window-size=1200,900 --screenshot="$out/page.png" "http://127.0.0.1:$port/index.html"
browse --window-size=700,820 --screenshot="$out/track.png" "http://127.0.0.1:$port/track.html"

python3 - "$out" <<'CHECK'
import json
import sys

out = sys.argv[1]
seen = json.load(open(out + "/track.json", encoding="utf-8"))
if "failed" in seen:
    sys.exit("browser-check: " + seen["failed"])
board = json.load(open(out + "/web/manifest.json", encoding="utf-8"))
thumbnails, cues = board["thumbnails"], seen["cues"]
assert len(cues) == len(thumbnails), f"{len(cues)} cues, {len(thumbnails)} thumbnails"
for i, (cue, one) in enumerate(zip(cues, thumbnails)):
    following = thumbnails[i + 1]["start"] if i + 1 < len(thumbnails) else board["duration"] + board.get("playerStart", 0) + 1
    assert abs(cue["start"] - one["start"]) < 0.001 and abs(cue["end"] - following) < 0.001, f"cue {i}: {cue}"
    # The video's own picture at the cue's time, drawn small by the browser; another frame makes 20 and more.
    assert cue["difference"] < 10, f"cue {i} is another picture than the video's at {cue['start']} s: {cue['difference']}"
    assert cue["text"] == f'{one["sheet"]}#xywh={one["x"]},{one["y"]},{one["width"]},{one["height"]}', cue["text"]
print(f'{len(cues)} cues as in the manifest, the last one until {cues[-1]["end"]} s; the video lasts {seen["duration"]} s')
print(f'the video at each cue looks like its thumbnail: {min(c["difference"] for c in cues):.1f} to {max(c["difference"] for c in cues):.1f} of 255 apart')
print(f"look at {out}/page.png and {out}/track.png")
CHECK

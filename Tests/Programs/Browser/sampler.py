"""Looks at the page before every paint while it is used: the number that is said and the number in the canvas' pixels.

What must hold at each of these moments, whatever the answers' order: both numbers are one, there is a picture, turns do not
fall, and no picture is farther from what is wanted than the one that it takes the place of.
"""

# Reads the bar code where the picture lies in the canvas. Twelve cells by fourteen rows are all that is looked at.
SCRIPT = """
(() => {
  const small = new OffscreenCanvas(36, 42).getContext('2d', {willReadFrequently: true});
  const code = (canvas, box) => {
    small.imageSmoothingEnabled = true;
    small.imageSmoothingQuality = 'medium';
    small.drawImage(canvas, box.x, box.y, box.width, box.height, 0, 0, 36, 42);
    const at = small.getImageData(0, 0, 36, 42).data;
    const light = (x, y) => { const i = 4 * (y * 36 + x); return (at[i] + at[i + 1] + at[i + 2]) / 3; };
    let number = 0, sum = 0;
    for (let y = 6; y < 42; y += 9) for (let x = 4; x < 36; x += 9) sum += light(x, y);
    for (let cell = 0; cell < 12; cell++) {
      const plain = light(3 * cell + 1, 1), inverted = light(3 * cell + 1, 4);
      if (Math.abs(plain - inverted) < 64) return {number: null, mean: sum / 16};
      if (plain > inverted) number |= 1 << cell;
    }
    return {number, mean: sum / 16};
  };
  let rows = null;
  const look = now => {
    if (!rows) return;
    if (window.scrub) {
      for (const pane of window.__panes()) {
        const seen = pane.box ? code(pane.canvas, pane.box) : {number: null, mean: null};
        rows.push({now, ...pane.state, text: pane.text, code: seen.number, mean: seen.mean});
      }
    }
    requestAnimationFrame(look);
  };
  window.__sampler = {
    code,
    start() { rows = []; requestAnimationFrame(look); },
    // Two paints later: the result of the last one is examined too.
    async stop() {
      for (let i = 0; i < 2; i++) await new Promise(done => requestAnimationFrame(done));
      const all = rows;
      rows = null;
      return all;
    },
  };
})();
"""

# Makes answers late and lets them overtake each other. `deaf` also delivers answers that the page has given up.
SHUFFLE = """
(({seed, deaf, longest, match}) => {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  const sleep = ms => new Promise(done => setTimeout(done, ms));
  const fetch = window.fetch.bind(window), bitmap = window.createImageBitmap.bind(window);
  window.fetch = async (what, options = {}) => {
    const url = String(what.url ?? what);
    if (!url.includes(match)) return fetch(what, options);
    const answer = await fetch(what, deaf ? {...options, signal: undefined} : options);
    const body = await answer.arrayBuffer();
    await sleep(random() * longest);
    if (!deaf && options.signal?.aborted) throw options.signal.reason;
    return new Response(answer.status === 204 ? null : body, {status: answer.status, headers: answer.headers});
  };
  window.createImageBitmap = async (...what) => {
    const made = await bitmap(...what);
    await sleep(random() * longest / 2);
    return made;
  };
})
"""


def check(rows, has_code=True, last=None):
    """Fails at the first sample that breaks a rule. `last` is the frame that must be there, exact, at the end."""
    assert rows, "nothing was sampled"
    before = {}
    first = True
    for i, row in enumerate(rows):
        if row["frame"] is None:
            assert first, f"sample {i}: the picture was taken away: {row}"
            continue
        first = False
        around = [(one["frame"], one["code"], one["stage"], round(one["now"])) for one in rows[max(0, i - 3):i + 4]]
        where = f"sample {i} of {len(rows)}: {row}; frame, code, stage and time around it: {around}"
        if has_code:
            assert row["code"] is not None, f"a flash: no picture in the canvas; {where}"
            assert row["code"] == row["frame"], f"the picture is f{row['code']} and the number f{row['frame']}; {where}"
        assert row["text"] == row["frame"], f"the page says f{row['text']}; {where}"
        previous = before.get(row["pane"])
        if previous is not None:
            assert row["turn"] >= previous["turn"], f"turn {previous['turn']} before; {where}"
            if row["frame"] != previous["frame"]:
                # What is wanted may have moved on in the same moment, after the picture was chosen.
                assert any(abs(row["frame"] - wanted) <= abs(previous["frame"] - wanted)
                           for wanted in (row["wanted"], previous["wanted"])), \
                    f"farther than f{previous['frame']} from f{row['wanted']} and from f{previous['wanted']}; {where}"
            elif row["turn"] == previous["turn"]:
                ranks = ["tile", "nearest", "exact"]
                assert ranks.index(row["stage"]) >= ranks.index(previous["stage"]), f"worse than {previous['stage']} before; {where}"
        before[row["pane"]] = row
    assert before, "no picture in any sample"
    if last is not None:
        for row in before.values():
            assert row["frame"] == last and row["stage"] == "exact", f"ends with {row}, not with f{last}"


def gaps(rows):
    """Milliseconds from each change of what is wanted to the next new picture, while one is missing."""
    found, since, shown = [], None, None
    for row in rows:
        if row["frame"] != shown:
            if since is not None:
                found.append(row["now"] - since)
            shown, since = row["frame"], None
        if since is None and row["wanted"] != row["frame"]:
            since = row["now"]
    return found


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0

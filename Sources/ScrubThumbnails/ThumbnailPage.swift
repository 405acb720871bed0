internal import Storyboards

/// A page to look at a set: the sheets' tiles under a pointer, as a player's preview, and all of them below. It needs
/// nothing but the sheets beside it.
struct ThumbnailPage {
    private let board: Storyboard
    /// Whether all pictures' times are whole seconds.
    private let isWhole: Bool

    init(_ board: Storyboard) throws(ScrubError) {
        try board.validate()
        self.board = board
        isWhole = board.thumbnails.allSatisfy { $0.time.denominator == 1 }
    }

    var html: String {
        let name = PlainText.markup(board.file.split(separator: "/").last.map(String.init) ?? board.file)
        let repeats =
            board.thumbnails.contains(where: \.isRepeat) ? " Pale ones repeat the picture before." : ""
        let tiles = board.thumbnails.map { thumbnail in
            let sheet = PlainText.markup(board.sheets[thumbnail.sheet].name)
            let label = clock(thumbnail.time)
            let mark = thumbnail.isRepeat ? " repeat" : ""
            return
                "<figure class=\"tile\(mark)\" data-start=\"\(ThumbnailPage.decimal(thumbnail.start))\" title=\"frame \(thumbnail.frame), "
                + "\(thumbnail.verdict)\"><div style=\"background-image:url('\(sheet)');background-position:-\(thumbnail.x)px -\(thumbnail.y)px\">"
                + "</div><figcaption>\(label)</figcaption></figure>"
        }.joined(separator: "\n")
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <link rel="icon" href="data:,"><title>\(name): thumbnails</title>
            <style>
            :root{color-scheme:light dark;font:14px/1.4 system-ui,sans-serif}
            body{margin:1.5rem;max-width:110rem}
            h1{font-size:1.2rem;margin:0}
            p{margin:.2rem 0 1rem;opacity:.7}
            #bar{position:relative;height:2.5rem;margin:\(board.tileHeight + 48)px 0 1.5rem;border-radius:.4rem;background:#8884;cursor:ew-resize;touch-action:none}
            #bar:focus-visible{outline:3px solid Highlight}
            #head{position:absolute;top:0;bottom:0;width:2px;background:currentColor}
            #preview{position:absolute;bottom:calc(100% + 8px);transform:translateX(-50%)}
            .tile div{width:\(board.tileWidth)px;height:\(board.tileHeight)px;border-radius:.3rem}
            .tile{margin:0;display:inline-block}
            .tile figcaption{text-align:center;font-variant-numeric:tabular-nums}
            .repeat div{opacity:.45}
            #all{display:flex;flex-wrap:wrap;gap:.6rem}
            </style></head><body>
            <h1>\(name)</h1>
            <p>\(board.thumbnails.count) thumbnails, \(clock(board.duration)) long. Move over the bar, or use the arrow keys.\(repeats)</p>
            <div id="bar" role="slider" tabindex="0" aria-label="Time" aria-valuemin="0" aria-valuemax="\(board.thumbnails.count - 1)"><div id="head"></div><div id="preview"></div></div>
            <div id="all">
            \(tiles)
            </div>
            <script>
            const bar=document.getElementById('bar'),head=document.getElementById('head'),view=document.getElementById('preview');
            const tiles=[...document.querySelectorAll('#all .tile')],length=\(ThumbnailPage.decimal(board.duration));
            let now=0;
            function show(place){
              const time=Math.min(1,Math.max(0,place))*length;
              now=tiles.findLastIndex(t=>Number(t.dataset.start)<=time);if(now<0)now=0;
              const copy=tiles[now].cloneNode(true);copy.classList.remove('repeat');view.replaceChildren(copy);
              const half=\(board.tileWidth)/2,x=place*bar.clientWidth;
              head.style.left=x+'px';view.style.left=Math.min(Math.max(x,half),Math.max(half,bar.clientWidth-half))+'px';
              bar.setAttribute('aria-valuenow',now);bar.setAttribute('aria-valuetext',tiles[now].innerText.trim());
            }
            bar.addEventListener('pointermove',e=>{const r=bar.getBoundingClientRect();show((e.clientX-r.left)/r.width)});
            bar.addEventListener('keydown',e=>{const d={ArrowRight:1,ArrowLeft:-1}[e.key];if(!d)return;e.preventDefault();
              const n=Math.min(tiles.length-1,Math.max(0,now+d));show((Number(tiles[n].dataset.start)+1e-6)/length)});
            show(.5);
            </script></body></html>

            """
    }

    private static func decimal(_ time: Rational) -> String {
        let milliseconds = time.scaledDown(1000)
        return "\(milliseconds / 1000)." + PlainText.padded(milliseconds % 1000, to: 3)
    }

    /// Whole seconds where all times are; else milliseconds, so that two thumbnails of one second can be told apart.
    private func clock(_ time: Rational) -> String {
        PlainText.shortClock(milliseconds: Int(clamping: time.scaledDown(1000)), isWhole: isWhole)
    }
}

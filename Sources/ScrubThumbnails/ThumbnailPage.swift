internal import Storyboards

/// A page to look at a set: the film, where it lies beside the set and the browser can play it, the sheets' tiles under a
/// pointer, as a player's preview, and all of them below. It needs nothing but the files beside it.
struct ThumbnailPage {
    private let board: Storyboard
    /// The film's address, from the page.
    private let film: String?
    /// Whether all pictures' times are whole seconds.
    private let isWhole: Bool

    init(_ board: Storyboard, film: String? = nil) throws(ScrubError) {
        try board.validate()
        (self.board, self.film) = (board, film)
        isWhole = board.thumbnails.allSatisfy { $0.time.denominator == 1 }
    }

    var html: String {
        let name = PlainText.markup(board.file.mediumName)
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
        let video = film.map {
            "<video id=\"film\" controls playsinline preload=\"metadata\" src=\"\(PlainText.markup($0))\" hidden></video>\n"
        }
        // Two side by side on the narrowest telephones, and a preview that leaves room around it.
        let small = PlainText.padded(min(1000, 136_000 / max(1, board.tileWidth)), to: 4)
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <link rel="icon" href="data:,"><title>\(name): thumbnails</title>
            <style>
            :root{color-scheme:light dark;font:14px/1.4 system-ui,sans-serif;--zoom:1}
            body{margin:1.5rem auto;padding:0 1.5rem;max-width:110rem}
            h1{font-size:1.2rem;margin:0;overflow-wrap:anywhere}
            h2{font-size:1rem;margin:1rem 0 .3rem}
            p{margin:.2rem 0 1rem;opacity:.7}
            #film{display:block;width:100%;max-width:60rem;max-height:60vh;margin:0 auto;background:#000}
            #film[hidden]{display:none}
            #bar{position:relative;height:2.5rem;margin:calc(\(board.tileHeight)px*var(--zoom) + 48px) 0 1.5rem;border-radius:.4rem;background:#8884;cursor:ew-resize;touch-action:none}
            #bar:focus-visible{outline:3px solid Highlight}
            #head{position:absolute;top:0;bottom:0;width:2px;background:currentColor}
            #played{position:absolute;top:0;bottom:0;left:0;width:0;border-radius:.4rem;background:Highlight;opacity:.35;pointer-events:none}
            #preview{position:absolute;bottom:calc(100% + 6px);transform:translateX(-50%);text-align:center;pointer-events:none}
            #preview figcaption{display:none}
            #time{font-variant-numeric:tabular-nums;font-weight:600;white-space:nowrap}
            .tile div{width:\(board.tileWidth)px;height:\(board.tileHeight)px;border-radius:.3rem;zoom:var(--zoom)}
            .tile{margin:0;display:inline-block}
            .tile figcaption{text-align:center;font-variant-numeric:tabular-nums}
            .repeat div{opacity:.45}
            #all{display:flex;flex-wrap:wrap;gap:.6rem;justify-content:center}
            .plays #all .tile{cursor:pointer}
            details{margin:0 0 1.5rem}
            summary{cursor:pointer}
            pre{overflow:auto;padding:.6rem;border-radius:.3rem;background:#8882}
            @media(max-width:560px){:root{--zoom:\(small.prefix(1)).\(small.suffix(3))}body{margin-top:1rem;padding:0 1rem}}
            </style></head><body>
            <h1>\(name)</h1>
            <p>\(board.thumbnails.count) \(board.thumbnails.count == 1 ? "thumbnail" : "thumbnails"), \(clock(board.duration)) long. Move over the bar, or use the arrow keys.\(repeats)</p>
            \(video ?? "")<div id="bar" role="slider" tabindex="0" aria-label="Time" aria-valuemin="0" aria-valuemax="\(board.thumbnails.count - 1)"><div id="played"></div><div id="head"></div><div id="preview"><div id="picture"></div><span id="time"></span></div></div>
            <details><summary>In a player</summary>
            \(PlayerSnippets(film: film ?? "film.mp4").html)
            </details>
            <div id="all">
            \(tiles)
            </div>
            <script>
            \(script)
            </script></body></html>

            """
    }

    private var script: String {
        """
        const find=id=>document.getElementById(id),bar=find('bar'),head=find('head'),view=find('preview'),film=find('film');
        const tiles=[...document.querySelectorAll('#all .tile')],length=\(ThumbnailPage.decimal(board.duration));
        let now=-1,at=0;
        function clock(time){
          const whole=Math.floor(time*1000+1e-6),two=n=>String(n).padStart(2,'0'),s=Math.floor(whole/1000),h=Math.floor(s/3600);
          return (h?h+':'+two(Math.floor(s/60)%60):Math.floor(s/60))+':'+two(s%60)+'.'+String(whole%1000).padStart(3,'0');
        }
        function show(place){
          place=Math.min(1,Math.max(0,place));at=place*length;
          let tile=tiles.findLastIndex(t=>Number(t.dataset.start)<=at);if(tile<0)tile=0;
          if(tile!==now){now=tile;const copy=tiles[now].cloneNode(true);copy.classList.remove('repeat');find('picture').replaceChildren(copy)}
          find('time').textContent=clock(at);
          // In parts of the bar, so that it stays right when the window changes.
          const half=view.getBoundingClientRect().width/2,x=100*place;
          head.style.left=x+'%';view.style.left=`clamp(${half}px,${x}%,100% - ${half}px)`;
          bar.setAttribute('aria-valuenow',now);bar.setAttribute('aria-valuetext',clock(at));
        }
        function seek(time){if(film&&!film.hidden)film.currentTime=Math.min(time,film.duration||time)}
        const pointed=e=>{const r=bar.getBoundingClientRect();show((e.clientX-r.left)/r.width)};
        bar.addEventListener('pointermove',e=>{pointed(e);if(e.buttons)seek(at)});
        bar.addEventListener('pointerdown',e=>{pointed(e);seek(at)});
        bar.addEventListener('keydown',e=>{const d={ArrowRight:1,ArrowLeft:-1}[e.key];if(!d)return;e.preventDefault();
          const n=Math.min(tiles.length-1,Math.max(0,now+d));show((Number(tiles[n].dataset.start)+1e-6)/length);seek(at)});
        addEventListener('resize',()=>show(at/length));
        if(film){
          // What the browser cannot play, or does not find, is not shown.
          film.addEventListener('loadedmetadata',()=>{film.hidden=!film.videoWidth;document.body.classList.toggle('plays',!film.hidden)});
          film.addEventListener('error',()=>{film.hidden=true;document.body.classList.remove('plays')});
          film.addEventListener('timeupdate',()=>{find('played').style.width=100*film.currentTime/length+'%'});
          tiles.forEach(t=>t.addEventListener('click',()=>{seek(Number(t.dataset.start)+1e-3);film.scrollIntoView({block:'nearest'})}));
          if(film.error)film.hidden=true;else if(film.readyState>0)film.dispatchEvent(new Event('loadedmetadata'));
        }
        show(.5);
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

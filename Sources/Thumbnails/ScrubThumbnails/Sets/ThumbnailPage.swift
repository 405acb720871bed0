internal import ScrubStoryboards
internal import ScrubStripElement

/// A page for viewing a set. It shows the video if it is near the set and the browser can play it. It shows the sheets'
/// tiles under a pointer, like a player's preview (`<scrub-strip>`), and all of them below. It needs only the files
/// next to it.
struct ThumbnailPage {
    private let board: Storyboard
    /// The video's frames, for their times.
    private let frames: PresentedFrames
    /// The video's address, relative to the page.
    private let film: String?
    /// Whether all pictures' times are in whole seconds.
    private let isWhole: Bool

    init(_ board: Storyboard, asset: VideoAsset, film: String? = nil) throws(ScrubError) {
        try board.validate()
        (self.board, self.film, frames) = (board, film, asset.frames)
        isWhole = board.thumbnails.allSatisfy { $0.time.denominator == 1 }
    }

    var html: String {
        let name = PlainText.markup(board.file.mediumName)
        let repeats =
            board.thumbnails.contains(where: \.isRepeat) ? " Faded thumbnails repeat the previous picture." : ""
        let tiles = board.thumbnails.map { thumbnail in
            let sheet = PlainText.markup(board.sheets[thumbnail.sheet].name)
            let label = isWhole ? whole(thumbnail.time) : frames[thumbnail.frameNumber].timeText
            let mark = thumbnail.isRepeat ? " repeat" : ""
            return
                "<figure class=\"tile\(mark)\" data-start=\"\(ThumbnailPage.decimal(thumbnail.start))\" title=\"frame \(thumbnail.frameNumber), "
                + "\(thumbnail.verdict)\"><div style=\"background-image:url('\(sheet)');background-position:-\(thumbnail.x)px -\(thumbnail.y)px\">"
                + "</div><figcaption>\(label)</figcaption></figure>"
        }.joined(separator: "\n")
        let video = film.map {
            "<video id=\"film\" controls playsinline preload=\"metadata\" src=\"\(PlainText.markup($0))\" hidden></video>\n"
        }
        // Two columns on the narrowest phones, and a preview with some space around it.
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
            scrub-strip{height:3.5rem;margin:calc(\(board.tileHeight)px*var(--zoom) + 48px) 0 1.5rem;--scrub-strip-preview-width:calc(\(board.tileWidth)px*var(--zoom))}
            .tile div{width:\(board.tileWidth)px;height:\(board.tileHeight)px;border-radius:.3rem;zoom:var(--zoom)}
            .tile{margin:0;display:inline-block}
            .tile figcaption{text-align:center;font-variant-numeric:tabular-nums}
            .repeat div{opacity:.45}
            #all{display:flex;flex-wrap:wrap;gap:.6rem;justify-content:center}
            #all .tile{cursor:pointer}
            details{margin:0 0 1.5rem}
            summary{cursor:pointer}
            pre{overflow:auto;padding:.6rem;border-radius:.3rem;background:#8882}
            @media(max-width:560px){:root{--zoom:\(small.prefix(1)).\(small.suffix(3))}body{margin-top:1rem;padding:0 1rem}}
            </style></head><body>
            <h1>\(name)</h1>
            <p>\(board.thumbnails.count) \(board.thumbnails.count == 1 ? "thumbnail" : "thumbnails"), \(isWhole ? whole(board.duration) : TimeText(board.duration).clock) long. Move the pointer over the strip, or use the arrow keys.\(repeats)</p>
            \(video ?? "")<scrub-strip for="film" duration="\(ThumbnailPage.decimal(board.end))" value="\(ThumbnailPage.decimal(middle))" label="Time" filmstrip persistent></scrub-strip>
            <details><summary>In a player</summary>
            \(PlayerSnippets(film: film ?? "film.mp4").html)
            </details>
            <div id="all">
            \(tiles)
            </div>
            <script src="\(StripElement.fileName)"></script>
            <script>
            \(script)
            </script></body></html>

            """
    }

    /// The strip's initial position.
    private var middle: Rational { board.end.multiplied(by: Rational(1, 2)) ?? .zero }

    /// The script. The strip's thumbnails are the page's tiles, so that it needs no request; browsers block requests
    /// from a page that is opened as a file.
    private var script: String {
        """
        const film=document.getElementById('film'),strip=document.querySelector('scrub-strip'),tiles=[...document.querySelectorAll('#all .tile')];
        strip.thumbnails=tiles.map(tile=>{
          const picture=tile.firstElementChild,style=picture.style,[x,y]=style.backgroundPosition.split(' ').map(part=>-parseFloat(part));
          return {start:Number(tile.dataset.start),url:style.backgroundImage.slice(5,-2),x,y,width:\(board.tileWidth),height:\(board.tileHeight),
            frame:parseInt(tile.title.slice(6))};
        });
        // Media that the browser cannot play or find is not shown.
        if(film){
          film.addEventListener('loadedmetadata',()=>{film.hidden=!film.videoWidth;document.body.classList.toggle('plays',!film.hidden)});
          film.addEventListener('error',()=>{film.hidden=true;document.body.classList.remove('plays')});
          if(film.error)film.hidden=true;else if(film.readyState>0)film.dispatchEvent(new Event('loadedmetadata'));
        }
        tiles.forEach(tile=>tile.addEventListener('click',()=>{
          strip.value=Number(tile.dataset.start)+1e-3;
          if(film&&!film.hidden)film.scrollIntoView({block:'nearest'});
        }));
        """
    }

    private static func decimal(_ time: Rational) -> String {
        let milliseconds = time.scaledDown(1000)
        return "\(milliseconds / 1000)." + PlainText.padded(milliseconds % 1000, to: 3)
    }

    /// Returns whole seconds, if all times are whole.
    private func whole(_ time: Rational) -> String { PlainText.clock(seconds: Int(clamping: time.scaledDown(1))) }
}

internal import Scrub
internal import ScrubBase
internal import ScrubMedia
internal import ScrubPictures
internal import ScrubThumbnails
internal import Storyboards

/// A film's strip while it is made and afterwards: small pictures over the whole film, on sheets.
///
/// Thread safety: safe from any thread. Memory: the sheets' pixels while they are made (ten megabytes), some hundred kilobytes
/// afterwards.
final class FilmStrip: Sendable {
    private struct State {
        /// Pixels of each sheet; empty once it is encoded for good.
        var canvases: [SheetCanvas] = []
        /// Sheets that are whole.
        var sheets: [Int: [UInt8]] = [:]
        /// By frame, each as a file of its own: what stands in for frames near it.
        var tiles: [Int: EncodedFrame] = [:]
        /// Frames that cannot be decoded.
        var missing: Set<Int> = []
        var failure: ScrubError?
        var isDone = false
    }

    let medium: ViewedMedium
    private let pictures: StripPictures
    private let form: PictureForm
    private let state: Locked<State>

    /// Columns of a thumbnail.
    static let tileWidth = 256
    /// The most thumbnails.
    static let mostTiles = 100

    /// Plans it; blocks for what reading some headers takes.
    init(_ medium: ViewedMedium) throws(ScrubError) {
        self.medium = medium
        var sheets = SheetOptions()
        (sheets.columns, sheets.rows, sheets.format, sheets.quality) = (10, 5, .webp, 80)
        (sheets.namePrefix, sheets.nameDigits) = ("sheet/", 1)
        let count = min(FilmStrip.mostTiles, medium.asset.frames.count)
        pictures = try StripPictures(
            medium.asset, ThumbnailRequest(.count(count), tolerance: .automatic), width: FilmStrip.tileWidth,
            sheets: sheets)
        form = PictureForm(width: FilmStrip.tileWidth, format: .jpeg)
        state = Locked(
            State(canvases: pictures.storyboard.sheets.map { SheetCanvas(width: $0.width, height: $0.height) }))
    }

    /// Makes it; blocks until it is whole or `isCancelled`.
    ///
    /// - Parameter yield: called between pictures: lets those go first who wait for a frame.
    func make(isCancelled: @escaping @Sendable () -> Bool, yield: @Sendable () -> Void) {
        let places = Dictionary(grouping: pictures.storyboard.thumbnails, by: \.frame)
        do throws(ScrubError) {
            try pictures.run(threadCount: 1) { (frame, verdict, image) throws(ScrubError) in
                if isCancelled() { throw ScrubError(.unavailable, "nobody wants the strip any more") }
                yield()
                try add(frame, verdict, image, at: places[frame] ?? [])
            }
            try finish()
        } catch {
            state.withLock { state in
                state.failure = error
                state.canvases = []
            }
        }
    }

    private func add(
        _ frame: Int, _ verdict: Verdict, _ image: RasterImage?, at places: [Storyboard.Thumbnail]
    ) throws(ScrubError) {
        guard let image else {
            _ = state.withLock { $0.missing.insert(frame) }
            return
        }
        let tile = EncodedFrame(
            frame: frame, form: form, bytes: try ImageFormat.jpeg.encode(image, quality: 80))
        state.withLock { state in
            state.tiles[frame] = tile
            for place in places where state.canvases.indices.contains(place.sheet) {
                state.canvases[place.sheet].paste(image, x: place.x, y: place.y)
            }
        }
    }

    private func finish() throws(ScrubError) {
        for number in pictures.storyboard.sheets.indices {
            let image = state.withLock { $0.canvases[number].image }
            let bytes = try ImageFormat.webp.encode(image, quality: 80)
            state.withLock { $0.sheets[number] = bytes }
        }
        state.withLock { state in
            state.canvases = []
            state.isDone = true
        }
    }

    /// Whether nothing more comes.
    var hasEnded: Bool { state.withLock { $0.isDone || $0.failure != nil } }
    /// Why it could not be made.
    var failure: ScrubError? { state.withLock { $0.failure } }

    /// The picture nearest to a frame.
    func nearest(to frame: Int) -> EncodedFrame? {
        state.withLock { $0.tiles.values.min { abs($0.frame - frame) < abs($1.frame - frame) } }
    }

    /// A sheet as it is now, and whether it is whole; blocks for what encoding takes.
    func sheet(_ number: Int) throws(ScrubError) -> (bytes: [UInt8], isWhole: Bool)? {
        let (whole, image) = state.withLock { state in
            (state.sheets[number], state.canvases.indices.contains(number) ? state.canvases[number].image : nil)
        }
        if let whole { return (whole, true) }
        guard let image else { return nil }
        return (try ImageFormat.webp.encode(image, quality: 70), false)
    }

    /// For players: complete before the first picture is made.
    func webVTT() throws(ScrubError) -> String { try WebVTT(pictures.storyboard).text }

    /// How far it is, and where everything lies. Addresses are relative to this one.
    var json: String {
        let board = pictures.storyboard
        let (tiles, missing, isDone, failure) = state.withLock {
            (Set($0.tiles.keys), $0.missing, $0.isDone, $0.failure)
        }
        var line = JSONText()
        line.add("state", failure != nil ? "failed" : isDone ? "ready" : "making")
        let total = Set(board.thumbnails.map(\.frame)).count
        line.add("done", tiles.count + missing.count)
        line.add("total", total)
        if let failure { line.add("error", failure.cause) }
        let shown = board.thumbnails.filter { tiles.contains($0.frame) }
        let counts = Dictionary(grouping: shown, by: \.sheet).mapValues(\.count)
        line.add(
            "sheets",
            .array(
                board.sheets.enumerated().map { number, sheet in
                    var part = JSONText()
                    part.add("url", "sheet/\(number).webp?v=\(isDone ? "whole" : "\(counts[number] ?? 0)")")
                    part.add("columns", board.columns)
                    part.add("rows", board.rows)
                    part.add("tileWidth", board.tileWidth)
                    part.add("tileHeight", board.tileHeight)
                    part.add("width", sheet.width)
                    part.add("height", sheet.height)
                    return .object(part)
                }))
        line.add(
            "tiles",
            .array(
                shown.map { tile in
                    var part = JSONText()
                    part.add("frame", tile.frame)
                    part.add("sheet", tile.sheet)
                    part.add("x", tile.x)
                    part.add("y", tile.y)
                    return .object(part)
                }))
        return line.text
    }
}

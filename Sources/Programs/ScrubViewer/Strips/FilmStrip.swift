#if Viewer
internal import Scrub
internal import ScrubBase
internal import ScrubMedia
internal import ScrubPictures
internal import ScrubThumbnails
internal import ScrubStoryboards

/// A film's strip, while it is being made and afterwards: small pictures from the whole film, on sheets.
///
/// Thread safety: safe from any thread. Memory: the sheets' pixels while they are being made (about thirty megabytes),
/// a few megabytes afterwards.
final class FilmStrip: Sendable {
    private struct State {
        /// The pixels of each sheet; empty once it is finally encoded.
        var canvases: [SheetCanvas] = []
        /// The complete sheets.
        var sheets: [Int: [UInt8]] = [:]
        /// The tiles by frame, each as a separate file: they stand in for nearby frames.
        var tiles: [Int: ServedFrame] = [:]
        /// The frames whose tile was made from a kept preview.
        var previews: Set<Int> = []
        /// The frame that each thumbnail currently shows; `nil` if none yet.
        var shown: [Int?] = []
        /// The number of changes of each sheet.
        var changes: [Int: Int] = [:]
        /// The plan's frames that are finished, or cannot be decoded.
        var done = 0
        var failure: ScrubError?
        var isDone = false
    }

    let medium: ViewedMedium
    private let pictures: StripPictures
    private let form: PictureForm
    private let state: Locked<State>

    /// The columns of a thumbnail.
    static let tileWidth = 256
    /// The maximum number of thumbnails: a finger that crosses half a minute in two and a half seconds reaches a new
    /// one with every second move at 60 Hz.
    static let mostTiles = 200

    /// Plans the strip; blocks while it reads some headers.
    init(_ medium: ViewedMedium) throws(ScrubError) {
        self.medium = medium
        var sheets = Storyboard.SheetOptions()
        (sheets.columns, sheets.rows, sheets.format, sheets.quality) = (10, 5, .webp, 80)
        (sheets.namePrefix, sheets.nameDigits) = ("sheet/", 1)
        let count = min(FilmStrip.mostTiles, medium.asset.frames.count)
        pictures = try StripPictures(
            medium.asset, ThumbnailPlan.Request(.count(count), tolerance: .automatic), width: FilmStrip.tileWidth,
            sheets: sheets)
        form = PictureForm(width: FilmStrip.tileWidth, format: .jpeg)
        state = Locked(
            State(
                canvases: pictures.storyboard.sheets.map { SheetCanvas(width: $0.width, height: $0.height) },
                shown: pictures.plan.slots.map { _ in nil }))
    }

    /// Makes the strip; blocks until it is complete, or the work on this thread is cancelled.
    ///
    /// - Parameter yield: called between pictures, to let callers that wait for a frame go first.
    func make(yield: @Sendable () -> Void) {
        do throws(ScrubError) {
            try pictures.run(threadCount: max(1, Processors.count / 2)) { (picture) throws(ScrubError) in
                try Cancellation.check()
                if picture.isFinal { yield() }
                try add(picture)
            }
            try finish()
        } catch {
            end(error.isCancellation ? FilmStrip.unwanted : error)
        }
    }

    /// Ends it permanently: waiting callers are told why.
    func end(_ error: ScrubError) {
        state.withLock { state in
            state.failure = error
            state.canvases = []
        }
    }

    static let unwanted = ScrubError(.unavailable, "no client needs the strip anymore")

    private func add(_ picture: StripPictures.Picture) throws(ScrubError) {
        let tile = try picture.image.map { (image) throws(ScrubError) in
            ServedFrame(frame: picture.frame, form: form, bytes: try ImageFormat.jpeg.encode(image, quality: 80))
        }
        state.withLock { state in
            if picture.isFinal { state.done += 1 }
            guard let image = picture.image, let tile else { return }
            state.tiles[picture.frame] = tile
            if picture.isFromPreview { state.previews.insert(picture.frame) }
            for slot in picture.places {
                let place = pictures.storyboard.thumbnails[slot]
                guard state.canvases.indices.contains(place.sheet) else { continue }
                state.canvases[place.sheet].paste(image, x: place.x, y: place.y)
                state.shown[slot] = picture.frame
                state.changes[place.sheet, default: 0] += 1
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

    /// Whether nothing more will be added.
    var hasEnded: Bool { state.withLock { $0.isDone || $0.failure != nil } }
    /// Why it could not be made.
    var failure: ScrubError? { state.withLock { $0.failure } }

    /// Returns the picture nearest to a frame.
    func nearest(to frame: Int) -> ServedFrame? {
        state.withLock { $0.tiles.values.min { abs($0.frame - frame) < abs($1.frame - frame) } }
    }

    /// A sheet at one moment.
    struct Sheet {
        var bytes: [UInt8]
        /// Whether nothing more will be added.
        var isWhole: Bool
        /// The frames that it shows, row by row; `nil` for an empty cell.
        var frames: [Int?]
    }

    /// Returns a sheet in its current state; blocks while it is encoded.
    func sheet(_ number: Int) throws(ScrubError) -> Sheet? {
        let (whole, image, shown) = state.withLock { state in
            (
                state.sheets[number], state.canvases.indices.contains(number) ? state.canvases[number].image : nil,
                state.shown
            )
        }
        let frames = zip(pictures.storyboard.thumbnails, shown).filter { $0.0.sheet == number }.map(\.1)
        if let whole { return Sheet(bytes: whole, isWhole: true, frames: frames) }
        guard let image else { return nil }
        return Sheet(bytes: try ImageFormat.webp.encode(image, quality: 70), isWhole: false, frames: frames)
    }

    /// Returns WebVTT for players: complete before the first picture is made.
    func webVTT() throws(ScrubError) -> String { try Storyboard.WebVTT(pictures.storyboard).text }

    /// The progress, and the positions of the tiles. Addresses are relative to this one.
    var json: String {
        let board = pictures.storyboard
        let (shown, previews, changes, done, isDone, failure) = state.withLock {
            ($0.shown, $0.previews, $0.changes, $0.done, $0.isDone, $0.failure)
        }
        var line = JSONText()
        line.add("state", failure != nil ? "failed" : isDone ? "ready" : "making")
        line.add("done", done)
        line.add("total", Set(board.thumbnails.map(\.frameNumber)).count)
        if let failure { line.add("error", failure.causeWording.text(for: .command)) }
        line.add(
            "sheets",
            .array(
                board.sheets.enumerated().map { number, sheet in
                    var part = JSONText()
                    part.add("url", "sheet/\(number).webp?v=\(isDone ? "whole" : "\(changes[number] ?? 0)")")
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
                zip(board.thumbnails, shown).compactMap { tile, frame in
                    guard let frame else { return nil }
                    var part = JSONText()
                    part.add("frame", frame)
                    if previews.contains(frame) { part.add("preview", true) }
                    part.add("sheet", tile.sheet)
                    part.add("x", tile.x)
                    part.add("y", tile.y)
                    return .object(part)
                }))
        return line.text
    }
}
#endif

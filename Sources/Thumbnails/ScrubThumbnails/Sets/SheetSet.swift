internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

extension Storyboard {
    /// The thumbnails of each sheet.
    fileprivate var slotsOfSheets: [Range<Int>] {
        var found: [Range<Int>] = []
        for number in sheets.indices {
            let start = found.last?.upperBound ?? 0
            found.append(start..<(thumbnails[start...].firstIndex { $0.sheet != number } ?? thumbnails.count))
        }
        return found
    }

    /// Returns the name of a sheet's file among those of a run, derived from everything that affects its bytes.
    fileprivate func runName(ofSheet number: Int, _ slots: Range<Int>, quality: Int) -> String {
        let sheet = sheets[number]
        return "\(slots.lowerBound)-\(slots.upperBound)_\(tileWidth)x\(tileHeight)_"
            + "\(columns)_\(sheet.width)x\(sheet.height)_\(quality).\(format.fileExtension)"
    }
}

/// Arranges thumbnails on sheets, and encodes each sheet when it is full.
///
/// Memory: one sheet and its file.
private final class SheetMaker: ThumbnailMaker {
    private let board: Storyboard
    private let format: ImageFormat
    private let quality: Int
    private let threads: Int
    private let size: Int
    private let finished: ResumableOutput
    private let slots: [Range<Int>]
    /// The file of each sheet that is still to be made.
    private var missing: [Int: String]
    private var canvas: SheetCanvas?

    /// Creates a maker.
    ///
    /// - Parameter missing: the file of each sheet to make.
    init(
        _ board: Storyboard, _ format: ImageFormat, quality: Int, threads: Int, size: Int, missing: [Int: String],
        into finished: ResumableOutput
    ) {
        (self.board, self.format, self.quality, self.size) = (board, format, quality, size)
        self.threads = threads
        (self.missing, self.finished, slots) = (missing, finished, board.slotsOfSheets)
    }

    func needs(_ slot: Int) -> Bool { missing[board.thumbnails[slot].sheet] != nil }

    func take(_ slot: Int, _ images: [RasterImage]) throws(ScrubError) {
        let (thumbnail, sheet) = (board.thumbnails[slot], board.sheets[board.thumbnails[slot].sheet])
        if canvas == nil { canvas = SheetCanvas(width: sheet.width, height: sheet.height) }
        canvas?.paste(images[size], x: thumbnail.x, y: thumbnail.y)
        guard slot + 1 == slots[thumbnail.sheet].upperBound, let image = canvas?.image,
            let file = missing.removeValue(forKey: thumbnail.sheet)
        else { return }
        canvas = nil
        // With 4:2:0, readers interpolate color across the seam between two rows of tiles.
        let sampling: JPEG.Sampling = sheet.height > board.tileHeight ? .halfAcross : .half
        try finished.append(
            try format.encode(image, quality: quality, sampling: sampling, threads: threads), to: file)
    }
}

extension ThumbnailRun {
    /// Requests the sheets of one size. Call it before ``run(progress:)``.
    func addSheets(_ options: Storyboard.SheetOptions, size: Int) throws(ScrubError) {
        let board = try plan.storyboard(of: asset, tile: sizes[size], options, named: name)
        guard let format = ImageFormat(rawValue: options.format.rawValue) else {
            throw ScrubError(.unavailable, "\(options.format.rawValue) cannot be written")
        }
        if options.makesPlaceholderHashes { addLooks(ofSize: size) }
        var missing: [Int: String] = [:]
        for (number, slots) in board.slotsOfSheets.enumerated() {
            let file = board.runName(ofSheet: number, slots, quality: options.quality)
            if claim(file), finished.byteCounts(of: file).isEmpty { missing[number] = file }
        }
        add(
            SheetMaker(
                board, format, quality: options.quality, threads: threadCount, size: size, missing: missing,
                into: finished))
    }

    /// Writes the requested sheets of one size to a folder.
    ///
    /// - Returns: the set, with the location of each thumbnail.
    func writeSheets(_ options: Storyboard.SheetOptions, size: Int, folder: String) throws(ScrubError) -> Storyboard {
        var board = try plan.storyboard(of: asset, tile: sizes[size], options, named: name)
        complete(&board, looks: options.makesPlaceholderHashes ? size : nil)
        for (number, slots) in board.slotsOfSheets.enumerated() {
            let file = board.runName(ofSheet: number, slots, quality: options.quality)
            try finished.put(file, at: folder + "/" + board.sheets[number].name)
            board.sheets[number].byteCount = finished.byteCounts(of: file).reduce(0, +)
        }
        return board
    }

    /// Updates a set that was made from the plan with the thumbnails' final frames.
    ///
    /// - Parameter looks: the size whose blurred placeholders to include; `nil` for none.
    func complete(_ board: inout Storyboard, looks: Int? = nil) {
        for (slot, shown) in finished.shown.enumerated() {
            board.thumbnails[slot].time = asset.time(ofFrame: shown.frame)
            board.thumbnails[slot].frameNumber = shown.frame
            board.thumbnails[slot].verdict = shown.verdict
            board.thumbnails[slot].isFromPreview = shown.isFromPreview
            board.thumbnails[slot].isRepeat = slot > 0 && finished.shown[slot - 1].frame == shown.frame
            guard let looks, let look = shown.looks[looks] else { continue }
            (board.thumbnails[slot].blurHash, board.thumbnails[slot].thumbHash) = (look.blurHash, look.thumbHash)
        }
    }
}

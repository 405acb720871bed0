internal import ScrubFileIO
internal import ScrubPictures
public import ScrubStoryboards

extension Storyboard {
    /// How thumbnails are put on sheets.
    public struct SheetOptions: Hashable, Sendable {
        /// Thumbnails side by side on a sheet, 1 or more.
        public var columns = 10
        /// Rows of thumbnails on a sheet, 1 or more.
        public var rows = 10
        /// The sheets' format.
        public var format = ImageFormat.jpeg
        /// The encoder's quality, 1 to 100. Default 80; without effect on PNG.
        public var quality = 80
        /// Whether the last sheet is as large as the others, with empty places.
        public var lastSheet = Storyboard.SheetLayout.LastSheet.trimmed
        /// What comes before the sheet's number in its name.
        public var namePrefix = "sheet-"
        /// The fewest digits of the sheet's number, 0 or more.
        public var nameDigits = 3
        /// Whether each thumbnail has a BlurHash and a ThumbHash in the manifest.
        public var makesBlurHashes = false

        /// Makes options.
        public init() {}
    }
}

extension ThumbnailRun {
    /// Writes the sheets of one size into a folder; each appears under its name when it is whole. One that the run has
    /// written for another player is copied.
    ///
    /// Memory: one sheet and its file.
    ///
    /// - Returns: the set, which tells where each thumbnail is.
    func writeSheets(_ options: Storyboard.SheetOptions, size: Int, folder: String) throws(ScrubError) -> Storyboard {
        var board = try plan.storyboard(of: asset, tile: sizes[size], options, named: name)
        guard let format = ImageFormat(rawValue: options.format.rawValue) else {
            throw ScrubError(.unavailable, "\(options.format.rawValue) cannot be written")
        }
        var slot = 0
        for number in board.sheets.indices {
            let sheet = board.sheets[number]
            let end = board.thumbnails[slot...].firstIndex { $0.sheet != number } ?? board.thumbnails.count
            let key = WrittenPictures.Key.sheet(
                slots: slot..<end, size: size, columns: board.columns, width: sheet.width, height: sheet.height,
                format: options.format, quality: options.quality)
            let known = written[key]
            let path = folder + "/" + sheet.name
            var canvas = known == nil ? SheetCanvas(width: sheet.width, height: sheet.height) : nil
            for slot in slot..<end {
                complete(&board, slot)
                let (x, y) = (board.thumbnails[slot].x, board.thumbnails[slot].y)
                canvas?.paste(try image(plan.slots[slot], size: size), x: x, y: y)
                if options.makesBlurHashes { try addHashes(&board, slot, size: size) }
            }
            slot = end
            if let known {
                try AtomicFile.copy(known.path, to: path)
                board.sheets[number].byteCount = known.byteCounts[0]
            } else if let canvas {
                // With 4:2:0 readers interpolate color over the seam between two rows of tiles.
                let sampling: JPEG.Sampling = sheet.height > board.tileHeight ? .halfAcross : .half
                let bytes = try format.encode(canvas.image, quality: options.quality, sampling: sampling)
                try AtomicFile.write(bytes, to: path)
                board.sheets[number].byteCount = bytes.count
                written.add(key, path, [bytes.count])
            }
        }
        return board
    }

    /// Puts the hashes of a completed slot's picture into a set; those of a picture that is repeated are known.
    private func addHashes(_ board: inout Storyboard, _ slot: Int, size: Int) throws(ScrubError) {
        if board.thumbnails[slot].isRepeat {
            board.thumbnails[slot].blurHash = board.thumbnails[slot - 1].blurHash
            board.thumbnails[slot].thumbHash = board.thumbnails[slot - 1].thumbHash
        } else {
            let image = try image(plan.slots[slot], size: size)
            (board.thumbnails[slot].blurHash, board.thumbnails[slot].thumbHash) = (image.blurHash, image.thumbHash)
        }
    }

    /// Puts what a slot shows in the end into a set that was made from the plan.
    func complete(_ board: inout Storyboard, _ slot: Int) {
        let shown = shown(plan.slots[slot])
        board.thumbnails[slot].time = shown.time
        board.thumbnails[slot].frame = shown.frame
        board.thumbnails[slot].verdict = shown.verdict.name
        board.thumbnails[slot].isRepeat = slot > 0 && board.thumbnails[slot - 1].frame == shown.frame
    }
}

internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

extension ThumbnailRun {
    /// A slot's picture as a JPEG file of its own.
    func jpeg(_ slot: Int, size: Int, quality: Int) throws(ScrubError) -> [UInt8] {
        try ImageFormat.jpeg.encode(try image(plan.slots[slot], size: size), quality: quality)
    }

    /// Writes the pictures of one size into a BIF file, which appears under its name when it is whole. One that the run
    /// has written for another player is copied.
    ///
    /// - Returns: the set, with a sheet for each picture.
    func writeBIF(
        _ options: Storyboard.SheetOptions, size: Int, path: String
    ) throws(ScrubError) -> Storyboard {
        var board = try plan.storyboard(of: asset, tile: sizes[size], options, named: name)
        let key = WrittenPictures.Key.bif(size: size, quality: options.quality)
        if let known = written[key] {
            for slot in board.thumbnails.indices {
                board.sheets[slot].byteCount = known.byteCounts[slot]
                complete(&board, slot)
            }
            try AtomicFile.copy(known.path, to: path)
            return board
        }
        var file = try BIFWriter(path: path, count: board.sheets.count)
        var bytes: [UInt8] = []
        for slot in board.thumbnails.indices {
            complete(&board, slot)
            // A picture that is repeated is not encoded again.
            if !board.thumbnails[slot].isRepeat { bytes = try jpeg(slot, size: size, quality: options.quality) }
            try file.append(bytes)
            board.sheets[slot].byteCount = bytes.count
        }
        try file.commit(board)
        written.add(key, path, board.sheets.map(\.byteCount))
        return board
    }
}

internal import ScrubPictures
internal import Storyboards

extension ThumbnailRun {
    /// A slot's picture as a JPEG file of its own.
    func jpeg(_ slot: Int, size: Int, quality: Int) throws(ScrubError) -> [UInt8] {
        try PictureFormat.jpeg.encode(try image(plan.slots[slot], size: size), quality: quality)
    }

    /// Writes the pictures of one size into a BIF file, which appears under its name when it is whole.
    ///
    /// - Returns: the set, with a sheet for each picture.
    func writeBIF(
        _ options: SheetOptions, size: Int, path: String
    ) throws(ScrubError) -> Storyboard {
        var board = try plan.storyboard(of: asset, tile: sizes[size], options)
        var file = try BIFWriter(path: path, count: board.sheets.count)
        for slot in board.thumbnails.indices {
            let bytes = try jpeg(slot, size: size, quality: options.quality)
            try file.append(bytes)
            board.sheets[slot].byteCount = bytes.count
            complete(&board, slot)
        }
        try file.commit(board)
        return board
    }
}

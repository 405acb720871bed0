internal import ScrubFileIO
internal import ScrubPictures
internal import ScrubStoryboards

/// Encodes thumbnails as individual JPEG pictures, one after another in a BIF file whose header is written last. An
/// I-frame track has the same pictures.
///
/// Memory: one picture and its bytes.
private final class PictureMaker: ThumbnailMaker {
    private let name: String
    private let quality: Int
    private let size: Int
    private let headByteCount: Int
    private let finished: ResumableOutput
    /// The number of thumbnails in the file.
    private var count: Int
    /// The bytes of the last picture.
    private var bytes: [UInt8]?

    init(_ name: String, quality: Int, size: Int, pictures: Int, into finished: ResumableOutput) {
        (self.name, self.quality, self.size, self.finished) = (name, quality, size, finished)
        headByteCount = Storyboard.BIF.headerByteCount(pictures: pictures)
        count = finished.byteCounts(of: name).count
    }

    func needs(_ slot: Int) -> Bool { slot >= count }

    func take(_ slot: Int, _ images: [RasterImage]) throws(ScrubError) {
        // A repeated picture is not encoded again.
        let isRepeat = slot > 0 && finished.shown[slot].frame == finished.shown[slot - 1].frame
        let known = isRepeat ? bytes : nil
        let made: [UInt8] = if let known { known } else { try ImageFormat.jpeg.encode(images[size], quality: quality) }
        try finished.append(made, to: name, headByteCount: headByteCount)
        (bytes, count) = (made, slot + 1)
    }
}

extension ThumbnailRun {
    private func picturesName(size: Int, quality: Int) -> String {
        "pictures_\(sizes[size].width)x\(sizes[size].height)_\(quality).bif"
    }

    /// Requests the single pictures of one size. Call it before ``run(progress:)``.
    func addPictures(size: Int, quality: Int) {
        let file = picturesName(size: size, quality: quality)
        guard claim(file) else { return }
        add(PictureMaker(file, quality: quality, size: size, pictures: plan.slots.count, into: finished))
    }

    /// Returns the requested single pictures of one size, one per thumbnail.
    ///
    /// - Throws: `inputOutput` if they cannot be read.
    func pictures(size: Int, quality: Int) throws(ScrubError) -> [ParsedPicture] {
        try finished.pictures(of: picturesName(size: size, quality: quality))
    }

    /// Writes the BIF file of one size, whose pictures were requested, to a path.
    ///
    /// - Returns: the set, with a sheet for each picture.
    /// - Throws: `usage` if BIF cannot represent the set.
    func writeBIF(_ options: Storyboard.SheetOptions, size: Int, path: String) throws(ScrubError) -> Storyboard {
        var board = try plan.storyboard(of: asset, tile: sizes[size], options, named: name)
        complete(&board)
        let file = picturesName(size: size, quality: options.quality)
        for (slot, byteCount) in zip(board.sheets.indices, finished.byteCounts(of: file)) {
            board.sheets[slot].byteCount = byteCount
        }
        try finished.put(file, at: path, head: try Storyboard.BIF(board).header)
        return board
    }
}

internal import ScrubPictures
internal import Storyboards

extension ThumbnailRun {
    /// Single JPEG pictures in memory, for formats that hold them all in one file.
    ///
    /// Memory: the encoded pictures, some 10 KB each at 320 pixels.
    func encodeSingles(
        quality: Int, size: Int
    ) throws(ScrubError) -> (board: Storyboard, pictures: [[UInt8]]) {
        let tile = sizes[size]
        var pictures: [[UInt8]] = []
        var thumbnails: [Storyboard.Thumbnail] = []
        for slot in plan.slots {
            let shown = shown(slot)
            pictures.append(try PictureFormat.jpeg.encode(try image(slot, size: size), quality: quality))
            thumbnails.append(
                Storyboard.Thumbnail(
                    index: slot.index, start: slot.start, requested: slot.requested, time: shown.time,
                    frame: shown.frame, verdict: shown.verdict.name, sheet: slot.index, x: 0, y: 0, width: tile.width,
                    height: tile.height, isRepeat: thumbnails.last?.frame == shown.frame))
        }
        let sheets = pictures.enumerated().map { number, bytes in
            Storyboard.Sheet(name: "\(number).jpg", width: tile.width, height: tile.height, byteCount: bytes.count)
        }
        let board = Storyboard(
            file: asset.path, frameCount: asset.frames.count, duration: asset.duration, tileWidth: tile.width,
            tileHeight: tile.height, columns: 1, rows: 1, format: .jpeg, sheets: sheets, thumbnails: thumbnails)
        return (board, pictures)
    }
}

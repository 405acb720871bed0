internal import ScrubPictures
internal import ScrubStoryboards

extension ThumbnailPlan {
    /// Returns the future set, before any picture is decoded, so that unsupported formats are detected before hours of
    /// decoding.
    ///
    /// Frames and verdicts are the plan's, and no file has more than a byte.
    func storyboard(
        of asset: VideoAsset, tile: PictureSize, _ options: Storyboard.SheetOptions, named name: String? = nil
    ) throws(ScrubError) -> Storyboard {
        let layout = try Storyboard.SheetLayout(
            count: slots.count, columns: options.columns, rows: options.rows, tileWidth: tile.width,
            tileHeight: tile.height, format: options.format, lastSheet: options.lastSheet)
        let sheets = (0..<layout.sheetCount).map { number in
            let extent = layout.size(ofSheet: number)
            return Storyboard.Sheet(
                name: options.name(ofSheet: number), width: extent.width, height: extent.height, byteCount: 1)
        }
        let lead = options.countsFromFirstFrame ? .zero : asset.playerStart
        let thumbnails = slots.map { slot in
            let place = layout.place(of: slot.index)
            // Only the first thumbnail is shown before the first frame.
            let start = slot.index == 0 ? .zero : max(.zero, slot.start.adding(lead) ?? slot.start)
            return Storyboard.Thumbnail(
                index: slot.index, start: start, requestedTime: slot.requestedTime, time: slot.time,
                frameNumber: slot.frameNumber,
                verdict: (slot.frameNumber == slot.requestedFrameNumber ? Verdict.exact : .approximate("")).name,
                sheet: place.sheet, x: place.x, y: place.y, width: tile.width, height: tile.height,
                isRepeat: slot.isRepeat)
        }
        var board = Storyboard(
            file: name ?? asset.path.publicName, frameCount: asset.frames.count, duration: asset.duration,
            tileWidth: tile.width,
            tileHeight: tile.height, columns: options.columns, rows: options.rows, format: options.format,
            sheets: sheets, thumbnails: thumbnails)
        board.playerStart = lead
        return board
    }
}

extension Storyboard.SheetOptions {
    fileprivate func name(ofSheet number: Int) -> String {
        namePrefix + PlainText.padded(number, to: nameDigits) + "." + format.fileExtension
    }
}

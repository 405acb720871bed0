internal import FileIO
internal import ScrubPictures
public import Storyboards

/// How thumbnails are put on sheets.
public struct SheetOptions: Hashable, Sendable {
    /// Thumbnails side by side on a sheet.
    public var columns = 10
    /// Rows of thumbnails on a sheet.
    public var rows = 10
    /// The sheets' format.
    public var format = ImageFormat.jpeg
    /// The encoder's quality, 1 to 100. Default 80; without effect on PNG.
    public var quality = 80
    /// Whether the last sheet is as large as the others, with empty places.
    public var lastSheet = SheetLayout.LastSheet.trimmed
    /// What stands before the sheet's number in its name.
    public var namePrefix = "sheet-"
    /// The fewest digits of the sheet's number.
    public var nameDigits = 3
    /// Whether each thumbnail has a BlurHash in the manifest.
    public var makesBlurHashes = false

    /// Makes options.
    public init() {}
}

extension ThumbnailRun {
    /// Writes the sheets of one size into a folder; each appears under its name when it is whole.
    ///
    /// Memory: one sheet and its file.
    ///
    /// - Returns: the set, which tells where each thumbnail is.
    func writeSheets(_ options: SheetOptions, size: Int, folder: String) throws(ScrubError) -> Storyboard {
        let tile = sizes[size]
        let layout = try SheetLayout(
            count: plan.slots.count, columns: options.columns, rows: options.rows, tileWidth: tile.width,
            tileHeight: tile.height, format: options.format, lastSheet: options.lastSheet)
        guard let format = PictureFormat(rawValue: options.format.rawValue) else {
            throw ScrubError(.unavailable, "\(options.format.rawValue) cannot be written")
        }
        var sheets: [Storyboard.Sheet] = []
        var thumbnails: [Storyboard.Thumbnail] = []
        for sheet in 0..<layout.sheetCount {
            let extent = layout.size(ofSheet: sheet)
            var canvas = SheetCanvas(width: extent.width, height: extent.height)
            let first = sheet * layout.tilesPerSheet
            for slot in plan.slots[first..<first + layout.tileCount(onSheet: sheet)] {
                let place = layout.place(of: slot.index)
                let image = try image(slot, size: size)
                canvas.paste(image, x: place.x, y: place.y)
                thumbnails.append(thumbnail(slot, at: place, tile, after: thumbnails.last, image, options))
            }
            let digits = String(sheet)
            let padding = String(repeating: "0", count: max(0, options.nameDigits - digits.count))
            let name = options.namePrefix + padding + digits + "." + options.format.fileExtension
            let bytes = try format.encode(canvas.image, quality: options.quality)
            try AtomicFile.write(bytes, to: folder + "/" + name)
            sheets.append(.init(name: name, width: extent.width, height: extent.height, byteCount: bytes.count))
        }
        return Storyboard(
            file: asset.path, frameCount: asset.frames.count, duration: asset.duration, tileWidth: tile.width,
            tileHeight: tile.height, columns: options.columns, rows: options.rows, format: options.format,
            sheets: sheets, thumbnails: thumbnails)
    }

    private func thumbnail(
        _ slot: ThumbnailPlan.Slot, at place: SheetLayout.Place, _ tile: PictureSize,
        after previous: Storyboard.Thumbnail?, _ image: RasterImage, _ options: SheetOptions
    ) -> Storyboard.Thumbnail {
        let shown = shown(slot)
        return Storyboard.Thumbnail(
            index: slot.index, start: slot.start, requested: slot.requested, time: shown.time, frame: shown.frame,
            verdict: shown.verdict.name, sheet: place.sheet, x: place.x, y: place.y, width: tile.width,
            height: tile.height, isRepeat: previous?.frame == shown.frame,
            blurHash: options.makesBlurHashes ? image.blurHash : nil)
    }
}

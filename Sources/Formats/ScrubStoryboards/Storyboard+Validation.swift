public import ScrubBase

extension Storyboard {
    /// The accepted sides in pixels: 31 bits, as in every image format. Together with ``grids``, this keeps all
    /// products within 64 bits.
    package static let sides = 1...0x7FFF_FFFF
    /// The accepted numbers of columns and rows.
    package static let grids = 1...0xFFFF
    /// The maximum number of thumbnails accepted from an index that has no bytes for each of them: one per second for
    /// twelve days.
    package static let mostThumbnails = 1 << 20

    /// Checks that the set is consistent. Its slots must be in ascending order, and each must begin before the end. Its
    /// thumbnails must be numbered from 0 and be inside their sheets. Its sheets must have different relative paths
    /// that stay inside the set's folder.
    ///
    /// - Throws: ``ScrubError/Code/badData`` with the location of the first fault.
    public func validate() throws(ScrubError) {
        guard duration > .zero else { throw Self.fault("duration", "\(duration) is not above 0") }
        guard playerStart >= .zero, playerStart.adding(duration) != nil else {
            throw Self.fault("playerStart", "\(playerStart) is below 0 or too large")
        }
        guard frameCount > 0 else { throw Self.fault("frameCount", "\(frameCount) is below 1") }
        let (sides, grids) = (Self.sides, Self.grids)
        guard [tileWidth, tileHeight].allSatisfy(sides.contains), [columns, rows].allSatisfy(grids.contains) else {
            throw Self.fault("tiles", "\(columns)x\(rows) tiles of \(tileWidth)x\(tileHeight) pixels are out of range")
        }
        guard !thumbnails.isEmpty else { throw Self.fault("thumbnails", "the list is empty") }
        var names: Set<String> = []
        for (place, sheet) in sheets.enumerated() {
            let name = "sheet \(place)"
            guard Self.isInside(sheet.name) else {
                throw Self.fault(name, "'\(sheet.name)' is not a path inside the set's folder")
            }
            guard names.insert(sheet.name).inserted else { throw Self.fault(name, "'\(sheet.name)' occurs twice") }
            guard [sheet.width, sheet.height].allSatisfy(sides.contains), sheet.byteCount >= 0 else {
                throw Self.fault(
                    name,
                    "the size of \(sheet.width)x\(sheet.height) pixels or \(sheet.byteCount) bytes is out of range")
            }
        }
        for place in thumbnails.indices { try validateThumbnail(place) }
    }

    private func validateThumbnail(_ place: Int) throws(ScrubError) {
        let thumbnail = thumbnails[place]
        let name = "thumbnail \(place)"
        guard thumbnail.index == place else { throw Self.fault(name, "it has the wrong index \(thumbnail.index)") }
        let end = place + 1 < thumbnails.count ? thumbnails[place + 1].start : end
        guard thumbnail.start >= .zero, thumbnail.start < end else {
            throw Self.fault(name, "its slot \(thumbnail.start) to \(end) is out of range")
        }
        guard (0..<frameCount).contains(thumbnail.frameNumber) else {
            throw Self.fault(name, "it shows frame \(thumbnail.frameNumber), but the number of frames is \(frameCount)")
        }
        guard Self.verdicts.contains(thumbnail.verdict) else {
            throw Self.fault(name, "'\(thumbnail.verdict)' is not a verdict")
        }
        guard sheets.indices.contains(thumbnail.sheet) else {
            throw Self.fault(name, "it is on sheet \(thumbnail.sheet), but the number of sheets is \(sheets.count)")
        }
        let sheet = sheets[thumbnail.sheet]
        guard thumbnail.width > 0, thumbnail.height > 0, thumbnail.x >= 0, thumbnail.y >= 0,
            thumbnail.width <= sheet.width, thumbnail.x <= sheet.width - thumbnail.width,
            thumbnail.height <= sheet.height, thumbnail.y <= sheet.height - thumbnail.height
        else { throw Self.fault(name, "it is not inside '\(sheet.name)'") }
    }

    private static let verdicts: Set<String> = [
        Verdict.exact.name, Verdict.damaged("").name, Verdict.approximate("").name, Verdict.undecodable("").name,
    ]

    /// Whether a path is relative and never leaves its folder.
    package static func isInside(_ path: String) -> Bool {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isPlain = path.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        return isPlain
            && parts.allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
    }

    private static func fault(_ place: String, _ cause: String) -> ScrubError {
        ScrubError(.badData, cause, place: place)
    }
}

extension Storyboard {
    /// Returns the interval between slots, for formats with a single interval.
    ///
    /// - Parameter lastStays: whether the format's readers show the last picture until the end of the film.
    func evenInterval(for format: String, lastStays: Bool = false) throws(ScrubError) -> Rational {
        try validate()
        guard let interval = interval ?? lateInterval(lastStays: lastStays) else {
            throw ScrubError(
                .usage, "\(format) needs one interval for all thumbnails, but these are not evenly spaced",
                advice: playerStart > .zero
                    ? "make a set with this format's profile, because the video begins at \(playerStart) s"
                    : "space them evenly, or write WebVTT")
        }
        return interval
    }

    /// The interval of slots that are even from the first frame on, for a film whose first frame is later than 0 in the
    /// players' time. `nil` unless each picture still belongs to its slot when slots count from 0.
    private func lateInterval(lastStays: Bool) -> Rational? {
        guard playerStart > .zero, thumbnails.count > 1,
            let step = thumbnails[1].start.subtracting(playerStart), step > playerStart,
            let all = step.multiplied(by: Rational(Int64(thumbnails.count))), lastStays || end <= all
        else { return nil }
        for (place, thumbnail) in thumbnails.enumerated().dropFirst() {
            guard let start = step.multiplied(by: Rational(Int64(place))), let next = start.adding(step),
                start.adding(playerStart) == thumbnail.start,
                let shown = thumbnail.time.adding(playerStart), shown < next
            else { return nil }
        }
        return step
    }

    /// The set with times that count from the first frame, as playlist players do.
    ///
    /// If the first slots end before the first frame, the times do not ascend.
    package var countedFromFirstFrame: Storyboard {
        guard playerStart > .zero else { return self }
        var board = self
        for place in thumbnails.indices {
            board.thumbnails[place].start = max(.zero, thumbnails[place].start.subtracting(playerStart) ?? .zero)
        }
        board.playerStart = .zero
        return board
    }

    /// Returns the layout that every thumbnail follows, for formats that do not support anything else.
    ///
    /// - Parameter needsFull: whether the last sheet must be as large as the others.
    func grid(for format: String, needsFull: Bool) throws(ScrubError) -> Storyboard.SheetLayout {
        try validate()
        let layout = try Storyboard.SheetLayout(
            count: thumbnails.count, columns: columns, rows: rows, tileWidth: tileWidth, tileHeight: tileHeight,
            format: self.format)
        let isGrid = thumbnails.allSatisfy {
            let place = layout.place(of: $0.index)
            return place == .init(sheet: $0.sheet, x: $0.x, y: $0.y) && $0.width == tileWidth
                && $0.height == tileHeight
        }
        guard isGrid, sheets.count == layout.sheetCount else {
            throw ScrubError(
                .usage,
                "\(format) needs thumbnails in reading order in a grid of equal tiles, but these are arranged differently",
                advice: "write one tile for each thumbnail, or write WebVTT")
        }
        for (place, sheet) in sheets.enumerated() {
            let (width, height) = layout.size(ofSheet: place)
            let isFull = sheet.width == width && sheet.height == rows * tileHeight
            guard isFull || !needsFull && sheet.width == width && sheet.height == height else {
                throw ScrubError(
                    .usage,
                    "\(format): '\(sheet.name)' has \(sheet.width)x\(sheet.height) pixels, which does not match the layout",
                    advice: needsFull
                        ? "allow re-encoding its pictures (\(term: .reencoding)), or pad the last sheet"
                        : "make sheets that match the layout")
            }
        }
        return layout
    }
}

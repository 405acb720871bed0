internal import ScrubBase
internal import ScrubPictures
internal import ScrubStoryboards

/// A set adapted to another format, with the pictures that this requires.
struct AdaptedSet {
    /// A tile of the new set: a piece of a picture in the old one.
    struct Piece {
        var sheet: Int
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    /// The future set, with its sheets named as before or by number.
    private(set) var board: Storyboard
    /// The encoder's quality; `nil` if nothing is encoded.
    let quality: Int?
    /// For each new sheet, the old one of which it is a copy; `nil` for one that consists of pieces.
    private(set) var copies: [Int?]
    /// The pieces of each thumbnail.
    private(set) var pieces: [Piece]

    /// Creates the adapted set.
    ///
    /// - Parameter quality: the quality of new pictures; `nil` to reject sets that need any.
    /// - Throws: `usage` if the format cannot represent the set.
    init(_ board: Storyboard, for format: ThumbnailSets.Conversion.Format, quality: Int?) throws(ScrubError) {
        self.quality = quality
        let board = format == .hls || format == .dash ? board.countedFromFirstFrame : board
        self.board = board
        copies = board.sheets.indices.map { $0 }
        pieces = board.thumbnails.map { .init(sheet: $0.sheet, x: $0.x, y: $0.y, width: $0.width, height: $0.height) }
        let isSingle = board.columns == 1 && board.rows == 1
        do throws(ScrubError) {
            try AdaptedSet.check(board, format)
            // The server's own layout has a hundred per sheet.
            guard quality != nil, format == .jellyfin, isSingle, board.thumbnails.count > 1 else { return }
        } catch {
            guard error.code == .usage, quality != nil else { throw error }
        }
        switch format {
        case .bif: try lay(columns: 1, rows: 1, as: .jpeg, lastSheet: .trimmed)
        case .jellyfin: try lay(columns: isSingle ? 10 : board.columns, rows: isSingle ? 10 : board.rows, as: .jpeg)
        case .dash: try lay(columns: board.columns, rows: board.rows, as: board.format)
        case .vtt, .json, .hls: break
        }
        try AdaptedSet.check(self.board, format)
    }

    private static func check(_ board: Storyboard, _ format: ThumbnailSets.Conversion.Format) throws(ScrubError) {
        switch format {
        case .bif: _ = try Storyboard.BIF(board)
        case .jellyfin: _ = try Storyboard.JellyfinTrickplay(board)
        case .hls: _ = try Storyboard.HLSImagePlaylist(board)
        case .dash: _ = try Storyboard.DASHTiles(board)
        case .vtt, .json: try board.validate()
        }
    }

    /// Arranges the thumbnails again. Sheets that do not change remain copies.
    private mutating func lay(
        columns: Int, rows: Int, as format: ImageFormat, lastSheet: Storyboard.SheetOptions.LastSheet = .full
    ) throws(ScrubError) {
        let old = board
        // Jellyfin requires even widths, so a column is added.
        let width = board.tileWidth + (format == .jpeg && lastSheet == .full ? board.tileWidth % 2 : 0)
        let layout = try Storyboard.SheetLayout(
            count: old.thumbnails.count, columns: columns, rows: rows, tileWidth: width, tileHeight: old.tileHeight,
            format: format, lastSheet: lastSheet)
        (board.columns, board.rows, board.format, board.tileWidth) = (columns, rows, format, width)
        board.sheets = (0..<layout.sheetCount).map { number in
            let (width, height) = layout.size(ofSheet: number)
            return .init(name: "\(number).\(format.fileExtension)", width: width, height: height, byteCount: 1)
        }
        for number in board.thumbnails.indices {
            let place = layout.place(of: number)
            (board.thumbnails[number].sheet, board.thumbnails[number].x) = (place.sheet, place.x)
            (board.thumbnails[number].y, board.thumbnails[number].width) = (place.y, width)
            board.thumbnails[number].height = old.tileHeight
        }
        copies = board.sheets.indices.map { number in
            guard old.format == format, old.sheets.indices.contains(number),
                old.sheets[number].width == board.sheets[number].width,
                old.sheets[number].height == board.sheets[number].height
            else { return nil }
            let isSame = zip(old.thumbnails, board.thumbnails).allSatisfy { old, new in
                (old.sheet == number) == (new.sheet == number)
                    && (old.sheet != number
                        || (old.x, old.y, old.width, old.height) == (new.x, new.y, new.width, new.height))
            }
            return isSame ? number : nil
        }
    }
}

/// What came of proving thumbnail sets.
public struct SetVerification: Sendable {
    /// Something that is wrong.
    public struct Problem: Hashable, Sendable {
        /// The file, relative to the folder.
        public let file: String
        /// What is wrong with it, and where.
        public let reason: String
    }

    /// A set that was found.
    public struct Entry: Hashable, Sendable {
        /// Its index file, relative to the folder.
        public let file: String
        /// The format's name: `manifest`, `webvtt`, `bif`, `hls-images`, `dash-tiles`.
        public let format: String
        /// How many thumbnails it has.
        public let thumbnailCount: Int
        /// How many of them were compared with the video.
        public let comparedCount: Int
    }

    /// The sets.
    public internal(set) var sets: [Entry] = []
    /// What is wrong; nothing when all is well.
    public internal(set) var problems: [Problem] = []

    /// Whether there was a set, and nothing was wrong.
    public var isSound: Bool { problems.isEmpty && !sets.isEmpty }
}

/// A set as its index file tells it.
struct FoundSet {
    /// Where a picture is.
    enum Place: Hashable {
        /// On a sheet.
        case sheet(path: String, x: Int, y: Int, width: Int, height: Int)
        /// A file inside another one.
        case bytes(path: String, Range<Int>)
    }

    struct Tile {
        var place: Place
        /// Seconds from which it is shown, and until which.
        var start: Rational
        var end: Rational
        /// The frame that the index says it shows, if it does.
        var frame: Int?
    }

    let file: String
    let format: String
    var tiles: [Tile]
    /// Sizes that sheets must have, by path.
    var sheetSizes: [String: (width: Int, height: Int)] = [:]
}

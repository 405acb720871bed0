/// A set as its index file tells it.
struct FoundSet {
    /// The place of a picture.
    enum Place: Hashable {
        /// On a sheet.
        case sheet(path: String, x: Int, y: Int, width: Int, height: Int)
        /// A file inside another one.
        case bytes(path: String, Range<Int>)
        /// A file of its own.
        case file(path: String)
        /// JPEG that stood in the index.
        case inline([UInt8])
        /// Pixels that were decoded with the index.
        case pixels(width: Int, height: Int, rgb: [UInt8])
    }

    struct Tile {
        var place: Place
        /// Seconds from which it is shown, and until which; equal where the index does not say.
        var start: Rational
        var end: Rational
        /// The frame that the index says it shows, if it does.
        var frame: Int?
        /// The time at which that frame comes on screen, if the index has it.
        var time: Rational?
        /// The time of which the index says that this is exactly the frame.
        var exactFor: Rational?
        /// The frame that a manifest says is shown in this place, where the index itself says none.
        var frameOfManifest: Int?
    }

    let file: String
    let format: String
    var tiles: [Tile]
    /// Sizes that sheets must have, by path.
    var sheetSizes: [String: (width: Int, height: Int)] = [:]
    /// The film's facts, if it has any.
    var film: (frameCount: Int, duration: Rational)?
    /// When the film ends in the set's time, in seconds, if the file says it apart from the last thumbnail's end.
    var filmEnd: Rational?
    /// The time that the set's players show at the first frame, in seconds; `nil` for the time of the film's own
    /// players.
    var playerStart: Rational?
    /// Whether the file names other indexes only, and no pictures.
    var isDirectory = false
    /// Other findings.
    var note: String?
    /// The faults, as far as its own file and its neighbors tell.
    var problems: [String] = []

    init(file: String, format: String, tiles: [Tile] = []) {
        (self.file, self.format, self.tiles) = (file, format, tiles)
    }
}

extension FoundSet {
    /// The files of its pictures.
    var files: Set<String> {
        var files = Set(sheetSizes.keys)
        for tile in tiles {
            switch tile.place {
            case .sheet(let path, _, _, _, _), .file(let path): files.insert(path)
            case .bytes, .inline, .pixels: break
            }
        }
        return files
    }

    /// The greatest difference of times that a format with milliseconds makes.
    static let millisecond = Rational(1, 1000)

    /// Holds index files against the manifest of the same sheets: both must tell the same times of the same pictures. A
    /// set without frame numbers takes the manifest's, which are proved with it.
    static func compareWithManifests(_ sets: inout [FoundSet]) {
        var known: [Place: (set: Int, number: Int)] = [:]
        for (number, set) in sets.enumerated() where set.format == "manifest" {
            for (place, tile) in set.tiles.enumerated() { known[tile.place] = (number, place) }
        }
        for index in sets.indices where sets[index].format != "manifest" {
            var set = sets[index]
            var manifest: Int?
            for (number, tile) in set.tiles.enumerated() {
                guard let found = known[tile.place] else { continue }
                manifest = found.set
                let other = sets[found.set].tiles[found.number]
                if (tile.start.subtracting(other.start)?.magnitude ?? .one) > millisecond {
                    set.problems.append(
                        "thumbnail \(number) begins at \(tile.start.secondsText) s, and by \(sets[found.set].file) at \(other.start.secondsText) s"
                    )
                }
                if tile.frame == nil { set.tiles[number].frameOfManifest = other.frame }
                if let frame = tile.frame, frame != other.frame {
                    set.problems.append(
                        "thumbnail \(number) claims frame \(frame), and \(sets[found.set].file) frame \(other.frame ?? -1)"
                    )
                }
            }
            // Jellyfin counts in whole intervals, also at the end.
            if let manifest, let end = set.tiles.last?.end, let other = sets[manifest].tiles.last?.end,
                set.tiles.last?.start != end, set.format != "jellyfin",
                !isEnd(end, of: other, in: set.format)
            {
                set.problems.append(
                    "ends at \(end.secondsText) s, and by \(sets[manifest].file) at \(other.secondsText) s")
            }
            if let manifest, let end = set.filmEnd, let other = sets[manifest].tiles.last?.end,
                (end.subtracting(other)?.magnitude ?? .one) > millisecond
            {
                set.problems.append(
                    "says that the film ends at \(end.secondsText) s, and by \(sets[manifest].file) it does at \(other.secondsText) s"
                )
            }
            if let manifest, sets[manifest].tiles.count != set.tiles.count {
                set.problems.append(
                    "has \(set.tiles.count) thumbnails, and \(sets[manifest].file) \(sets[manifest].tiles.count)")
            }
            sets[index] = set
        }
    }
}

extension FoundSet {
    /// Whether a set may end at a different time than its manifest. In formats with an end time for each thumbnail, the
    /// last one is shown for a second longer, except in sets of earlier versions.
    private static func isEnd(_ end: Rational, of manifest: Rational, in format: String) -> Bool {
        guard let late = end.subtracting(manifest) else { return false }
        if late.magnitude <= millisecond { return true }
        guard ["webvtt", "json-images"].contains(format), let beyond = late.subtracting(.one) else { return false }
        return beyond.magnitude <= millisecond
    }
}

extension Rational {
    /// For messages only.
    var secondsText: String { TimeText(self).seconds }
    /// Without its sign.
    var magnitude: Rational { self < .zero ? Rational.zero.subtracting(self) ?? self : self }
}

/// A set as described by its index file.
struct ParsedThumbnailSet {
    /// The location of a picture.
    enum Place: Hashable {
        /// On a sheet.
        case sheet(path: String, x: Int, y: Int, width: Int, height: Int)
        /// A file inside another one.
        case bytes(path: String, Range<Int>)
        /// A separate file.
        case file(path: String)
        /// JPEG embedded in the index.
        case inline([UInt8])
        /// Pixels decoded together with the index.
        case pixels(width: Int, height: Int, rgb: [UInt8])
    }

    struct Tile {
        var place: Place
        /// The seconds from which it is shown, and until which; equal if the index has no end.
        var start: Rational
        var end: Rational
        /// The frame that it shows according to the index, if specified.
        var frame: Int?
        /// The time at which that frame appears on screen, if the index has it.
        var time: Rational?
        /// The time for which this is exactly the frame, according to the index.
        var exactFor: Rational?
        /// The frame shown here according to a manifest, if the index itself has none.
        var frameOfManifest: Int?
    }

    let file: String
    let format: String
    var tiles: [Tile]
    /// The required sizes of sheets, by path.
    var sheetSizes: [String: (width: Int, height: Int)] = [:]
    /// The video's facts, if the index has any.
    var film: (frameCount: Int, duration: Rational)?
    /// The end of the video in the set's time, in seconds, if the file specifies it separately from the last
    /// thumbnail's end.
    var filmEnd: Rational?
    /// The time that the set's players show at the first frame, in seconds; `nil` for the time of the video's own
    /// players.
    var playerStart: Rational?
    /// Whether the file names only other indexes, and no pictures.
    var isDirectory = false
    /// Other findings.
    var note: String?
    /// The faults that are visible from its own file and its neighbors.
    var problems: [String] = []

    init(file: String, format: String, tiles: [Tile] = []) {
        (self.file, self.format, self.tiles) = (file, format, tiles)
    }
}

extension ParsedThumbnailSet {
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

    /// The maximum rounding error of times in formats with milliseconds.
    static let millisecond = Rational(1, 1000)

    /// Compares index files with the manifest of the same sheets: both must have the same times for the same pictures.
    /// A set without frame numbers adopts the manifest's, which are verified along with it.
    static func compareWithManifests(_ sets: inout [ParsedThumbnailSet]) {
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
                        "thumbnail \(number) begins at \(tile.start.secondsText) s, but at \(other.start.secondsText) s in \(sets[found.set].file)"
                    )
                }
                if tile.frame == nil { set.tiles[number].frameOfManifest = other.frame }
                if let frame = tile.frame, frame != other.frame {
                    set.problems.append(
                        "thumbnail \(number) claims frame \(frame), but \(sets[found.set].file) claims frame \(other.frame ?? -1)"
                    )
                }
            }
            // Jellyfin counts in whole intervals, even at the end.
            if let manifest, let end = set.tiles.last?.end, let other = sets[manifest].tiles.last?.end,
                set.tiles.last?.start != end, set.format != "jellyfin",
                !isEnd(end, of: other, in: set.format)
            {
                set.problems.append(
                    "ends at \(end.secondsText) s, but at \(other.secondsText) s in \(sets[manifest].file)")
            }
            if let manifest, let end = set.filmEnd, let other = sets[manifest].tiles.last?.end,
                (end.subtracting(other)?.magnitude ?? .one) > millisecond
            {
                set.problems.append(
                    "says that the film ends at \(end.secondsText) s, but \(sets[manifest].file) says \(other.secondsText) s"
                )
            }
            if let manifest, sets[manifest].tiles.count != set.tiles.count {
                set.problems.append(
                    "has \(set.tiles.count) thumbnails, but \(sets[manifest].file) has \(sets[manifest].tiles.count)")
            }
            sets[index] = set
        }
    }
}

extension ParsedThumbnailSet {
    /// Returns whether a set may end at a different time than its manifest. In formats with an end time for each
    /// thumbnail, the last one is shown for a second longer, except in sets of earlier versions.
    private static func isEnd(_ end: Rational, of manifest: Rational, in format: String) -> Bool {
        guard let late = end.subtracting(manifest) else { return false }
        if late.magnitude <= millisecond { return true }
        guard ["webvtt", "json-images"].contains(format), let beyond = late.subtracting(.one) else { return false }
        return beyond.magnitude <= millisecond
    }
}

extension Rational {
    /// The value in seconds, for messages only.
    var secondsText: String { TimeText(self).seconds }
    /// The absolute value.
    var magnitude: Rational { self < .zero ? Rational.zero.subtracting(self) ?? self : self }
}

internal import ScrubBase
internal import ScrubFileIO

/// How many bytes the previews of a film will have, told from those that are made, and whether there is room for them.
/// Pure.
struct PreviewForecast {
    /// Previews that are made now, on the disk or not, and their bytes.
    var madeCount = 0
    var madeByteCount: Int64 = 0
    /// Those among them that are not on the disk yet.
    var pendingCount = 0
    /// Frames that were looked at, and all of them.
    var doneCount = 0
    let count: Int
    /// Frames after which there is another look at the room.
    private var nextLook = 0

    init(count: Int) { self.count = count }

    /// Whether it is time to look at the room, which counts as a look. What is foreseen changes less and less, and of a
    /// cache that gives nothing up for them each look is one at all of its files.
    mutating func isDue() -> Bool {
        guard doneCount >= nextLook else { return false }
        nextLook = doneCount + max(1, doneCount / 4)
        return true
    }

    /// About the bytes that are still to be written.
    var byteCount: Int64 {
        guard madeCount > 0 else { return 0 }
        let left = Int128(max(0, count - doneCount) + pendingCount)
        return Int64(clamping: Int128(madeByteCount) * left / Int128(madeCount))
    }

    /// Whether they have no room. A film often begins with dense pictures or with dark ones, so the first ones count
    /// for two thirds; after a tenth of the film all of it counts.
    func exceeds(_ room: CacheRoom) -> Bool {
        guard count > 0 else { return false }
        let certainty = 20 + min(10, 100 * doneCount / count)
        return Int128(byteCount) * Int128(certainty) / 30 > Int128(room.byteCount)
    }

    /// Returns a longer side with which they would have room, a multiple of 16; `nil` below 96.
    ///
    /// The bytes of a preview grow less than its area: this is on the safe side.
    func side(fitting room: CacheRoom, from side: Int) -> Int? {
        guard byteCount > 0, room.byteCount < byteCount else { return nil }
        let share = (Double(room.byteCount) / Double(byteCount)).squareRoot()
        let fitting = Int(Double(side) * share * 0.9) / 16 * 16
        return fitting >= 96 ? fitting : nil
    }

    /// Returns the error for a film whose previews have no room.
    ///
    /// - Parameters:
    ///   - kept: bytes of its previews that are on the disk.
    ///   - side: the longer side of a preview.
    func error(_ room: CacheRoom, kept: Int64, side: Int) -> ScrubError {
        let place = room.isOfDisk ? "the cache's disk" : "the cache"
        var ways: [Wording] = ["\(term: .freesCache)"]
        if room.isOfDisk {
            ways.insert("set SCRUB_CACHE_DIR to a folder on a larger disk", at: 0)
        } else {
            // Previews may take half of the limit, and a tenth more than is foreseen.
            let wanted = (Int128(kept) + Int128(byteCount) + Int128(byteCount) / 10) * 2
            let limit = wanted < 1 << 30 ? "\((wanted >> 20) + 1)M" : "\((wanted >> 30) + 1)G"
            ways.insert("set SCRUB_CACHE_LIMIT to \(limit) or more", at: 0)
        }
        if let fitting = self.side(fitting: room, from: side) {
            ways.append("make smaller ones (\(term: .previewSide(fitting))), which the viewer does not look for")
        }
        return ScrubError(
            .unavailable,
            """
            its previews need about \(PlainText.size(byteCount)), and \(place) has room for \
            \(PlainText.size(room.byteCount))
            """,
            advice: Wording.list(ways))
    }
}

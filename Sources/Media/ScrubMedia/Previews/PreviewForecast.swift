internal import ScrubBase
internal import ScrubFileIO

/// A forecast of the size of a video's previews, extrapolated from those already made, and of whether they will fit.
/// Pure.
struct PreviewForecast {
    /// The number of previews made so far, on disk or not, and their bytes.
    var madeCount = 0
    var madeByteCount: Int64 = 0
    /// The number of these previews that are not on disk yet.
    var pendingCount = 0
    /// The number of frames processed so far, and the total.
    var doneCount = 0
    let count: Int
    /// The number of frames after which to check the room again.
    private var nextLook = 0

    init(count: Int) { self.count = count }

    /// Returns whether to check the room, and counts that as a check. The forecast changes less and less, and each
    /// check of a full cache scans all of its files.
    mutating func isDue() -> Bool {
        guard doneCount >= nextLook else { return false }
        nextLook = doneCount + max(1, doneCount / 4)
        return true
    }

    /// The approximate number of bytes still to be written.
    var byteCount: Int64 {
        guard madeCount > 0 else { return 0 }
        let left = Int128(max(0, count - doneCount) + pendingCount)
        return Int64(clamping: Int128(madeByteCount) * left / Int128(madeCount))
    }

    /// Returns whether the previews will not fit. A video often begins with dense or dark pictures, so the first ones
    /// are weighted by two thirds; after a tenth of the video, they count fully.
    func exceeds(_ room: CacheCapacity) -> Bool {
        guard count > 0 else { return false }
        let certainty = 20 + min(10, 100 * doneCount / count)
        return Int128(byteCount) * Int128(certainty) / 30 > Int128(room.byteCount)
    }

    /// Returns a value for the longer side with which the previews would fit, a multiple of 16; `nil` below 96.
    ///
    /// The size of a preview grows more slowly than its area, so this is conservative.
    func side(fitting room: CacheCapacity, from side: Int) -> Int? {
        guard byteCount > 0, room.byteCount < byteCount else { return nil }
        let share = (Double(room.byteCount) / Double(byteCount)).squareRoot()
        let fitting = Int(Double(side) * share * 0.9) / 16 * 16
        return fitting >= 96 ? fitting : nil
    }

    /// Returns the error for a video whose previews do not fit.
    ///
    /// - Parameters:
    ///   - kept: the size of its previews on disk in bytes.
    ///   - side: the longer side of a preview.
    func error(_ room: CacheCapacity, kept: Int64, side: Int) -> ScrubError {
        let place = room.isOfDisk ? "the cache's disk" : "the cache"
        var ways: [Wording] = ["\(term: .freesCache)"]
        if room.isOfDisk {
            ways.insert("set SCRUB_CACHE_DIR to a folder on a larger disk", at: 0)
        } else {
            // Previews may take half of the limit, and a tenth more than the forecast.
            let wanted = (Int128(kept) + Int128(byteCount) + Int128(byteCount) / 10) * 2
            let limit = wanted < 1 << 30 ? "\((wanted >> 20) + 1)M" : "\((wanted >> 30) + 1)G"
            ways.insert("set SCRUB_CACHE_LIMIT to \(limit) or more", at: 0)
        }
        if let fitting = self.side(fitting: room, from: side) {
            ways.append("make smaller previews (\(term: .previewSide(fitting))), which the viewer does not use")
        }
        return ScrubError(
            .unavailable,
            """
            its previews need about \(PlainText.size(byteCount)), but \(place) has room for \
            \(PlainText.size(room.byteCount))
            """,
            advice: Wording.list(ways))
    }
}

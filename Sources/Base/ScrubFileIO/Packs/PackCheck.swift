internal import ScrubBase

/// The result of checking a whole pack.
package struct PackCheck: Hashable, Sendable {
    /// The number of records and index blocks that were compared with their checksums.
    package private(set) var checked = 0
    /// Whether there is no damage. An incomplete end is not damage: the next writer truncates it.
    package private(set) var isSound = false

    /// Checks the pack at a path, one entry after another, without changing it.
    ///
    /// The check ends early if the work on this thread is cancelled.
    ///
    /// - Returns: `nil` if the pack cannot be opened.
    package init?(path: String, checksum: @escaping RecordPack.Checksum) {
        guard let file = try? PrivateFile(reading: path), let size = file.byteCount else { return nil }
        guard let format = PackFormat(file, checksum: checksum) else { return }
        let known = PackContents(file, format, below: .max)
        isSound = true
        var place = format.start
        while let head = format.head(file, at: place, before: size), !Cancellation.isCurrentCancelled {
            checked += 1
            if format.entry(file, at: place, before: size) == nil { isSound = false }
            place += head.whole
        }
        // The following entries cannot be reached from the start.
        if place < known.end, !Cancellation.isCurrentCancelled { isSound = false }
        // Its writer has just truncated an incomplete entry, so the bytes that were read may be neither the old nor the
        // new ones.
        if (file.byteCount ?? 0) < size { isSound = true }
    }
}

internal import ScrubBase

/// The outcome of reading a whole pack.
package struct PackCheck: Hashable, Sendable {
    /// Records and index blocks that were compared with their checksums.
    package private(set) var checked = 0
    /// Whether nothing is damaged. An end that was not written out is not damage: the next writer cuts it.
    package private(set) var isSound = false

    /// Reads the pack at a path, one entry after another; it is left as it is.
    ///
    /// Ends early when the work on this thread is cancelled.
    ///
    /// - Returns: `nil` when it cannot be opened.
    package init?(path: String, checksum: @escaping RecordPack.Checksum) {
        guard let file = try? OwnedFile(reading: path), let size = file.byteCount else { return nil }
        guard let format = PackFormat(file, checksum: checksum) else { return }
        let known = PackContents(file, format, below: .max)
        isSound = true
        var place = format.start
        while let head = format.head(file, at: place, before: size), !Cancellation.isCurrentCancelled {
            checked += 1
            if format.entry(file, at: place, before: size) == nil { isSound = false }
            place += head.whole
        }
        // What follows is not reached from the beginning on.
        if place < known.end, !Cancellation.isCurrentCancelled { isSound = false }
        // Its writer has just cut what it could not write to its end: what was read may be neither before nor after.
        if (file.byteCount ?? 0) < size { isSound = true }
    }
}

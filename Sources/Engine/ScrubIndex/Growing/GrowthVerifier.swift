internal import ScrubFileIO
internal import ScrubBase

/// Checks that a growing file is still the same file, with the same bytes at the beginning.
struct GrowthVerifier: Sendable {
    private var byteCount: Int64 = 0
    /// Bytes that no writer changes later: the end of a picture's bytes, or of a transport stream.
    private var witness: (offset: Int64, bytes: [UInt8])?

    private static let length: Int64 = 4096

    /// Compares the file with its earlier state.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if it is shorter, or a different file.
    mutating func check(_ file: MediaSource) throws(ScrubError) {
        guard file.byteCount >= byteCount else {
            throw ScrubError(
                .badData, "was truncated from \(byteCount) to \(file.byteCount) bytes while being followed",
                file: file.path, advice: "open it again")
        }
        byteCount = file.byteCount
        guard let witness else { return }
        guard try file.read(at: witness.offset, count: witness.bytes.count) == witness.bytes else {
            throw ScrubError(
                .badData, "was overwritten while being followed", file: file.path, place: .byte(Int64(witness.offset)),
                advice: "open it again")
        }
    }

    /// Records the file's present state.
    mutating func remember(_ file: MediaSource, _ index: FrameIndex) {
        var (first, end) = (Int64(0), file.byteCount)
        if index.facts.route == .direct {
            let pictures = index.pictures
            guard let last = pictures.flags.lastIndex(where: { !$0.contains(.missing) }) else { return }
            first = pictures.offsets[last]
            end = min(end, first + Int64(pictures.sizes[last]))
        }
        first = max(first, end - Self.length)
        guard first < end, let bytes = try? file.read(at: first, count: Int(end - first)) else { return }
        witness = (first, bytes)
    }
}

package import ScrubSourcesLogic
internal import ScrubHashing
internal import ScrubBase

/// Bytes that this process is fetching, and no other meanwhile.
///
/// Ends with ``finish()`` or ``abandon()``; released without either it is abandoned.
///
/// Thread safety: safe from any thread.
package final class FetchClaim: Sendable {
    /// The range that was asked for, within the medium.
    package let range: Range<Int64>
    /// The bytes that are not recorded yet and must be fetched.
    package let missing: ByteRanges
    private let medium: CachedMedium
    private let writing: Locked<Writing>

    fileprivate struct Writing: Sendable {
        /// The bytes that are still to come.
        var rest: ByteRanges
        var pieces: [Piece] = []
        /// The piece in work, and the checksum of its bytes so far.
        var present: Range<Int64>?
        let checksum = XXH3Stream()
        /// Whether there are blocks for all that is missing.
        var isReserved = false
        var isOver = false

        /// Closes the piece in work, which is as long as it gets.
        mutating func close() {
            guard let range = present else { return }
            pieces.append(Piece(range: range, hash: checksum.finish()))
            present = nil
        }
    }

    init(_ medium: CachedMedium, _ range: Range<Int64>, _ missing: ByteRanges) {
        self.medium = medium
        self.range = range
        self.missing = missing
        writing = Locked(Writing(rest: missing))
    }

    deinit { abandon() }

    /// Writes bytes as they arrive. Bytes that are not in ``missing``, or were written before, are left out.
    ///
    /// Costs one write to the system's memory and a checksum; it does not wait for the disk. Never fails: a cache that
    /// cannot write is turned off, with one warning.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let (end, overflow) = offset.addingReportingOverflow(Int64(bytes.count))
        guard offset >= 0, !overflow, unsafe !bytes.isEmpty else { return }
        let hasFailed = writing.withLock { writing -> Bool in
            guard !writing.isOver else { return false }
            if !writing.isReserved {
                guard medium.reserve(missing) else {
                    writing.isOver = true
                    return true
                }
                writing.isReserved = true
            }
            for wanted in writing.rest.intersection(offset..<end).ranges {
                let part = unsafe bytes[Int(wanted.lowerBound - offset)..<Int(wanted.upperBound - offset)]
                guard unsafe medium.write(UnsafeRawBufferPointer(rebasing: part), at: wanted.lowerBound) else {
                    writing.isOver = true
                    return true
                }
                writing.rest.remove(wanted)
                unsafe writing.add(UnsafeRawBufferPointer(rebasing: part), at: wanted)
            }
            return false
        }
        // Bytes of it that were written before are not worth a second try on a disk that refuses.
        if hasFailed { medium.end(self, recorded: []) }
    }

    /// Hands the written bytes on to be recorded. The cache's own thread syncs them and enters them into the catalogue,
    /// after which all can read them and the claim ends. Does not wait; ``MediaCache/flush()`` does.
    package func finish() {
        let pieces = writing.withLock { writing -> [Piece]? in
            guard !writing.isOver else { return nil }
            writing.isOver = true
            writing.close()
            return writing.pieces
        }
        guard let pieces else { return }
        if pieces.isEmpty { medium.end(self, recorded: []) } else { medium.finish(self, pieces) }
    }

    /// Abandons the claim: nothing of it is recorded. The claim ends at once.
    package func abandon() { if !writing.exchange(\.isOver, for: true) { medium.end(self, recorded: []) } }
}

extension FetchClaim.Writing {
    /// Takes bytes into the checksums; a piece ends at a multiple of the limit, or where the bytes do not go on.
    fileprivate mutating func add(_ bytes: UnsafeRawBufferPointer, at range: Range<Int64>) {
        if let present, present.upperBound != range.lowerBound { close() }
        var place = range.lowerBound
        while place < range.upperBound {
            let (boundary, overflow) = ((place / Piece.byteLimit) + 1).multipliedReportingOverflow(by: Piece.byteLimit)
            let end = overflow ? range.upperBound : min(range.upperBound, boundary)
            let part = unsafe bytes[Int(place - range.lowerBound)..<Int(end - range.lowerBound)]
            unsafe checksum.append(UnsafeRawBufferPointer(rebasing: part))
            present = (present?.lowerBound ?? place)..<end
            if end == boundary { close() }
            place = end
        }
    }
}

package import ScrubSourcesLogic
internal import ScrubHashing
internal import ScrubBase

/// A claim on bytes that this process is fetching, and that no other process fetches in the meantime.
///
/// It ends with ``finish()`` or ``abandon()``; if it is released without either, it is abandoned.
///
/// Thread safety: safe from any thread.
package final class FetchClaim: Sendable {
    /// The requested range, within the medium.
    package let range: Range<Int64>
    /// The bytes that are not recorded yet and must be fetched.
    package let missing: ByteRanges
    private let medium: CachedMedium
    private let writing: Locked<Writing>

    fileprivate struct Writing: Sendable {
        /// The bytes that have not arrived yet.
        var rest: ByteRanges
        var pieces: [Piece] = []
        /// The piece in progress, with the checksum of its bytes so far.
        var present: Range<Int64>?
        let checksum = XXH3Stream()
        /// Whether blocks are reserved for all missing bytes.
        var isReserved = false
        var isOver = false

        /// Closes the piece in progress, which does not get any longer.
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

    /// Writes bytes as they arrive. Bytes that are not in ``missing``, or were written before, are skipped.
    ///
    /// It costs a write to the system's memory and a checksum, and does not wait for the disk. It never fails: a cache
    /// that cannot write is turned off, with one warning.
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
        // Previously written bytes of it are not worth a second attempt on a failing disk.
        if hasFailed { medium.end(self, recorded: []) }
    }

    /// Passes the written bytes on to be recorded. The cache's own thread syncs them and enters them into the
    /// catalogue, after which all processes can read them and the claim ends. It does not wait; ``MediaCache/flush()``
    /// does.
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

    /// Abandons the claim without recording anything. The claim ends at once.
    package func abandon() { if !writing.exchange(\.isOver, for: true) { medium.end(self, recorded: []) } }
}

extension FetchClaim.Writing {
    /// Adds bytes to the checksums. A piece ends at a multiple of the maximum length, or where the bytes are not
    /// contiguous.
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

/// A contiguous piece of recorded bytes, at most 1 MiB, with its checksum.
struct Piece: Hashable, Sendable {
    static let byteLimit: Int64 = 1 << 20

    let range: Range<Int64>
    /// The XXH3 of the bytes.
    let hash: UInt64

    /// Creates a piece; `nil` if it is not possible in a medium of this size.
    init?(start: Int64, end: Int64, hash: UInt64, total: Int64) {
        guard start >= 0, end > start, end <= total, end - start <= Piece.byteLimit else { return nil }
        range = start..<end
        self.hash = hash
    }

    init(range: Range<Int64>, hash: UInt64) {
        self.range = range
        self.hash = hash
    }
}

/// Pieces in ascending order without overlaps, with the information which ones were compared with their checksums.
struct PieceList: Sendable {
    private struct Entry: Sendable {
        let piece: Piece
        var isProven: Bool
    }

    private var entries: [Entry] = []

    var pieces: [Piece] { entries.map(\.piece) }

    /// Returns the index of the first piece that ends after an offset.
    private func index(endingAfter place: Int64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].piece.range.upperBound > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the piece that contains a byte, and whether it was compared.
    func piece(at place: Int64) -> (piece: Piece, isProven: Bool)? {
        let found = index(endingAfter: place)
        guard found < entries.count, entries[found].piece.range.contains(place) else { return nil }
        return (entries[found].piece, entries[found].isProven)
    }

    /// Inserts a piece, unless it overlaps an existing one.
    mutating func insert(_ piece: Piece) {
        let place = index(endingAfter: piece.range.lowerBound)
        if place < entries.count, entries[place].piece.range.overlaps(piece.range) { return }
        entries.insert(Entry(piece: piece, isProven: false), at: place)
    }

    mutating func remove(_ piece: Piece) { entries.removeAll { $0.piece == piece } }

    mutating func prove(_ piece: Piece) {
        let found = index(endingAfter: piece.range.lowerBound)
        if found < entries.count, entries[found].piece == piece { entries[found].isProven = true }
    }

    /// Returns the ranges of pieces in a window, clipped to it.
    func ranges(in window: Range<Int64>) -> [Range<Int64>] {
        var found: [Range<Int64>] = []
        var place = index(endingAfter: window.lowerBound)
        while place < entries.count, entries[place].piece.range.lowerBound < window.upperBound {
            found.append(entries[place].piece.range.clamped(to: window))
            place += 1
        }
        return found.filter { !$0.isEmpty }
    }
}

/// Recorded bytes in one piece, at most 1 MiB, and their checksum.
struct Piece: Hashable, Sendable {
    static let byteLimit: Int64 = 1 << 20

    let range: Range<Int64>
    /// XXH3 of the bytes.
    let hash: UInt64

    /// Nil when there can be no such piece in a medium of so many bytes.
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

/// Pieces in ascending order, none over another, and which of them were compared with their checksums.
struct PieceList: Sendable {
    private struct Entry: Sendable {
        let piece: Piece
        var isProven: Bool
    }

    private var entries: [Entry] = []

    var pieces: [Piece] { entries.map(\.piece) }

    /// Returns the first piece that ends after a place.
    private func index(endingAfter place: Int64) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].piece.range.upperBound > place { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the piece that has a byte, and whether it was compared.
    func piece(at place: Int64) -> (piece: Piece, isProven: Bool)? {
        let found = index(endingAfter: place)
        guard found < entries.count, entries[found].piece.range.contains(place) else { return nil }
        return (entries[found].piece, entries[found].isProven)
    }

    /// Adds a piece, unless one that is there has some of its bytes.
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

    /// Returns the ranges of pieces in a window, cut to it.
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

/// The mutations of bytes that are a row of pieces: packets, units, chunks, frames, lines.
enum PieceMutation {
    /// Changes the row, or one piece of it.
    static func apply(to bytes: inout [UInt8], pieces: [Range<Int>], _ draw: inout Draw) -> String {
        guard !pieces.isEmpty else { return ByteMutation.apply(to: &bytes, in: 0..<bytes.count, &draw) }
        let index = draw.below(pieces.count)
        let piece = pieces[index]
        let last = pieces[min(pieces.count - 1, index + draw.below(draw.isOne(in: 3) ? 8 : 1))]
        let run = piece.lowerBound..<last.upperBound
        switch draw.below(12) {
        case 0, 1:
            bytes.removeSubrange(run)
            return "pieces out at \(run)"
        case 2:
            bytes.insert(contentsOf: Array(bytes[run]), at: run.upperBound)
            return "pieces twice at \(run)"
        case 3:
            let other = pieces[draw.below(pieces.count)]
            let (first, second) = piece.lowerBound < other.lowerBound ? (piece, other) : (other, piece)
            guard first.upperBound <= second.lowerBound else { return "nothing" }
            let parts = (Array(bytes[first]), Array(bytes[second]))
            bytes.replaceSubrange(second, with: parts.0)
            bytes.replaceSubrange(first, with: parts.1)
            return "pieces \(first) and \(second) swapped"
        case 4:
            let part = Array(bytes[piece])
            bytes.insert(contentsOf: part, at: pieces[draw.below(pieces.count)].lowerBound)
            return "piece \(piece) again elsewhere"
        case 5:
            let kept = draw.below(piece.count)
            bytes.removeSubrange(piece.lowerBound + kept..<piece.upperBound)
            return "piece \(piece) ends after \(kept) bytes"
        case 6:
            let kept = draw.below(piece.count)
            for place in piece.lowerBound + kept..<piece.upperBound { bytes[place] = 0 }
            return "piece \(piece) is zero after \(kept) bytes"
        case 7...9: return ByteMutation.flipHead(of: piece, in: &bytes, &draw)
        case 10:
            let end = [piece.lowerBound, piece.upperBound, piece.upperBound - 1, piece.lowerBound + 1][draw.below(4)]
            bytes.removeSubrange(min(end, bytes.count)...)
            return "cut at \(end)"
        default: return ByteMutation.apply(to: &bytes, in: piece, &draw)
        }
    }
}

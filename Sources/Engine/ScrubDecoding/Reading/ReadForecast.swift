internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// Which bytes of a remote file a piece of work will read. Pure.
///
/// It is told before the headers are read that would say it exactly, so it is a guess. A wrong guess costs a request
/// and changes no picture.
struct ReadForecast {
    let index: FrameIndex

    /// Bytes of a picture that its headers are among.
    private static let headSize: Int64 = 1024
    /// Bytes between two wanted pieces that cost less than asking twice, until the connection is measured.
    static let gap: Int64 = 64 << 10
    /// Bytes that are read in vain at most, or half as many as are wanted where that is more.
    static let waste: Int64 = 256 << 10

    /// Returns the ranges for decoding some pictures of a group: the payloads from the restart on, and only the headers
    /// of pictures that no other seems to refer to.
    ///
    /// - Returns: pieces in file order, which in a group is that of need.
    func ranges(from restart: Int, through last: Int, targets: [Int]) -> [Range<Int64>] {
        stretches(from: restart, through: last, targets: targets).map(\.range)
    }

    /// Returns the same ranges, with the bytes between the payloads and headers.
    func stretches(from restart: Int, through last: Int, targets: [Int]) -> [ReadStretch] {
        guard index.facts.route == .direct, restart <= last, index.pictures.offsets.indices.contains(last) else {
            return []
        }
        var wanted = Set(targets)
        for target in targets where index.hasSecondField(target) { wanted.insert(target + 1) }
        let leaves = leaves(in: restart...last)
        return ReadForecast.merged(
            (restart...last).compactMap { picture in
                guard let range = range(of: picture) else { return nil }
                guard leaves.contains(picture), !wanted.contains(picture) else { return range }
                return range.lowerBound..<min(range.upperBound, range.lowerBound + ReadForecast.headSize)
            })
    }

    /// Returns the bytes of a coded picture; `nil` when they are not in one piece in the file.
    func range(of picture: Int) -> Range<Int64>? {
        let (offset, size) = (index.pictures.offsets[picture], Int64(index.pictures.sizes[picture]))
        guard index.facts.route == .direct, offset >= 0, size > 0,
            case (let end, false) = offset.addingReportingOverflow(size)
        else { return nil }
        return offset..<end
    }

    /// Returns pictures that lie between two others as if nothing were predicted from them. No later picture is their
    /// neighbour in the order of display.
    private func leaves(in pictures: ClosedRange<Int>) -> Set<Int> {
        guard index.facts.codec == .h264 || index.facts.codec == .hevc else { return [] }
        var leaves: Set<Int> = []
        /// The pictures so far, in display order.
        var shown: [(rank: Int32, picture: Int)] = []
        for picture in pictures {
            let rank = index.ranks[picture]
            guard rank >= 0 else { continue }
            let place = shown.partitioningIndex { $0.rank > rank }
            if place > 0 { leaves.remove(shown[place - 1].picture) }
            if place < shown.count {
                leaves.remove(shown[place].picture)
                leaves.insert(picture)
            }
            shown.insert((rank, picture), at: place)
        }
        for picture in pictures where index.pictures.flags[picture].contains(.disposable) { leaves.insert(picture) }
        return leaves
    }

    /// Joins pieces of a file into as few as are worth it. Neighbours become one if the bytes between cost less than a
    /// request, the smallest gaps first.
    ///
    /// - Returns: ascending.
    static func merged(_ pieces: [Range<Int64>]) -> [ReadStretch] {
        let sorted = pieces.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var whole: [Range<Int64>] = []
        for piece in sorted {
            if let last = whole.last, piece.lowerBound <= last.upperBound {
                whole[whole.count - 1] = last.lowerBound..<max(last.upperBound, piece.upperBound)
            } else {
                whole.append(piece)
            }
        }
        guard whole.count > 1 else { return whole.map { ReadStretch($0) } }
        let bytes = whole.reduce(0) { $0 + Int64($1.count) }
        var left = max(waste, bytes / 2)
        var closed: Set<Int> = []
        let gaps = (1..<whole.count).map { (place: $0, size: whole[$0].lowerBound - whole[$0 - 1].upperBound) }
        for (place, size) in gaps.sorted(by: { $0.size < $1.size }) {
            guard size <= gap, size <= left else { break }
            left -= size
            closed.insert(place)
        }
        var merged: [ReadStretch] = []
        for (place, piece) in whole.enumerated() {
            guard closed.contains(place), var last = merged.popLast() else {
                merged.append(ReadStretch(piece))
                continue
            }
            last.gaps.append(last.range.upperBound..<piece.lowerBound)
            last.range = last.range.lowerBound..<piece.upperBound
            merged.append(last)
        }
        return merged
    }
}

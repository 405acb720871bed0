internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// A forecast of the bytes of a remote file that some work will read. Pure.
///
/// It is made before reading the headers that would give the exact answer, so it is a guess. A wrong guess costs a
/// request but does not change any picture.
struct ReadForecast {
    let index: FrameIndex

    /// The number of bytes of a picture that contain its headers.
    private static let headSize: Int64 = 1024
    /// The maximum gap between two needed pieces that costs less than another request, until the connection is
    /// measured.
    static let gap: Int64 = 64 << 10
    /// The maximum number of unneeded bytes, or half of the needed ones if that is more.
    static let waste: Int64 = 256 << 10

    /// Returns the ranges for decoding pictures of a group: the payloads from the restart on, and only the headers of
    /// pictures that do not seem to be referenced.
    ///
    /// - Returns: the ranges in file order, which within a group is the order in which they are needed.
    func ranges(from restart: Int, through last: Int, targets: [Int]) -> [Range<Int64>] {
        stretches(from: restart, through: last, targets: targets).map(\.range)
    }

    /// Returns the same ranges, with the bytes between the payloads and headers.
    func stretches(from restart: Int, through last: Int, targets: [Int]) -> [ReadSpan] {
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

    /// Returns the bytes of a coded picture; `nil` if they are not contiguous in the file.
    func range(of picture: Int) -> Range<Int64>? {
        let (offset, size) = (index.pictures.offsets[picture], Int64(index.pictures.sizes[picture]))
        guard index.facts.route == .direct, offset >= 0, size > 0,
            case (let end, false) = offset.addingReportingOverflow(size)
        else { return nil }
        return offset..<end
    }

    /// Returns pictures that are placed as if they were not used for prediction: no later picture is adjacent to them
    /// in display order.
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

    /// Joins pieces of a file into as few as worthwhile. Adjacent ones are joined if the bytes in between cost less
    /// than a request, the smallest gaps first.
    ///
    /// - Returns: the joined pieces in ascending order.
    static func merged(_ pieces: [Range<Int64>]) -> [ReadSpan] {
        let sorted = pieces.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var whole: [Range<Int64>] = []
        for piece in sorted {
            if let last = whole.last, piece.lowerBound <= last.upperBound {
                whole[whole.count - 1] = last.lowerBound..<max(last.upperBound, piece.upperBound)
            } else {
                whole.append(piece)
            }
        }
        guard whole.count > 1 else { return whole.map { ReadSpan($0) } }
        let bytes = whole.reduce(0) { $0 + Int64($1.count) }
        var left = max(waste, bytes / 2)
        var closed: Set<Int> = []
        let gaps = (1..<whole.count).map { (place: $0, size: whole[$0].lowerBound - whole[$0 - 1].upperBound) }
        for (place, size) in gaps.sorted(by: { $0.size < $1.size }) {
            guard size <= gap, size <= left else { break }
            left -= size
            closed.insert(place)
        }
        var merged: [ReadSpan] = []
        for (place, piece) in whole.enumerated() {
            guard closed.contains(place), var last = merged.popLast() else {
                merged.append(ReadSpan(piece))
                continue
            }
            last.gaps.append(last.range.upperBound..<piece.lowerBound)
            last.range = last.range.lowerBound..<piece.upperBound
            merged.append(last)
        }
        return merged
    }
}

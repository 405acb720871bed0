internal import ScrubBitstream

extension CodedPictures {
    /// Marks pictures that a decoder drops silently because they arrive too late.
    ///
    /// H.264 decoders output the picture with the lowest order count once more pictures are waiting than the stream
    /// requires. A later picture with a smaller count than one that was already output is dropped (ITU-T H.264 C.4.5.3
    /// has no such stream). The same applies to pictures that occur twice or in a different position in a damaged
    /// stream.
    ///
    /// The first such picture is certain. Other damage determines which later pictures a decoder drops. From there on,
    /// libavcodec waits for more pictures, as this method does. It does not do so if the stream specifies their number
    /// or after a missing reference, and it may drop whole groups. Therefore, a decoder is used
    /// (``markDropped(allBut:)``) wherever this method finds one.
    ///
    /// - Parameters:
    ///   - orderCounts: the count of each picture, in decode order.
    ///   - sections: the pictures at which counts start again.
    ///   - delay: the number of pictures for which a decoder waits at first.
    mutating func markDropped(orderCounts: [Int64], sections: [Int], delay: Int) {
        let starts = Set(sections)
        var delay = delay
        var waiting: [Int64] = []
        var greatest: [Int64] = []
        var last = Int64.min
        for picture in flags.indices where orderCounts.indices.contains(picture) {
            if starts.contains(picture) { (waiting, greatest, last) = ([], [], .min) }
            guard flags[picture].isDisjoint(with: [.hidden, .secondField, .undecodable]) else { continue }
            let count = orderCounts[picture]
            let depth = greatest.count { $0 > count }
            delay = max(delay, min(depth, CodedPictures.mostWaiting))
            greatest.insert(count, at: greatest.firstIndex { $0 < count } ?? greatest.endIndex)
            if greatest.count > CodedPictures.mostWaiting { greatest.removeLast() }
            if count < last {
                flags[picture].insert(.misplaced)
                continue
            }
            waiting.append(count)
            guard waiting.count > delay, let next = waiting.min() else { continue }
            waiting.removeAll { $0 == next }
            last = next
        }
    }

    /// Marks HEVC pictures that decoders output too late, and the frames between their positions, whose numbers differ.
    ///
    /// Decoders output such a picture after some of the pictures that precede it, but no later.
    ///
    /// - Parameters:
    ///   - late: the numbers of these pictures in decode order.
    ///   - frames: the presented pictures, in the order of their counts.
    mutating func markLate(_ late: [Int], frames: [UInt32]) {
        guard !late.isEmpty else { return }
        var (next, highest) = (0, 0)
        var ranks = [Int](repeating: -1, count: count)
        for (rank, picture) in frames.enumerated() { ranks[Int(picture)] = rank }
        for picture in late where ranks[picture] >= 0 {
            while next < picture { (highest, next) = (max(highest, ranks[next]), next + 1) }
            guard ranks[picture] <= highest else { continue }
            for frame in frames[ranks[picture]...highest] { flags[Int(frame)].insert(.misplaced) }
        }
    }

    /// Marks pictures that a linear decode does not output.
    mutating func markDropped(allBut comingOut: Set<UInt32>) {
        for picture in flags.indices where flags[picture].isDisjoint(with: [.hidden, .secondField, .undecodable]) {
            if !comingOut.contains(UInt32(picture)) { flags[picture].insert(.misplaced) }
        }
    }

    /// The decoded picture buffer holds at most 16 pictures (A.3.1).
    private static let mostWaiting = 16
}

extension FrameIndex {
    /// Whether the headers contradict each other so that only a decoder can determine which pictures are output.
    var mayLosePictures: Bool {
        facts.codec == .h264 && pictures.flags.contains { $0.contains(.misplaced) }
    }

    /// Whether the index itself marks the frame numbers of some pictures as uncertain, or data as lost.
    package var hasUncertainNumbers: Bool {
        pictures.flags.contains { !$0.isDisjoint(with: [.misplaced, .corrupt]) }
    }
}

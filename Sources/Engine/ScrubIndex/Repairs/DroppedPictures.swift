internal import ScrubBitstream

extension CodedPictures {
    /// Marks pictures that a decoder drops silently because they come too late.
    ///
    /// H.264 decoders hand out the picture with the least order count once more wait than the stream asks for. A later
    /// picture with a lesser count than one that is already out is dropped (ITU-T H.264 C.4.5.3 has no such stream). So
    /// it is with pictures that are in a damaged stream twice, or in another place.
    ///
    /// The first such picture is certain. Other damage decides which pictures a decoder drops behind it. From there on
    /// libavcodec waits for more, as this does. It does not if the stream gives their number, nor after a reference
    /// that it misses, and it may drop whole groups. So a decoder is asked (``markDropped(allBut:)``) wherever this
    /// finds one.
    ///
    /// - Parameters:
    ///   - orderCounts: of each picture, in the order of decoding.
    ///   - sections: pictures at which counts begin again.
    ///   - delay: for how many pictures a decoder waits at first.
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

    /// Marks pictures of HEVC that decoders output too late, and the frames between their places, whose numbers differ.
    ///
    /// Decoders output such a picture behind some of those that came before it, and no further.
    ///
    /// - Parameters:
    ///   - late: these pictures' numbers in the order of decoding.
    ///   - frames: the pictures that are presented, in the order of their counts.
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

    /// Marks pictures that a linear decode does not hand out.
    mutating func markDropped(allBut comingOut: Set<UInt32>) {
        for picture in flags.indices where flags[picture].isDisjoint(with: [.hidden, .secondField, .undecodable]) {
            if !comingOut.contains(UInt32(picture)) { flags[picture].insert(.misplaced) }
        }
    }

    /// The decoded picture buffer holds at most 16 pictures (A.3.1).
    private static let mostWaiting = 16
}

extension FrameIndex {
    /// Whether its headers contradict each other so that a decoder has to be asked which of its pictures come out.
    var mayLosePictures: Bool {
        facts.codec == .h264 && pictures.flags.contains { $0.contains(.misplaced) }
    }

    /// Whether the index itself marks the frame numbers of some pictures as uncertain, or bytes as lost.
    package var hasUncertainNumbers: Bool {
        pictures.flags.contains { !$0.isDisjoint(with: [.misplaced, .corrupt]) }
    }
}

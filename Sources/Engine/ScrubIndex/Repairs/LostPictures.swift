internal import ScrubBitstream

extension CodedPictures {
    /// Ignores the container's report of lost bytes where streams were joined.
    ///
    /// A transport stream's packets are counted (ISO/IEC 13818-1 2.4.3.3, `continuity_counter`), and every joined
    /// segment starts counting again. The demuxer then marks the packet before the joint as corrupt, or the previous
    /// one, because its parser splits pictures one packet late. Usually nothing is lost there; if the end of a picture
    /// is, the decoder reports an error or leaves blocks undecoded.
    mutating func forgiveSplices() {
        for picture in flags.indices where flags[picture].contains(.corrupt) {
            let next = flags[(picture + 1)...].prefix(2)
            let isSeam = next.contains { [.instantaneous, .open].contains($0.randomAccess) }
            if isSeam { flags[picture].remove(.corrupt) }
        }
    }

    /// Marks frames whose position among the others is not certain because packets are lost.
    ///
    /// Order counts start again with each coded video sequence (ITU-T H.264 8.2.1, H.265 8.3.1). If the first picture
    /// of a sequence is lost, the counts of two sequences are treated as those of one, and decoders output the pictures
    /// in a different order. If the container's times contradict the counts there, neither is proven.
    ///
    /// - Parameters:
    ///   - frames: the presented pictures, in the order of their counts.
    ///   - sections: the pictures at which counts start again.
    mutating func markMisplaced(frames: [UInt32], sections: [Int]) {
        guard flags.contains(where: { $0.contains(.corrupt) }) else { return }
        let section = sectionNumbers(sections)
        let damaged = Set(flags.indices.filter { flags[$0].contains(.corrupt) }.map { section[$0] })
        let groups = Dictionary(grouping: frames) { section[Int($0)] }
        for (number, group) in groups where damaged.contains(number) {
            guard !group.contains(where: { presentationTimes[Int($0)] == CodedPictures.noTime }) else { continue }
            markOutOfPlace(group, in: presentationTimes)
        }
    }

    /// Returns the number of the section of each picture.
    func sectionNumbers(_ starts: [Int]) -> [Int] {
        var section = [Int](repeating: 0, count: count)
        for start in Set(starts) where start > 0 && start < count { section[start] = 1 }
        for picture in section.indices.dropFirst() { section[picture] += section[picture - 1] }
        return section
    }

    /// Marks the frames whose position according to a key differs from their current one.
    mutating func markOutOfPlace(_ frames: [UInt32], in keys: [Int64]) {
        let byKey = frames.enumerated().sorted { a, b in
            (keys[Int(a.element)], a.offset) < (keys[Int(b.element)], b.offset)
        }
        for (place, other) in byKey.enumerated() where place != other.offset {
            flags[Int(frames[place])].insert(.misplaced)
        }
    }
}

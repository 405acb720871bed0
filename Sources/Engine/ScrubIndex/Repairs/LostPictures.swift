internal import ScrubBitstream

extension CodedPictures {
    /// Takes the container's word back that bytes are lost where streams were joined.
    ///
    /// A transport stream's packets are counted (ISO/IEC 13818-1 2.4.3.3, `continuity_counter`), and every joined
    /// segment begins to count again. The demuxer then calls the packet before the seam corrupt, or the one before
    /// that, because its parser cuts pictures one packet late. Nothing is lost there as a rule, and when the end of a
    /// picture is, the decoder complains or leaves blocks undecoded.
    mutating func forgiveSplices() {
        for picture in flags.indices where flags[picture].contains(.corrupt) {
            let next = flags[(picture + 1)...].prefix(2)
            let isSeam = next.contains { [.instantaneous, .open].contains($0.randomAccess) }
            if isSeam { flags[picture].remove(.corrupt) }
        }
    }

    /// Marks frames whose place among the others is not certain because packets are lost.
    ///
    /// Order counts begin again with each coded video sequence (ITU-T H.264 8.2.1, H.265 8.3.1). If the picture that
    /// begins one is lost, the counts of two sequences are taken for one's. Decoders then output their pictures in an
    /// order of their own. The container's times tell: where they contradict the counts, neither is proven.
    ///
    /// - Parameters:
    ///   - frames: the pictures that are presented, in the order of their counts.
    ///   - sections: pictures at which counts begin again.
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

    /// Returns the number of the section that each picture is in.
    func sectionNumbers(_ starts: [Int]) -> [Int] {
        var section = [Int](repeating: 0, count: count)
        for start in Set(starts) where start > 0 && start < count { section[start] = 1 }
        for picture in section.indices.dropFirst() { section[picture] += section[picture - 1] }
        return section
    }

    /// Marks those of some frames that have another place by a key than among them.
    mutating func markOutOfPlace(_ frames: [UInt32], in keys: [Int64]) {
        let byKey = frames.enumerated().sorted { a, b in
            (keys[Int(a.element)], a.offset) < (keys[Int(b.element)], b.offset)
        }
        for (place, other) in byKey.enumerated() where place != other.offset {
            flags[Int(frames[place])].insert(.misplaced)
        }
    }
}

/// A short-term reference picture set (H.265 7.3.7, 7.4.8): the pictures that are kept after the current one's header,
/// each identified by its distance in order count. All other pictures are dropped.
struct HEVCReferencePictureSet: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        /// DeltaPocS0 or DeltaPocS1: the entry's order count minus the current picture's.
        let delta: Int
        /// UsedByCurrPicS0 or S1: the current picture itself may refer to it.
        let isUsed: Bool
    }

    /// The entries before the current picture, nearest first (S0).
    private(set) var before: [Entry] = []
    /// The entries after the current picture, nearest first (S1).
    private(set) var after: [Entry] = []

    /// No short-term references, as at an IDR picture.
    init() {}

    /// Reads set number `index`. `known` contains the sequence set's own sets; in a slice header, `index` equals their
    /// count.
    init(
        _ reader: inout BitReader, index: Int, known: [HEVCReferencePictureSet], isInSlice: Bool
    ) throws(HeaderError) {
        if index > 0, try reader.flag() {
            try readPredicted(&reader, index: index, known: known, isInSlice: isInSlice)
        } else {
            // A decoded picture buffer has at most 16 pictures (A.4.2), the current one included.
            let negatives = try reader.unsigned(max: 16)
            let positives = try reader.unsigned(max: 16)
            before = try HEVCReferencePictureSet.readEntries(&reader, count: negatives, sign: -1)
            after = try HEVCReferencePictureSet.readEntries(&reader, count: positives, sign: 1)
        }
        guard before.count + after.count <= 16 else { throw .invalid }
    }

    private static func readEntries(
        _ reader: inout BitReader, count: Int, sign: Int
    ) throws(HeaderError) -> [Entry] {
        var entries: [Entry] = []
        var delta = 0
        for _ in 0..<count {
            delta += sign * (try reader.unsigned(max: 32767) + 1)
            entries.append(Entry(delta: delta, isUsed: try reader.flag()))
        }
        return entries
    }

    /// Reads a set with inter_ref_pic_set_prediction_flag: the set is another one shifted by deltaRps (equations 7-59
    /// to 7-62).
    private mutating func readPredicted(
        _ reader: inout BitReader, index: Int, known: [HEVCReferencePictureSet], isInSlice: Bool
    ) throws(HeaderError) {
        let distance = isInSlice ? try reader.unsigned(max: index - 1) + 1 : 1
        guard index - distance < known.count else { throw .invalid }
        let source = known[index - distance]
        let isNegative = try reader.flag()
        let shift = (try reader.unsigned(max: 32767) + 1) * (isNegative ? -1 : 1)

        // One candidate for each entry of the source and one for the source's own picture, in the order of the
        // syntax: S0, S1, the picture itself.
        var candidates: [Entry?] = []
        let deltas = source.before.map(\.delta) + source.after.map(\.delta) + [0]
        for delta in deltas {
            let isUsed = try reader.flag()
            let isKept = isUsed ? true : try reader.flag()
            candidates.append(isKept ? Entry(delta: delta + shift, isUsed: isUsed) : nil)
        }
        let first = candidates[..<source.before.count]
        let second = candidates[source.before.count..<candidates.count - 1]
        let own = candidates[(candidates.count - 1)...]
        // Equation 7-61 walks S1 backwards, then the picture, then S0; 7-62 walks in the opposite direction.
        before = (second.reversed() + own + first).compactMap { $0 }.filter { $0.delta < 0 }
        after = (first.reversed() + own + second).compactMap { $0 }.filter { $0.delta > 0 }
    }
}

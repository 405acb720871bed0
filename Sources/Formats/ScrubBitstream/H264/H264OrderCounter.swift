/// The picture order counts of a picture's fields. For a field picture, only its own count is meaningful.
struct H264OrderCounts: Sendable {
    var top: Int
    var bottom: Int

    /// Returns PicOrderCnt() of H.264 8.2.1 (equation 8-1).
    func value(of structure: CodedPicture.Structure) -> Int {
        switch structure {
        case .frame: min(top, bottom)
        case .topField: top
        case .bottomField: bottom
        }
    }
}

/// Computes picture order counts from slice headers in decoding order (H.264 8.2.1).
///
/// All arithmetic wraps: a damaged stream may cause counts of any size and must not cause a trap.
struct H264OrderCounter: Sendable {
    /// prevPicOrderCntMsb and prevPicOrderCntLsb (8.2.1.1), of the last reference picture.
    private var previousHighPart = 0
    private var previousLowBits = 0
    /// prevFrameNumOffset and prevFrameNum (8.2.1.2), of the last picture.
    private var previousOffset = 0
    private var previousFrameNumber = 0

    /// Returns the counts of the next picture. For a picture with operation 5, these are the counts after decoding,
    /// which are used in comparisons with the following pictures (8.2.1, end).
    mutating func next(_ header: H264SliceHeader, sequence: H264SequenceSet) -> H264OrderCounts {
        if header.isIDR { self = H264OrderCounter() }
        let maxFrameNumber = 1 << sequence.frameNumberBits
        // Equations 8-6 and 8-11: frame_num wrapped around.
        let wraps = previousFrameNumber > header.frameNumber
        let offset = wraps ? previousOffset &+ maxFrameNumber : previousOffset

        var counts: H264OrderCounts
        var highPart = 0
        switch sequence.orderCoding {
        case .lowBits(let bits):
            highPart = self.highPart(header.orderLowBits, modulus: 1 << bits)
            let value = highPart &+ header.orderLowBits
            counts = H264OrderCounts(top: value, bottom: value &+ header.bottomOrderDelta)
        case .cycle(_, let nonReferenceOffset, let topToBottomOffset, let offsets):
            var expected = H264OrderCounter.expected(
                frame: offset &+ header.frameNumber, isReference: header.isReference, offsets: offsets)
            if !header.isReference { expected &+= nonReferenceOffset }
            let top = expected &+ header.orderDeltas.0
            counts = H264OrderCounts(top: top, bottom: top &+ topToBottomOffset &+ header.orderDeltas.1)
        case .decodingOrder:
            // Equation 8-13.
            let twice = (offset &+ header.frameNumber) &* 2
            let value = header.isIDR ? 0 : header.isReference ? twice : twice &- 1
            counts = H264OrderCounts(top: value, bottom: value)
        }

        if header.marking.isReset {
            let base = counts.value(of: header.structure)
            counts.top = header.structure == .frame ? counts.top &- base : 0
            counts.bottom = header.structure == .frame ? counts.bottom &- base : 0
            self = H264OrderCounter()
            previousLowBits = header.structure == .bottomField ? 0 : counts.top
        } else {
            if header.isReference {
                previousHighPart = highPart
                previousLowBits = header.orderLowBits
            }
            previousOffset = offset
            previousFrameNumber = header.frameNumber
        }
        return counts
    }

    /// Returns PicOrderCntMsb, equation 8-3.
    private func highPart(_ lowBits: Int, modulus: Int) -> Int {
        if lowBits < previousLowBits, previousLowBits &- lowBits >= modulus / 2 {
            return previousHighPart &+ modulus
        }
        if lowBits > previousLowBits, lowBits &- previousLowBits > modulus / 2 {
            return previousHighPart &- modulus
        }
        return previousHighPart
    }

    /// Returns expectedPicOrderCnt, equations 8-7 to 8-9.
    private static func expected(frame: Int, isReference: Bool, offsets: [Int]) -> Int {
        guard !offsets.isEmpty else { return 0 }
        let absolute = !isReference && frame > 0 ? frame - 1 : frame
        guard absolute > 0 else { return 0 }
        let cycle = offsets.reduce(0, &+)
        let (count, inCycle) = (absolute - 1).quotientAndRemainder(dividingBy: offsets.count)
        return offsets[...inCycle].reduce(count &* cycle, &+)
    }
}

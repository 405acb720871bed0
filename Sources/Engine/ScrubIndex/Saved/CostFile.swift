internal import ScrubFileIO
package import ScrubBase

/// The cost of exact frames of a video, as a sum over all or some of the frames.
package struct CostSummary: Sendable, Equatable {
    /// The basis of a sum: the costs of all frames, or of a sample of them, or only distances from keyframes.
    package enum Basis: UInt8, Sendable { case all, sample, distance }

    package var basis = Basis.all
    /// The numbers of pictures to decode and to skip, for all frames together.
    package var fed: Int64 = 0
    package var skipped: Int64 = 0
    /// The maximum for any frame, and that frame.
    package var most = 0
    package var worstFrame = 0
    /// The number of counted frames, and of the restarts from which they are decoded.
    package var frameCount = 0
    package var restartCount = 0
    /// The number of restarts that had been compared with the pictures before them. Each further comparison may change
    /// the other values.
    package var proofCount = 0
    /// The numbers of restarts of each known kind, in the order in which they were counted.
    package var restartKinds: [Int] = []

    package init() {}
}

/// The saved form of a ``CostSummary``.
package enum CostFile {
    private static let magic: UInt64 = 0x5453_4F43_4252_4353  // "SCRBCOST" in little-endian order
    private static let version: UInt64 = 1

    package static func encode(_ cost: CostSummary, key: IndexFile.Key) -> [UInt8] {
        KeyedRecord.encode(magic: magic, version: version, key: key) { body in
            body.write(UInt64(IndexFile.version))
            body.write(column: [cost.fed, cost.skipped])
            let counts = [
                cost.most, cost.worstFrame, cost.frameCount, cost.restartCount, cost.proofCount,
                Int(cost.basis.rawValue),
            ]
            body.write(column: counts.map { Int64($0) })
            body.write(column: cost.restartKinds.map { Int64($0) })
        }
    }

    /// Reads a saved summary.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if it is incomplete, or belongs to another version or another file.
    package static func decode(
        _ bytes: Span<UInt8>, key: IndexFile.Key, frameCount: Int
    ) throws(ScrubError) -> CostSummary {
        try KeyedRecord.decode(bytes, magic: magic, version: version, key: key, name: "costs") {
            (body) throws(ScrubError) in
            let index = try body.read(UInt64.self)
            let sums = try body.readColumn(of: Int64.self)
            let counts = try body.readColumn(of: Int64.self)
            guard index == UInt64(IndexFile.version), sums.count == 2, counts.count == 6,
                (1...Int64(frameCount)).contains(counts[2]), (0..<Int64(frameCount)).contains(counts[1]),
                let basis = CostSummary.Basis(rawValue: UInt8(truncatingIfNeeded: counts[5]))
            else { throw IndexFile.contradiction }
            var cost = CostSummary()
            cost.basis = basis
            cost.restartKinds = try body.readColumn(of: Int64.self).map { Int($0) }
            (cost.fed, cost.skipped) = (sums[0], sums[1])
            (cost.most, cost.worstFrame, cost.frameCount) = (Int(counts[0]), Int(counts[1]), Int(counts[2]))
            (cost.restartCount, cost.proofCount) = (Int(counts[3]), Int(counts[4]))
            return cost
        }
    }
}

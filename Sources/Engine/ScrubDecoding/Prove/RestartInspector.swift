package import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase
package import ScrubIndex

/// An inspector that determines the actual kind of the container's keyframes from their first bytes, and caches it.
///
/// MP4 files mark recovery points, open groups and plain I pictures alike as sync samples, and some also mark other
/// pictures. A restart is trusted only after its own header confirmed it.
package struct RestartInspector {
    private var known: [Int: (access: RandomAccess, recoveryCount: Int)] = [:]
    private var references: [Int: Bool] = [:]

    package init() {}

    /// Returns whether the kind of picture `number` as a restart is known without reading its header.
    package func knows(_ number: Int, in index: FrameIndex) -> Bool {
        if index.pictures.flags[number].contains(.verified) || known[number] != nil { return true }
        let codec = index.facts.descriptions[index.pictures.description(of: number)]
        return !codec.mayInheritTables && (index.facts.codec == .other || codec.isIntraOnly)
    }

    /// Returns the kind of restart at picture `number`.
    package mutating func access(
        of number: Int, in index: FrameIndex, reader: borrowing PacketReader
    ) -> (access: RandomAccess, recoveryCount: Int) {
        let flags = index.pictures.flags[number]
        if flags.contains(.verified) {
            return (flags.randomAccess, Int(index.pictures.recoveryCounts[UInt32(number)] ?? 0))
        }
        if let found = known[number] { return found }
        let found = inspect(number, in: index, reader: reader)
        if !Cancellation.isCurrentCancelled { known[number] = found }
        return found
    }

    /// Returns whether other pictures depend on picture `number`, according to its header; false if that cannot be
    /// read.
    package mutating func isReference(_ number: Int, reader: borrowing PacketReader) -> Bool {
        if let found = references[number] { return found }
        let found = reader.examineHead(of: number)?.isReference ?? false
        if !Cancellation.isCurrentCancelled { references[number] = found }
        return found
    }

    private func inspect(
        _ number: Int, in index: FrameIndex, reader: borrowing PacketReader
    ) -> (access: RandomAccess, recoveryCount: Int) {
        let description = index.pictures.description(of: number)
        let codec = index.facts.descriptions[description]
        if codec.mayInheritTables { return (reader.standsAlone(number) ? .instantaneous : .none, 0) }
        if codec.isIntraOnly { return (.instantaneous, 0) }
        guard index.facts.codec != .other else { return (.open, 0) }
        // Only movie tables leave a claim unproven, and their samples are always contiguous.
        guard let coded = reader.examineHead(of: number), coded.isUnderstood else { return (.none, 0) }
        // A linear decode drops it if it still holds another picture with the same order count.
        if coded.randomAccess == .open, reader.repeatsOrder(number) { return (.none, 0) }
        return (coded.randomAccess, coded.recoveryCount)
    }
}

import ScrubBase

/// A segment index: the following subsegments of a file and their start times (`sidx`, ISO/IEC 14496-12, 8.16.3).
package struct SegmentIndex: Sendable {
    /// One subsegment.
    package struct Reference: Hashable, Sendable {
        /// The offset of the subsegment in the file.
        package let offset: Int64
        /// The size of the subsegment in bytes.
        package let size: Int64
        /// Its earliest presentation time, in the index's timescale.
        package let time: Int64
        /// Its duration, in the index's timescale.
        package let duration: Int64
        /// Whether it contains another index rather than media.
        package let isIndex: Bool
    }

    /// The track to which the times belong.
    package let trackID: UInt32
    /// Time units per second.
    package let timescale: UInt32
    /// The subsegments in file order.
    package let references: [Reference]

    /// The end of the last subsegment in the file.
    package var end: Int64 { references.last.map { $0.offset + $0.size } ?? 0 }

    /// Returns the number of subsegments that are completely inside a file of `byteCount` bytes.
    package func wholeCount(byteCount: Int64) -> Int {
        references.count { $0.offset + $0.size <= byteCount }
    }

    /// Reads the box that ends at `end` in the file.
    init(_ bytes: [UInt8], headerSize: Int, end: Int64) throws(ScrubError) {
        do throws(ScrubError) {
            guard bytes.count >= headerSize else { throw ScrubError(.badData, "is truncated") }
            var cursor = ByteCursor(bytes.span.extracting(headerSize..<bytes.count))
            let version = try cursor.readUInt32() >> 24
            trackID = try cursor.readUInt32()
            timescale = try cursor.readUInt32()
            guard timescale > 0 else { throw ScrubError(.badData, "the timescale is 0") }
            let start = version == 0 ? UInt64(try cursor.readUInt32()) : try cursor.readUInt64()
            let gap = version == 0 ? UInt64(try cursor.readUInt32()) : try cursor.readUInt64()
            try cursor.skip(2)
            let count = Int(try cursor.readUInt16())
            // Adding at most 65,535 32-bit numbers to these cannot overflow.
            guard start < 1 << 62, gap < 1 << 61, end < 1 << 61 else {
                throw ScrubError(.badData, "has times or offsets that are out of range")
            }
            var place = end + Int64(gap)
            var time = Int64(start)
            var references: [Reference] = []
            for _ in 0..<count {
                let size = try cursor.readUInt32()
                let duration = Int64(try cursor.readUInt32())
                try cursor.skip(4)
                references.append(
                    Reference(
                        offset: place, size: Int64(size & 0x7FFF_FFFF), time: time, duration: duration,
                        isIndex: size >> 31 == 1))
                place += Int64(size & 0x7FFF_FFFF)
                time += duration
            }
            self.references = references
        } catch {
            throw error.inBox("sidx")
        }
    }
}

/// A starting point that a random access table declares (`tfra`, ISO/IEC 14496-12, 8.8.10).
package struct RandomAccessHint: Hashable, Sendable {
    /// The presentation time of the sync sample, in the track's timescale.
    package let time: UInt64
    /// The offset of the fragment's `moof` box in the file.
    package let moofOffset: UInt64

    /// Reads the tables of an `mfra` box, by track.
    static func tables(
        in bytes: [UInt8], headerSize: Int, warnings: inout [String]
    ) -> [UInt32: [RandomAccessHint]] {
        var all: [UInt32: [RandomAccessHint]] = [:]
        guard bytes.count >= headerSize else { return all }
        for box in Box.children(of: bytes, in: headerSize..<bytes.count, path: "mfra", warnings: &warnings)
        where box.type == .tfra {
            do throws(ScrubError) {
                let (track, hints) = try table(box, in: bytes)
                all[track] = hints
            } catch {
                warnings.append("\(error.inBox("mfra/tfra"))")
            }
        }
        return all
    }

    private static func table(
        _ box: Box, in bytes: [UInt8]
    ) throws(ScrubError) -> (track: UInt32, hints: [RandomAccessHint]) {
        let header = try box.fullHeader(in: bytes)
        var cursor = ByteCursor(bytes.span.extracting(header.fields))
        let track = try cursor.readUInt32()
        let lengths = Int(try cursor.readUInt32())
        // Three numbers of 1 to 4 bytes follow the time and the offset: the traf, trun and sample numbers.
        let numbers = (lengths >> 4 & 3) + (lengths >> 2 & 3) + (lengths & 3) + 3
        let count = Int(try cursor.readUInt32())
        let width = (header.version == 1 ? 16 : 8) + numbers
        guard count <= cursor.remaining / width else {
            throw ScrubError(.badData, "claims \(count) entries but has room for \(cursor.remaining / width)")
        }
        var hints: [RandomAccessHint] = []
        hints.reserveCapacity(count)
        for _ in 0..<count {
            let time = header.version == 1 ? try cursor.readUInt64() : UInt64(try cursor.readUInt32())
            let place = header.version == 1 ? try cursor.readUInt64() : UInt64(try cursor.readUInt32())
            try cursor.skip(numbers)
            hints.append(RandomAccessHint(time: time, moofOffset: place))
        }
        return (track, hints)
    }
}

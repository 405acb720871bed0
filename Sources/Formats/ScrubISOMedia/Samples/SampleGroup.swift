import ScrubBase

/// Sample groups (ISO/IEC 14496-12, 8.9): samples that share a description, and its content.
enum SampleGroup {
    /// The groupings that matter for seeking; the others are skipped.
    static let known: Set<FourCC> = [.rap, .roll, .sync]

    /// The descriptions of one grouping (`sgpd`, 8.9.3), each reduced to one number: the leading-sample byte of `rap `,
    /// the distance of `roll`, the NAL unit type of `sync`.
    struct Descriptions {
        let grouping: FourCC
        var values: [Int16] = []

        /// Reads the box, or returns `nil` for a grouping that does not matter here.
        init?(_ box: Box, in bytes: [UInt8], path: String) throws(ScrubError) {
            do throws(ScrubError) {
                let header = try box.fullHeader(in: bytes)
                var cursor = ByteCursor(bytes.span.extracting(header.fields))
                grouping = FourCC(rawValue: try cursor.readUInt32())
                guard SampleGroup.known.contains(grouping) else { return nil }
                let fixed = header.version >= 1 ? Int(try cursor.readUInt32()) : grouping == .roll ? 2 : 1
                if header.version >= 2 { try cursor.skip(4) }
                let count = try cursor.readUInt32()
                for _ in 0..<count {
                    let length = fixed == 0 ? Int(try cursor.readUInt32()) : fixed
                    var entry = ByteCursor(try cursor.readSpan(length))
                    switch grouping {
                    case .roll: values.append(Int16(bitPattern: try entry.readUInt16()))
                    case .sync: values.append(Int16(try entry.readUInt8() & 0x3F))
                    default: values.append(Int16(try entry.readUInt8()))
                    }
                }
            } catch {
                throw error.inBox("\(path)/sgpd")
            }
        }
    }

    /// The runs that map samples to descriptions (`sbgp`, 8.9.2).
    struct Runs {
        let grouping: FourCC
        let rows: Rows

        /// Reads the box's header, or returns `nil` for a grouping that does not matter here or has no runs.
        init?(_ box: Box, in bytes: [UInt8], path: String) throws(ScrubError) {
            do throws(ScrubError) {
                let header = try box.fullHeader(in: bytes)
                var cursor = ByteCursor(bytes.span.extracting(header.fields))
                grouping = FourCC(rawValue: try cursor.readUInt32())
                guard SampleGroup.known.contains(grouping) else { return nil }
                if header.version == 1 { try cursor.skip(4) }
                let count = Int(try cursor.readUInt32())
                guard count > 0 else { return nil }
                rows = Rows(
                    start: header.fields.lowerBound + cursor.position, count: min(count, cursor.remaining / 8)
                )
            } catch {
                throw error.inBox("\(path)/sbgp")
            }
        }
    }
}

extension SampleTableBuilder {
    /// Applies the groups of the movie box.
    mutating func addSampleGroups(path: String) throws(ScrubError) {
        try applyGroups(track.tables.sbgp, in: track.moov, local: [:], path: path, samples: 0..<table.count)
    }

    /// Reads descriptions of groups, by grouping.
    static func groupDescriptions(
        _ boxes: [Box], in bytes: [UInt8], path: String
    ) throws(ScrubError) -> [FourCC: SampleGroup.Descriptions] {
        var all: [FourCC: SampleGroup.Descriptions] = [:]
        for box in boxes {
            if let group = try SampleGroup.Descriptions(box, in: bytes, path: path) {
                all[group.grouping] = group
            }
        }
        return all
    }

    /// Applies `sbgp` boxes of the movie or of a fragment to `samples`.
    ///
    /// In a fragment, an index above 65,536 refers to a description in the fragment itself, and a lower one to a
    /// description in the movie box (8.9.4). If the movie box has none, the fragment's own is used, contrary to the
    /// standard.
    mutating func applyGroups(
        _ maps: [Box], in bytes: [UInt8], local: [FourCC: SampleGroup.Descriptions], path: String,
        samples: Range<Int>
    ) throws(ScrubError) {
        guard !maps.isEmpty, !samples.isEmpty else { return }
        if movieGroups == nil {
            movieGroups = try Self.groupDescriptions(track.tables.sgpd, in: track.moov, path: track.path)
        }
        let span = bytes.span
        for box in maps {
            guard let runs = try SampleGroup.Runs(box, in: bytes, path: path) else { continue }
            let shared = movieGroups?[runs.grouping]
            var sample = samples.lowerBound
            for row in 0..<runs.rows.count where sample < samples.upperBound {
                let at = runs.rows.start + row * 8
                let end = min(samples.upperBound, sample + Int(bigEndian32(span, at: at)))
                let index = Int(bigEndian32(span, at: at + 4))
                if index > 0 {
                    let isLocal = index > 0x1_0000
                    let group = isLocal ? local[runs.grouping] : shared ?? local[runs.grouping]
                    let position = (isLocal ? index - 0x1_0000 : index) - 1
                    let value = group.flatMap {
                        $0.values.indices.contains(position) ? $0.values[position] : nil
                    }
                    mark(sample..<end, grouping: runs.grouping, value: value ?? 0)
                }
                sample = end
            }
        }
    }

    private mutating func mark(_ samples: Range<Int>, grouping: FourCC, value: Int16) {
        switch grouping {
        case .rap:
            // Without a table of sync samples, every sample is one.
            table.syncKinds.pad(to: table.count, with: .sync)
            for sample in samples { table.syncKinds[sample].insert(.randomAccess) }
        case .roll:
            table.rollDistances.pad(to: samples.upperBound, with: 0)
            for sample in samples { table.rollDistances[sample] = value }
        default:
            table.syncNALTypes.pad(to: samples.upperBound, with: 0)
            for sample in samples { table.syncNALTypes[sample] = UInt8(truncatingIfNeeded: value) }
        }
    }
}

extension Array {
    /// Makes the array at least `count` long.
    mutating func pad(to count: Int, with element: Element) {
        if self.count < count { append(contentsOf: repeatElement(element, count: count - self.count)) }
    }
}

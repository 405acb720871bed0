import ScrubBase

extension SampleTableBuilder {
    /// Adds the samples of the movie fragments in file order (ISO/IEC 14496-12, 8.8).
    mutating func addFragments() throws(ScrubError) {
        table.readShift = table.decodeShift
        guard track.isExtended, !track.fragments.items.isEmpty else { return }
        table.syncKinds.pad(to: table.count, with: .sync)
        for (number, fragment) in track.fragments.items.enumerated() {
            try addFragment(fragment, path: "moof[\(number)]")
            if isEnded { break }
        }
        shiftFragments()
        if !table.descriptionIndexes.isEmpty { table.descriptionIndexes.pad(to: table.count, with: 0) }
    }

    /// Sets the shift with which a demuxer reads the runs, once all of them are known.
    mutating func shiftFragments() {
        guard let last = table.fragmentRuns.last else { return }
        if !track.fragments.isAnnouncedToTheEnd {
            // Without an index to the end, a demuxer reads all fragments before the first sample, so it knows the
            // greatest shift from the start.
            table.readShift = last.decodeShift
            for index in table.fragmentRuns.indices {
                table.fragmentRuns[index].decodeShift = last.decodeShift
            }
        }
    }

    /// Adds the samples of a fragment, which follows all that were added before it.
    mutating func addFragment(_ fragment: MovieFragment, path: String) throws(ScrubError) {
        let bytes = fragment.bytes
        // Without its own base, a track's data follows the previous track's data in the fragment.
        var implicitBase = fragment.offset
        let children = Box.children(
            of: bytes, in: fragment.headerSize..<bytes.count, path: path, warnings: &table.warnings)
        for (number, traf) in children.filter({ $0.type == .traf }).enumerated() {
            let path = "\(path)/traf[\(number)]"
            let boxes = Box.children(of: bytes, in: traf.body, path: path, warnings: &table.warnings)
            guard let box = boxes.first(where: { $0.type == .tfhd }) else {
                warn(path, "has no header")
                continue
            }
            guard
                let header = try FragmentHeader(
                    box, in: bytes, defaults: track.fragments.defaults, path: path)
            else { continue }
            let base = header.baseDataOffset ?? (header.isBasedOnMoof ? fragment.offset : implicitBase)
            if header.trackID == track.id {
                implicitBase = try addTrackFragment(
                    boxes, of: fragment, header: header, base: base, path: path)
            } else {
                implicitBase = try Self.dataEnd(boxes, in: bytes, header: header, base: base, path: path)
            }
        }
    }

    /// Returns the end of another track's data.
    private static func dataEnd(
        _ boxes: [Box], in bytes: [UInt8], header: FragmentHeader, base: Int64, path: String
    ) throws(ScrubError) -> Int64 {
        var end = base
        let span = bytes.span
        for box in boxes where box.type == .trun {
            let run = try TrackRun(box, in: bytes, path: path)
            if let offset = run.dataOffset { end = base &+ offset }
            guard run.hasSizes else {
                end = end &+ Int64(header.size) &* Int64(run.count)
                continue
            }
            let width = run.width
            for row in 0..<min(run.count, run.room ?? 0) {
                end &+= Int64(bigEndian32(span, at: run.start + row * width + (run.hasDurations ? 4 : 0)))
            }
        }
        return end
    }

    /// Adds the runs of one track in one fragment.
    ///
    /// - Returns: the end of the track's data.
    private mutating func addTrackFragment(
        _ boxes: [Box], of fragment: MovieFragment, header: FragmentHeader, base: Int64, path: String
    ) throws(ScrubError) -> Int64 {
        let first = table.count
        var place = base
        var time = try startTime(boxes, of: fragment, path: path)
        guard time.magnitude <= SampleTable.timeLimit else {
            throw ScrubError(.badData, "begins at an implausibly large time: \(time)", place: .box("\(path)/tfdt"))
        }
        let isSelected = track.selectedEntry.map { $0 + 1 == Int(header.descriptionIndex) } ?? true
        guard isSelected else {
            return try Self.dataEnd(boxes, in: fragment.bytes, header: header, base: base, path: path)
        }
        for box in boxes where box.type == .trun {
            let run = try TrackRun(box, in: fragment.bytes, path: path)
            if let offset = run.dataOffset { place = base &+ offset }
            let firstOfRun = table.count
            if isEnded { break }
            try addRun(run, in: fragment.bytes, header: header, place: &place, time: &time, path: path)
            guard time <= SampleTable.timeLimit else {
                throw ScrubError(.badData, "has implausibly large times", place: .box("\(path)/trun"))
            }
            guard table.count > firstOfRun else { continue }
            var shift = table.fragmentRuns.last?.decodeShift ?? table.decodeShift
            for offset in table.compositionOffsets[firstOfRun...] { shift = max(shift, -Int64(offset)) }
            table.fragmentRuns.append(
                SampleTable.FragmentRun(
                    firstSample: firstOfRun, moofOffset: fragment.offset, decodeShift: shift))
        }
        trackEnd = time
        guard table.count > first else { return place }
        if header.descriptionIndex > 1 || !table.descriptionIndexes.isEmpty {
            table.descriptionIndexes.pad(to: first, with: 0)
            table.descriptionIndexes.pad(
                to: table.count, with: UInt16(clamping: Int64(header.descriptionIndex) - 1))
        }
        if let box = boxes.first(where: { $0.type == .sdtp }), box.body.count > 4 {
            let bytes = fragment.bytes.span
            for sample in 0..<min(table.count - first, box.body.count - 4) {
                table.dependencies[first + sample] =
                    SampleDependency(rawValue: bytes[box.body.lowerBound + 4 + sample])
            }
        }
        try applyGroups(
            boxes.filter { $0.type == .sbgp }, in: fragment.bytes,
            local: try Self.groupDescriptions(
                boxes.filter { $0.type == .sgpd }, in: fragment.bytes, path: path),
            path: path, samples: first..<table.count)
        if boxes.contains(where: { $0.type == .senc || $0.isSampleEncryption(in: fragment.bytes.span) }) {
            table.hasSampleEncryption = true
        }
        return place
    }

    /// Returns the decode time of the fragment's first sample. It is the value of `tfdt` (8.8.12), or else that of a
    /// segment index for this offset, or else the end of the previous samples.
    private func startTime(_ boxes: [Box], of fragment: MovieFragment, path: String) throws(ScrubError)
        -> Int64
    {
        if let box = boxes.first(where: { $0.type == .tfdt }) {
            do throws(ScrubError) {
                let header = try box.fullHeader(in: fragment.bytes)
                var cursor = ByteCursor(fragment.bytes.span.extracting(header.fields))
                guard header.version > 0 else { return Int64(try cursor.readUInt32()) }
                return Int64(bitPattern: try cursor.readUInt64())
            } catch {
                throw error.inBox("\(path)/tfdt")
            }
        }
        return track.fragments.announcedStarts[track.id]?[fragment.offset] ?? trackEnd
    }

    /// Adds the samples of one run (8.8.8).
    private mutating func addRun(
        _ run: TrackRun, in bytes: [UInt8], header: FragmentHeader, place: inout Int64, time: inout Int64,
        path: String
    ) throws(ScrubError) {
        var count = run.count
        if let room = run.room {
            if count > room { warn("\(path)/trun", "claims \(count) samples but has room for \(room)") }
            count = min(count, room)
        } else if count > 0 {
            // This count is not backed by bytes of the box, only by the bytes of the file.
            guard header.size > 0 else {
                throw ScrubError(.badData, "has \(count) samples without a size", place: .box("\(path)/trun"))
            }
            let room = track.byteCount / Int64(header.size) + 1
            guard count <= room, table.count + count <= Self.maximumCount else {
                throw ScrubError(.badData, "claims too many samples: \(count)", place: .box("\(path)/trun"))
            }
        }
        let span = bytes.span
        let width = run.width
        table.compositionOffsets.pad(to: table.count, with: 0)
        table.dependencies.pad(to: table.count, with: SampleDependency(rawValue: 0))
        for row in 0..<count {
            var at = run.start + row * width
            var duration = header.duration
            var size = header.size
            var flags = row == 0 ? run.firstFlags ?? header.flags : header.flags
            var offset: Int32 = 0
            if run.hasDurations {
                duration = bigEndian32(span, at: at)
                at += 4
            }
            if run.hasSizes {
                size = bigEndian32(span, at: at)
                at += 4
            }
            if run.hasFlags {
                flags = bigEndian32(span, at: at)
                at += 4
            }
            // This sample ends the table, as in the movie box, because nothing after it can be trusted.
            guard size <= Self.maximumSize else {
                warn("\(path)/trun", "sample \(row) of the run claims \(size) bytes: the rest is ignored")
                isEnded = true
                return
            }
            if run.hasCompositionOffsets { offset = Int32(bitPattern: bigEndian32(span, at: at)) }
            table.offsets.append(place)
            table.sizes.append(size)
            table.dts.append(time)
            table.compositionOffsets.append(offset)
            // A sample that depends on others is not a place to start, whatever the sync bit says.
            let isSync = flags & 0x0001_0000 == 0 && flags & 0x0100_0000 == 0
            table.syncKinds.append(isSync || track.handler == .soun ? .sync : [])
            table.dependencies.append(SampleDependency(rawValue: UInt8(truncatingIfNeeded: flags >> 20)))
            table.lastDuration = Int64(duration)
            place &+= Int64(size)
            time &+= Int64(duration)
        }
    }
}

internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// The references of a stream's pictures, found group by group on demand.
///
/// A table begins at the restart where decoding begins and grows with the requested targets. Only headers are read, and
/// only up to the target. The table ends at the first header that cannot be parsed, and later targets are decoded from
/// everything before them.
///
/// Thread safety: safe from any thread; one request is handled at a time. Memory: about 20 bytes for each picture of
/// the requested groups.
package final class DependencyGraph: Sendable {
    private struct Stretch {
        var table: DependencyTable
        /// The header parser, positioned after the table's last packet; `nil` for a saved table, and after a packet
        /// that cannot be described.
        var parser: DependencyParser?
        var isSaved = false
    }

    private let file: MediaSource
    private let index: FrameIndex
    private let stretches = Locked<[Int: Stretch]>([:])
    /// The units that were decoded without errors, by the first picture of their table.
    private let soundUnits = Locked<[Int: Set<Int>]>([:])

    package init(file: MediaSource, index: FrameIndex) {
        self.file = file
        self.index = index
    }

    /// Adds tables that were saved earlier.
    package func add(_ saved: [DependencyTable]) {
        stretches.withLock { stretches in
            for table in saved where stretches[table.firstPicture] == nil {
                stretches[table.firstPicture] = Stretch(table: table, parser: nil, isSaved: true)
            }
        }
    }

    /// Records units that were decoded without errors.
    package func note(soundUnits units: [Int], of table: DependencyTable) {
        guard !units.isEmpty else { return }
        soundUnits.withLock { $0[table.firstPicture, default: []].formUnion(units) }
    }

    /// Returns the dependencies of `restart...last` and of everything between; `nil` if they are not proven.
    ///
    /// May read the headers of these pictures.
    ///
    /// - Parameter view: the source from which they are read; by default the file.
    package func table(from restart: Int, through last: Int, view: MediaSource? = nil) -> DependencyTable? {
        guard var table = provenTable(from: restart, through: last, view ?? file) else { return nil }
        if table.hasSlots { table.soundUnits = soundUnits.withLock { $0[table.firstPicture] ?? [] } }
        return table
    }

    private func provenTable(from restart: Int, through last: Int, _ file: MediaSource) -> DependencyTable? {
        // Tables of the index are in ascending order.
        let after = index.dependencies.partitioningIndex { $0.firstPicture > restart }
        if after > 0 {
            let known = index.dependencies[after - 1]
            return last < known.endPicture ? known : nil
        }
        guard index.facts.route == .direct, index.facts.codec != .other,
            // New extradata in the container is a change that no header shows.
            index.pictures.descriptions.isEmpty
        else { return nil }
        guard !file.isRemote else { return distantTable(from: restart, through: last, file) }
        return stretches.withLock { stretches in
            var stretch = stretches.removeValue(forKey: restart) ?? fresh(restart)
            if stretch.table.endPicture <= last, stretch.isSaved { stretch = fresh(restart) }
            extend(&stretch, through: last, file)
            stretches[restart] = stretch
            return stretch.table.endPicture > last ? stretch.table : nil
        }
    }

    /// Returns the same for sources that are slow to read: the lock is not held during reading. If two callers arrive
    /// at once, both read.
    private func distantTable(from restart: Int, through last: Int, _ file: MediaSource) -> DependencyTable? {
        var stretch = stretches.withLock { $0.removeValue(forKey: restart) } ?? fresh(restart)
        if stretch.table.endPicture <= last, stretch.isSaved { stretch = fresh(restart) }
        extend(&stretch, through: last, file)
        return stretches.withLock { stretches in
            // The longer table is kept.
            if stretches[restart].map({ $0.table.endPicture < stretch.table.endPicture }) ?? true {
                stretches[restart] = stretch
            }
            return stretch.table.endPicture > last ? stretch.table : nil
        }
    }

    /// Returns whether the dependencies of some pictures are already known, or can never be known.
    package func knows(from restart: Int, through last: Int) -> Bool {
        guard index.dependencies.isEmpty, index.facts.route == .direct, index.facts.codec != .other,
            index.pictures.descriptions.isEmpty
        else { return true }
        return stretches.withLock { stretches in
            guard let stretch = stretches[restart] else { return false }
            return stretch.table.endPicture > last || stretch.parser == nil && !stretch.isSaved
        }
    }

    /// The tables found since the file was opened, with the number of their units.
    package var news: (tables: [DependencyTable], unitCount: Int) {
        stretches.withLock { stretches in
            let fresh = stretches.values.filter { !$0.isSaved }
            return (
                stretches.values.map(\.table).sorted { $0.firstPicture < $1.firstPicture },
                fresh.reduce(0) { $0 + $1.table.traits.count }
            )
        }
    }

    private func fresh(_ restart: Int) -> Stretch {
        Stretch(
            table: DependencyTable(firstPicture: restart),
            parser: DependencyParser(
                codec: index.facts.codec, extradata: index.facts.descriptions[0].extradata,
                isStreamStart: restart == 0))
    }

    private func extend(_ stretch: inout Stretch, through last: Int, _ file: MediaSource) {
        while stretch.table.endPicture <= last {
            guard var parser = stretch.parser.take() else { return }
            let before = file.isRemote ? parser : nil
            let found = describe(stretch.table.endPicture, &parser, file)
            if Cancellation.isCurrentCancelled {
                // Bytes that cannot be read now may become readable later.
                stretch.parser = before
                return
            }
            guard let packet = found,
                stretch.table.append(packet, codec: parser.codec, canRepeat: parser.canRepeat)
            else { return }
            stretch.parser = parser
        }
    }

    private func describe(
        _ picture: Int, _ parser: inout DependencyParser, _ file: MediaSource
    ) -> PacketDependencies? {
        let (offset, size) = (index.pictures.offsets[picture], index.pictures.sizes[picture])
        guard size > 0, file.contains(offset: offset, count: Int64(size)),
            var head = SampleHead(offset: offset, size: size, firstRead: parser.usualHeadBytes, file: file)
        else { return nil }
        while true {
            switch parser.parse(head.bytes.span, isWhole: head.isWhole) {
            case .dependencies(let packet): return packet
            case .needsMoreBytes: guard head.readMore() else { return nil }
            }
        }
    }
}

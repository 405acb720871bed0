internal import ScrubBase
internal import Synchronization

/// An entry of a cache directory that contains many numbered records and grows by appending. One process writes, and
/// any number of processes read. A read returns the right record or none, whenever a process was killed and however the
/// file was truncated or damaged.
///
/// Opening reads the index blocks and no records. The byte format is ``PackFormat``. For a few small records that are
/// all read at once, see ``RecordFile``.
///
/// Thread safety: safe from any thread; reading never waits for an append. Memory: about 60 bytes per record.
package final class RecordPack: Sendable {
    /// XXH3-64 of bytes with a seed.
    package typealias Checksum = @Sendable (Span<UInt8>, UInt64) -> UInt64

    private struct Writing {
        var isWriter = false
        /// Whether a write failed and the disk's state is not known.
        var isBroken = false
        var end: Int64
        var lastBlock: Int64
        var nextBlock: UInt64
        var pending: [PackFormat.Row]
        /// The number of bytes for which the cache's limits leave room.
        var granted: Int64 = 0
    }

    let title: [UInt8]
    let limit: Int
    /// Whether the pack was opened so that it can be written once no other process is writing it.
    let isWritable: Bool
    private let name: String
    private let directory: CacheDirectory
    private let file: PrivateFile
    private let format: PackFormat
    private let rows: Locked<[Int: PackFormat.Row]>
    /// The writing state, locked during a write.
    private let writing: Locked<Writing>
    /// A copy of the ``Writing`` state, for callers that do not wait.
    private let writes: Atomic<Bool>
    /// The number of bytes by which room is made.
    private static let stride: Int64 = 8 << 20

    /// Creates a pack from a file that matches its format.
    private init(
        _ file: PrivateFile, _ format: PackFormat, _ name: String, _ directory: CacheDirectory, below limit: Int,
        isWritable: Bool, isWriter: Bool
    ) {
        (self.file, self.format, self.name, self.directory) = (file, format, name, directory)
        (title, self.limit, self.isWritable) = (format.title, limit, isWritable)
        let found = PackContents(file, format, below: limit)
        rows = Locked(found.rows)
        var writing = Writing(
            end: found.end, lastBlock: found.lastBlock, nextBlock: found.nextBlock, pending: found.pending)
        if isWriter { RecordPack.cut(file, &writing) }
        writes = Atomic(writing.isWriter)
        self.writing = Locked(writing)
    }

    deinit {
        writing.withLock { writing in
            guard writing.isWriter else { return }
            if !writing.isBroken, !writing.pending.isEmpty {
                var draft = Draft(writing)
                draft.appendBlock(format)
                // The information is also found without the block.
                _ = write(draft, &writing, isSynced: false)
            }
            file.unlock()
        }
    }

    // MARK: Opening

    /// Opens or creates a pack. If this process already has the pack open, returns that object.
    ///
    /// A pack with another title or version, or with a damaged header, is removed and recreated, unless another process
    /// is writing it. Existing readers keep the old pack.
    ///
    /// - Parameters:
    ///   - title: identifies the subject of the records, at most 4,096 bytes.
    ///   - limit: the upper bound of record numbers.
    ///   - mayWrite: whether to create it if it does not exist, and to allow appending records.
    /// - Returns: the pack; `nil` if it does not exist and cannot be created, or if the folder or the file does not
    ///   belong to this user.
    package static func open(
        _ name: String, in directory: CacheDirectory, title: [UInt8], below limit: Int, mayWrite: Bool,
        checksum: @escaping Checksum
    ) -> RecordPack? {
        OpenPackRegistry.shared.pack(at: Folder.absolute(directory.path(of: name))) { known in
            if let known, known.title == title, known.limit == limit, known.isWritable || !mayWrite,
                known.file.isNamedStill
            {
                return known
            }
            let format = PackFormat(title: title, checksum: checksum)
            return make(name, directory, format, below: limit, mayWrite: mayWrite)
        }
    }

    private static func make(
        _ name: String, _ directory: CacheDirectory, _ format: PackFormat, below limit: Int, mayWrite: Bool
    ) -> RecordPack? {
        // Retried if the file is removed at this moment.
        for _ in 0..<4 {
            guard let (file, isWritable) = directory.growing(name, mayWrite: mayWrite) else { return nil }
            let lock = isWritable ? file.lock() : false
            let isWriter = lock == true
            guard file.isNamedStill else { continue }
            if let found = PackFormat(file, checksum: format.checksum), found.title == format.title {
                return RecordPack(
                    file, format, name, directory, below: limit, isWritable: isWritable, isWriter: isWriter)
            }
            guard isWriter else {
                // The pack can never be written here.
                if lock == nil, file.byteCount == 0 { directory.remove(name) }
                return nil
            }
            guard file.byteCount == 0 else {
                directory.remove(name)
                continue
            }
            do throws(ScrubError) {
                try file.write(format.beginning, at: 0)
            } catch {
                directory.remove(name)
                return nil
            }
            return RecordPack(file, format, name, directory, below: limit, isWritable: true, isWriter: true)
        }
        return nil
    }

    // MARK: Reading

    /// The numbers of the existing records.
    package var numbers: Set<Int> { rows.withLock { Set($0.keys) } }

    /// The number of records.
    package var count: Int { rows.withLock { $0.count } }

    /// Returns whether a record exists.
    package func contains(_ number: Int) -> Bool { rows.withLock { $0[number] != nil } }

    /// The path of the file.
    package var path: String { directory.path(of: name) }

    /// The size of the file in bytes, which counts toward the cache's limits.
    package var byteCount: Int64 { file.byteCount ?? 0 }

    /// The maximum room for appending.
    package var room: CacheCapacity { directory.room(growing: name) }

    /// Returns a record as it was appended. A damaged record is dropped.
    ///
    /// Cost: one read.
    package func record(_ number: Int) -> [UInt8]? {
        guard let row = rows.withLock({ $0[number] }) else { return nil }
        let end = row.place + Int64(PackFormat.Head.byteCount + row.count)
        guard let bytes = try? file.bytes(at: row.place, count: PackFormat.Head.byteCount + row.count),
            let head = format.head(bytes.span, at: row.place), head.kind == .record,
            head.number == UInt64(number), head.whole == end - row.place,
            format.isWhole(bytes.span.extracting(PackFormat.Head.byteCount..<bytes.count), head)
        else {
            rows.withLock { rows in
                if rows[number]?.place == row.place { rows[number] = nil }
            }
            return nil
        }
        return Array(bytes[PackFormat.Head.byteCount...])
    }

    /// Loads the records that another process has appended. Has no effect if this process is the writer.
    ///
    /// Cost: one read for each new record.
    package func refresh() {
        guard !isWriting else { return }
        writing.withLock { writing in
            guard !writing.isWriter, let size = file.byteCount, size > writing.end else { return }
            var news: [Int: PackFormat.Row] = [:]
            writing.end = PackContents.scan(file, format, from: writing.end, to: size) { place, head in
                guard head.kind == .record, let number = Int(exactly: head.number), number < limit else { return }
                news[number] = PackFormat.Row(number: number, place: place, count: head.count)
            }
            rows.withLock { [news] rows in rows.merge(news) { $1 } }
        }
    }
}

// MARK: Appending
extension RecordPack {
    /// Whether this process is the writer, as of the last opening or append, and the disk has accepted all writes so
    /// far.
    package var isWriting: Bool { writes.load(ordering: .relaxed) }

    /// Appends records, and waits until they are on disk and visible to all processes. It skips existing records, those
    /// without bytes, those over 64 MiB, and invalid numbers.
    ///
    /// - Returns: false if they were not saved: another process is writing, the file was removed, or there is no room
    ///   on the disk or within the cache's limits. In that case, the file is unchanged.
    package func append(_ records: [(number: Int, bytes: [UInt8])]) -> Bool {
        writing.withLock { writing in
            defer { writes.store(writing.isWriter && !writing.isBroken, ordering: .relaxed) }
            guard takeOver(&writing) else { return false }
            var draft = Draft(writing)
            var news: [PackFormat.Row] = []
            var seen: Set<Int> = []
            for record in records where (0..<limit).contains(record.number) && !contains(record.number) {
                guard (1...PackFormat.Head.longestBody).contains(record.bytes.count),
                    seen.insert(record.number).inserted
                else { continue }
                news.append(draft.append(record.bytes, as: record.number, format))
                if draft.pending.count >= PackFormat.rowsOfBlock { draft.appendBlock(format) }
            }
            guard !news.isEmpty else { return true }
            guard write(draft, &writing, isSynced: true) else { return false }
            rows.withLock { [news] rows in
                for row in news { rows[row.number] = row }
            }
            return true
        }
    }

    /// Entries to append, with the resulting state of the file.
    private struct Draft {
        private(set) var bytes: [UInt8] = []
        private(set) var pending: [PackFormat.Row]
        private(set) var lastBlock: Int64
        private let start: Int64

        init(_ writing: Writing) {
            (start, pending, lastBlock) = (writing.end, writing.pending, writing.lastBlock)
        }

        var end: Int64 { start + Int64(bytes.count) }

        mutating func append(_ body: [UInt8], as number: Int, _ format: PackFormat) -> PackFormat.Row {
            let row = PackFormat.Row(number: number, place: end, count: body.count)
            format.append(.record, number: UInt64(number), body, at: row.place, to: &bytes)
            pending.append(row)
            return row
        }

        /// Appends an index block of all records since the previous one.
        mutating func appendBlock(_ format: PackFormat) {
            let (place, block) = (end, format.block(pending))
            // Its records are found by their headers.
            guard block.count <= PackFormat.Head.longestBody else { return }
            format.append(.block, number: UInt64(lastBlock), block, at: place, to: &bytes)
            (lastBlock, pending) = (place, [])
        }
    }

    /// Becomes the writer if the previous one has ended.
    private func takeOver(_ writing: inout Writing) -> Bool {
        guard !writing.isBroken else { return false }
        guard !writing.isWriter else { return true }
        guard isWritable, file.lock() == true else { return false }
        let found = PackContents(file, format, below: limit)
        rows.withLock { $0 = found.rows }
        writing.end = found.end
        (writing.lastBlock, writing.nextBlock, writing.pending) = (found.lastBlock, found.nextBlock, found.pending)
        RecordPack.cut(file, &writing)
        return writing.isWriter
    }

    /// Truncates an incomplete end, with the lock held.
    private static func cut(_ file: PrivateFile, _ writing: inout Writing) {
        writing.isWriter = (try? file.resize(to: writing.end)) != nil
        if !writing.isWriter { file.unlock() }
    }

    /// Writes a draft at the end, either completely or not at all.
    private func write(_ draft: Draft, _ writing: inout Writing, isSynced: Bool) -> Bool {
        let count = Int64(draft.bytes.count)
        if count > writing.granted {
            let more = [count + RecordPack.stride, count].first { directory.makeRoom(for: $0, growing: name) }
            guard let more else { return false }
            writing.granted = more
        }
        // The bytes of a file without a name are unreachable, and do not count toward a limit.
        guard file.isNamedStill else { return false }
        do throws(ScrubError) {
            try file.write(draft.bytes, at: writing.end)
            if isSynced, !file.synchronize() {
                // The system no longer knows which bytes it failed to write.
                writing.isBroken = true
                throw ScrubError(.inputOutput, "could not be written to disk", file: file.path)
            }
        } catch {
            if (try? file.resize(to: writing.end)) == nil { writing.isBroken = true }
            return false
        }
        writing.granted -= count
        (writing.end, writing.pending) = (draft.end, draft.pending)
        if draft.lastBlock != writing.lastBlock {
            writing.lastBlock = draft.lastBlock
            // The reference does not have to be on disk, because the block can also be found from the previous one.
            let slot = format.slot(PackFormat.Slot(place: draft.lastBlock, number: writing.nextBlock))
            writing.nextBlock &+= 1
            try? file.write(slot.bytes, at: slot.place)
        }
        return true
    }
}

package import ScrubSourcesLogic
internal import Glibc
internal import ScrubHashing
internal import ScrubBase
internal import Synchronization

/// A generation of a medium in the cache: one content of one address.
///
/// While the object exists, the medium is in use and no process removes it. Release it when its readers end.
///
/// Thread safety: safe from any thread.
package final class CachedMedium: Sendable {
    /// The size of the whole medium in bytes.
    package var total: Int64 { row.total }
    /// The server's validator of the content.
    package var validator: Validator { row.validator }
    /// The generation of the content at this address, which increases with each change.
    package var generation: Int64 { row.generation }

    /// The byte whose lock marks a medium as in use. No medium contains it.
    static let pin = largestMedium..<largestMedium + 1

    private struct State: Sendable {
        var pieces = PieceList()
        /// The ranges that this object's claims cover.
        var claims: [Range<Int64>] = []
        var counters = CacheCounters()
        var checked: Int64
        /// Whether the file's name has reached the disk.
        var isNamed: Bool
        /// Whether its disk accepts no more data.
        var isFull = false
        /// Whether the catalogue now has another generation.
        var isOver = false
    }

    let cache: MediaCache
    let row: MediumRow
    let epoch: String
    private let file: Int32
    private let state: Locked<State>

    /// Creates an object for a generation.
    ///
    /// - Parameters:
    ///   - file: its open data file, with a locked pin; closed with this object.
    ///   - isNew: whether the file was just created.
    init(_ cache: MediaCache, _ row: MediumRow, epoch: String, file: Int32, isNew: Bool) {
        self.cache = cache
        self.row = row
        self.epoch = epoch
        self.file = file
        state = Locked(State(checked: row.checked, isNamed: !isNew))
    }

    deinit {
        let counters = state.withLock { $0.counters }
        if !counters.isZero {
            cache.recorder.add(
                .init(cache: cache, epoch: epoch, id: row.id, generation: row.generation, counters: counters))
        }
        // Closing is not enough: a child between fork and exec also has the open file, and would hold the lock slightly
        // longer.
        try? cache.files.lock(file, .none, Self.pin)
        cache.files.close(file)
    }

    private func job(_ counters: CacheCounters = .init(), _ written: CacheWriter.Written? = nil) -> CacheWriter.Job {
        .init(
            cache: cache, epoch: epoch, id: row.id, generation: row.generation, counters: counters, written: written)
    }

    // MARK: Facts

    /// Whether the entry is within its time to live, so that the server need not be asked.
    package var isFresh: Bool {
        // A clock that went back does not make entries older; neither does one that jumped far ahead.
        let age = cache.now.subtractingReportingOverflow(state.withLock { $0.checked })
        return age.overflow ? false : max(0, age.partialValue) < row.timeToLive
    }

    /// Renews the time to live, because the server has just confirmed the content.
    package func renew() {
        let now = cache.now
        guard state.exchange(\.checked, for: now) != now else { return }
        var job = job()
        job.checked = now
        cache.recorder.add(job)
    }

    /// Marks the medium as in use in the catalogue, soon.
    func touch() { cache.recorder.add(job()) }

    /// Returns the recorded bytes in a range, including those of other processes.
    package func recorded(in range: Range<Int64>) -> ByteRanges {
        let window = range.clamped(to: 0..<row.total)
        guard !window.isEmpty else { return ByteRanges() }
        let known = ByteRanges(state.withLock { $0.pieces.ranges(in: window) })
        guard !known.contains(window) else { return known }
        look(window)
        return ByteRanges(state.withLock { $0.pieces.ranges(in: window) })
    }

    /// Loads the catalogue's pieces in a range.
    ///
    /// - Returns: false if the catalogue did not answer, or now has another generation.
    @discardableResult
    private func look(_ window: Range<Int64>) -> Bool {
        let (id, generation, total, epoch) = (row.id, row.generation, row.total, epoch)
        let found = cache.ask { (catalogue) throws(CatalogueFailure) -> [Piece]? in
            guard catalogue.epoch == epoch, try catalogue.isCurrent(id, generation) else { return nil }
            return try catalogue.pieces(id, generation, in: window, total: total)
        }
        guard let found else { return false }
        guard let found else {
            state.withLock { $0.isOver = true }
            return false
        }
        guard !found.isEmpty else { return true }
        state.withLock { state in for piece in found { state.pieces.insert(piece) } }
        return true
    }

    // MARK: Reading

    /// Copies recorded bytes.
    ///
    /// A piece (up to 1 MiB) is read completely and compared with its checksum at its first read by this object. A
    /// damaged one is dropped and counts as missing.
    ///
    /// - Returns: the number of bytes from `offset` on, at most the buffer's size; 0 if the first one is missing.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard (0..<row.total).contains(offset), unsafe !buffer.isEmpty else { return 0 }
        var done = 0
        var hasLooked = false
        while done < buffer.count, row.total - offset > Int64(done) {
            let place = offset + Int64(done)
            guard let (piece, isProven) = state.withLock({ $0.pieces.piece(at: place) }) else {
                if hasLooked { break }
                hasLooked = true
                look(place..<min(row.total, place + Int64(min(buffer.count - done, 1 << 30))))
                continue
            }
            let count = min(buffer.count - done, Int(piece.range.upperBound - place))
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
            guard unsafe isProven ? readAll(part, at: place) : prove(piece, copying: place, into: part) else {
                drop(piece)
                break
            }
            done += count
        }
        return done
    }

    /// Fills the buffer; returns false if there are fewer bytes, or the disk fails.
    private func readAll(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
        var done = 0
        while done < buffer.count {
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            guard let count = try? unsafe cache.files.read(file, into: part, at: offset + Int64(done)), count > 0 else {
                return false
            }
            done += count
        }
        return true
    }

    /// Returns whether a piece's bytes match its checksum; if so, copies some of them.
    private func prove(_ piece: Piece, copying place: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.range.count, alignment: 16)
        defer { unsafe whole.deallocate() }
        guard unsafe isSound(piece, in: whole) else { return false }
        let start = Int(place - piece.range.lowerBound)
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: whole[start..<start + buffer.count]))
        state.withLock { $0.pieces.prove(piece) }
        return true
    }

    /// Returns whether a piece's bytes on disk match its checksum.
    func isSound(_ piece: Piece, in whole: UnsafeMutableRawBufferPointer) -> Bool {
        unsafe readAll(whole, at: piece.range.lowerBound) && xxh3(UnsafeRawBufferPointer(whole)) == piece.hash
    }

    /// Drops a damaged piece, as if it had never existed.
    func drop(_ piece: Piece) {
        state.withLock { state in
            state.pieces.remove(piece)
            state.counters.damaged += 1
        }
        let (id, generation, epoch, allocated) = (row.id, row.generation, epoch, allocated)
        _ = cache.record { database, catalogue in
            guard catalogue.epoch == epoch else { return }
            let bytes = try CacheDatabase.remove([piece], database, id, generation)
            try CacheDatabase.account(database, id, more: -bytes, allocated: allocated)
        }
    }

    /// Adds to the metrics of this medium and of all media.
    ///
    /// - Parameters:
    ///   - hits: the number of reads that the cache alone answered.
    ///   - misses: the number of reads that required fetching.
    package func note(hits: Int64 = 0, misses: Int64 = 0, bytesFromCache: Int64 = 0, bytesFetched: Int64 = 0) {
        let more = CacheCounters(
            hits: hits, misses: misses, bytesFromCache: bytesFromCache, bytesFetched: bytesFetched)
        state.withLock { $0.counters.add(more) }
    }

    // MARK: Fetching

    /// Claims the fetching of bytes, so that no other process also fetches them.
    ///
    /// - Returns: `nil` if another claim, of this process or another, covers some of the bytes (try again, or fetch
    ///   without recording). Also `nil` if recording is not possible; in that case ``canRecord`` is false. The bytes to
    ///   fetch are those of ``FetchClaim/missing``, because another process may have recorded some or all of them
    ///   in the meantime.
    package func beginFetch(_ range: Range<Int64>) -> FetchClaim? {
        let window = range.clamped(to: 0..<row.total)
        guard !window.isEmpty, canRecord else { return nil }
        let isFree = state.withLock { state in
            guard !state.claims.contains(where: { $0.overlaps(window) }) else { return false }
            state.claims.append(window)
            return true
        }
        guard isFree else { return nil }
        do throws(SystemFailure) {
            try cache.files.step(.claim)
            try cache.files.lock(file, .exclusive, window)
        } catch {
            state.withLock { $0.claims.removeAll { $0 == window } }
            if error.number != EAGAIN { cache.turnOff(error) }
            return nil
        }
        // For an outdated generation, it is unknown which pieces others have, and those that no process has may be
        // overwritten.
        guard look(window) else {
            release(window, reserved: 0)
            return nil
        }
        let missing = ByteRanges(window).subtracting(ByteRanges(state.withLock { $0.pieces.ranges(in: window) }))
        let reserved = missing.byteCount
        guard cache.makeRoom(reserved) else {
            release(window, reserved: 0)
            return nil
        }
        return FetchClaim(self, window, missing)
    }

    /// Reserves blocks for the bytes of a claim before the first of them is written, so that a full disk fails here and
    /// not in the middle of a write. It is not called when the claim begins, because a file system that is syncing
    /// would delay the request.
    ///
    /// - Returns: false if the disk has no room; the claim then cannot be written.
    func reserve(_ holes: ByteRanges) -> Bool {
        do throws(SystemFailure) {
            try cache.files.step(.reserve)
            for hole in holes.ranges { try cache.files.reserve(file, hole) }
            return true
        } catch {
            failed(error)
            return false
        }
    }

    /// Whether fetched bytes can be recorded: the cache is on, its limits leave room, its files can have this length,
    /// and no other generation is known to have begun.
    package var canRecord: Bool {
        cache.isWriting && cache.hasRoom && cache.catalogue?.epoch == epoch
            && !state.withLock { $0.isFull || $0.isOver }
    }

    /// Records a failed write.
    private func failed(_ failure: SystemFailure) {
        // The file system does not support files of this length; others are fine.
        guard failure.number != EFBIG, failure.number != EINVAL, failure.number != EOVERFLOW else {
            return state.withLock { $0.isFull = true }
        }
        cache.turnOff(failure)
    }

    /// Writes bytes of a claim. Returns false if it failed; the claim is then worthless.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        var done = 0
        do throws(SystemFailure) {
            try cache.files.step(.write)
            while done < bytes.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                let count = try unsafe cache.files.write(file, rest, at: offset + Int64(done))
                guard count > 0 else { throw SystemFailure(ENOSPC) }
                done += count
            }
            return true
        } catch {
            failed(error)
            return false
        }
    }

    /// Queues the pieces of a claim for recording.
    func finish(_ claim: FetchClaim, _ pieces: [Piece]) {
        let counters = state.exchange(\.counters, for: CacheCounters())
        cache.recorder.add(job(counters, .init(medium: self, claim: claim, pieces: pieces)))
    }

    /// Ends a claim: recorded bytes are visible to all, and blocks of bytes that were never written are released.
    ///
    /// - Parameter written: the pieces that were passed to the recorder. They are never released, whatever the outcome:
    ///   if a commit's result was lost, others may read them.
    func end(_ claim: FetchClaim, recorded pieces: [Piece], written: [Piece] = []) {
        state.withLock { state in for piece in pieces { state.pieces.insert(piece) } }
        giveBlocksBack(claim.missing.subtracting(ByteRanges(written.map(\.range))))
        try? cache.files.step(.release)
        release(claim.range, reserved: claim.missing.byteCount)
    }

    /// Releases blocks without recorded bytes, if no one else has the file open.
    ///
    /// A piece that could not be read once and was dropped may still be valid for another reader, which must not find
    /// zeros there.
    private func giveBlocksBack(_ holes: ByteRanges) {
        guard !holes.isEmpty, (try? cache.files.lock(file, .exclusive, CachedMedium.pin)) != nil else { return }
        for hole in holes.ranges { try? cache.files.release(file, hole) }
        try? cache.files.lock(file, .shared, CachedMedium.pin)
    }

    private func release(_ window: Range<Int64>, reserved: Int64) {
        cache.giveBack(reserved)
        try? cache.files.lock(file, .none, window)
        state.withLock { $0.claims.removeAll { $0 == window } }
    }

    /// Waits until the written bytes and the file's name are on disk.
    func synchronize() throws(SystemFailure) {
        try cache.files.step(.synchronize)
        try cache.files.synchronize(file)
        guard !state.withLock({ $0.isNamed }) else { return }
        try cache.files.step(.synchronizeFolder)
        let folder = cache.folder.folder(epoch: epoch, id: row.id)
        for path in [folder, cache.folder.dataFolder(epoch: epoch), cache.folder.path] {
            try cache.files.synchronize(folder: path)
        }
        state.withLock { $0.isNamed = true }
    }

    /// The number of bytes of the blocks that its file uses.
    var allocated: Int64 { cache.files.allocated(file) }
}

internal import Glibc
internal import ScrubBase

/// The right to ask a server about the content at an address, while others wait for its response.
///
/// Otherwise, processes that open the same address at the same moment would each fetch its beginning, and the next
/// bytes that they need, before any of them could have recorded it. It ends with its last reference, or with the
/// process, however that ends.
///
/// Thread safety: safe from any thread.
package final class OpeningClaim: Sendable {
    private let files: any CacheFiles
    private let file: Int32
    private let range: Range<Int64>

    /// Takes the claim.
    ///
    /// - Throws: `EAGAIN` if another caller has it.
    fileprivate init(path: String, place: Int64, files: any CacheFiles) throws(SystemFailure) {
        (self.files, range) = (files, place..<place + 1)
        file = try Self.open(path, files)
        // Closed by `deinit` if this throws, because a fully initialized object is deinitialized.
        try files.lock(file, .exclusive, range)
    }

    deinit {
        // A child between fork and exec also has the open file.
        try? files.lock(file, .none, range)
        files.close(file)
    }

    /// Opens the lock file, which has no bytes and is never removed.
    private static func open(_ path: String, _ files: any CacheFiles) throws(SystemFailure) -> Int32 {
        if let file = try? files.open(path, isNew: false) { return file }
        do throws(SystemFailure) { return try files.open(path, isNew: true) } catch {
            guard error.number == EEXIST else { throw error }
            return try files.open(path, isNew: false)
        }
    }
}

extension MediaCache {
    /// The outcome of a request to open an address.
    package enum Opening: Sendable {
        /// No other caller opens it while this claim exists. Check the recorded bytes again.
        case mine(OpeningClaim)
        /// Another caller is opening it now.
        case claimedElsewhere
        /// Recording is not possible, so no caller needs to wait.
        case free
    }

    /// Claims the opening of an address, so that no other process does the same. It never waits.
    ///
    /// Cost: opening a file, and a lock.
    package func beginOpening(_ key: MediumKey) -> Opening {
        guard isWriting, let salt = catalogue?.salt, let place = Int64(key.digest(salt: salt).prefix(15), radix: 16)
        else { return .free }
        do throws(SystemFailure) {
            return .mine(try OpeningClaim(path: folder.openings, place: place, files: files))
        } catch {
            return error.number == EAGAIN ? .claimedElsewhere : .free
        }
    }
}

extension CachedMedium {
    /// Ends a claim after everything finished before is recorded, so that waiting callers find it.
    package func release(_ opening: OpeningClaim) {
        var job = CacheWriter.Job(cache: cache, epoch: epoch, id: row.id, generation: row.generation)
        job.opening = opening
        cache.recorder.add(job)
    }
}

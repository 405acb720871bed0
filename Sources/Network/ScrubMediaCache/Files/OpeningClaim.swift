internal import Glibc
internal import ScrubBase

/// The right to ask a server about the content at an address, while others wait for its answer.
///
/// Processes that open one address at the same moment would each fetch its beginning, and the next bytes that they
/// need, before any of them could have recorded it. It ends with its last reference, or with the process, however that
/// ends.
///
/// Thread safety: safe from any thread.
package final class OpeningClaim: Sendable {
    private let files: any CacheFiles
    private let file: Int32
    private let range: Range<Int64>

    /// - Throws: `EAGAIN` if another caller has it.
    fileprivate init(path: String, place: Int64, files: any CacheFiles) throws(SystemFailure) {
        (self.files, range) = (files, place..<place + 1)
        file = try Self.open(path, files)
        // Closed by `deinit` when this throws: an object that is whole ends as one.
        try files.lock(file, .exclusive, range)
    }

    deinit {
        // A child between fork and exec has the open file too.
        try? files.lock(file, .none, range)
        files.close(file)
    }

    /// It has no bytes and is never removed.
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
        /// No other caller opens it as long as this lives. Look again at the recorded bytes from before.
        case mine(OpeningClaim)
        /// Another caller is opening it now.
        case claimedElsewhere
        /// Nothing can be recorded, so no caller needs to wait.
        case free
    }

    /// Takes on to open an address, so that no other process does the same. Never waits.
    ///
    /// Cost: a file that is opened, and a lock.
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
    /// Has a claim end when all that was finished before is recorded, so that callers that wait for it find that.
    package func release(_ opening: OpeningClaim) {
        var job = Recorder.Job(cache: cache, epoch: epoch, id: row.id, generation: row.generation)
        job.opening = opening
        cache.recorder.add(job)
    }
}

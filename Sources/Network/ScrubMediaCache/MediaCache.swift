internal import ScrubFileIO
internal import Glibc
internal import GRDB
package import ScrubBase
internal import Synchronization

/// A cache of bytes fetched from the network, kept on disk between runs and shared by processes.
///
/// Create one per process and folder and share it. Several processes may use one folder at the same time.
///
/// Only bytes that the catalogue has recorded exist, and they are recorded after they were synced. A killed process or
/// a power failure loses work, but never produces a wrong byte. A cache that can no longer write is left untouched for
/// the rest of the run: ``CachedMedium/beginFetch(_:)`` then returns `nil`, and reading continues.
///
/// Call ``flush()`` before the process ends; bytes that are not recorded by then are fetched again when needed.
///
/// Thread safety: safe from any thread. Calls may wait for the disk, but never for the network or for another process's
/// fetch. Memory: about 40 bytes for each piece of the media in use.
package final class MediaCache: Sendable {
    /// Values that only tests set: system calls that fail, a clock that jumps, a shorter timeout.
    package struct Surroundings: Sendable {
        package var files: any CacheFiles = SystemCacheFiles()
        /// Returns the seconds since 1970.
        package var clock: @Sendable () -> Int64 = { Int64(time(nil)) }
        /// The seconds to wait for another process's transaction.
        package var busyTimeout = 5.0

        package init() {}
    }

    /// The cache directory, which also contains indexes, previews and generated sets.
    package let path: String
    package let limits: MediaCacheLimits
    let folder: MediaFolder
    let files: any CacheFiles
    private let surroundings: Surroundings
    private let warning: @Sendable (ScrubError) -> Void
    private let opened: Locked<CacheDatabase?>
    private let writes = Atomic(true)
    private let hasWarned = Atomic(false)
    let recorder = CacheWriter()
    let room = Locked(Room())
    /// Media whose entries are known to have other content and could not be replaced. This process does not use them.
    let distrusted = Locked<Set<MediumKey>>([])

    /// Opens or creates the cache of a directory.
    ///
    /// A catalogue that is damaged or of another version is renamed (`catalogue.damaged`) and recreated.
    ///
    /// - Parameters:
    ///   - path: the cache directory, which also contains indexes (`CacheDirectory.standardPath`); media are in its
    ///     folder `media-1`.
    ///   - warning: called once, with the reason, if no more is recorded in this run. Called on any thread.
    /// - Throws: an error if another user owns the folder or may write to it, if it is on a network file system, or if
    ///   it cannot be created. The caller continues without a cache and reports this once.
    package init(
        path: String, limits: MediaCacheLimits = .standard(), surroundings: Surroundings = Surroundings(),
        warning: @escaping @Sendable (ScrubError) -> Void = { _ in }
    ) throws(ScrubError) {
        self.path = path
        self.limits = limits
        self.surroundings = surroundings
        self.warning = warning
        files = surroundings.files
        folder = try MediaFolder(cacheDirectory: path)
        opened = Locked(try CacheDatabase.open(folder, busyTimeout: surroundings.busyTimeout))
        // Saved files are left untouched, because the requesting one would be among them.
        MediaEvictionHook.shared.onLack(in: path) { [weak self] count in
            _ = self?.evict(EvictionNeed(bytes: count, sparesSaved: true))
        }
    }

    /// Whether recording is still possible in this run.
    package var isWriting: Bool { writes.load(ordering: .relaxed) && limits.byteLimit > 0 }

    /// The seconds since 1970.
    var now: Int64 { surroundings.clock() }

    /// Waits until everything finished before is recorded.
    package func flush() { recorder.flush() }

    /// Waits until everything finished before is recorded, but not for what other readers finish in the meantime.
    package func catchUp() { recorder.catchUp() }

    // MARK: Failures

    /// Stops recording for this run, and reports it once.
    func turnOff(_ cause: Wording, advice: Wording? = nil) {
        writes.store(false, ordering: .relaxed)
        warn("the media cache has stopped storing data in this run: \(cause)", advice: advice)
    }

    func turnOff(_ failure: SystemFailure) { unsafe turnOff(Wording(String(cString: strerror(failure.number)))) }

    /// Warns the caller, once per run.
    func warn(_ cause: Wording, advice: Wording? = nil) {
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        warning(ScrubError(.unavailable, cause, file: folder.path, advice: advice))
    }

    /// The catalogue; `nil` if it was lost and could not be recreated.
    var catalogue: CacheDatabase? { opened.withLock { $0 } }

    /// Queries the catalogue. A damaged one is recreated; one that cannot be written is left untouched.
    ///
    /// - Returns: `nil` if it did not answer.
    func ask<Value: Sendable>(_ body: (CacheDatabase) throws(CatalogueFailure) -> Value) -> Value? {
        guard let catalogue else { return nil }
        do throws(CatalogueFailure) {
            return try body(catalogue)
        } catch {
            switch error {
            case .busy: break
            case .unwritable(let words): turnOff(Wording(words))
            case .damaged: replace(catalogue)
            }
            return nil
        }
    }

    /// Runs a write transaction like ``ask(_:)``. It has no effect if recording was stopped.
    func record<Value: Sendable>(_ body: (Database, CacheDatabase) throws -> Value) -> Value? {
        guard writes.load(ordering: .relaxed) else { return nil }
        return ask { (catalogue) throws(CatalogueFailure) in try catalogue.write { try body($0, catalogue) } }
    }

    /// Recreates the catalogue, unless another thread already has.
    func replace(_ damaged: CacheDatabase) {
        let problem = opened.withLock { current -> ScrubError? in
            guard current === damaged else { return nil }
            current = nil
            do throws(ScrubError) {
                current = try CacheDatabase.open(
                    folder, busyTimeout: surroundings.busyTimeout, broken: damaged.number)
                return nil
            } catch {
                return error
            }
        }
        if let problem { turnOff(problem.causeWording) }
    }
}

internal import ScrubFileIO
internal import Glibc
internal import GRDB
package import ScrubBase
internal import Synchronization

/// Bytes that were fetched from the network, kept on disk between runs and shared by processes.
///
/// Make one per process and folder and share it. Several processes use one folder at once.
///
/// Only bytes that the catalogue has recorded exist, and they are recorded after they were synced. A process that is
/// killed, and a machine that loses its power, lose work and never get a wrong byte. A cache that can no longer write
/// is left alone for the rest of the run: ``CachedMedium/beginFetch(_:)`` then gives nothing, and the answers go on.
///
/// Call ``flush()`` before the process ends; bytes that are not recorded by then are fetched again when they are
/// needed.
///
/// Thread safety: safe from any thread. Calls may wait for the disk; none waits for the network or for another
/// process's fetch. Memory: some 40 bytes for each piece of the media that are in use.
package final class MediaCache: Sendable {
    /// Values that only tests give: system calls that fail, a clock that jumps, a shorter patience.
    package struct Surroundings: Sendable {
        package var files: any CacheFiles = SystemCacheFiles()
        /// Seconds since 1970.
        package var clock: @Sendable () -> Int64 = { Int64(time(nil)) }
        /// Seconds to wait for another process's transaction.
        package var busyTimeout = 5.0

        package init() {}
    }

    /// The cache directory, in which indexes, previews and generated sets are too.
    package let path: String
    package let limits: MediaCacheLimits
    let folder: MediaFolder
    let files: any CacheFiles
    private let surroundings: Surroundings
    private let warning: @Sendable (ScrubError) -> Void
    private let opened: Locked<Catalogue?>
    private let writes = Atomic(true)
    private let hasWarned = Atomic(false)
    let recorder = Recorder()
    let room = Locked(Room())
    /// Media whose entries are known to be of another content and could not be replaced: this process does not use
    /// them.
    let distrusted = Locked<Set<MediumKey>>([])

    /// Opens the cache of a directory, or makes it.
    ///
    /// A catalogue that is damaged or of another version is renamed away (`catalogue.damaged`) and begun again.
    ///
    /// - Parameters:
    ///   - path: the cache directory, where indexes are too (`CacheDirectory.standardPath`); media are in its folder
    ///     `media-1`.
    ///   - warning: told once when nothing more is recorded in this run, with the reason. Called on any thread.
    /// - Throws: if another user owns the folder or may write into it, it is on a network file system, or it cannot be
    ///   made. The caller goes on without a cache and says so once.
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
        opened = Locked(try Catalogue.open(folder, busyTimeout: surroundings.busyTimeout))
        // Saved files are left alone: the one that asks would be among them.
        MediaRoom.shared.onLack(in: path) { [weak self] count in
            _ = self?.evict(EvictionNeed(bytes: count, sparesSaved: true))
        }
    }

    /// Whether something may still be recorded in this run.
    package var isWriting: Bool { writes.load(ordering: .relaxed) && limits.byteLimit > 0 }

    /// Seconds since 1970.
    var now: Int64 { surroundings.clock() }

    /// Waits until everything that was finished before is recorded.
    package func flush() { recorder.flush() }

    /// Waits until what was finished before is recorded; not for what other readers finish meanwhile.
    package func catchUp() { recorder.catchUp() }

    // MARK: Failures

    /// Records nothing more in this run, and says so once.
    func turnOff(_ cause: Wording, advice: Wording? = nil) {
        writes.store(false, ordering: .relaxed)
        warn("nothing more is kept in the media cache in this run: \(cause)", advice: advice)
    }

    func turnOff(_ failure: SystemFailure) { unsafe turnOff(Wording(String(cString: strerror(failure.number)))) }

    /// Tells the caller, once in a run.
    func warn(_ cause: Wording, advice: Wording? = nil) {
        guard !hasWarned.exchange(true, ordering: .relaxed) else { return }
        warning(ScrubError(.unavailable, cause, file: folder.path, advice: advice))
    }

    /// The catalogue; nil after it was lost and could not be begun again.
    var catalogue: Catalogue? { opened.withLock { $0 } }

    /// Asks the catalogue. A damaged one is begun again; one that cannot be written is left alone.
    ///
    /// - Returns: nil when it gave no answer.
    func ask<Value: Sendable>(_ body: (Catalogue) throws(CatalogueFailure) -> Value) -> Value? {
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

    /// As ``ask(_:)`` with a transaction that writes; nothing happens when nothing more is recorded.
    func record<Value: Sendable>(_ body: (Database, Catalogue) throws -> Value) -> Value? {
        guard writes.load(ordering: .relaxed) else { return nil }
        return ask { (catalogue) throws(CatalogueFailure) in try catalogue.write { try body($0, catalogue) } }
    }

    /// Begins the catalogue again, unless another thread has.
    func replace(_ damaged: Catalogue) {
        let problem = opened.withLock { current -> ScrubError? in
            guard current === damaged else { return nil }
            current = nil
            do throws(ScrubError) {
                current = try Catalogue.open(
                    folder, busyTimeout: surroundings.busyTimeout, broken: damaged.number)
                return nil
            } catch {
                return error
            }
        }
        if let problem { turnOff(problem.causeWording) }
    }
}

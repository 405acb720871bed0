internal import Glibc

/// Temporary names: files that do not have their final names yet, and folders in which a run collects its results.
///
/// The owner of a temporary name removes it. This class is for a process that is terminated before that (Ctrl-C,
/// SIGTERM): it calls ``removeForGood(then:)`` and leaves nothing behind.
///
/// Thread safety: safe from any thread.
@safe package final class TemporaryFileNames: @unchecked Sendable {
    // `@unchecked Sendable`: the state is accessed only under the mutex.
    private static let shared = TemporaryFileNames()

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var files: Set<String> = []
    /// Folders with their contents, and the parent folders that were created for them.
    private var folders: [String: String?] = [:]

    private init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        var kind = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&kind)
        // Steps can be nested.
        unsafe pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_RECURSIVE))
        let status = unsafe pthread_mutex_init(mutex, &kind)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    /// Creates or removes names in one step: ``removeForGood(then:)`` runs before it or after it, never during it.
    static func step<R, E: Error>(_ body: (TemporaryFileNames) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(shared.mutex)
        defer { unsafe pthread_mutex_unlock(shared.mutex) }
        return try body(shared)
    }

    /// Records a file's name, within a step.
    func add(file: String) { files.insert(file) }
    /// Forgets a file, which was removed or has its final name.
    func forget(file: String) { files.remove(file) }

    /// Records a folder's name, within a step.
    ///
    /// - Parameter above: the parent folder that was created for it, which is also removed if it is empty.
    func add(folder: String, in above: String?) { folders[folder] = .some(above) }
    /// Forgets a folder.
    func forget(folder: String) { folders[folder] = nil }

    /// Removes all temporary names, and prevents new ones.
    ///
    /// - Parameter body: ends the process.
    package static func removeForGood(then body: () -> Never) -> Never {
        unsafe pthread_mutex_lock(shared.mutex)
        for file in shared.files { unlink(file) }
        for (folder, above) in shared.folders {
            Folder.removeTree(folder)
            if let above { rmdir(above) }
        }
        body()
    }
}

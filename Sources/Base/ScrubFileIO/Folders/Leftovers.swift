internal import Glibc

/// Temporary names: files on their way to their names, folders in which a run collects its results.
///
/// The owner of such a name removes it. This is for a process that is ended from outside meanwhile (Ctrl-C,
/// SIGTERM): it calls ``removeForGood(then:)`` and leaves nothing.
///
/// Thread safety: safe from any thread.
@safe package final class Leftovers: @unchecked Sendable {
    // `@unchecked Sendable`: everything is touched under the mutex alone.
    private static let shared = Leftovers()

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var files: Set<String> = []
    /// Folders with everything in them, and the folders above them that were made for them.
    private var folders: [String: String?] = [:]

    private init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        var kind = pthread_mutexattr_t()
        unsafe pthread_mutexattr_init(&kind)
        // A step may be made of others.
        unsafe pthread_mutexattr_settype(&kind, Int32(PTHREAD_MUTEX_RECURSIVE))
        let status = unsafe pthread_mutex_init(mutex, &kind)
        precondition(status == 0, "pthread_mutex_init: \(status)")
    }

    /// Makes or takes away names in one step: ``removeForGood(then:)`` comes before it or after it, and never within.
    static func step<R, E: Error>(_ body: (Leftovers) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(shared.mutex)
        defer { unsafe pthread_mutex_unlock(shared.mutex) }
        return try body(shared)
    }

    /// Records a file's name. Within a step.
    func add(file: String) { files.insert(file) }
    /// Forgets it: it is gone, or has its final name.
    func forget(file: String) { files.remove(file) }

    /// Records a folder's name. Within a step.
    ///
    /// - Parameter above: the folder that was made for it, which goes too when it is empty.
    func add(folder: String, in above: String?) { folders[folder] = .some(above) }
    /// Forgets it.
    func forget(folder: String) { folders[folder] = nil }

    /// Removes all that is there for a while, and lets no more be made.
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

#if Viewer
internal import ScrubFileIO
internal import Glibc
internal import ScrubBase

/// Facts that distinguish one state of a file from all earlier and later ones, without reading it.
///
/// They include the time of the last change of any kind, which programs cannot set back. Writes through a mapping that
/// another program has had open for a long time may not be seen. Bytes that are written by `write`, or a file that
/// replaces this one, are.
struct FileState: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt
    private let byteCount: Int
    private let modified: Int64
    private let changed: Int64

    /// Reads the current state of the file with a name; `nil` if there is none. Blocks for one system call.
    init?(path: String) {
        var facts = stat()
        let name = SystemName.bytes(path).map { CChar(bitPattern: $0) } + [0]
        guard !name.dropLast().contains(0), unsafe fstatat(AT_FDCWD, name, &facts, 0) == 0 else { return nil }
        func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
        (device, inode, byteCount) = (UInt(facts.st_dev), UInt(facts.st_ino), Int(facts.st_size))
        (modified, changed) = (nanoseconds(facts.st_mtim), nanoseconds(facts.st_ctim))
    }

    /// The state of an open file.
    init?(_ file: FileSource) { self.init(path: file.descriptorPath) }

    /// Whether the file was changed so recently that another change might leave the same times, because file system
    /// clocks advance in steps.
    var isFresh: Bool {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let age = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) &- max(modified, changed)
        return (0..<FileState.step).contains(age)
    }

    /// Longer than any kernel's clock step.
    private static let step: Int64 = 20_000_000

    /// The state as text, unique to it.
    var key: String { "\(device) \(inode) \(byteCount) \(modified) \(changed)" }
}

extension NamedMedium {
    /// Returns the current state of the medium's file; `nil` if there is none, and for an address. Blocks
    /// for some system calls.
    func state() -> FileState? {
        switch place {
        case .named(let name): name.isNetworkAddress ? nil : FileState(path: name)
        case .below(let folder, let name): (try? folder.open(name)).flatMap { FileState($0) }
        }
    }

    /// Returns the state as soon as it can be distinguished from the next one. For a file that is constantly written,
    /// it is the state after a second.
    func settledState() -> FileState? {
        for _ in 0..<50 {
            guard let state = state(), state.isFresh else { break }
            ThreadPause.milliseconds(20)
        }
        return state()
    }
}

/// A file was replaced or removed while it was being read.
enum MediumChange: Error {
    case replaced(String)
    case removed(String)
}
#endif

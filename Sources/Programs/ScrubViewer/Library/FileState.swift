#if Viewer
internal import ScrubFileIO
internal import Glibc
internal import ScrubBase

/// Facts that tell one state of a file from all its former and later ones, without reading it.
///
/// The time of the last change of any kind is part of it: programs cannot set that back. Writes through a mapping that
/// another program has had open for long may not be seen. Bytes that are written by `write`, or put in the name's
/// place, are.
struct FileState: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt
    private let byteCount: Int
    private let modified: Int64
    private let changed: Int64

    /// Reads the present state behind a name; `nil` if it leads to nothing. Blocks for one system call.
    init?(path: String) {
        var facts = stat()
        let name = SystemName.bytes(path).map { CChar(bitPattern: $0) } + [0]
        guard !name.dropLast().contains(0), unsafe fstatat(AT_FDCWD, name, &facts, 0) == 0 else { return nil }
        func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
        (device, inode, byteCount) = (UInt(facts.st_dev), UInt(facts.st_ino), Int(facts.st_size))
        (modified, changed) = (nanoseconds(facts.st_mtim), nanoseconds(facts.st_ctim))
    }

    /// An open file's.
    init?(_ file: FileSource) { self.init(path: file.descriptorPath) }

    /// Whether the file was changed so lately that one more change might leave the very same times: clocks of file
    /// systems go in steps.
    var isFresh: Bool {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let age = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) &- max(modified, changed)
        return (0..<FileState.step).contains(age)
    }

    /// Longer than the steps of any kernel's clock.
    private static let step: Int64 = 20_000_000

    /// As a text that no other state has.
    var key: String { "\(device) \(inode) \(byteCount) \(modified) \(changed)" }
}

extension NamedMedium {
    /// Returns the present state behind the medium's name; `nil` if that leads to nothing, and for an address. Blocks
    /// for some system calls.
    func state() -> FileState? {
        switch place {
        case .named(let name): name.isNetworkAddress ? nil : FileState(path: name)
        case .below(let folder, let name): (try? folder.open(name)).flatMap { FileState($0) }
        }
    }

    /// Returns the state as soon as it can be told from the next one. For a file that is written all the time, it is
    /// the state after a second.
    func settledState() -> FileState? {
        for _ in 0..<50 {
            guard let state = state(), state.isFresh else { break }
            ThreadPause.milliseconds(20)
        }
        return state()
    }
}

/// A file was exchanged for another one, or no longer exists, while it was looked at.
enum MediumChange: Error {
    case replaced(String)
    case removed(String)
}
#endif

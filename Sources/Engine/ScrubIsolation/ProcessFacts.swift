internal import Glibc

/// Information from the system about another process.
enum ProcessFacts {
    /// Returns the number of a process's threads; `nil` if the system does not report it (proc(5), `/proc/PID/stat`,
    /// field 20).
    static func threadCount(of process: pid_t) -> Int? {
        let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let line = unsafe [UInt8](unsafeUninitializedCapacity: 1024) { buffer, filled in
            filled = max(0, unsafe Glibc.read(file, buffer.baseAddress, buffer.count))
        }
        // The program's name, in brackets, may have anything in it; the third field follows.
        guard let bracket = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = line[(bracket + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 17 else { return nil }
        return Int(String(decoding: fields[17], as: UTF8.self))
    }
}

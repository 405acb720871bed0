internal import Glibc
internal import SystemPackage

/// Text files provided by the system, such as those of proc(5).
package enum SystemFile {
    /// Returns the contents of a system file, whose length is not known in advance.
    package static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(FilePath(systemName: path), .readOnly, options: .closeOnExec) else {
            return nil
        }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        // On a machine with more locks than fit in a MiB, the holder is not named.
        while bytes.count < 1 << 20,
            let count = try? unsafe piece.withUnsafeMutableBytes({ try unsafe file.read(into: $0) }),
            count > 0
        {
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

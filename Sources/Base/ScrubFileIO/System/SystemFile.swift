internal import Glibc
internal import SystemPackage

/// The texts that the system gives in files of its own, such as those of proc(5).
package enum SystemFile {
    /// Returns a file of the system's, whose length is not known before it is read.
    package static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(FilePath(systemName: path), .readOnly, options: .closeOnExec) else {
            return nil
        }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 << 10)
        // A machine with more locks than fit into a MiB has its answer without a name.
        while bytes.count < 1 << 20,
            let count = try? unsafe piece.withUnsafeMutableBytes({ try unsafe file.read(into: $0) }),
            count > 0
        {
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

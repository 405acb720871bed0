internal import Glibc
package import ScrubBase

/// A file in the system's temporary folder, which is removed with this object.
package final class TemporaryFile {
    package let path: String

    /// Creates a temporary file.
    ///
    /// - Parameter suffix: the suffix of its name.
    package init(_ bytes: [UInt8], suffix: String) throws(ScrubError) {
        let folder = unsafe getenv("TMPDIR").map { unsafe String(systemName: $0) } ?? "/tmp"
        path = "\(folder)/scrub-\(getpid())-\(UInt64.random(in: .min ... .max))\(suffix)"
        try TemporaryFileNames.step { (leftovers) throws(ScrubError) in
            try AtomicFile.write(bytes, to: .kept(path), isPrivate: true)
            leftovers.add(file: path)
        }
    }

    deinit {
        TemporaryFileNames.step { leftovers in
            unlink(path)
            leftovers.forget(file: path)
        }
    }
}

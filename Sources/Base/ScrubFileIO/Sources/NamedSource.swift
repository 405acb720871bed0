package import ScrubBase

/// A source whose errors contain its name.
package protocol NamedSource: ByteSource {
    /// The source's name in errors.
    var path: String { get }
}

// These take precedence over the methods of the same names that every source has.
extension NamedSource {
    /// Reads exactly `count` bytes from `offset`.
    ///
    /// - Throws: the source's errors, with its name.
    package func read(at offset: Int64, count: Int) throws(ScrubError) -> [UInt8] {
        do throws(ScrubError) {
            return try (self as any ByteSource).read(at: offset, count: count)
        } catch {
            throw error.inFile(path)
        }
    }

    /// Fills the caller's buffer from `offset`.
    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ScrubError) {
        do throws(ScrubError) {
            try unsafe (self as any ByteSource).read(at: offset, into: buffer)
        } catch {
            throw error.inFile(path)
        }
    }
}

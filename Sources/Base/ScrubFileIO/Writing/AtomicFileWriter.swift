internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file that is written piece by piece but appears under its name either complete or not at all.
///
/// Like ``AtomicFile``, for files that are too large for memory. Without ``commit()``, nothing is left behind.
package struct AtomicFileWriter: ~Copyable {
    /// The path at which the file appears.
    package let path: String
    /// The number of bytes written so far.
    package private(set) var byteCount: Int
    private let neighbour: Neighbour
    /// The output; `nil` for one of the library's own files.
    private let output: OutputFile?

    /// Creates a writer for an output. An existing file stays unchanged until ``commit()``.
    ///
    /// - Parameter isPrivate: whether only the owner may read it.
    /// - Throws: ``ScrubError/Code/inputOutput`` if no file can be created there.
    package init(_ output: OutputFile, isPrivate: Bool = false) throws(ScrubError) {
        try self.init(path: output.path, output, headByteCount: 0, isPrivate: isPrivate)
    }

    /// Creates a writer for one of the library's own files.
    ///
    /// - Parameters:
    ///   - headByteCount: the number of bytes at the beginning to reserve for ``replaceHead(_:)``.
    ///   - isPrivate: whether only the owner may read it.
    /// - Throws: ``ScrubError/Code/inputOutput`` if no file can be created there, ``ScrubError/Code/usage`` if the path
    ///   does not name a file.
    package init(_ path: InternalPath, headByteCount: Int = 0, isPrivate: Bool = false) throws(ScrubError) {
        try self.init(path: path.path, nil, headByteCount: headByteCount, isPrivate: isPrivate)
    }

    private init(path: String, _ output: OutputFile?, headByteCount: Int, isPrivate: Bool) throws(ScrubError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ScrubError(.usage, "is not a valid file name", file: path, advice: "give the output a name")
        }
        let made: Neighbour
        do {
            made = try Neighbour("\(path).\(getpid())-\(UInt32.random(in: .min ... .max)).tmp", isPrivate: isPrivate)
            if headByteCount > 0 { try made.descriptor.seek(offset: Int64(headByteCount), from: .start) }
        } catch {
            throw AtomicFileWriter.failure(error, path)
        }
        (self.path, byteCount, neighbour, self.output) = (path, headByteCount, made, output)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput``, including when the disk is full.
    package mutating func append(_ bytes: Span<UInt8>) throws(ScrubError) {
        do {
            try unsafe bytes.withUnsafeBytes { _ = try unsafe neighbour.descriptor.writeAll($0) }
        } catch {
            throw AtomicFileWriter.failure(error, path)
        }
        byteCount += bytes.count
    }

    /// Appends a range of bytes of another file, a megabyte at a time.
    ///
    /// - Throws: the errors of ``append(_:)``; ``ScrubError/Code/badData`` if the bytes are not inside the file.
    package mutating func append(_ file: FileSource, _ range: Range<Int64>) throws(ScrubError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let bytes = try file.read(at: place, count: Int(min(1 << 20, range.upperBound - place)))
            try append(bytes.span)
            place += Int64(bytes.count)
        }
    }

    /// Overwrites the beginning, for headers that are known only after everything else is written.
    ///
    /// - Precondition: at least as many bytes were written before.
    /// - Throws: the errors of ``append(_:)``.
    package mutating func replaceHead(_ bytes: Span<UInt8>) throws(ScrubError) {
        precondition(bytes.count <= byteCount, "a header of \(bytes.count) bytes cannot replace \(byteCount) bytes")
        do {
            try unsafe bytes.withUnsafeBytes { _ = try unsafe neighbour.descriptor.writeAll(toAbsoluteOffset: 0, $0) }
        } catch {
            throw AtomicFileWriter.failure(error, path)
        }
    }

    /// Gives the file its name.
    ///
    /// - Throws: the errors of ``append(_:)``; the errors of ``OutputFile`` if its name now belongs to a file that must
    ///   not be replaced.
    package consuming func commit() throws(ScrubError) {
        do {
            if let output { try neighbour.place(at: output) } else { try neighbour.rename(to: path) }
        } catch {
            throw AtomicFileWriter.failure(error, path)
        }
    }

    private static func failure(_ error: any Error, _ path: String) -> ScrubError {
        error as? ScrubError ?? ScrubError(system: error, .inputOutput, doing: "cannot be written", file: path)
    }
}

internal import Glibc
package import ScrubBase
internal import SystemPackage

/// A file that is written piece by piece and still appears under its name whole or not at all.
///
/// As ``AtomicFile``, for files that are too large for memory. Without ``commit()`` nothing is left of it.
package struct AtomicFileWriter: ~Copyable {
    /// The name under which the file appears.
    package let path: String
    /// Bytes written so far.
    package private(set) var byteCount: Int
    private let neighbour: Neighbour
    /// The output; `nil` for one of the library's own files.
    private let output: OutputFile?

    /// Begins an output. An existing file stays unchanged until ``commit()``.
    ///
    /// - Parameter isPrivate: whether only the owner may read it.
    /// - Throws: ``ScrubError/Code/inputOutput`` if no file can be made there.
    package init(_ output: OutputFile, isPrivate: Bool = false) throws(ScrubError) {
        try self.init(path: output.path, output, headByteCount: 0, isPrivate: isPrivate)
    }

    /// Begins one of the library's own files.
    ///
    /// - Parameters:
    ///   - headByteCount: bytes at the beginning that are reserved for ``replaceHead(_:)``.
    ///   - isPrivate: whether only the owner may read it.
    /// - Throws: ``ScrubError/Code/inputOutput`` if no file can be made there, ``ScrubError/Code/usage`` if the path is
    ///   not the name of a file.
    package init(_ path: OwnPath, headByteCount: Int = 0, isPrivate: Bool = false) throws(ScrubError) {
        try self.init(path: path.path, nil, headByteCount: headByteCount, isPrivate: isPrivate)
    }

    private init(path: String, _ output: OutputFile?, headByteCount: Int, isPrivate: Bool) throws(ScrubError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ScrubError(.usage, "is not the name of a file", file: path, advice: "give the output a name")
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

    /// Writes more at the end.
    ///
    /// - Throws: ``ScrubError/Code/inputOutput``, also when the disk is full.
    package mutating func append(_ bytes: Span<UInt8>) throws(ScrubError) {
        do {
            try unsafe bytes.withUnsafeBytes { _ = try unsafe neighbour.descriptor.writeAll($0) }
        } catch {
            throw AtomicFileWriter.failure(error, path)
        }
        byteCount += bytes.count
    }

    /// Writes some bytes of another file at the end, a megabyte at a time.
    ///
    /// - Throws: as ``append(_:)``; ``ScrubError/Code/badData`` when the bytes are not inside the file.
    package mutating func append(_ file: FileSource, _ range: Range<Int64>) throws(ScrubError) {
        var place = range.lowerBound
        while place < range.upperBound {
            let bytes = try file.read(at: place, count: Int(min(1 << 20, range.upperBound - place)))
            try append(bytes.span)
            place += Int64(bytes.count)
        }
    }

    /// Writes over the beginning, for heads that are only known when everything after them is.
    ///
    /// - Precondition: as many bytes were written before.
    /// - Throws: as ``append(_:)``.
    package mutating func replaceHead(_ bytes: Span<UInt8>) throws(ScrubError) {
        precondition(bytes.count <= byteCount, "a head of \(bytes.count) bytes in a file of \(byteCount)")
        do {
            try unsafe bytes.withUnsafeBytes { _ = try unsafe neighbour.descriptor.writeAll(toAbsoluteOffset: 0, $0) }
        } catch {
            throw AtomicFileWriter.failure(error, path)
        }
    }

    /// Gives the file its name.
    ///
    /// - Throws: as ``append(_:)``; as ``OutputFile`` if its name now belongs to a file that must not be replaced.
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

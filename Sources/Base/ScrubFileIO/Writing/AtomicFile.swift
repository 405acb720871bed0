package import ScrubBase

/// A file that appears under its name either complete or not at all.
///
/// The bytes are first written to a file without a name, or to a neighboring file if the file system does not support
/// such files. That file gets the target's name after everything is written. A reader therefore never sees half a
/// picture or half an index, and a killed process leaves nothing behind.
package enum AtomicFile {
    /// Writes an output. A target that is not a regular file, such as a device or a named pipe, is kept and written to.
    ///
    /// - Parameter isPrivate: whether only the owner may read it.
    /// - Throws: the errors of ``OutputFile`` if its name now belongs to a file that must not be replaced;
    ///   ``ScrubError/Code/inputOutput`` with the failing step, such as a full disk.
    package static func write(
        _ bytes: [UInt8], to output: OutputFile, isPrivate: Bool = false
    ) throws(ScrubError) {
        guard !ByteOutput.isWrittenInto(output.path) else { return try ByteOutput(output).write(bytes) }
        var writer = try AtomicFileWriter(output, isPrivate: isPrivate)
        try writer.append(bytes.span)
        try writer.commit()
    }

    /// Writes one of the library's own files and replaces any existing file.
    ///
    /// - Parameter isPrivate: whether only the owner may read it.
    /// - Throws: ``ScrubError/Code/inputOutput`` with the failing step.
    package static func write(
        _ bytes: [UInt8], to path: InternalPath, isPrivate: Bool = false
    ) throws(ScrubError) {
        var writer = try AtomicFileWriter(path, isPrivate: isPrivate)
        try writer.append(bytes.span)
        try writer.commit()
    }

    /// Writes a copy of a file, a megabyte at a time.
    ///
    /// - Throws: the same errors as for bytes; ``ScrubError/Code/noInput`` if `source` does not exist.
    package static func copy(_ source: String, to path: InternalPath) throws(ScrubError) {
        let file = try FileSource(path: source)
        try copy(file, 0..<file.byteCount, to: path)
    }

    /// Creates a hard link to a file, or a copy if the file system does not support hard links.
    ///
    /// - Throws: the errors of ``copy(_:to:)``.
    package static func link(_ source: String, to path: InternalPath) throws(ScrubError) {
        let isLinked = TemporaryFileNames.step { _ in ScrubFileIO.link(source, path.path) == 0 }
        if !isLinked { try copy(source, to: path) }
    }

    /// Writes a range of bytes of an open file, a megabyte at a time.
    ///
    /// - Throws: the same errors as for bytes; ``ScrubError/Code/badData`` if the bytes are not inside the file.
    package static func copy(_ file: FileSource, _ range: Range<Int64>, to path: InternalPath) throws(ScrubError) {
        var writer = try AtomicFileWriter(path)
        try writer.append(file, range)
        try writer.commit()
    }
}

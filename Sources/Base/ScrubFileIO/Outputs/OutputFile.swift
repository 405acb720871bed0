internal import Glibc
package import ScrubBase
internal import SystemPackage

/// The path of a file that a caller asks to write. The library and its programs use it for every output.
///
/// The initializer checks that the path may be written, and the check is repeated when the file gets its name. A file
/// that this process reads (``InputFileRegistry``) is never replaced. Any other file is replaced if an earlier run
/// wrote it as an output of the same kind (``OutputMark``), if it is empty, or if ``replacesFiles`` is set.
package struct OutputFile: Sendable {
    /// The path as the caller wrote it.
    package let path: String
    package let kind: OutputKind
    /// Whether to replace a file that no earlier run wrote.
    package let replacesFiles: Bool

    /// Creates an output.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if the path belongs to a file that must not be replaced.
    package init(_ path: String, _ kind: OutputKind, replacesFiles: Bool = false) throws(ScrubError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ScrubError(.usage, "is not a valid file name", file: path, advice: "give the output a name")
        }
        (self.path, self.kind) = (path, kind)
        self.replacesFiles = replacesFiles && !kind.isKnownByContents
        if !ByteOutput.isWrittenInto(path) { _ = try present() }
    }

    /// Creates the file's parent folders if necessary.
    package func makeFolders() throws(ScrubError) {
        if let above = Folder.folder(of: path) { try Folder.make(above) }
    }

    /// Returns the existing file, which may be replaced; `nil` for a free name.
    ///
    /// - Throws: the errors of ``init(_:_:replacesFiles:)``.
    func present() throws(ScrubError) -> FileFacts? {
        // Lines are appended to the target of a link; all other outputs would replace the link.
        guard let facts = FileFacts(path: path, followsLinks: kind == .log) else { return nil }
        try OutputFile.checkIsNotRead(path, facts.kind == .link ? FileFacts(path: path) : facts)
        guard !mayReplace(facts) else { return facts }
        if facts.kind == .link {
            throw refusal("is a link, which the output would replace", "specify the file that it points to")
        }
        switch kind {
        case .log: throw isNotALog
        case .metrics: throw refusal("is not a metrics file from scrub batch, so it is not replaced", nil)
        default:
            throw refusal("already exists and was not written by an earlier run", "give the output another name")
        }
    }

    var isNotALog: ScrubError { refusal("is not a log from scrub batch, so nothing is appended to it", nil) }

    private func refusal(_ cause: Wording, _ advice: Wording?) -> ScrubError {
        guard let advice else { return ScrubError(.usage, cause, file: path, advice: "give the output another name") }
        return ScrubError(
            .usage, cause, file: path, advice: "\(advice), or allow replacing it (\(term: .replacesFiles))",
            fact: .existingOutput)
    }

    private func mayReplace(_ facts: FileFacts) -> Bool {
        switch facts.kind {
        // The system refuses to replace a folder with a file.
        case .folder, .other: return true
        case .link: return replacesFiles
        case .file:
            return facts.byteCount == 0 || replacesFiles || kind == .sharedThumbnail || isOwn(facts)
        }
    }

    private func isOwn(_ facts: FileFacts) -> Bool {
        if OutputMark.isThere(kind, on: path, facts) { return true }
        guard kind.isKnownByContents, let file = try? FileSource(path: path) else { return false }
        return kind.begins(file)
    }

    /// Writes to an existing empty file without replacing it.
    ///
    /// - Throws: `inputOutput` if the file cannot be written or is no longer empty. If writing fails, the file is
    ///   emptied again.
    package func fill(_ bytes: [UInt8]) throws(ScrubError) {
        do {
            let file = try FileDescriptor.open(FilePath(systemName: path), .writeOnly, options: .closeOnExec)
            try file.closeAfter {
                let facts = FileFacts(path: "/proc/self/fd/\(file.rawValue)")
                guard facts.map({ $0.kind == .file && $0.byteCount > 0 }) != true else { throw Errno.fileExists }
                do {
                    _ = try file.writeAll(bytes)
                } catch {
                    try? file.resize(to: 0)
                    throw error
                }
            }
        } catch {
            throw ScrubError(system: error, .inputOutput, doing: "cannot be written", file: path)
        }
        OutputMark.put(kind, on: path, for: path)
    }

    /// Checks that a file is not being read.
    ///
    /// - Throws: ``ScrubError/Code/usage`` for a file that is being read.
    static func checkIsNotRead(_ path: String, _ facts: FileFacts?) throws(ScrubError) {
        guard let facts, InputFileRegistry.contains(path, facts) else { return }
        throw isRead(path)
    }

    /// Checks that a descriptor's file is not being read.
    ///
    /// - Throws: ``ScrubError/Code/usage`` if the descriptor belongs to a file that is being read.
    package static func check(descriptor: Int32, name: String) throws(ScrubError) {
        guard InputFileRegistry.contains(descriptor: descriptor) else { return }
        throw isRead(name)
    }

    private static func isRead(_ path: String) -> ScrubError {
        ScrubError(
            .usage, "is an input file, and would be overwritten", file: path,
            advice: "give the output another name")
    }
}

extension OutputKind {
    /// Returns whether a file's first bytes are those of this kind, for kinds that are recognized by contents.
    func begins(_ file: FileSource) -> Bool {
        guard isKnownByContents, let head = try? file.read(at: 0, count: Int(min(file.byteCount, 1 << 20))) else {
            return false
        }
        return begins(head)
    }
}

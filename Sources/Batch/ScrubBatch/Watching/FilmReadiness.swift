internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// Determines whether a film that is not being changed is complete.
enum FilmReadiness {
    /// Returns the reason why a film seems incomplete; `nil` if there is none.
    ///
    /// This does not report a file that cannot be read: the run reports that. Cost: as for ``UnfinishedFile``, plus
    /// some system calls.
    static func complaint(_ path: String) -> String? {
        if FileFacts.hasWriter(path) == true { return "a program has it open for writing" }
        do throws(ScrubError) {
            let file = try MediaSource(path: path)
            if let complaint = try UnfinishedFile.complaint(of: file) { return complaint }
            guard file.byteCount >= emptyEnd else { return nil }
            let end = try file.read(at: file.byteCount - Int64(emptyEnd), count: emptyEnd)
            return end.allSatisfy { $0 == 0 }
                ? "it ends with zeros, which may be reserved space that is not yet written" : nil
        } catch {
            return nil
        }
    }

    private static let emptyEnd = 4096
}

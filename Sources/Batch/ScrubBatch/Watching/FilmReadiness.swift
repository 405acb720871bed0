internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// Tells whether a film that is not being changed is complete.
enum FilmReadiness {
    /// Returns the reason why a film does not seem to be whole; `nil` if there is none.
    ///
    /// A file that cannot be read has no complaint here: the run reports its fault. Cost: as ``UnfinishedFile``, and
    /// some system calls.
    static func complaint(_ path: String) -> String? {
        if FileFacts.hasWriter(path) == true { return "a program has it open for writing" }
        do throws(ScrubError) {
            let file = try MediaSource(path: path)
            if let complaint = try UnfinishedFile.complaint(of: file) { return complaint }
            guard file.byteCount >= emptyEnd else { return nil }
            let end = try file.read(at: file.byteCount - Int64(emptyEnd), count: emptyEnd)
            return end.allSatisfy { $0 == 0 } ? "its end is empty: space that was reserved and not yet written" : nil
        } catch {
            return nil
        }
    }

    private static let emptyEnd = 4096
}

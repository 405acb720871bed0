internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex

/// Tells whether a film that is not being changed is complete.
enum FilmReadiness {
    /// Why it does not seem to be; `nil` where nothing speaks against it.
    ///
    /// What cannot be read has nothing to say here: the run says what is wrong with it. Cost: as ``UnfinishedFile``,
    /// and some system calls.
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

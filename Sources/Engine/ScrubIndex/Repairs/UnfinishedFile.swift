package import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubMatroska
package import ScrubBase

/// Determines from a container's headers whether a file is still being copied, downloaded, or recorded.
package enum UnfinishedFile {
    /// Returns the reason why a file does not seem to be complete; `nil` if it seems complete, or if its container does
    /// not specify its length.
    ///
    /// Does not decode anything. Cost: the container's headers up to the one that specifies the file's length, such as
    /// an MP4's movie box or a few elements or chunks of other formats.
    ///
    /// - Throws: `inputOutput` if the file cannot be read.
    package static func complaint(of file: MediaSource) throws(ScrubError) -> String? {
        if file.byteCount == 0 { return "it is empty" }
        if MatroskaSegment.isEBML(file) { return try complaint { () throws(ScrubError) in try matroska(file) } }
        if Movie.isISOMedia(file) { return try complaint { () throws(ScrubError) in try movie(file) } }
        let head = try file.read(at: 0, count: Int(min(file.byteCount, Int64(ContainerProbe.byteCount))))
        guard let container = ContainerProbe.container(of: head),
            let missing = DeclaredSize.missingBytes(of: file, container: container)
        else { return nil }
        return lacks(missing)
    }

    /// Returns the complaint of a container reader. A file that it rejects counts as incomplete; a file that cannot be
    /// read throws an error.
    private static func complaint(
        _ body: () throws(ScrubError) -> String?
    ) throws(ScrubError) -> String? {
        do throws(ScrubError) { return try body() } catch {
            guard error.code == .badData else {
                // A compressed movie box and similar structures provide no information here.
                if error.code == .unavailable { return nil }
                throw error
            }
            return [error.place?.description, error.cause].compactMap { $0 }.joined(separator: ": ")
        }
    }

    private static func movie(_ file: MediaSource) throws(ScrubError) -> String? {
        let movie = try Movie(reading: file)
        let announced = movie.segmentIndexes.map(\.end).max() ?? 0
        let missing = max(movie.missingBytes, announced - min(announced, file.byteCount))
        return missing > 0 ? lacks(missing) : nil
    }

    private static func matroska(_ file: MediaSource) throws(ScrubError) -> String? {
        let segment = try MatroskaSegment(reading: file)
        guard let end = segment.end, end > file.byteCount else { return nil }
        return lacks(end - file.byteCount)
    }

    private static func lacks(_ bytes: Int64) -> String { "according to its headers, \(bytes) bytes are missing" }
}

package import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubMatroska
package import ScrubBase

/// Makes the index of a file by the cheapest correct method.
package enum IndexBuilder {
    /// Makes an index.
    ///
    /// - Parameters:
    ///   - requestedStream: the stream's index in the file; `nil` for the main video stream.
    ///   - rules: the rules by which the index goes beyond the container's data.
    ///   - pictureByteLimit: the maximum number of bytes of a picture that is decoded to learn the stream's parameters.
    ///   - progress: receives the read ``WorkProgress/Unit/bytes`` of a packet pass.
    package static func makeIndex(
        of file: MediaSource, requestedStream: Int? = nil, rules: IndexRules = .init(),
        pictureByteLimit: Int = FrameIndex.standardPictureByteLimit, progress: ((WorkProgress) -> Void)? = nil
    ) throws(ScrubError) -> FrameIndex {
        guard file.byteCount > 0 else {
            throw ScrubError(
                .badData, "is empty", file: file.path, advice: "it has 0 bytes: copy or download it again")
        }
        var (tableError, openJoints, omissions): (ScrubError?, [Int], [String]) = (nil, [], [])
        do {
            if let index = try tableIndex(of: file, requestedStream: requestedStream, rules) {
                return try finished(index, file)
            }
        } catch let error as TableFallbackReason {
            if let refusal = file.opening.refusal { throw refusal }
            (tableError, openJoints, omissions) = (error.reason, error.openJoints, error.omissions)
        } catch let error as ScrubError {
            // libavformat reports a header that was cut off by a limit as damaged.
            throw file.opening.refusal ?? error
        } catch {
            preconditionFailure("table indexers throw no other error: \(error)")
        }
        do throws(ScrubError) {
            var indexer = ScanIndexer(
                file.sequentialView(), rules: rules, pictureByteLimit: pictureByteLimit, progress: progress)
            (indexer.openJoints, indexer.omissions) = (openJoints, omissions)
            return try finished(indexer.makeIndex(requestedStream: requestedStream), file)
        } catch {
            // For a movie file, the error of the table reader is more precise than that of the demuxer.
            throw file.opening.refusal ?? tableError ?? error
        }
    }

    /// Returns the index from the container's own tables or headers; `nil` for containers without an indexer.
    private static func tableIndex(
        of file: MediaSource, requestedStream: Int?, _ rules: IndexRules
    ) throws -> FrameIndex? {
        if MatroskaSegment.isEBML(file) {
            return try MatroskaIndexer(file, rules: rules).makeIndex(requestedStream: requestedStream)
        }
        guard Movie.isISOMedia(file) else { return nil }
        return try MovieIndexer(file, rules: rules).makeIndex(requestedStream: requestedStream)
    }

    private static func finished(_ index: FrameIndex, _ file: MediaSource) throws(ScrubError) -> FrameIndex {
        // Parsers treat a failed read as damage in the file.
        if let failure = file.lastFailure { throw failure }
        if let refusal = file.opening.refusal { throw refusal }
        guard index.frameCount > 0 else {
            let why = index.facts.warnings.last.map { ": \($0)" } ?? ""
            throw AnimatedWebP.refusal(of: file)
                ?? ScrubError(.badData, "has no picture that can be decoded\(why)", file: file.path)
        }
        return index
    }
}

package import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubMatroska
package import ScrubBase

/// Makes the index of a file by the cheapest way that is right for it.
package enum IndexBuilder {
    /// Makes an index.
    ///
    /// - Parameters:
    ///   - requestedStream: the stream's place in the file; `nil` for the main video stream.
    ///   - rules: the rules by which the index goes beyond the container's data.
    ///   - pictureByteLimit: the most bytes of a picture that is decoded to learn the stream's parameters.
    ///   - progress: told how far a packet pass is, from 0 to 1.
    package static func makeIndex(
        of file: MediaSource, requestedStream: Int? = nil, rules: IndexRules = .init(),
        pictureByteLimit: Int = FrameIndex.standardPictureByteLimit, progress: ((Double) -> Void)? = nil
    ) throws(ScrubError) -> FrameIndex {
        guard file.byteCount > 0 else {
            throw ScrubError(
                .badData, "is empty", file: file.path, advice: "it has 0 bytes: copy or fetch it again")
        }
        var (tableError, openJoints, omissions): (ScrubError?, [Int], [String]) = (nil, [], [])
        do {
            if let index = try tableIndex(of: file, requestedStream: requestedStream, rules) {
                return try finished(index, file)
            }
        } catch let error as NotForTables {
            if let refusal = file.opening.refusal { throw refusal }
            (tableError, openJoints, omissions) = (error.reason, error.openJoints, error.omissions)
        } catch let error as ScrubError {
            // libavformat says of a header that a limit ended that it is damaged.
            throw file.opening.refusal ?? error
        } catch {
            preconditionFailure("table indexers throw nothing else: \(error)")
        }
        do throws(ScrubError) {
            var indexer = ScanIndexer(
                file.sequentialView(), rules: rules, pictureByteLimit: pictureByteLimit, progress: progress)
            (indexer.openJoints, indexer.omissions) = (openJoints, omissions)
            return try finished(indexer.makeIndex(requestedStream: requestedStream), file)
        } catch {
            // The tables' own reader knows better what is wrong with a movie file than a demuxer that gave up.
            throw file.opening.refusal ?? tableError ?? error
        }
    }

    /// Returns the index by the container's own tables or headers; `nil` for containers that no indexer here reads.
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
        // Parsers treat a failed read as damage of the file.
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

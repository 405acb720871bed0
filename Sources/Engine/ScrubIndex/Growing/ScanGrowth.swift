internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// The packets of a file that is being written, in any container whose packets come in order. One pass of libavformat
/// reads them and continues where it stopped.
///
/// libavformat detects the streams from the first seconds or megabytes. While a file is shorter than that, it is read
/// from the beginning each time. After that, a thread stays in the pass.
final class ScanGrowth: Sendable {
    private let requestedStream: Int?
    private let rules: IndexRules
    private let pictureByteLimit: Int
    private let present = Locked<GrowingFilePass?>(nil)

    init(requestedStream: Int?, rules: IndexRules, pictureByteLimit: Int) {
        (self.requestedStream, self.rules, self.pictureByteLimit) = (requestedStream, rules, pictureByteLimit)
    }

    deinit { present.withLock { $0 }?.close() }

    /// Reads the new packets.
    ///
    /// - Returns: the index of all complete packets, `nil` while there are none.
    /// - Throws: the reason why there is no pass; ``ScrubError/cancelled`` if the work on this thread is cancelled.
    func extend(to file: MediaSource, isComplete: Bool) throws(ScrubError) -> FrameIndex? {
        let feed: GrowingFilePass
        if let present = present.withLock({ $0 }) {
            feed = present
            feed.extend(to: file, isComplete: isComplete)
        } else {
            feed = GrowingFilePass(file, isComplete: isComplete)
            let pass = ScanPass(
                feed: feed, file: file, requestedStream: requestedStream, rules: rules,
                pictureByteLimit: pictureByteLimit)
            try DedicatedThread { pass.run() }.detach()
        }
        let progress: GrowingFilePass.Progress
        do throws(ScrubError) {
            progress = try feed.settled()
        } catch {
            // A pass that does not continue reads an older state of the file.
            let isKept = feed.canContinue
            present.withLock { $0 = isKept ? feed : nil }
            if !isKept { feed.close() }
            throw error
        }
        present.withLock { $0 = progress.isOver ? nil : feed }
        if let failure = progress.failure { throw failure }
        guard let pass = progress.pass, let stream = progress.stream, let traits = progress.traits else { return nil }
        let scanned = pass.finished()
        guard scanned.pictures.count > 0 else { return nil }
        var facts = progress.facts
        facts.x264Build = pass.x264Build
        facts.displayMatrix = facts.displayMatrix ?? pass.displayMatrix
        let index = ScanIndexer.makeIndex(scanned, stream, traits, facts, rules: rules)
        return index.frameCount > 0 ? index : nil
    }
}

/// One pass, on the thread on which it runs.
private struct ScanPass: Sendable {
    let feed: GrowingFilePass
    let file: MediaSource
    let requestedStream: Int?
    let rules: IndexRules
    let pictureByteLimit: Int

    func run() {
        do throws(AVError) {
            feed.end(try read())
        } catch {
            let failure = file.lastFailure.flatMap { error.isReadFailure ? $0 : nil }
            feed.end(failure ?? error.scrubError("is not a video that libavformat can read").inFile(file.path))
        }
    }

    /// Reads the packets.
    ///
    /// - Returns: the reason why there is no result; `nil` if there is one.
    private func read() throws(AVError) -> ScrubError? {
        var input = try Input(feed, name: file.path)
        try? input.findStreamInfo(pictureByteLimit: pictureByteLimit)
        let stream: StreamDescription
        do throws(ScrubError) {
            stream = try StreamChoice.choose(among: input.streams, requested: requestedStream) {
                PictureCounts.of($0, in: file)
            }
            guard stream.codec.hasDecoder else { throw stream.codec.noDecoder() }
            // Only a decoder can tell which packets make pictures, and it would have to decode them all.
            guard VideoCodec(named: stream.codec.codecName) != .other || stream.codec.makesOnePictureOfEachPacket else {
                throw ScrubError(
                    .unavailable, "\(stream.codec.codecName) can't be followed while it is being recorded",
                    advice: "wait until the recording is finished")
            }
        } catch {
            return error.inFile(file.path)
        }
        input.select(stream: stream.index)
        let facts = StreamFacts(stream, container: input.formatName, file: file)
        feed.begin(stream, ScanIndexer.ContainerTraits(input), facts, rules)
        var packet = try Packet()
        var held = try Packet()
        var isHolding = false
        while !feed.isClosed {
            do throws(AVError) {
                guard try input.read(into: &packet) else { break }
            } catch {
                break
            }
            guard packet.streamIndex == stream.index else { continue }
            // At a temporary end, a demuxer outputs what it has, complete or not: the last packet does not count.
            if feed.isLive {
                feed.take(packet)
            } else {
                if isHolding { feed.take(held) }
                swap(&packet, &held)
                isHolding = true
            }
        }
        if isHolding, feed.isComplete { feed.take(held) }
        return nil
    }
}

internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubPlayersLogic
package import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex
package import ScrubMedia
internal import ScrubPictures

/// A source of a video's exact frames, for players.
///
/// Forward, it decodes linearly. Backward, it decodes windows of as many frames as it may keep (``SequenceDecoder``).
/// Use it from one thread at a time; the thread may change.
///
/// Memory: with a budget, everything except dav1d's own pictures comes from it. Without a budget, it uses at most the
/// kept bytes, `17 + threads + 2` pictures of the decoder, 4 released pictures, and the pictures that callers hold.
package final class EnginePictureFeed: PictureFeed, @unchecked Sendable {
    // `@unchecked Sendable`: the feed is used by one thread at a time, as the protocol requires, and its parts are not
    // tied to a thread.
    private let asset: VideoAsset
    private let threadCount: Int
    private let keptByteLimit: Int
    private let largest: (width: Int, height: Int)?
    private let budget: ScrubBudget?
    private var session: Session?
    /// A frame that could not be handed out because memory was insufficient.
    private var held: SequenceDecoder.Answer?
    /// The bytes of the video that were read while the feed was working, including bytes read by other objects in that
    /// time.
    package private(set) var readByteCount: Int64 = 0

    /// The state that exists while a decoder may be open.
    private struct Session {
        let decoder: SequenceDecoder
        let pictures: CachedPictureShare<PlayheadFrameCache>
        let loans: HeldPictures?
        let member: BudgetMember?
    }

    /// Creates a feed. It does not open anything.
    ///
    /// - Parameters:
    ///   - threadCount: the number of threads that decode at the same time; `nil` for one per processor.
    ///   - keptByteLimit: the maximum number of bytes of frames to keep: the frames of a backward window, and those
    ///     shown most recently. With a budget, the limit is at most the feed's share of it.
    ///   - largest: the maximum size of the pictures that are handed out, in stored samples before rotation; `nil` for
    ///     the video's own. Larger pictures are reduced without changing their aspect ratio; smaller ones are
    ///     unchanged.
    ///   - budget: the budget for the memory of its pictures. Feeds and sessions may share a budget.
    package init(
        _ asset: VideoAsset, threadCount: Int? = nil, keptByteLimit: Int = 128 << 20,
        inside largest: (width: Int, height: Int)? = nil, budget: ScrubBudget? = nil
    ) {
        (self.asset, self.keptByteLimit, self.largest, self.budget) = (asset, keptByteLimit, largest, budget)
        self.threadCount = max(1, threadCount ?? Processors.count)
    }

    deinit { endSession() }

    /// Returns the minimum number of bytes that a feed needs in a budget. This covers the pictures that a decoder may
    /// hold, and two that the caller holds.
    package static func minimumByteCount(for asset: VideoAsset, threadCount: Int) -> Int {
        guarantee(asset.index, threadCount: threadCount).byteCount
    }

    private static func guarantee(_ index: FrameIndex, threadCount: Int) -> MemoryGuarantee {
        MemoryGuarantee(
            work: FrameEngine.workingByteCount(index, threadCount: threadCount), loans: 2 * index.pictureBufferByteCount
        )
    }

    /// Returns the approximate size in bytes of a picture that is handed out.
    static func pictureByteCount(of asset: VideoAsset, inside largest: (width: Int, height: Int)?) -> Int {
        let shape = asset.index.pictureShape
        let size = largest.map { EnginePictureFeed.size(of: (shape.width, shape.height), inside: $0) } ?? shape
        return size == shape ? asset.index.pictureBufferByteCount : asset.index.byteCount(ofPictureReducedTo: size)
    }

    /// The number of coded pictures given to decoders since the last ``close()``.
    package var decodedCount: Int { session?.decoder.decoded ?? 0 }
    /// The peak number of bytes allocated for pictures since the last ``close()``.
    package var peakByteCount: Int { session?.decoder.allocator.peakBytes ?? 0 }

    package func begin(at frame: Int, _ direction: PlaybackDirection, stride: Int) throws(ScrubError) {
        held = nil
        let before = asset.file.cost.bytes
        defer { readByteCount += asset.file.cost.bytes - before }
        try openedSession().decoder.begin(at: frame, isForward: direction == .forward, stride: stride)
    }

    package func step(isAhead: Bool) throws(ScrubError) -> FeedStep<FramePicture> {
        guard let session else { preconditionFailure("call begin before step") }
        if let held { return handOut(held, session, isAhead: isAhead) }
        return try decoding { () throws(ScrubError) -> FeedStep<FramePicture> in
            switch try session.decoder.step() {
            case .more: return .more
            case .frame(let answer): return handOut(answer, session, isAhead: isAhead)
            case .placeholder(let frame, let image):
                // This memory is optional: if there is no room, there is no placeholder.
                guard let picture = lend(image, session, isAhead: true) else { return .more }
                return .placeholder(
                    FedPicture(
                        frame: frame, image: picture, verdict: .approximate("shown until the exact picture is decoded"))
                )
            case .end: return .end
            case .starved: return .starved
            }
        }
    }

    /// Decodes ahead while the frames that are already available are shown.
    package func prepare() throws(ScrubError) -> Bool {
        guard let session, held == nil else { return false }
        return try decoding { () throws(ScrubError) -> Bool in try session.decoder.prepare() }
    }

    /// Counts the bytes read by a closure, and adds the file's name to its errors.
    private func decoding<Result>(_ work: () throws(ScrubError) -> Result) throws(ScrubError) -> Result {
        let before = asset.file.cost.bytes
        defer { readByteCount += asset.file.cost.bytes - before }
        do throws(ScrubError) { return try work() } catch { throw error.inFile(asset.path) }
    }

    package func close() {
        if budget == nil { session?.decoder.close() } else { endSession() }
    }

    /// Lends a frame's picture to the caller. If the caller holds too many pictures, this one is handed out later.
    private func handOut(
        _ answer: SequenceDecoder.Answer, _ session: Session, isAhead: Bool
    ) -> FeedStep<FramePicture> {
        let picture = answer.picture.frame.flatMap { lend($0, session, isAhead: isAhead) }
        let isLent = picture != nil || answer.picture.frame == nil
        held = isLent ? nil : answer
        guard isLent else { return .starved }
        return .frame(
            FedPicture(
                frame: answer.frame, image: picture, verdict: answer.picture.verdict, decodedCount: answer.decoded))
    }

    private func lend(_ shared: SharedFrame, _ session: Session, isAhead: Bool) -> FramePicture? {
        guard let loans = session.loans else { return FramePicture(shared, asset: asset) }
        return loans.lend(shared, isAhead: isAhead).map { FramePicture($0, asset: asset) }
    }

    private func openedSession() throws(ScrubError) -> Session {
        if let session { return session }
        let guarantee = EnginePictureFeed.guarantee(asset.index, threadCount: threadCount)
        let pictures = CachedPictureShare(
            PlayheadFrameCache(byteLimit: keptByteLimit), byteLimit: keptByteLimit, guarantee)
        var settings = SequenceDecoder.Options()
        (settings.threadCount, settings.keptByteLimit) = (threadCount, keptByteLimit)
        var member: BudgetMember?
        if let budget { member = try budget.join(pictures, guarantee, wake: {}) }
        let decoder = SequenceDecoder(
            asset.seekPlanner(), options: settings, budget: member, kept: pictures.kept,
            keptPictureByteCount: EnginePictureFeed.pictureByteCount(of: asset, inside: largest))
        if let largest { reduce(decoder, to: largest) }
        let made = Session(
            decoder: decoder, pictures: pictures,
            loans: member.map { HeldPictures($0, waitingByteCount: budget?.waitingByteCount) }, member: member)
        session = made
        return made
    }

    private func endSession() {
        held = nil
        session?.decoder.close()
        session?.pictures.kept.withLock { $0.removeAll() }
        if let budget, let member = session?.member { budget.leave(member) }
        session = nil
    }

    private func reduce(_ decoder: SequenceDecoder, to largest: (width: Int, height: Int)) {
        let facts = asset.index.facts
        let reducer = PictureReducer(
            size: { EnginePictureFeed.size(of: ($0, $1), inside: largest) }, facts.descriptions.first,
            cleanAperture: facts.cleanAperture, decoder.allocator)
        decoder.transform = { picture in
            let own = (picture.frame.width, picture.frame.height)
            // Pictures in formats that cannot be reduced are unchanged.
            guard EnginePictureFeed.size(of: own, inside: largest) != own,
                FrameReducer.canReduce(picture.frame.pixelFormat)
            else { return picture }
            return reducer.reduce(picture)
        }
    }

    /// Returns the size of a shape after it is reduced to fit in a box, with even sides; the shape itself if it already
    /// fits.
    static func size(of shape: (Int, Int), inside box: (width: Int, height: Int)) -> (width: Int, height: Int) {
        guard shape.0 > box.width || shape.1 > box.height else { return (width: shape.0, height: shape.1) }
        let inside = PictureSize(insideWidth: box.width, height: box.height, shape: (width: shape.0, height: shape.1))
        return (width: max(2, inside.width & ~1), height: max(2, inside.height & ~1))
    }
}

#if Viewer
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// The client that requests a frame, as named in requests.
struct ClientIdentity: Sendable {
    let client: String
    /// Increases with every target of the client; `nil` for the newest.
    let turn: Int?
}

/// A requested frame.
struct ClientFrameRequest: Sendable {
    let medium: ViewedMedium
    let frame: Int
    let form: PictureForm
    /// Whether a near picture is enough if it comes soon.
    var isMoving = false
    var wantsHash = false
}

/// The outcome of a request.
enum FrameReply: Sendable {
    case frame(ServedFrame, Info)
    /// A newer request came.
    case superseded

    /// The origin of a response.
    struct Info: Sendable {
        /// How the picture relates to the requested frame.
        enum Stage: String, Sendable {
            /// Another frame's picture, or a stand-in.
            case nearest
            /// The frame's picture, at a reduced size.
            case preview
            /// The frame's picture, with its verdict.
            case exact
        }

        var stage: Stage
        /// The number of coded pictures decoded for it.
        var decoded: Int
        var milliseconds: Double
        /// Whether the picture was available without decoding.
        var isKept: Bool
    }

    /// Whether it is the requested frame, exact or as a preview, within one frame of a 60 Hz display.
    var isRightInTime: Bool {
        guard case .frame(_, let info) = self else { return false }
        return info.stage != .nearest && info.milliseconds <= 16.7
    }
}

/// Serves frames for requests: encoded ones, ones from the client's own session, or, for requests without a client, one
/// after another.
///
/// Thread safety: safe from any task; nothing blocks.
final class FrameRequestHandler: Sendable {
    let counts = DecodeCounts()
    let encoded: EncodedCache
    let seats: ClientSlots
    private let limits: ViewerLimits
    private let others = Locked<[(medium: String, generator: FrameGenerator)]>([])
    private let encoders = BlockingThreads(limit: max(2, Processors.count))
    private let wishes = LatestRequests()
    private let clock = ContinuousClock()
    /// Returns the picture that stands in for a medium's frame until there is a better one; `nil` before there is any.
    private let standIn: Locked<(@Sendable (ClientFrameRequest) -> ServedFrame?)?> = Locked(nil)

    init(_ limits: ViewerLimits) {
        self.limits = limits
        encoded = EncodedCache(byteLimit: limits.encodedByteLimit)
        seats = ClientSlots(limits, counts)
    }

    /// Whether a request waits for a frame.
    var isBusy: Bool { !counts.now.underWay.isEmpty }

    /// Sets the source of small pictures.
    func standIns(_ body: @escaping @Sendable (ClientFrameRequest) -> ServedFrame?) { standIn.withLock { $0 = body } }

    /// Releases the frames of a medium whose file has been replaced, and ends the work for it.
    func forget(_ medium: ViewedMedium) {
        encoded.forget(medium.content)
        others.withLock { $0.removeAll { $0.medium == medium.content } }
        Task { await seats.forget(medium) }
    }

    /// Answers a request.
    ///
    /// - Throws: ``ScrubError``; `CancellationError` if the request was cancelled.
    func frame(_ wish: ClientFrameRequest, for asker: ClientIdentity?) async throws -> FrameReply {
        counts.note { counts in
            counts.requests += 1
            if wish.isMoving { counts.moves += 1 }
        }
        let reply = try await found(wish, for: asker, since: clock.now)
        if wish.isMoving, reply.isRightInTime { counts.note { $0.rightShown += 1 } }
        return reply
    }

    private func found(
        _ wish: ClientFrameRequest, for asker: ClientIdentity?, since start: ContinuousClock.Instant
    ) async throws -> FrameReply {
        guard let asker else { return try await withoutClient(wish, start) }
        guard let token = wishes.admit(asker, now: start) else { return superseded() }
        if let kept = kept(wish) {
            await seats.leave(token)
            return .frame(kept, info(wish, kept.frame == wish.frame ? .exact : .nearest, 0, since: start, isKept: true))
        }
        let near = wish.isMoving ? nearest(wish) : nil
        if let near, isCrowded {
            // More working decoders would delay all of them, so clients at rest are first.
            await seats.leave(token)
            return .frame(near, info(wish, .nearest, 0, since: start, isKept: true))
        }
        var seated = try await seats.session(token, wish.medium, canWait: !wish.isMoving || near == nil)
        let seat: ObjectIdentifier
        let result: Result<FrameReply, any Error>
        if let session = seated {
            seat = ObjectIdentifier(session)
            do {
                result = .success(try await answer(wish, token, session, near, since: start))
            } catch {
                result = .failure(error)
            }
        } else {
            try Task.checkCancellation()
            guard token.isNewest, let near else { return superseded() }
            return .frame(near, info(wish, .nearest, 0, since: start, isKept: true))
        }
        // Releasing the last reference to a session waits for its thread, so it must not be this task's.
        seated = nil
        await seats.giveBack(seat, of: token.client)
        return try result.get()
    }

    private func answer(
        _ wish: ClientFrameRequest, _ token: RequestToken, _ session: ClientSession, _ near: ServedFrame?,
        since start: ContinuousClock.Instant
    ) async throws -> FrameReply {
        let outcome = await session.ask(
            wish.frame, token, isMoving: wish.isMoving, hasStandIn: near != nil,
            patience: patience(wish, near, session.given))
        switch outcome {
        case .shown(let update):
            let reply = try await reply(wish, update, since: start)
            if case .frame(let picture, _) = reply { session.gave(picture.frame) }
            return reply
        case .nothing:
            guard let near else { return superseded() }
            session.gave(near.frame)
            return .frame(near, info(wish, .nearest, 0, since: start, isKept: true))
        case .superseded: return superseded()
        case .gone:
            counts.note { $0.gone += 1 }
            throw CancellationError()
        case .failed(let error): throw error.inFile(wish.medium.name)
        }
    }

    /// Returns the time to wait for a frame that is nearer than the client's current one: shorter if there is a small
    /// picture of it.
    private func patience(_ wish: ClientFrameRequest, _ near: ServedFrame?, _ given: Int?) -> Duration {
        guard let near, let given, abs(near.frame - wish.frame) < abs(given - wish.frame) else {
            return limits.patience
        }
        return limits.patience / 2
    }

    /// Whether more decoders are working than there are processors.
    private var isCrowded: Bool { counts.now.underWay.count >= 2 * Processors.count }

    /// Releases sessions and frames that have not been used for a long time.
    func sweep() async {
        await seats.sweep()
        wishes.forget(idleSince: clock.now - limits.restTime)
    }

    private func superseded() -> FrameReply {
        counts.note { $0.superseded += 1 }
        return .superseded
    }

    /// Returns the exact frame, if it was encoded before.
    private func kept(_ wish: ClientFrameRequest) -> ServedFrame? {
        let key = EncodedCache.Key(medium: wish.medium.content, frame: wish.frame, form: wish.form)
        guard let kept = encoded[key], kept.verdict != nil, !wish.wantsHash || kept.hash != nil else { return nil }
        counts.note { $0.kept += 1 }
        return kept
    }

    /// Returns the nearest available picture in the requested form, or in a small one.
    private func nearest(_ wish: ClientFrameRequest) -> ServedFrame? {
        let key = EncodedCache.Key(medium: wish.medium.content, frame: wish.frame, form: wish.form)
        let found = [encoded.nearest(to: key), standIn.withLock { $0 }?(wish)].compactMap { $0 }
        return found.min { abs($0.frame - wish.frame) < abs($1.frame - wish.frame) }
    }

    private func info(
        _ wish: ClientFrameRequest, _ stage: FrameReply.Info.Stage, _ decoded: Int,
        since start: ContinuousClock.Instant,
        isKept: Bool
    ) -> FrameReply.Info {
        let time = clock.now - start
        return FrameReply.Info(
            stage: stage, decoded: decoded, milliseconds: Double(time.wholeNanoseconds) / 1e6, isKept: isKept)
    }

    /// Returns a session's update as a reply; during a movement, possibly a nearer picture that was encoded before.
    private func reply(
        _ wish: ClientFrameRequest, _ update: ScrubSession.Update, since start: ContinuousClock.Instant
    ) async throws -> FrameReply {
        let isExact = update.stage == .exact
        let stage: FrameReply.Info.Stage = isExact ? .exact : update.stage == .preview ? .preview : .nearest
        let distance = abs(update.frame.number - wish.frame)
        if stage == .nearest, let near = nearest(wish), abs(near.frame - wish.frame) <= distance {
            return .frame(near, info(wish, .nearest, 0, since: start, isKept: true))
        }
        let made = try await encode(
            wish, update.frame.number, update.picture, isExact ? update.verdict : nil, isReduced: update.isReduced)
        return .frame(
            made, info(wish, stage, update.decodedPictureCount, since: start, isKept: update.isCacheHit))
    }

    /// Answers requests without a client: each gets its exact frame, in request order.
    private func withoutClient(_ wish: ClientFrameRequest, _ start: ContinuousClock.Instant) async throws -> FrameReply
    {
        if let kept = kept(wish) { return .frame(kept, info(wish, .exact, 0, since: start, isKept: true)) }
        let generator = try self.generator(wish.medium)
        counts.begin("")
        var isFinished = false
        defer { counts.end("", isFinished: isFinished) }
        do {
            let answer = try await generator.frame(at: .frame(wish.frame))
            isFinished = true
            counts.note { $0.pictures += answer.decodedPictureCount }
            let made = try await encode(wish, wish.frame, answer.picture, answer.verdict, isReduced: false)
            return .frame(
                made,
                info(wish, .exact, answer.decodedPictureCount, since: start, isKept: answer.decodedPictureCount == 0))
        } catch is CancellationError {
            counts.note { $0.gone += 1 }
            throw CancellationError()
        }
    }

    /// Returns the engine for requests without a client; those for the two most recently used media are kept.
    private func generator(_ medium: ViewedMedium) throws(ScrubError) -> FrameGenerator {
        if let known = others.withLock({ $0.first { $0.medium == medium.content }?.generator }) { return known }
        var options = FrameReader.Options()
        (options.decoderLimit, options.cacheByteLimit) = (1, 32 << 20)
        let made = try FrameGenerator(medium.asset, options: options)
        others.withLock { others in
            others.append((medium.content, made))
            if others.count > 2 { others.removeFirst() }
        }
        return made
    }

    private func encode(
        _ wish: ClientFrameRequest, _ frame: Int, _ picture: FramePicture?, _ verdict: Verdict?, isReduced: Bool
    ) async throws -> ServedFrame {
        guard let picture else {
            throw ScrubError(
                .badData, "the frame cannot be decoded: \(verdict?.reason ?? "the decoder produced no picture")",
                file: wish.medium.name,
                place: .frame(frame), advice: "try another frame")
        }
        try Task.checkCancellation()
        let (encoded, content) = (encoded, wish.medium.content)
        let key = EncodedCache.Key(medium: content, frame: frame, form: wish.form)
        if !wish.wantsHash, var known = encoded[key] {
            if let verdict { known.verdict = verdict }
            encoded.insert(known, of: content)
            return known
        }
        return try await encoders.run {
            let file = try wish.form.encode(picture)
            let made = ServedFrame(
                frame: frame, form: wish.form, bytes: file.bytes, verdict: verdict,
                type: wish.medium.type(ofFrame: frame),
                hash: wish.wantsHash ? "md5:" + (try picture.streamMD5()) : nil)
            if !isReduced { encoded.insert(made, of: content) }
            return made
        }
    }
}
#endif

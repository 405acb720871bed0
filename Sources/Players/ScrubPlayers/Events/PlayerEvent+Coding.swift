internal import ScrubBase
internal import ScrubPlayersLogic

extension Player.Event: Codable {
    private enum Name: String, Codable {
        case itemTransition, positionDiscontinuity, stateChanged, itemEnded, playlistEnded, stalled, resumed
        case framesDropped, failed, playlistChanged, buffering, presenterChanged, memoryPressure, overflow
    }

    private enum CodingKeys: String, CodingKey {
        case event, from, to, reason, state, error, item, at, stalledNs, late, skippedBeforeDecoding, jumped, items
        case isLikelyToKeepUp, bufferedTime, hasPresenter, generation, level, count
    }

    /// Encodes the event as a single object.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        func name(_ name: Name) throws { try members.encode(name, forKey: .event) }
        switch self {
        case .itemTransition(let from, let to, let reason):
            try name(.itemTransition)
            try members.encodeIfPresent(from, forKey: .from)
            try members.encodeIfPresent(to, forKey: .to)
            try members.encode(reason, forKey: .reason)
        case .positionDiscontinuity(let from, let to, let reason):
            try name(.positionDiscontinuity)
            try members.encode(from, forKey: .from)
            try members.encode(to, forKey: .to)
            try members.encode(reason, forKey: .reason)
        case .stateChanged(let state):
            try name(.stateChanged)
            try members.encode(state.codedName, forKey: .state)
            if case .failed(let error) = state { try members.encode(CodedError(error), forKey: .error) }
        case .itemEnded(let item):
            try name(.itemEnded)
            try members.encode(item, forKey: .item)
        case .playlistEnded: try name(.playlistEnded)
        case .stalled(let position):
            try name(.stalled)
            try members.encode(position, forKey: .at)
        case .resumed(let position, let span):
            try name(.resumed)
            try members.encode(position, forKey: .at)
            try members.encode(span.wholeNanoseconds, forKey: .stalledNs)
        case .framesDropped(let frames):
            try name(.framesDropped)
            try members.encode(frames.lateCount, forKey: .late)
            try members.encode(frames.skippedBeforeDecodingCount, forKey: .skippedBeforeDecoding)
            try members.encode(frames.jumpedCount, forKey: .jumped)
        case .failed(let item, let error):
            try name(.failed)
            try members.encode(item, forKey: .item)
            try members.encode(CodedError(error), forKey: .error)
        case .playlistChanged(let items):
            try name(.playlistChanged)
            try members.encode(items, forKey: .items)
        case .buffering(let isLikelyToKeepUp, let time):
            try name(.buffering)
            try members.encode(isLikelyToKeepUp, forKey: .isLikelyToKeepUp)
            try members.encode(time.description, forKey: .bufferedTime)
        case .presenterChanged(let hasPresenter, let generation):
            try name(.presenterChanged)
            try members.encode(hasPresenter, forKey: .hasPresenter)
            try members.encode(generation, forKey: .generation)
        case .memoryPressure(let level):
            try name(.memoryPressure)
            try members.encode(level, forKey: .level)
        case .overflow(let count):
            try name(.overflow)
            try members.encode(count, forKey: .count)
        }
    }

    /// Decodes an event from the form that ``encode(to:)`` writes.
    ///
    /// - Throws: `DecodingError` for other data.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func item(_ key: CodingKeys) throws -> PlayerItem.ID? {
            try members.decodeIfPresent(PlayerItem.ID.self, forKey: key)
        }
        func position(_ key: CodingKeys) throws -> Player.Position {
            try members.decode(Player.Position.self, forKey: key)
        }
        func number(_ key: CodingKeys) throws -> Int { try members.decode(Int.self, forKey: key) }
        switch try members.decode(Name.self, forKey: .event) {
        case .itemTransition:
            self = .itemTransition(
                from: try item(.from), to: try item(.to),
                reason: try members.decode(Player.ItemTransitionReason.self, forKey: .reason))
        case .positionDiscontinuity:
            self = .positionDiscontinuity(
                from: try position(.from), to: try position(.to),
                reason: try members.decode(Player.DiscontinuityReason.self, forKey: .reason))
        case .stateChanged:
            let name = try members.decode(String.self, forKey: .state)
            let error = try members.decodeIfPresent(CodedError.self, forKey: .error)?.error
            guard let state = PlaybackState(codedName: name, error) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .state, in: members, debugDescription: "\(name) is not a player state")
            }
            self = .stateChanged(state)
        case .itemEnded: self = .itemEnded(try members.decode(PlayerItem.ID.self, forKey: .item))
        case .playlistEnded: self = .playlistEnded
        case .stalled: self = .stalled(try position(.at))
        case .resumed:
            self = .resumed(
                try position(.at),
                stalledDuration: .nanoseconds(try members.decode(Int64.self, forKey: .stalledNs)))
        case .framesDropped:
            self = .framesDropped(
                Player.DroppedFrames(
                    lateCount: try number(.late), skippedBeforeDecodingCount: try number(.skippedBeforeDecoding),
                    jumpedCount: try number(.jumped)))
        case .failed:
            self = .failed(
                try members.decode(PlayerItem.ID.self, forKey: .item),
                try members.decode(CodedError.self, forKey: .error).error)
        case .playlistChanged:
            self = .playlistChanged(try members.decode([PlayerItem.ID].self, forKey: .items))
        case .buffering:
            self = .buffering(
                isLikelyToKeepUp: try members.decode(Bool.self, forKey: .isLikelyToKeepUp),
                bufferedDuration: try members.ratio(forKey: .bufferedTime))
        case .presenterChanged:
            self = .presenterChanged(
                hasPresenter: try members.decode(Bool.self, forKey: .hasPresenter),
                generation: try number(.generation))
        case .memoryPressure:
            self = .memoryPressure(try members.decode(MemoryPressureMonitor.Level.self, forKey: .level))
        case .overflow: self = .overflow(count: try number(.count))
        }
    }
}

extension Player.Position: Codable {
    private enum CodingKeys: String, CodingKey {
        case item, time, frame
    }

    /// Encodes the position as a single object.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(item, forKey: .item)
        try members.encode(time.description, forKey: .time)
        try members.encodeIfPresent(frame, forKey: .frame)
    }

    /// Decodes a position from the form that ``encode(to:)`` writes.
    ///
    /// - Throws: `DecodingError` for other data.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            item: try members.decodeIfPresent(PlayerItem.ID.self, forKey: .item),
            time: try members.ratio(forKey: .time), frame: try members.decodeIfPresent(Int.self, forKey: .frame))
    }
}

extension PlaybackState {
    fileprivate var codedName: String {
        switch self {
        case .idle: "idle"
        case .preparing: "preparing"
        case .paused: "paused"
        case .playing: "playing"
        case .stalled: "stalled"
        case .ended: "ended"
        case .failed: "failed"
        }
    }

    fileprivate init?(codedName name: String, _ error: ScrubError?) {
        let plain: [PlaybackState] = [.idle, .preparing, .paused, .playing, .stalled, .ended]
        let state = error.map { .failed($0) } ?? plain.first { $0.codedName == name }
        guard let state, state.codedName == name else { return nil }
        self = state
    }
}

/// The encoded form of an error.
private struct CodedError: Codable {
    let code: String
    let cause: String
    let file: String?
    let place: String?
    let advice: String?
    let errno: Int32?
    let averror: Int32?

    init(_ error: ScrubError) {
        (code, cause, file, place) = (error.code.description, error.cause, error.file, error.place?.description)
        advice = error.advice
        switch error.systemError {
        case .errno(let number): (errno, averror) = (number, nil)
        case .averror(let number): (errno, averror) = (nil, number)
        case nil: (errno, averror) = (nil, nil)
        }
    }

    /// The decoded error. A code that this version does not define is decoded as `badData`.
    var error: ScrubError {
        let codes: [ScrubError.Code] = [.usage, .badData, .noInput, .unavailable, .inputOutput]
        var error = ScrubError(
            codes.first { $0.description == code } ?? .badData, cause, file: file, place: place, advice: advice)
        error.systemError = errno.map { .errno($0) } ?? averror.map { .averror($0) }
        return error
    }
}

internal import ScrubBase

// Both encodings have the same structure: `json` does not need an encoder, and Codable is for programs that have one.
extension AccessLog.Entry {
    private enum Name: String, Codable {
        case seek, stall, dropped, decoderAttached, decoderDetached
    }

    private enum CodingKeys: String, CodingKey {
        case event, ns, item, requested, requestedTime, frame, time, latencyNs, decoded, redecoded, cacheHit, superseded
        case late, skippedBeforeDecoding, jumped, reason
    }

    /// The entry as a JSON object on one line (RFC 8259). Ratios are strings such as `1001/30000`.
    public var json: String { jsonObject.text }

    var jsonObject: JSONText {
        var json = JSONText()
        func add(_ key: CodingKeys, _ value: JSONText.Value) { json.add(key.rawValue, value) }
        add(.event, .string(name.rawValue))
        add(.ns, .integer(time))
        if let item { add(.item, .integer(Int64(item.value))) }
        switch kind {
        case .seek(let seek):
            add(.requested, .integer(Int64(seek.requestedFrame)))
            add(.requestedTime, .string(seek.requestedTime.description))
            if let frame = seek.actualFrame { add(.frame, .integer(Int64(frame))) }
            if let time = seek.actualTime { add(.time, .string(time.description)) }
            add(.latencyNs, .integer(seek.latency.wholeNanoseconds))
            add(.decoded, .integer(Int64(seek.decodedPictureCount)))
            add(.redecoded, .integer(Int64(seek.redecodedPictureCount)))
            add(.cacheHit, .boolean(seek.isCacheHit))
            add(.superseded, .boolean(seek.isSuperseded))
        case .stall(let stall):
            add(.frame, .integer(Int64(stall.frame)))
            add(.latencyNs, .integer(stall.duration.wholeNanoseconds))
        case .dropped(let frames):
            add(.late, .integer(Int64(frames.lateCount)))
            add(.skippedBeforeDecoding, .integer(Int64(frames.skippedBeforeDecodingCount)))
            add(.jumped, .integer(Int64(frames.jumpedCount)))
        case .decoderAttached(let waited): add(.latencyNs, .integer(waited.wholeNanoseconds))
        case .decoderDetached(let reason): add(.reason, .string(reason.rawValue))
        }
        return json
    }

    private var name: Name {
        switch kind {
        case .seek: .seek
        case .stall: .stall
        case .dropped: .dropped
        case .decoderAttached: .decoderAttached
        case .decoderDetached: .decoderDetached
        }
    }

    /// Encodes the same members as ``json``.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .event)
        try members.encode(time, forKey: .ns)
        try members.encodeIfPresent(item, forKey: .item)
        switch kind {
        case .seek(let seek):
            try members.encode(seek.requestedFrame, forKey: .requested)
            try members.encode(seek.requestedTime.description, forKey: .requestedTime)
            try members.encodeIfPresent(seek.actualFrame, forKey: .frame)
            try members.encodeIfPresent(seek.actualTime?.description, forKey: .time)
            try members.encode(seek.latency.wholeNanoseconds, forKey: .latencyNs)
            try members.encode(seek.decodedPictureCount, forKey: .decoded)
            try members.encode(seek.redecodedPictureCount, forKey: .redecoded)
            try members.encode(seek.isCacheHit, forKey: .cacheHit)
            try members.encode(seek.isSuperseded, forKey: .superseded)
        case .stall(let stall):
            try members.encode(stall.frame, forKey: .frame)
            try members.encode(stall.duration.wholeNanoseconds, forKey: .latencyNs)
        case .dropped(let frames):
            try members.encode(frames.lateCount, forKey: .late)
            try members.encode(frames.skippedBeforeDecodingCount, forKey: .skippedBeforeDecoding)
            try members.encode(frames.jumpedCount, forKey: .jumped)
        case .decoderAttached(let waited): try members.encode(waited.wholeNanoseconds, forKey: .latencyNs)
        case .decoderDetached(let reason): try members.encode(reason, forKey: .reason)
        }
    }

    /// Decodes an entry from an object with the same members as ``json``.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let kind: Kind
        switch try members.decode(Name.self, forKey: .event) {
        case .seek:
            kind = .seek(
                Seek(
                    requestedFrame: try members.decode(Int.self, forKey: .requested),
                    requestedTime: try members.ratio(forKey: .requestedTime),
                    actualFrame: try members.decodeIfPresent(Int.self, forKey: .frame),
                    actualTime: members.contains(.time) ? try members.ratio(forKey: .time) : nil,
                    latency: .nanoseconds(try members.decode(Int64.self, forKey: .latencyNs)),
                    decodedPictureCount: try members.decode(Int.self, forKey: .decoded),
                    redecodedPictureCount: try members.decode(Int.self, forKey: .redecoded),
                    isCacheHit: try members.decode(Bool.self, forKey: .cacheHit),
                    isSuperseded: try members.decode(Bool.self, forKey: .superseded)))
        case .stall:
            kind = .stall(
                Stall(
                    frame: try members.decode(Int.self, forKey: .frame),
                    duration: .nanoseconds(try members.decode(Int64.self, forKey: .latencyNs))))
        case .dropped:
            kind = .dropped(
                Player.DroppedFrames(
                    lateCount: try members.decode(Int.self, forKey: .late),
                    skippedBeforeDecodingCount: try members.decode(Int.self, forKey: .skippedBeforeDecoding),
                    jumpedCount: try members.decode(Int.self, forKey: .jumped)))
        case .decoderAttached:
            kind = .decoderAttached(waited: .nanoseconds(try members.decode(Int64.self, forKey: .latencyNs)))
        case .decoderDetached:
            kind = .decoderDetached(reason: try members.decode(DetachReason.self, forKey: .reason))
        }
        self.init(
            time: try members.decode(Int64.self, forKey: .ns),
            item: try members.decodeIfPresent(PlayerItem.ID.self, forKey: .item), kind: kind)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a ratio such as `1001/30000`.
    func ratio(forKey key: Key) throws -> Rational {
        let parts = try decode(String.self, forKey: key).split(separator: "/")
        guard parts.count == 2, let numerator = Int64(parts[0]), let denominator = Int64(parts[1]),
            let ratio = Rational(checked: numerator, denominator)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "the value is not a ratio such as 1001/30000")
        }
        return ratio
    }
}

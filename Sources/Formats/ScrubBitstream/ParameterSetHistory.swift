/// The parameter sets of an H.264 or HEVC stream in file order, and the restarts that depend on earlier sets.
///
/// Decoders keep sets by id across restarts. A decoder that begins at a restart has the sets of its configuration. A
/// linear decoder has the last set of each id. The restart is usable only if both agree on every set that is used after
/// the restart before being sent again. Two rules of libavcodec go beyond the standards:
///
/// - An H.264 picture set stays bound to the sequence set that was active when it was sent, even if another set with
///   the same id follows (h264_ps.c, `pps->sps_ref`).
/// - An HEVC sequence set with different content removes the picture sets that refer to it. A video set removes its
///   sequence and picture sets (hevc_ps.c, `remove_sps`).
///
/// Memory: about 16 bytes for each set that is sent and for each restart.
struct ParameterSetHistory: Sendable {
    /// A set, identified by its kind and id.
    enum Item: Hashable, Sendable {
        case video(Int)
        case sequence(Int)
        case picture(Int)
    }

    private enum Event: Sendable {
        /// A set is sent. `base` is the set that it refers to; `content` identifies its bytes.
        case sent(Item, base: Item?, content: UInt32)
        /// A set that cannot be parsed. Decoders may have stored it under any id.
        case unread
        /// A slice refers to a picture set.
        case used(Int)
        /// A slice whose picture set is unknown.
        case usedAny
    }

    /// An active set: its content, and the set that it was bound to when it was sent.
    private struct Value: Sendable {
        /// ``unknown`` does not equal anything.
        var content: UInt32
        var base: Item?
        var baseContent: UInt32

        func isSame(as other: Value) -> Bool {
            content != ParameterSetHistory.unknown && baseContent != ParameterSetHistory.unknown
                && content == other.content && baseContent == other.baseContent
        }
    }
    private typealias State = [Item: Value]
    private static let unknown: UInt32 = 0

    /// Sets that a later picture uses before they are sent again.
    private struct Live {
        var items: Set<Item> = []
        /// Whether this applies to all sets.
        var isAll = false

        var hasPictures: Bool {
            items.contains { if case .picture = $0 { true } else { false } }
        }
        var hasSequences: Bool {
            items.contains { if case .sequence = $0 { true } else { false } }
        }
    }

    /// A place where decoding may begin: the first event after it, and the configuration with which a decoder is opened
    /// there.
    private struct Place: Sendable {
        var picture: Int
        var event: Int
        var configuration: Int
    }

    /// The picture sets to which slices refer: ids below 256 (H.264 7.4.2.2), and 256 for an unknown set.
    private struct Uses: Sendable {
        static let untold = 256
        private var ids = SIMD4<UInt64>()
        private var isUntold = false

        /// Adds an id.
        ///
        /// - Returns: false if it was already present.
        mutating func insert(_ id: Int) -> Bool {
            guard id < Uses.untold else {
                defer { isUntold = true }
                return !isUntold
            }
            let bit = UInt64(1) << UInt64(id & 63)
            defer { ids[id >> 6] |= bit }
            return ids[id >> 6] & bit == 0
        }

        /// All uses as events.
        var events: [Event] {
            let named = (0..<Uses.untold).filter { ids[$0 >> 6] >> UInt64($0 & 63) & 1 == 1 }
            return named.map { .used($0) } + (isUntold ? [.usedAny] : [])
        }
    }

    private let removesDependents: Bool
    private var contents: [[UInt8]: UInt32] = [:]
    private var events: [Event] = []
    private var places: [Place] = []
    /// The sets of each configuration, as events.
    private var configurations: [[Event]] = []
    /// The first event of the current packet, and its uses that were already recorded for an earlier packet.
    private var packetStart = 0
    private var repeatedUses = Uses()
    /// The uses since the last set or restart. Each is recorded once.
    private var knownUses = Uses()
    private var isConfiguring = true

    /// - Parameter codec: H.264 or HEVC.
    init(codec: VideoCodec) {
        removesDependents = codec == .hevc
        configurations = [[]]
    }

    // MARK: Recording

    /// Begins another configuration from the container. The sets up to ``beginPacket()`` belong to it and are added to
    /// the active ones.
    mutating func beginConfiguration() {
        isConfiguring = true
        configurations.append([])
    }

    /// Begins the next packet.
    mutating func beginPacket() {
        isConfiguring = false
        packetStart = events.count
        repeatedUses = Uses()
    }

    /// Records a set that is sent.
    mutating func send(_ item: Item, base: Item?, _ bytes: Span<UInt8>) {
        let copy = bytes.indices.map { bytes[$0] }
        let content = contents[copy] ?? UInt32(truncatingIfNeeded: contents.count + 1)
        contents[copy] = content
        add(.sent(item, base: base, content: content))
    }

    /// Records a set that cannot be parsed.
    mutating func sendUnread() { add(.unread) }

    /// Records a slice.
    ///
    /// - Parameter pictureSet: at most 255; `nil` if unknown.
    mutating func use(_ pictureSet: Int?) {
        let id = pictureSet ?? Uses.untold
        guard knownUses.insert(id) else {
            _ = repeatedUses.insert(id)
            return
        }
        events.append(pictureSet.map { .used($0) } ?? .usedAny)
    }

    private mutating func add(_ event: Event) {
        events.append(event)
        knownUses = Uses()
        if isConfiguring { configurations[configurations.count - 1].append(event) }
    }

    /// Records that decoding may begin with the current packet.
    mutating func mayBegin(with picture: Int) {
        places.append(Place(picture: picture, event: packetStart, configuration: configurations.count - 1))
        // These uses came before any set of this packet.
        events.insert(contentsOf: repeatedUses.events, at: packetStart)
        knownUses = Uses()
    }

    // MARK: The result

    /// The restarts at which a new decoder has different sets than a linear decoder.
    var dependentRestarts: [Int] {
        guard let last = places.last, last.event > 0 else { return [] }
        let live = liveSets()
        let fresh = configurations.map { configuration in
            var state = State()
            for event in configuration { _ = apply(event, to: &state) }
            return state
        }
        var found: [Int] = []
        var state = State()
        var next = 0
        for (place, live) in zip(places, live) {
            while next < place.event {
                _ = apply(events[next], to: &state)
                next += 1
            }
            let own = fresh[place.configuration]
            let items = live.isAll ? Set(state.keys).union(own.keys) : live.items
            if items.contains(where: { !isSame(state[$0], own[$0]) }) { found.append(place.picture) }
        }
        return found
    }

    private func isSame(_ one: Value?, _ other: Value?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.isSame(as: other)
    }

    /// Returns the sets that are used after each place before they are sent again.
    private func liveSets() -> [Live] {
        // A set that is rejected because its base set is missing leaves the earlier set active.
        var isRefused = [Bool](repeating: false, count: events.count)
        var state = State()
        for (number, event) in events.enumerated() { isRefused[number] = !apply(event, to: &state) }
        var (found, live) = ([Live](), Live())
        var event = events.count
        for place in places.reversed() {
            while event > place.event {
                event -= 1
                step(back: events[event], isRefused: isRefused[event], &live)
            }
            found.append(live)
        }
        return found.reversed()
    }

    private func step(back event: Event, isRefused: Bool, _ live: inout Live) {
        switch event {
        case .unread: return
        case .usedAny: live.isAll = true
        case .used(let id): live.items.insert(.picture(id))
        case .sent(let item, let base, _):
            // While any dependent set is used, whether it is removed depends on the previous set.
            let removes: Bool
            switch item {
            case .picture: removes = false
            case .sequence: removes = removesDependents && live.hasPictures
            case .video: removes = removesDependents && (live.hasPictures || live.hasSequences)
            }
            let isWanted = live.items.contains(item)
            if removes {
                live.items.insert(item)
            } else if !isRefused {
                live.items.remove(item)
            }
            if isWanted || removes, let base { live.items.insert(base) }
        }
    }

    /// Activates a set.
    ///
    /// - Returns: false if decoders reject it because the set that it refers to is missing.
    private func apply(_ event: Event, to state: inout State) -> Bool {
        switch event {
        case .used, .usedAny: return true
        case .unread:
            // Unknown content does not equal anything.
            for item in state.keys { state[item]?.content = Self.unknown }
            return true
        case .sent(let item, let base, let content):
            if let base, state[base] == nil { return false }
            let value = Value(
                content: content, base: base, baseContent: base.flatMap { state[$0]?.content } ?? UInt32.max)
            if removesDependents, let old = state[item], old.content != content { remove(below: item, from: &state) }
            state[item] = value
            return true
        }
    }

    private func remove(below item: Item, from state: inout State) {
        for (other, value) in state where value.base == item {
            remove(below: other, from: &state)
            state[other] = nil
        }
    }
}

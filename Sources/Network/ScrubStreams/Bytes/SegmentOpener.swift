internal import ScrubHLSPlaylists
internal import ScrubBase

/// A library that opens the decrypted bytes of a playlist's segments.
///
/// Thread safety: safe from any thread. Memory: initialization sections and keys, a few kilobytes; up to 4 open
/// resources.
final class SegmentOpener: Sendable {
    private struct State {
        var resources: [(address: StreamAddress, source: any ByteSource)] = []
        var keys: [StreamAddress: [UInt8]] = [:]
        var initializations: [MediaPlaylist.Initialization: [UInt8]] = [:]
    }

    private let access: any StreamAccess
    /// The address of the playlist that contains the segments.
    private let base: StreamAddress
    let tally = FetchTally()
    private let state = Locked(State())
    private static let openLimit = 4

    init(_ access: any StreamAccess, base: StreamAddress) { (self.access, self.base) = (access, base) }

    /// Returns a segment's bytes. Opening them stops if the work on this thread is cancelled.
    ///
    /// - Throws: `badData` for one that the playlist marks as a gap and one whose length is wrong. `unavailable` for
    ///   unsupported encryption.
    func segment(_ number: Int, of timeline: StreamTimeline) throws(ScrubError) -> any ByteSource {
        let segment = timeline.segments[number]
        guard !segment.isGap else {
            throw ScrubError(
                .badData, "segment \(segment.sequence) is a gap: the playlist marks it as missing",
                file: base.name, place: .line(segment.line), advice: "request a time outside this segment")
        }
        let keys = segment.keySet.map { timeline.keySets[$0] } ?? []
        let plain = try open(segment.resource, keys, sequence: segment.sequence, line: segment.line)
        return TalliedSource(plain, segment: number, tally)
    }

    /// Returns the initialization section that applies to a segment; `nil` if there is none.
    func initialization(of number: Int, in timeline: StreamTimeline) throws(ScrubError) -> [UInt8]? {
        guard let section = timeline.initialization(of: number) else { return nil }
        if let known = state.withLock({ $0.initializations[section] }) { return known }
        if section.keys.contains(where: { $0.vector == nil }) {
            throw ScrubError(
                .badData, "the key of an encrypted EXT-X-MAP needs an IV, but has none", file: base.name,
                place: .line(section.line))
        }
        let source = try open(section.resource, section.keys, sequence: 0, line: section.line)
        guard source.byteCount <= Int64(PlaylistLimits.initializationBytes) else {
            throw ScrubError(
                .badData, "an initialization section of \(source.byteCount) bytes is too large",
                file: section.resource.uri)
        }
        let bytes: [UInt8]
        do throws(ScrubError) {
            bytes = try source.endingWithWork.read(at: 0, count: Int(source.byteCount))
        } catch {
            throw error.inFile(section.resource.uri)
        }
        tally.addOther(bytes.count)
        state.withLock { $0.initializations[section] = bytes }
        return bytes
    }

    private func open(
        _ wanted: MediaPlaylist.Resource, _ keys: [MediaPlaylist.Key], sequence: Int64, line: Int
    ) throws(ScrubError) -> any ByteSource {
        // A segment with unsupported encryption is not fetched.
        let key = try keys.isEmpty ? nil : identityKey(keys, line: line)
        let whole = try resource(wanted.uri)
        var source = whole
        if let range = wanted.range {
            guard range.upperBound <= whole.byteCount else {
                throw ScrubError(
                    .badData,
                    "it has \(whole.byteCount) bytes, but the playlist uses bytes \(range.lowerBound) to \(range.upperBound)",
                    file: wanted.uri, place: .line(line), advice: "it is truncated, or belongs to another playlist")
            }
            source = PartSource(whole, range)
        }
        guard let key else { return source }
        do throws(ScrubError) {
            return try DecryptedSource(
                source, key: bytes(of: key), vector: key.vector ?? SegmentOpener.vector(of: sequence))
        } catch {
            throw error.inFile(wanted.uri)
        }
    }

    private func resource(_ uri: String) throws(ScrubError) -> any ByteSource {
        let address = try access.resolve(uri, from: base)
        if let known = state.withLock({ state in state.resources.first { $0.address == address }?.source }) {
            return known
        }
        let opened = try access.open(address, for: .media).source
        state.withLock { state in
            if state.resources.count >= SegmentOpener.openLimit { state.resources.removeFirst() }
            state.resources.append((address, opened))
        }
        return opened
    }

    /// Returns the applicable key that is AES-128 with the raw key bytes at its URI.
    private func identityKey(_ keys: [MediaPlaylist.Key], line: Int) throws(ScrubError) -> MediaPlaylist.Key {
        if let key = keys.first(where: { $0.method == .aes128 && $0.format == "identity" }) { return key }
        let named = keys.map { key in
            let method =
                switch key.method {
                case .aes128: "AES-128"
                case .other(let name): name
                }
            return key.format == "identity" ? method : "\(method) with keys in the format \(key.format)"
        }
        throw ScrubError(
            .unavailable, "is encrypted: \(named.joined(separator: ", "))", file: base.name, place: .line(line),
            advice: "only AES-128 with a downloadable key is supported; DRM is not")
    }

    private func bytes(of key: MediaPlaylist.Key) throws(ScrubError) -> [UInt8] {
        let address = try access.resolve(key.uri, from: base)
        if let known = state.withLock({ $0.keys[address] }) { return known }
        let bytes = try access.contents(of: address, for: .key, limit: PlaylistLimits.keyBytes).bytes
        guard bytes.count == PlaylistLimits.keyBytes else {
            throw ScrubError(.badData, "the key has \(bytes.count) bytes, but AES-128 keys have 16", file: address.name)
        }
        state.withLock { $0.keys[address] = bytes }
        return bytes
    }

    /// Returns the media sequence number as 16 bytes, big endian: the vector if the playlist does not specify one.
    static func vector(of sequence: Int64) -> [UInt8] {
        (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: sequence >> (8 * (15 - Int64($0)))) }
    }
}

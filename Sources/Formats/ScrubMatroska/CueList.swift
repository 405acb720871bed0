package import ScrubBase

/// The places in a segment that its index lists (Cues, RFC 9559, 5.1.5), by time.
///
/// A cue is only a claim. Readers check that its cluster exists, and which blocks are there.
package struct CueList: Sendable, Equatable {
    /// A time and the cluster that contains a block with this time.
    package struct Cue: Sendable, Equatable {
        /// The time in units of the segment's TimestampScale.
        package let time: Int64
        /// The offset of the cluster in the file.
        package let cluster: Int64
    }

    /// The cues in ascending order of both times and clusters.
    package private(set) var cues: [Cue] = []
    /// The number of cues that turned out to be wrong.
    private var wrongCount = 0

    /// The number of wrong cues after which none is believed.
    private static let wrongLimit = 3
    /// Longer than any film, and small enough that sums do not overflow.
    private static let timeLimit: Int64 = 1 << 56

    /// Reads the cues of a track. If the track has none, those of all tracks are used.
    ///
    /// - Parameters:
    ///   - segment: the head of the file, which names the position of the Cues element.
    ///   - track: the track's number.
    /// - Returns: an empty list if the file has no cues or if they are malformed.
    package init(of segment: MatroskaSegment, track: UInt64, reading source: any ByteSource) {
        guard let bytes = segment.cues(reading: source) else { return }
        let master = MasterElement(
            bytes: bytes.content, range: bytes.body..<bytes.content.count, limits: segment.limits)
        guard let points = try? master.children() else { return }
        var (own, others): ([Cue], [Cue]) = ([], [])
        for point in points where point.id == .cuePoint {
            guard let found = try? CueList.point(master.child(point), segment) else { continue }
            for cue in found {
                if cue.track == track { own.append(cue.cue) } else { others.append(cue.cue) }
            }
        }
        let end = source.byteCount
        cues = CueList.ascending(
            (own.isEmpty ? others : own).filter { $0.cluster < end && $0.time < CueList.timeLimit },
            from: segment.firstCluster)
    }

    /// Announces that the cues are read next.
    package static func announce(_ segment: MatroskaSegment, in source: any ReadAnnouncingSource) {
        if let range = segment.usualCueRange(in: source) { source.expect([range]) }
    }

    /// Creates a list of cues.
    init(_ cues: [Cue]) { self.cues = CueList.ascending(cues, from: 0) }

    /// Returns the number of the last cue that is not later than a time; `nil` if there is none.
    package func last(notAfter time: Int64) -> Int? {
        let place = cues.partitioningIndex { $0.time > time }
        return place > 0 ? place - 1 : nil
    }

    /// Returns the number of the last cue whose cluster begins before an offset; `nil` if there is none.
    package func last(before offset: Int64) -> Int? {
        let place = cues.partitioningIndex { $0.cluster >= offset }
        return place > 0 ? place - 1 : nil
    }

    /// Returns the first cue whose cluster is after an offset; `nil` if there is none.
    package func next(after offset: Int64) -> Cue? {
        let place = cues.partitioningIndex { $0.cluster > offset }
        return place < cues.count ? cues[place] : nil
    }

    /// Returns the time of the cue for the cluster at an offset; `nil` if there is none.
    package func time(at offset: Int64) -> Int64? {
        let place = cues.partitioningIndex { $0.cluster >= offset }
        return place < cues.count && cues[place].cluster == offset ? cues[place].time : nil
    }

    /// Removes a cue that is wrong. After several wrong cues, all are removed.
    package mutating func remove(_ number: Int) {
        cues.remove(at: number)
        wrongCount += 1
        if wrongCount >= CueList.wrongLimit { cues = [] }
    }

    /// Returns the cues of a CuePoint with their tracks.
    private static func point(
        _ point: MasterElement, _ segment: MatroskaSegment
    ) throws(ScrubError) -> [(track: UInt64, cue: Cue)] {
        var time: UInt64?
        var places: [(track: UInt64, position: UInt64)] = []
        for child in try point.children() {
            if child.id == .cueTime { time = try point.unsigned(child) }
            guard child.id == .cueTrackPositions else { continue }
            let positions = point.child(child)
            var (track, position): (UInt64?, UInt64?) = (nil, nil)
            for field in try positions.children() {
                if field.id == .cueTrack { track = try positions.unsigned(field) }
                if field.id == .cueClusterPosition { position = try positions.unsigned(field) }
            }
            if let track, let position { places.append((track, position)) }
        }
        guard let time = time.flatMap({ Int64(exactly: $0) }) else { return [] }
        return places.compactMap { place in
            guard let position = Int64(exactly: place.position),
                case (let cluster, false) = segment.body.addingReportingOverflow(position)
            else { return nil }
            return (place.track, Cue(time: time, cluster: cluster))
        }
    }

    /// Returns the cues in ascending order. A list in which clusters are not in the order of times is not believed.
    private static func ascending(_ cues: [Cue], from first: Int64) -> [Cue] {
        let sorted = cues.sorted { ($0.time, $0.cluster) < ($1.time, $1.cluster) }
        guard let start = sorted.first, start.cluster >= first else { return [] }
        var result: [Cue] = []
        for cue in sorted {
            if let last = result.last {
                guard cue.cluster >= last.cluster else { return [] }
                // The first of several cues in a cluster names its beginning.
                if cue.cluster == last.cluster { continue }
            }
            result.append(cue)
        }
        return result
    }
}

package import ScrubFileIO
internal import ScrubIndex

/// A film of which only the parts around requested positions are read.
///
/// Frames are found by time: from the container's own index, or else by bisection. What an index claims is checked
/// against the pictures' headers and times. The frames, their times and their pictures are those of a video that was
/// opened completely. Only frames near the film's beginning have numbers.
///
/// Use from one thread at a time. Memory: about 200 bytes for each coded picture that was read.
package struct PartialVideo {
    private let file: MediaSource
    private let options: VideoAsset.OpenOptions
    private var source: any StretchSource
    /// The known stretches in file order, which do not touch. The first one begins with the film.
    private var stretches: [KnownStretch]
    private var end: Int64?

    /// The size of a file up to which all of it is read instead.
    private static let smallByteCount: Int64 = 1 << 20

    /// Returns whether reading a part of a file costs much less than opening it completely.
    static func isUseful(for file: MediaSource) -> Bool {
        file.isRemote && file.byteCount > smallByteCount && StretchSources.areUseful(for: file)
    }

    /// Opens a film.
    ///
    /// - Parameter step: the number of bytes by which stretches grow at first; `nil` for the usual one.
    /// - Throws: ``ScrubError`` if its container cannot be read in parts.
    package init(
        _ file: MediaSource, options: VideoAsset.OpenOptions, step: Int64? = nil
    ) throws(ScrubError) {
        (self.file, self.options) = (file, options)
        let source = try StretchSources.source(
            of: file, requestedStream: options.stream, pictureByteLimit: options.pictureByteLimit, step: step)
        self.source = source
        var first = KnownStretch(try source.first(), file: file)
        // The order of the first frames and their times.
        while first.frames().count < 2, !first.stretch.isLast { try first.extend(to: .more, reading: source) }
        guard first.stretch.index != nil else {
            throw ScrubError(.badData, "has no picture that can be decoded", file: file.path)
        }
        stretches = [first]
    }

    /// Returns a video in which positions can be found.
    ///
    /// - Returns: `nil` for a position that requires the numbers of frames.
    /// - Throws: the errors of reading.
    package mutating func asset(covering positions: [FramePosition]) throws(ScrubError) -> VideoAsset? {
        for position in positions { guard try cover(position) else { return nil } }
        if stretches[stretches.count - 1].stretch.isLast { _ = try knownEnd() }
        var parts: [(stretch: FilmStretch, frames: Range<Int>)] = []
        for place in stretches.indices { parts.append((stretches[place].stretch, stretches[place].frames())) }
        let index = try FrameIndex(joining: parts, end: end)
        for position in positions where index.coverage != nil && index.dependsOnAllFrames(position) { return nil }
        return try VideoAsset(file, index: index, options: options, isFinal: false)
    }

    /// Reads what is needed to find a position.
    ///
    /// - Returns: false for a position that requires the numbers of frames.
    private mutating func cover(_ position: FramePosition) throws(ScrubError) -> Bool {
        // The message for a time before the beginning names the last frame.
        if let time = position.writtenTime, time < .zero { try coverEnd() }
        switch position.kind {
        case .time(let seconds): _ = try cover(offset(seconds))
        case .roundedTime(let seconds, _): try coverWithNext(offset(seconds))
        case .computedTime(let time): try coverWithNext(offset(time.seconds))
        case .fraction(let fraction) where fraction <= .zero: break
        case .fraction(let fraction) where fraction >= .one: try coverEnd()
        case .fraction(let fraction):
            let end = try knownEnd()
            _ = try cover(Int64(clamping: fraction.scaledDown(end - firstTime)))
        case .frame(-1): try coverEnd()
        case .frame(let number): return number >= 0 && number < stretches[0].frames().count
        case .timecode: return false
        }
        return true
    }

    /// The time of the first frame.
    private var firstTime: Int64 { stretches[0].stretch.index?.time(ofFrame: 0) ?? 0 }

    private var timeBase: Rational { stretches[0].stretch.index?.facts.timeBase ?? .one }

    /// Returns a time in whole time base units after the first frame.
    private func offset(_ seconds: Rational) -> Int64 {
        let units = Int128(seconds.numerator) * Int128(timeBase.denominator)
        let unit = Int128(seconds.denominator) * Int128(timeBase.numerator)
        return Int64(clamping: max(0, Rational.floor(units, unit)))
    }

    private mutating func coverWithNext(_ offset: Int64) throws(ScrubError) {
        if let next = try cover(offset) { _ = try cover(next - firstTime) }
    }

    /// Reads the pictures around a time.
    ///
    /// - Parameter offset: time base units after the first frame.
    /// - Returns: the time of the next frame; `nil` at the end of the film.
    private mutating func cover(_ offset: Int64) throws(ScrubError) -> Int64? {
        let (time, overflow) = firstTime.addingReportingOverflow(offset)
        guard !overflow else {
            try coverEnd()
            return nil
        }
        for place in stretches.indices {
            if case .inside(let frame) = stretches[place].place(of: time) { return stretches[place].time(after: frame) }
        }
        var place = try source.place(for: time)
        var distance = PartialVideo.firstDistance
        while true {
            try Cancellation.check()
            var known = try stretch(at: place)
            var found = known.place(of: time)
            while found == .after, !known.stretch.isLast {
                try Cancellation.check()
                try known.extend(to: .time(time), reading: source)
                found = known.place(of: time)
            }
            if found == .before, !known.stretch.isFirst {
                guard let earlier = try source.place(before: known.stretch.start, distance: distance) else {
                    throw ScrubError(.badData, "its clusters are not in the order of their times", file: file.path)
                }
                place = earlier
                distance *= 2
                continue
            }
            try insert(known)
            guard case .inside(let frame) = found else { return nil }
            return known.time(after: frame)
        }
    }

    /// The number of bytes by which to go back if a film has no index and its groups of pictures are longer than
    /// expected.
    private static let firstDistance: Int64 = 256 << 10

    /// Reads the last frame and everything that it needs.
    private mutating func coverEnd() throws(ScrubError) {
        _ = try cover(try knownEnd() - 1 - firstTime)
    }

    /// Returns the time at which the film ends.
    private mutating func knownEnd() throws(ScrubError) -> Int64 {
        if let end { return end }
        var place = try source.lastPlace()
        var distance = PartialVideo.firstDistance
        var found: Int64?
        while found == nil {
            try Cancellation.check()
            var tail = try stretch(at: place)
            while !tail.stretch.isLast {
                try Cancellation.check()
                try tail.extend(to: .end, reading: source)
            }
            found = try source.end(of: tail.stretch, after: stretches[0].stretch)
            guard found == nil else { break }
            // Its last part shows no picture, or none without earlier pictures.
            guard let earlier = try source.place(before: place, distance: distance) else { break }
            (place, distance) = (earlier, 2 * distance)
        }
        guard let found, found > firstTime else { throw ScrubError(.badData, "ends before it begins", file: file.path) }
        end = found
        return found
    }

    /// Returns the known stretch that contains a place, or an empty one that begins there.
    private func stretch(at place: Int64) throws(ScrubError) -> KnownStretch {
        if let known = stretches.first(where: { $0.stretch.start <= place && place <= $0.stretch.end }) { return known }
        return KnownStretch(try source.stretch(at: place), file: file)
    }

    /// Adds a stretch. It replaces those that begin in it, of which it is made to include all pictures.
    private mutating func insert(_ known: KnownStretch) throws(ScrubError) {
        var known = known
        let start = known.stretch.start
        while let next = stretches.first(where: { start < $0.stretch.start && $0.stretch.start <= known.stretch.end }) {
            while known.stretch.end < next.stretch.end, !known.stretch.isLast {
                try Cancellation.check()
                try known.extend(to: .more, reading: source)
            }
            stretches.removeAll { $0.stretch.start == next.stretch.start }
        }
        stretches.removeAll { $0.stretch.start == start }
        let place = stretches.partitioningIndex { $0.stretch.start > start }
        stretches.insert(known, at: place)
    }
}

extension VideoAsset {
    /// The number of frames in the film; `nil` if only parts of it were read.
    package var knownFrameCount: Int? { index.totalFrameCount }

    /// Opens a remote film so far that positions in it can be found, and completely only if that is necessary: if
    /// positions require the numbers of frames, or if the container cannot be read in parts.
    ///
    /// The frames of a film that is not completely known have no numbers, except near its beginning
    /// (``PresentedFrame/knownNumber``).
    ///
    /// - Parameter willReadAll: is called before the whole film is read, with the reason.
    /// - Throws: the errors of opening a video.
    package static func covering(
        _ positions: [FramePosition], of file: MediaSource, options: VideoAsset.OpenOptions, savesBeside: Bool = false,
        willReadAll: (Wording) -> Void = { _ in }
    ) throws(ScrubError) -> VideoAsset {
        if PartialVideo.isUseful(for: file), try IndexLocation(file, options).load() == nil {
            do throws(ScrubError) {
                try options.limits.check()
                file.opening.begin(options.limits, byteCount: file.byteCount)
                defer { file.opening.end() }
                var film = try PartialVideo(file, options: options)
                if let asset = try film.asset(covering: positions) {
                    // Parsers treat a failed read as damage in the file.
                    if let failure = file.lastFailure ?? file.opening.refusal { throw failure }
                    return asset
                }
                willReadAll("frame numbers and timecodes need all frames")
            } catch {
                try Cancellation.check()
                if let failure = file.lastFailure { throw failure }
                // Whatever the parts do not say exactly, the whole file does.
                willReadAll(Wording(error.cause))
            }
        }
        return try VideoAsset(file: file, options: options, rules: .init(), savesBeside: savesBeside)
    }
}

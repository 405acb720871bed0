internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubLibAV
internal import ScrubMPEGSystems
package import ScrubBase

/// Reads stretches of packets of an MPEG transport stream or program stream through libavformat.
///
/// For each stretch, libavformat reads the film's own tables and a part of the film, as one file. Where packets are not
/// enough for an index, there are no stretches either.
package struct ScanStretches: StretchSource {
    private let file: MediaSource
    private let requestedStream: Int?
    private let rules: IndexRules
    private let pictureByteLimit: Int
    /// The bytes that describe the streams, for stretches after the first.
    private var head: [UInt8] = []
    /// The film's stream, as the film's beginning describes it. A part need not begin with a description.
    private let stream: StreamDescription
    /// The last place that was found for a time.
    private var lastFound: (place: TimedPlace, time: Int64)?
    private let clock: WrappingClock
    private var prober: UnitProber
    private var locator: PlaceLocator<UnitProber>
    private let beginning: FilmStretch

    /// The number of bytes by which a stretch grows at first.
    package static let standardStep: Int64 = 256 << 10
    private let step: Int64
    /// The number of bytes after a place for a time that are read at first.
    private static let readOn: Int64 = 128 << 10
    /// The number of bytes after which a stretch without a result ends.
    private static let limit: Int64 = 64 << 20

    /// Reads the beginning of a file.
    ///
    /// - Throws: ``ScrubError`` if the file is neither a transport stream nor a program stream, or if its packets are
    ///   not enough for an index.
    package init(
        _ file: MediaSource, requestedStream: Int?, rules: IndexRules = .init(),
        pictureByteLimit: Int = FrameIndex.standardPictureByteLimit, step: Int64 = ScanStretches.standardStep
    ) throws(ScrubError) {
        self.step = step
        let file = file.view()
        (self.file, self.requestedStream, self.rules) = (file, requestedStream, rules)
        self.pictureByteLimit = pictureByteLimit
        let signature = try file.read(at: 0, count: Int(min(file.byteCount, 4096)))
        let layout = TransportLayout(head: signature.span)
        guard layout != nil || ProgramPacks.isPack(signature.span, at: 0) else {
            throw ScanStretches.left("its container is read as a whole")
        }
        var stretch = FilmStretch(start: 0, isFirst: true)
        var found: Scan?
        var end = 2 * step
        repeat {
            found = try ScanStretches.scan(
                file, head: [], 0..<min(end, file.byteCount), stream: .film(requestedStream), rules, pictureByteLimit)
            stretch.index = found?.index
            (stretch.end, stretch.isLast) = (min(end, file.byteCount), end >= file.byteCount)
            end *= 2
        } while stretch.certainFrameCount < 2 && !stretch.isLast && end <= Self.limit
        guard let found, let index = stretch.index, index.repairedTimes == nil else {
            throw ScanStretches.left("its beginning shows no picture")
        }
        beginning = stretch
        stream = found.stream
        clock = WrappingClock(first: index.time(ofFrame: 0))
        if let layout {
            let bytes = try file.read(at: 0, count: Int(stretch.end))
            guard let tables = TransportTables(head: bytes.span, layout) else {
                throw ScanStretches.left("its tables are not at its beginning")
            }
            head = tables.packets
            prober = UnitProber(container: .transport(layout, stream: stream.id), file: file.view(), clock: clock)
        } else {
            guard let number = UInt8(exactly: stream.id & 0xFF), stream.id == 0x100 | Int(number) else {
                throw ScanStretches.left("its stream has no number of its own")
            }
            prober = UnitProber(container: .program(stream: number), file: file.view(), clock: clock)
        }
        guard let first = try prober.firstPlace(in: 0..<stretch.end) else {
            throw ScanStretches.left("its packets have no times")
        }
        locator = PlaceLocator(prober, in: prober.file, first: first, end: file.byteCount)
        if !stretch.isLast { try locator.sample(Self.sampleCount) }
    }

    /// The number of parts of a film at whose beginnings time stamps are compared. Where recordings were joined, time
    /// stamps begin again.
    private static let sampleCount = 16

    private static func left(_ why: String) -> ScrubError { ScrubError(.unavailable, why) }

    package func first() throws(ScrubError) -> FilmStretch { beginning }

    package func stretch(at place: Int64) throws(ScrubError) -> FilmStretch {
        place <= beginning.start ? beginning : FilmStretch(start: place, isFirst: false)
    }

    package mutating func place(for time: Int64) throws(ScrubError) -> Int64 {
        let near = try locator.place(for: time)
        lastFound = (near, time)
        // The stream itself may say where decoding can begin.
        let from = max(0, near.offset - prober.usualDistance)
        let units = try prober.units(in: from..<min(file.byteCount, near.offset + Self.readOn))
        let marked = units.last { $0.isRandomAccess && $0.presentationTime <= time }
        // A stream that marks every picture says nothing.
        if let marked, units.contains(where: { !$0.isRandomAccess }) { return marked.place.offset }
        return units.first?.place.offset ?? near.offset
    }

    package mutating func place(before place: Int64, distance: Int64) throws(ScrubError) -> Int64? {
        guard place > 0 else { return nil }
        return try locator.place(before: place, distance: distance)?.offset ?? 0
    }

    package mutating func lastPlace() throws(ScrubError) -> Int64 { try locator.lastPlace().offset }

    package func extend(_ stretch: inout FilmStretch, to goal: StretchGoal) throws(ScrubError) {
        let length = max(step, stretch.end - stretch.start)
        var end = stretch.end + length
        switch goal {
        case .more: break
        case .time(let time):
            // The pictures of that time begin near the place that was found for it.
            if let lastFound, lastFound.time == time, lastFound.place.offset >= stretch.end {
                end = lastFound.place.offset + Self.readOn
            }
        case .end: end = file.byteCount
        }
        end = min(end, file.byteCount)
        guard end - stretch.start <= Self.limit else {
            throw ScanStretches.left("no picture can be decoded in \(stretch.end - stretch.start) bytes")
        }
        let found = try ScanStretches.scan(
            file, head: stretch.isFirst ? [] : head, stretch.start..<end,
            stream: stretch.isFirst ? .film(requestedStream) : .known(stream), rules, pictureByteLimit)
        stretch.index = try found?.index.shifted(by: clock)
        (stretch.end, stretch.isLast) = (end, end == file.byteCount)
        guard stretch.index?.repairedTimes == nil else { throw ScanStretches.left("its times jump") }
    }

    package func end(of tail: FilmStretch, after first: FilmStretch) throws(ScrubError) -> Int64? {
        guard let index = tail.index, index.frameCount > 1 else { return nil }
        guard first.isLast || first.index?.lastDuration == index.lastDuration else {
            throw ScanStretches.left("its frames have different durations, and the last one's depends on all of them")
        }
        let (end, overflow) = index.time(ofFrame: index.frameCount - 1).addingReportingOverflow(index.lastDuration)
        guard !overflow else { throw ScanStretches.left("its times are too large") }
        return end
    }

    // MARK: Scanning

    /// The stream to read: that of the film by its index, or a known one by the container's number.
    private enum Choice {
        case film(Int?)
        case known(StreamDescription)
    }

    private struct Scan {
        var index: FrameIndex
        var stream: StreamDescription
    }

    /// Reads the packets in a part of a file.
    ///
    /// - Returns: `nil` if there are no pictures.
    private static func scan(
        _ file: MediaSource, head: [UInt8], _ part: Range<Int64>, stream choice: Choice, _ rules: IndexRules,
        _ pictureByteLimit: Int
    ) throws(ScrubError) -> Scan? {
        file.expect([part])
        let source = SplicedSource(head: head, file, part)
        let whole = MediaSource(source, partOf: file)
        do throws(AVError) {
            return try scan(whole, source, choice, rules, pictureByteLimit, isLast: part.upperBound == file.byteCount)
        } catch {
            try Cancellation.check()
            if let failure = file.lastFailure { throw failure }
            throw left("its parts cannot be read separately: \(error.reason)")
        }
    }

    private static func scan(
        _ whole: MediaSource, _ source: SplicedSource, _ choice: Choice, _ rules: IndexRules, _ pictureByteLimit: Int,
        isLast: Bool
    ) throws(AVError) -> Scan? {
        var input = try Input(whole, name: whole.path)
        try? input.findStreamInfo(pictureByteLimit: pictureByteLimit)
        var stream: StreamDescription
        var filmIndex: Int?
        switch choice {
        case .film(let requested):
            do throws(ScrubError) {
                stream = try StreamChoice.choose(among: input.streams, requested: requested) {
                    PictureCounts.of($0, in: whole)
                }
            } catch {
                return nil
            }
        case .known(let known):
            let found = input.streams.first { $0.id == known.id && $0.codec.codecName == known.codec.codecName }
            guard let found else { return nil }
            (stream, filmIndex) = (known, known.index)
            stream.index = found.index
        }
        guard stream.codec.hasDecoder, (try? whole.check(stream.codec)) != nil else { return nil }
        input.select(stream: stream.index)
        let codec = VideoCodec(named: stream.codec.codecName)
        var facts = StreamFacts(stream, container: input.formatName, file: whole)
        // In a part of the film, streams may appear in another order.
        facts.streamIndex = filmIndex ?? stream.index
        var pass = PacketPass(stream, facts, rules: rules, file: whole)
        try read(&input, stream.index, &pass, from: source.part.lowerBound == 0, isLast: isLast)
        // A failed read is not the end of the part.
        if input.readFailed || whole.opening.refusal != nil { throw AVError(systemFailure: "av_read_frame") }
        var scanned = pass.finished()
        guard scanned.pictures.count > 0, (try? whole.check(pictureCount: scanned.pictures.count)) != nil else {
            return nil
        }
        if input.formatName == "mpegts" { scanned.forgiveMisfits(whole) }
        facts.x264Build = pass.x264Build
        facts.displayMatrix = facts.displayMatrix ?? pass.displayMatrix
        guard codec != .other, !scanned.mustBeDecoded(codec, stream.codec) else { return nil }
        for picture in scanned.pictures.offsets.indices {
            let offset = scanned.pictures.offsets[picture]
            scanned.pictures.offsets[picture] = offset < 0 ? offset : source.filmOffset(of: offset) ?? -1
        }
        let index = ScanIndexer.makeIndex(
            scanned, stream, ScanIndexer.ContainerTraits(input), facts, rules: rules)
        guard index.frameCount > 0, !index.mayLosePictures else { return nil }
        return Scan(index: index, stream: stream)
    }

    /// Reads the packets of a stream.
    ///
    /// - Parameters:
    ///   - isFirst: whether the part begins with the film. Otherwise, it begins to count at a key picture.
    ///   - isLast: whether the film ends there. Otherwise, the last packet is probably incomplete.
    private static func read(
        _ input: inout Input, _ stream: Int, _ pass: inout PacketPass, from isFirst: Bool, isLast: Bool
    ) throws(AVError) {
        var packet = try Packet()
        var held = try Packet()
        var (isHolding, hasBegun) = (false, isFirst)
        while true {
            do throws(AVError) {
                guard try input.read(into: &packet) else { break }
            } catch {
                if error.isWorkerFailure { throw error }
                break
            }
            guard packet.streamIndex == stream else { continue }
            hasBegun = hasBegun || packet.isKey
            guard hasBegun else { continue }
            if isHolding { _ = pass.take(held) }
            swap(&packet, &held)
            isHolding = true
        }
        if isHolding, isLast { _ = pass.take(held) }
    }
}

extension FrameIndex {
    /// Returns the same index with the times of a clock, if its time stamps were read from another part of the stream.
    fileprivate func shifted(by clock: WrappingClock) throws(ScrubError) -> FrameIndex {
        let own = time(ofFrame: 0)
        let (shift, overflow) = clock.time(of: own).subtractingReportingOverflow(own)
        guard !overflow, shift != 0 else { return self }
        var pictures = CodedPictures(self.pictures)
        for picture in 0..<pictures.count {
            for times in [\CodedPictures.presentationTimes, \CodedPictures.decodeTimes] {
                guard pictures[keyPath: times].indices.contains(picture),
                    pictures[keyPath: times][picture] != CodedPictures.noTime
                else { continue }
                let (time, overflow) = pictures[keyPath: times][picture].addingReportingOverflow(shift)
                guard !overflow else { throw ScrubError(.unavailable, "its times are too large") }
                pictures[keyPath: times][picture] = time
            }
        }
        return FrameIndex(
            facts: facts, pictures: pictures, presentation: presentation, dependencies: dependencies,
            coverage: coverage)
    }
}

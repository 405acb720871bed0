#if CommandLine
internal import ScrubBase
internal import ScrubPlayers
internal import Scrub
internal import ScrubReports
internal import SystemPackage

/// Answers the requests of `scrub drive --binary`.
///
/// Frames come from a ``FrameService``, which decodes ahead while pictures are converted and written. Memory: its own,
/// a picture and a line.
struct FrameServer: ~Copyable {
    /// The maximum number of frames in a request for times, whose response is made in memory.
    private static let timesLimit = 1 << 16

    private let asset: VideoAsset
    /// The video's name in responses.
    private let file: String
    private let service: FrameService
    /// Whether a position outside the video names the nearest end.
    private let clamps: Bool
    /// The kind of option names in messages.
    private let face: Face
    private var writer: RecordWriter
    private var request = 0
    /// The bytes of the hello record's picture: a larger one, after the stream has changed its size, does not fit in
    /// shared memory.
    private var placedByteCount = 0

    init(
        _ asset: VideoAsset, named file: String, _ options: FrameReader.Options, _ writer: consuming RecordWriter,
        clamps: Bool, face: Face
    ) throws(ScrubError) {
        (self.asset, self.file, self.clamps, self.face) = (asset, file, clamps, face)
        service = try FrameService(asset, options: options, isFrugal: true)
        self.writer = writer
    }

    /// Answers until the input ends or requests the end.
    mutating func run() throws(ScrubError) {
        try greet()
        var lines = LineReader(.standardInput)
        while true {
            switch try lines.next() {
            case .end: return
            case .tooLong:
                let error = ScrubError(
                    .usage, "a request is longer than \(LineReader.limit) bytes",
                    advice: "split the request into several lines with fewer frames each")
                try writer.write(FrameRecord(error, request: request, item: -1, for: face))
                throw error
            case .text(let line):
                guard try answer(line) else { return }
                request += 1
            }
        }
    }

    /// Announces the video. The first frame is decoded for this, because only then is its shape certain.
    private mutating func greet() throws(ScrubError) {
        var hello = FrameRecord(.hello, request: 0)
        if let picture = try service.frame(numbered: 0).picture {
            hello = try writer.record(picture, request: 0, item: -1)
            hello.kind = .hello
            placedByteCount = hello.pictureByteCount
        }
        hello.frame = asset.frames.count
        hello.timeBase = asset.frames[0].timeBase
        hello.presentationTime = asset.frames[0].presentationTime
        try writer.write(hello)
    }

    private mutating func answer(_ line: String) throws(ScrubError) -> Bool {
        let wanted: FrameRequest
        do throws(ScrubError) {
            wanted = try FrameRequest(line)
            switch wanted {
            case .read(let position, let count):
                try read(position, count)
                return true
            case .times(let position, let count):
                try times(position, count)
                return true
            case .facts:
                try facts()
                return true
            case .get, .quit: break
            }
        } catch  where error.code != .inputOutput {
            try writer.write(FrameRecord(error, request: request, item: -1, for: face))
            return true
        }
        switch wanted {
        case .get(let items): try get(items)
        case .read, .times, .facts: break
        case .quit: return false
        }
        return true
    }

    private mutating func read(_ position: FramePosition, _ count: Int) throws(ScrubError) {
        for (item, frame) in try row(position, count).enumerated() { try single(frame, item: item, place: nil) }
    }

    private mutating func times(_ position: FramePosition, _ count: Int) throws(ScrubError) {
        let frames = try row(position, count)
        guard count <= FrameServer.timesLimit else {
            throw ScrubError(
                .usage, "TIMES accepts at most \(FrameServer.timesLimit) frames, not \(count)",
                advice: "split them into several requests")
        }
        try writer.write(asset.frames[frames], request: request)
    }

    private mutating func facts() throws(ScrubError) {
        var record = FrameRecord(.facts, request: request, item: 0)
        record.text = InfoJSON(asset, try asset.info(), file: file, for: face).text
        try writer.write(record)
    }

    /// Returns the numbers of consecutive frames.
    private func row(_ position: FramePosition, _ count: Int) throws(ScrubError) -> Range<Int> {
        let first = try asset.resolved(position, clamps: clamps).frame.number
        guard count <= asset.frames.count - first else {
            throw ScrubError(
                .usage,
                "there are only \(asset.frames.count - first) frames from #\(first) on, but \(count) were requested",
                advice: "request at most that many")
        }
        return first..<first + count
    }

    private mutating func get(_ items: [Result<FrameRequest.Item, ScrubError>]) throws(ScrubError) {
        var places: [Int: [(item: Int, place: Int?)]] = [:]
        for (item, wanted) in items.enumerated() {
            do throws(ScrubError) {
                let wanted = try wanted.get()
                let frame = try asset.resolved(wanted.position, clamps: clamps).frame.number
                places[frame, default: []].append((item, wanted.place))
            } catch {
                try writer.write(FrameRecord(error, request: request, item: item, for: face))
            }
        }
        if places.count > 1 { return try several(places) }
        for (frame, wanted) in places {
            for (item, place) in wanted { try single(frame, item: item, place: place) }
        }
    }

    private mutating func single(_ frame: Int, item: Int, place: Int?) throws(ScrubError) {
        let answer: FrameAnswer
        do throws(ScrubError) {
            answer = try service.frame(numbered: frame)
        } catch {
            return try writer.write(FrameRecord(error, request: request, item: item, for: face))
        }
        try deliver(answer, item: item, place: place)
    }

    /// Answers several frames, in the order in which they are decoded. A request without a picture gets an error.
    private mutating func several(_ places: [Int: [(item: Int, place: Int?)]]) throws(ScrubError) {
        var left = places
        // An output failure ends everything; a read failure is reported for each missing frame.
        let failure = try service.frames(numbered: Array(places.keys)) { (answer) throws(ScrubError) in
            for (item, place) in left.removeValue(forKey: answer.frame.number) ?? [] {
                try deliver(answer, item: item, place: place)
            }
        }
        guard let failure else { return }
        for (item, _) in left.values.joined() {
            try writer.write(FrameRecord(failure, request: request, item: item, for: face))
        }
    }

    /// - Throws: only if standard output cannot be written.
    private mutating func deliver(_ answer: FrameAnswer, item: Int, place: Int?) throws(ScrubError) {
        let status: UInt32
        switch answer.verdict {
        case .exact: status = 0
        case .damaged: status = 1
        case .approximate: status = 2
        case .undecodable: status = 65
        }
        func about(_ record: inout FrameRecord) {
            record.frame = answer.frame.number
            record.presentationTime = answer.frame.presentationTime
            record.timeBase = answer.frame.timeBase
        }
        guard let picture = answer.picture else {
            let error = ScrubError(.badData, answer.verdict.wording ?? "it cannot be decoded")
            var record = FrameRecord(error, request: request, item: item, for: face)
            about(&record)
            return try writer.write(record)
        }
        do throws(ScrubError) {
            var record = try writer.record(picture, request: request, item: item)
            about(&record)
            record.status = status
            record.text = answer.verdict.wording?.text(for: face) ?? ""
            try writer.write(picture, record, at: record.pictureByteCount > placedByteCount ? nil : place)
        } catch  where error.code != .inputOutput {
            var record = FrameRecord(error, request: request, item: item, for: face)
            about(&record)
            try writer.write(record)
        }
    }
}
#endif

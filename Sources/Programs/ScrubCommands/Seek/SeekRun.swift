#if CommandLine
internal import ScrubBase
internal import Scrub
internal import ScrubReports

/// Answers positions in request order. Memory: a row for each position in a batch, and the decoder's pictures, however
/// long a range is.
struct SeekRun: ~Copyable {
    /// The number of positions whose groups of pictures are decoded together; beyond that, each batch begins again.
    private static let batchLimit = 4096

    private let asset: VideoAsset
    private let hash: Bool
    private let output: OutputPath?
    private var report: SeekReport
    private var reader: FrameReader
    private var batch: [SeekPosition] = []

    init(_ asset: VideoAsset, hash: Bool, output: OutputPath?, report: SeekReport) {
        (self.asset, self.hash, self.output, self.report) = (asset, hash, output, report)
        reader = FrameReader(asset)
    }

    /// Answers a position, now or with others.
    mutating func add(_ place: SeekPosition) throws(ScrubError) {
        if place.frames.count == 1 {
            batch.append(place)
            if batch.count == SeekRun.batchLimit { try flush() }
        } else {
            try flush()
            try answer(place)
        }
    }

    /// Answers the remaining rows.
    ///
    /// - Returns: `badData` if frames could not be decoded. Their rows already report it.
    mutating func finish() throws(ScrubError) -> ScrubError? {
        try flush()
        return report.failure
    }

    /// Answers the positions so far. It decodes each group of pictures once, and prints each answer as soon as all
    /// earlier ones are printed.
    mutating func flush() throws(ScrubError) {
        guard !batch.isEmpty else { return }
        let places = batch
        batch = []
        // Pictures on standard output are in request order.
        if output?.isStandardOutput == true {
            for place in places {
                let answer = try reader.frame(numbered: place.frames.lowerBound)
                try report.tell(try SeekRow(answer, hash: hash, target: output), place)
            }
            return
        }
        // A single frame needs no batch and no other pictures: keeping them requires fresh memory, which takes longer
        // than decoding.
        if places.count == 1, let place = places.first {
            var options = FrameReader.Options()
            options.cacheByteLimit = 0
            var reader = FrameReader(asset, options: options)
            let answer = try reader.frame(numbered: place.frames.lowerBound)
            try report.tell(try SeekRow(answer, hash: hash, target: output), place)
            return
        }
        var rows: [Int: SeekRow] = [:]
        var next = 0
        var report = report
        let (hash, output) = (hash, output?.with(threads: Processors.count / places.count))
        let make: @Sendable (FrameAnswer) throws(ScrubError) -> SeekRow = { (answer) throws(ScrubError) in
            try SeekRow(answer, hash: hash, target: output)
        }
        try reader.frames(numbered: places.map(\.frames.lowerBound), map: make) { (number, row) throws(ScrubError) in
            rows[number] = row
            while next < places.count, let row = rows[places[next].frames.lowerBound] {
                try report.tell(row, places[next])
                next += 1
            }
        }
        self.report = report
    }

    /// Reports a range's frames as they arrive.
    private mutating func answer(_ place: SeekPosition) throws(ScrubError) {
        var report = report
        let (hash, output) = (hash, output)
        if output?.isStandardOutput == true {
            // The pictures themselves have to wait for their turn: one group after another.
            try reader.series(place.frames, isSideBySide: false, map: { (answer) throws(ScrubError) in answer }) {
                (answer) throws(ScrubError) in
                try report.tell(try SeekRow(answer, hash: hash, target: output), place)
            }
        } else {
            let output = output?.with(threads: 1)
            let make: @Sendable (FrameAnswer) throws(ScrubError) -> SeekRow = { (answer) throws(ScrubError) in
                try SeekRow(answer, hash: hash, target: output)
            }
            try reader.series(place.frames, isSideBySide: true, map: make) { (row) throws(ScrubError) in
                try report.tell(row, place)
            }
        }
        self.report = report
    }
}

/// Reports the outcomes of frames, and counts them.
struct SeekReport {
    private let asset: VideoAsset
    private let context: SeekRow.Context
    /// The network cost of earlier rows.
    private var spent = NetworkCost()
    private let file: String
    private let isJSON: Bool
    /// With pictures on standard output, there is no room for text.
    private let hasRoom: Bool
    private var (count, failures) = (0, 0)

    init(_ asset: VideoAsset, file: String, isJSON: Bool, hasRoom: Bool) {
        (self.asset, context) = (asset, SeekRow.Context(asset))
        (self.file, self.isJSON, self.hasRoom) = (file, isJSON, hasRoom)
    }

    /// Prints a row.
    ///
    /// - Throws: `inputOutput` if standard output accepts no more.
    mutating func tell(_ row: SeekRow, _ place: SeekPosition) throws(ScrubError) {
        count += 1
        if case .undecodable = row.verdict { failures += 1 }
        if hasRoom {
            Terminal.print(isJSON ? row.json(place, context, network: fetched()) : row.text(place, context))
            try Terminal.flush()
        }
        if let reason = row.verdict.wording, isJSON || !hasRoom {
            let text: Wording = "\(file): \(row.frame.numberText) is \(row.verdict.name): \(reason)"
            if case .undecodable = row.verdict { Terminal.complain(text) } else { Terminal.say(text) }
        }
    }

    /// Returns the network cost since the previous row; the first row includes the cost of opening.
    private mutating func fetched() -> NetworkCost? {
        guard let cost = asset.networkCost else { return nil }
        defer { spent = cost }
        return cost.since(spent)
    }

    /// The error of frames that could not be decoded; `nil` if there were none.
    var failure: ScrubError? {
        guard failures > 0 else { return nil }
        return ScrubError(
            .badData, "\(failures) of \(Amount.of(count, "frame")) cannot be decoded",
            advice: "see the reason after each frame's verdict: damage, or a limit")
    }
}
#endif

internal import ArgumentParser
internal import Scrub

/// Which thumbnails, as all commands take it.
struct ThumbnailArguments: ParsableArguments {
    @Option(help: "So many thumbnails, evenly over the film.")
    var count: Int?

    @Option(help: "One thumbnail every so many seconds.")
    var every: String?

    @Option(help: "How far a picture may be from its time: exact, keyframe, or seconds.")
    var tolerance = "exact"

    @Option(help: "Decoding threads; without it as many as there are processors.")
    var threads: Int?

    func validate() throws {
        if count != nil, every != nil { throw ValidationError("give either --count or --every") }
        if let threads, threads < 1 { throw ValidationError("--threads \(threads): at least one is needed") }
    }

    /// - Parameter standard: what is taken when neither a number nor an interval was given.
    func request(standard: ThumbnailRequest.Places = .count(100)) throws(ScrubError) -> ThumbnailRequest {
        var request = ThumbnailRequest(standard)
        if let count { request.places = .count(count) }
        if let every { request.places = .every(try seconds(every, "--every")) }
        switch tolerance {
        case "exact": request.tolerance = .exact
        case "keyframe": request.tolerance = .keyframe
        default: request.tolerance = .within(try seconds(tolerance, "--tolerance"))
        }
        return request
    }

    private func seconds(_ text: String, _ option: String) throws(ScrubError) -> Rational {
        let isTime = text.hasSuffix("s") || text.contains(":")
        guard let position = try? Position(isTime ? text : text + "s"), case .time(let time) = position, time >= .zero
        else { throw ScrubError(.usage, "\(option) '\(text)' is no time", advice: "write seconds: 10, 0.5, 500ms") }
        return time
    }
}

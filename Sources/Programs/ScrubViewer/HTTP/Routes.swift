#if Viewer
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubMedia
internal import ScrubViewerLogic

/// The responses for the addresses.
struct Routes: Sendable {
    let library: MediaLibrary
    let desk: FrameRequestHandler
    let page: PageFiles
    let connections: Connections
    let strips: StripMaker
    let sets = SetMaker()
    let events: EventHub
    /// The threads for work that reads files and headers.
    let readers = BlockingThreads(limit: 4)

    /// Answers an admitted request.
    func answer(
        _ request: Request, _ target: RequestTarget, _ parts: [Substring], _ channel: any Channel
    ) async throws -> Response {
        guard parts.first == "api" else { return page(request, parts) }
        let rest = parts.dropFirst()
        switch (rest.first, rest.count) {
        case ("media", 1):
            // A request right after the start waits for the result, rather than being told that it is not known yet.
            await library.refresh()
            if target["wait"] != "0" { await library.waitUntilSettled(.seconds(3)) }
            return Answer.json(await library.json)
        case ("media", 2...): return try await medium(request, target, Array(rest.dropFirst()))
        case ("events", 1):
            // A HEAD request needs no stream.
            guard request.method == .get else { return Answer.json("") }
            return EventRoute(hub: events, connections: connections).answer(channel)
        case ("status", 1): return await status()
        default: return Answer.notFound
        }
    }

    private func page(_ request: Request, _ parts: [Substring]) -> Response {
        guard parts.count <= 1, let file = page.file(parts.first.map(String.init) ?? "index.html") else {
            return Answer.notFound
        }
        return Answer.tagged(file.bytes, type: file.type, request: request)
    }

    private func medium(_ request: Request, _ target: RequestTarget, _ parts: [Substring]) async throws -> Response {
        guard let medium = try await library.medium(String(parts[0])) else { return Answer.notFound }
        return try await unchanged(medium) { try await part(request, target, parts, of: medium) }
    }

    /// Returns the result of `body`, if the medium's file is the same afterwards. Otherwise, the result or error
    /// belongs to neither file.
    ///
    /// - Throws: ``MediumChange``, or the error of `body`.
    func unchanged(_ medium: ViewedMedium, _ body: () async throws -> Response) async throws -> Response {
        let result: Result<Response, any Error>
        do {
            result = .success(try await body())
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            result = .failure(error)
        }
        guard await library.isStill(medium) else { throw MediumChange.replaced(medium.name) }
        return try result.get()
    }

    private func part(
        _ request: Request, _ target: RequestTarget, _ parts: [Substring], of medium: ViewedMedium
    ) async throws -> Response {
        guard parts.count > 1 else { return Answer.json(try await readers.run { try medium.facts() }) }
        if parts.count == 3, parts[1] == "sheet" { return try await sheet(request, target, medium, parts[2]) }
        guard parts.count == 2 else { return Answer.notFound }
        switch parts[1] {
        case "times":
            return Answer.tagged(
                Array(try await readers.run { medium.times }.utf8), type: "application/json; charset=utf-8",
                request: request)
        case "frame": return try await FrameRoute(desk: desk, events: events).answer(request, target, medium)
        case "plan":
            let text = target["at"] ?? "first"
            return Answer.json(
                try await readers.run {
                    let frame = try medium.asset.resolved(try FramePosition(text), clamps: target["clamp"] == "1")
                        .frame.number
                    var reader = FrameReader(medium.asset)
                    let plan = reader.decodePlan(ofFrame: frame)
                    return JSONText(plan, requested: text, frame: frame, network: medium.asset.networkCost).text
                })
        case "heat":
            let columns = try Routes.number(target["columns"] ?? "400", in: 1...4096, "columns")
            let text = try await readers.run { medium.heat(columns: columns) }
            return Answer.tagged(Array(text.utf8), type: Routes.jsonType, request: request)
        case "types":
            let (first, count) = (
                try Routes.number(target["from"] ?? "0", in: 0...Int(Int32.max), "from"),
                try Routes.number(target["count"] ?? "256", in: 0...4096, "count")
            )
            let end = medium.asset.frames.count
            let range = min(first, end)..<min(first + count, end)
            var line = JSONText()
            line.add("from", range.lowerBound)
            line.add("types", try await readers.run { medium.types(range) })
            return Answer.json(line.text)
        case "strip.json": return Answer.json(try await strips.strip(medium).json)
        case "strip.vtt":
            let strip = try await strips.strip(medium)
            return Answer.tagged(Array(try strip.webVTT().utf8), type: "text/vtt; charset=utf-8", request: request)
        case "set": return try await SetRoute(maker: sets, readers: readers).answer(target, medium)
        default: return Answer.notFound
        }
    }

    private static let jsonType = "application/json; charset=utf-8"

    /// Returns a sheet of the strip: with a version, as in `strip.json`, in its current state; without one, as players
    /// request it, once it is complete.
    private func sheet(
        _ request: Request, _ target: RequestTarget, _ medium: ViewedMedium, _ name: Substring
    ) async throws -> Response {
        guard name.hasSuffix(".webp"), let number = Int(name.dropLast(5)), number >= 0 else { return Answer.notFound }
        let strip = try await strips.strip(medium)
        if target["v"] == nil {
            while !strip.hasEnded { try await Task.sleep(for: .milliseconds(50)) }
            if let failure = strip.failure { throw failure }
        }
        guard let sheet = try await readers.run({ try strip.sheet(number) }) else { return Answer.notFound }
        var response =
            sheet.isWhole
            ? Answer.tagged(sheet.bytes, type: "image/webp", request: request)
            : Answer.bytes(sheet.bytes, type: "image/webp")
        // A growing sheet may be newer than the list that names it.
        response.set("Scrub-Frames", sheet.frames.map { $0.map(String.init) ?? "" }.joined(separator: ","))
        return response
    }

    /// Returns a number in a query.
    private static func number(_ text: String, in range: ClosedRange<Int>, _ name: String) throws(ScrubError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw ScrubError(
                .usage, "\(name) is not a number in the allowed range",
                advice: "use \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func status() async -> Response {
        let (counts, seats, memory) = (desk.counts.now, await desk.seats.figures, desk.seats.memory)
        let previews = await desk.seats.previews
        var line = JSONText()
        line.add("requests", counts.requests)
        line.add("kept", counts.kept)
        line.add("moves", counts.moves)
        line.add("rightShown", counts.rightShown)
        line.add("decodesBegun", counts.begun)
        line.add("decodesFinished", counts.finished)
        line.add("decodesCancelled", counts.cancelled)
        line.add("underWay", counts.begun - counts.finished - counts.cancelled)
        line.add("underWayByClientMax", counts.mostForOne)
        line.add("decodesLeft", seats.left)
        line.add("superseded", counts.superseded)
        line.add("gone", counts.gone)
        line.add("pictures", seats.pictures)
        line.add("clients", seats.clients)
        line.add("queue", seats.waiting)
        line.add("connections", connections.count)
        line.add("memoryBytes", memory.used)
        line.add("memoryPeakBytes", memory.peak)
        line.add("heldBytes", memory.held)
        line.add("encodedBytes", desk.encoded.byteCount)
        line.add("previewFrames", previews.frames)
        line.add("previewBytes", previews.bytes)
        line.add("listeners", events.listenerCount)
        return Answer.json(line.text)
    }
}
#endif

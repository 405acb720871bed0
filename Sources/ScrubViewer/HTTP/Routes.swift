internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// What each address gives.
struct Routes: Sendable {
    let library: MediaLibrary
    let desk: FrameDesk
    let page: PageFiles
    let connections: Connections
    /// Threads for what reads files and headers.
    let readers = BlockingThreads(limit: 4)

    /// Answers a request that was let in.
    func answer(_ request: Request, _ target: RequestTarget, _ parts: [Substring]) async throws -> Response {
        guard parts.first == "api" else { return page(request, parts) }
        let rest = parts.dropFirst()
        switch (rest.first, rest.count) {
        case ("media", 1):
            // Who asks as soon as the server is there wants to know what it has, and not that it will know soon.
            if target["wait"] != "0" { await library.waitUntilSettled(.seconds(3)) }
            return Answer.json(await library.json)
        case ("media", 2...): return try await medium(request, target, Array(rest.dropFirst()))
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
        guard parts.count == 2 else {
            guard parts.count == 1 else { return Answer.notFound }
            return Answer.json(try await readers.run { try medium.facts() })
        }
        switch parts[1] {
        case "times":
            return Answer.tagged(
                Array(try await readers.run { medium.times }.utf8), type: "application/json; charset=utf-8",
                request: request)
        case "frame": return try await FrameRoute(desk: desk).answer(request, target, medium)
        case "plan":
            let text = target["at"] ?? "first"
            return Answer.json(
                try await readers.run {
                    let frame = try medium.asset.frame(at: try Position(text)).frame.number
                    var reader = FrameReader(medium.asset)
                    let plan = reader.decodePlan(ofFrame: frame)
                    return JSONText(plan, requested: text, frame: frame, network: medium.asset.networkCost).text
                })
        default: return Answer.notFound
        }
    }

    private func status() async -> Response {
        let (counts, seats, memory) = (desk.counts.now, await desk.seats.figures, desk.seats.memory)
        var line = JSONText()
        line.add("requests", counts.requests)
        line.add("kept", counts.kept)
        line.add("decodesBegun", counts.begun)
        line.add("decodesFinished", counts.finished)
        line.add("decodesCancelled", counts.cancelled)
        line.add("underWay", counts.begun - counts.finished - counts.cancelled)
        line.add("underWayByClientMax", counts.mostForOne)
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
        return Answer.json(line.text)
    }
}

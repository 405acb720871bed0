#if Viewer
internal import HTTPTypes
internal import ScrubHashing
internal import Hummingbird
internal import HummingbirdCore
internal import ScrubBase
internal import ScrubMedia
internal import ScrubViewerLogic

/// `media/ID/frame`: a frame's picture, with its facts in header fields.
struct FrameRoute: Sendable {
    let desk: FrameRequestHandler
    let events: EventHub

    /// Answers.
    ///
    /// - Throws: ``ScrubError`` for an invalid position, width or format. ``MediumChange`` if the client means content
    ///   other than the current one; `CancellationError` if the client is no longer waiting.
    func answer(_ request: Request, _ target: RequestTarget, _ medium: ViewedMedium) async throws -> Response {
        // Frame numbers are those of the file that the client saw.
        let version = target["v"]
        guard version == nil || version == medium.fingerprint else { throw MediumChange.replaced(medium.name) }
        let found = try medium.asset.resolved(
            try FramePosition(target["at"] ?? "first"), clamps: target["clamp"] == "1")
        var wish = ClientFrameRequest(medium: medium, frame: found.frame.number, form: try PictureForm(target))
        wish.wantsHash = target["hash"] == "1"
        switch target["stage"] {
        case nil, "exact": break
        case "nearest": wish.isMoving = true
        default: throw ScrubError(.usage, "the stage is unknown", advice: "use stage=nearest, or omit the stage")
        }
        let asker = try FrameRoute.asker(request)
        let reply: FrameReply
        do {
            reply = try await desk.frame(wish, for: asker)
        } catch is CancellationError {
            tell("cancelled", wish, asker)
            throw CancellationError()
        }
        guard case .frame(let picture, let info) = reply else {
            tell("superseded", wish, asker)
            var response = Response(status: .noContent)
            response.set("Scrub-Superseded", "1")
            return response
        }
        tell("seek", wish, asker, isRight: reply.isRightInTime) { line in
            line.add("actual", picture.frame)
            line.add("stage", info.stage.rawValue)
            line.add("milliseconds", decimal: FrameRoute.rounded(info.milliseconds))
            line.add("decoded", info.decoded)
            line.add("hit", info.isKept)
        }
        let isFinal = info.stage == .exact && picture.verdict == .exact && !wish.isMoving
        let caching = !isFinal ? "no-store" : version != nil ? "private, max-age=31536000, immutable" : "no-cache"
        var response =
            isFinal
            ? Answer.tagged(picture.bytes, type: picture.form.format.mimeType, request: request, caching: caching)
            : Answer.bytes(picture.bytes, type: picture.form.format.mimeType)
        response.headers[.cacheControl] = caching
        describe(picture, info, of: medium, in: &response)
        return response
    }

    private func tell(
        _ kind: String, _ wish: ClientFrameRequest, _ asker: ClientIdentity?, isRight: Bool = false,
        _ fill: (inout JSONText) -> Void = { _ in }
    ) {
        events.tell(kind) { line in
            line.add("media", wish.medium.id)
            line.add("requested", wish.frame)
            fill(&line)
            // Only a moving finger may get something else.
            if wish.isMoving { line.add("rightShown", isRight) }
            line.add("client", asker?.client)
        }
    }

    private func describe(
        _ picture: ServedFrame, _ info: FrameReply.Info, of medium: ViewedMedium, in response: inout Response
    ) {
        let frame = medium.asset.frames[picture.frame]
        let verdict: Verdict =
            switch info.stage {
            case .exact: picture.verdict ?? .exact
            case .preview: .approximate("frame \(picture.frame) at a reduced size")
            case .nearest: .approximate("frame \(picture.frame) is the nearest available")
            }
        response.set("Scrub-Frame", "\(picture.frame)")
        response.set("Scrub-Verdict", verdict.name)
        if let reason = verdict.wording?.text(for: .command) {
            response.set("Scrub-Why", FrameRoute.headerText(reason))
        }
        response.set("Scrub-Seconds", frame.secondsText)
        response.set("Scrub-Time", "\(frame.time.numerator)/\(frame.time.denominator)")
        response.set("Scrub-Stage", info.stage.rawValue)
        response.set("Scrub-Decoded", "\(info.decoded)")
        if let key = medium.keyframe(before: picture.frame) { response.set("Scrub-Key", "\(key)") }
        response.set("Scrub-Milliseconds", FrameRoute.rounded(info.milliseconds))
        if picture.type != "?" { response.set("Scrub-Type", String(picture.type)) }
        if let hash = picture.hash { response.set("Scrub-Hash", hash) }
    }

    private static func rounded(_ milliseconds: Double) -> String { "\((milliseconds * 10).rounded() / 10)" }

    /// Returns the part of a text that may be in a header: one line of ASCII.
    private static func headerText(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(300).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// Returns the client.
    ///
    /// - Throws: `usage` if the header fields are not valid.
    private static func asker(_ request: Request) throws(ScrubError) -> ClientIdentity? {
        guard let clientName = HTTPField.Name("Scrub-Client"), let turnName = HTTPField.Name("Scrub-Turn"),
            let client = request.headers[clientName]
        else { return nil }
        let isName = client.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._".utf8.contains(byte)
        }
        guard (1...64).contains(client.utf8.count), isName else {
            throw ScrubError(
                .usage, "Scrub-Client is not a valid name", advice: "use 1 to 64 letters, digits, '-', '.' or '_'")
        }
        let turn = request.headers[turnName]
        guard let turn else { return ClientIdentity(client: client, turn: nil) }
        guard let number = Int(turn), number >= 0 else {
            throw ScrubError(
                .usage, "Scrub-Turn is not a whole number", advice: "number the requests in increasing order")
        }
        return ClientIdentity(client: client, turn: number)
    }
}
#endif

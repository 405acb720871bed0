#if Viewer
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import ScrubBase
internal import ScrubThumbnails
internal import ScrubStoryboards
internal import ScrubViewerLogic

/// `media/ID/set`: a thumbnail set as an archive.
struct SetRoute: Sendable {
    let maker: SetMaker
    let readers: BlockingThreads

    /// Creates the set, and responds when it is complete.
    func answer(_ target: RequestTarget, _ medium: ViewedMedium) async throws -> Response {
        let word = target["profile"] ?? "web"
        guard let profile = ThumbnailSets.Profile(rawValue: word) else {
            throw ScrubError(
                .usage, "'\(word.prefix(40))' is not a profile",
                advice: "use one of " + ThumbnailSets.Profile.allCases.map(\.rawValue).joined(separator: ", "))
        }
        var interval = Rational(10)
        if let text = target["every"] {
            guard let seconds = (try? FramePosition(text + "s"))?.writtenTime, seconds > .zero else {
                throw ScrubError(
                    .usage, "'\(text.prefix(40))' is not an interval", advice: "use a number of seconds above 0")
            }
            interval = seconds
        }
        let made = try await maker.make(medium, profile, every: interval)
        let entries = made.entries
        let body = ResponseBody(contentLength: ZipArchive.length(of: entries.map(\.entry)) ?? 0) { [readers] writer in
            var archive = ZipArchive()
            for (path, entry) in entries {
                try await writer.write(ByteBuffer(bytes: archive.begin(entry)))
                var offset = 0
                while offset < Int(entry.byteCount) {
                    let start = offset
                    let piece = try await readers.run { try made.piece(of: path, at: start) }
                    guard !piece.isEmpty else {
                        throw ScrubError(.inputOutput, "a file of the set was truncated while being sent")
                    }
                    for begin in stride(from: 0, to: piece.count, by: Answer.pieceByteCount) {
                        let end = min(piece.count, begin + Answer.pieceByteCount)
                        try await writer.write(ByteBuffer(bytes: piece[begin..<end]))
                    }
                    offset += piece.count
                }
            }
            try await writer.write(ByteBuffer(bytes: archive.end()))
            try await writer.finish(nil)
        }
        var response = Response(status: .ok, headers: [.contentType: "application/zip"], body: body)
        // ASCII, without characters that could break a header.
        let name = String(
            decoding: medium.name.utf8.map { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2E
                    ? byte : UInt8(ascii: "-")
            }, as: UTF8.self)
        response.set("Content-Disposition", "attachment; filename=\"\(name)-\(profile.rawValue).zip\"")
        return response
    }
}
#endif

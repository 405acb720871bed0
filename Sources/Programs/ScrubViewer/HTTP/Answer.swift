#if Viewer
internal import ScrubHashing
internal import Hummingbird
internal import HTTPTypes
internal import ScrubBase
internal import Scrub

/// Responses, with the header fields of each.
enum Answer {
    /// Adds the header fields that every response has.
    static func guarded(_ response: Response) -> Response {
        var response = response
        for (name, value) in [
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
        ] { response.set(name, value) }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }

    /// Returns an object or array.
    static func json(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        bytes(Array(text.utf8) + [0x0A], type: "application/json; charset=utf-8", status: status)
    }

    /// Returns bytes in pieces, so that a stalled reader is noticed.
    static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
        let buffer = ByteBuffer(bytes: bytes)
        let body =
            bytes.count <= pieceByteCount
            ? ResponseBody(byteBuffer: buffer)
            : ResponseBody(contentLength: bytes.count) { writer in
                var rest = buffer
                while let piece = rest.readSlice(length: min(pieceByteCount, rest.readableBytes)),
                    piece.readableBytes > 0
                {
                    try await writer.write(piece)
                }
                try await writer.finish(nil)
            }
        return Response(status: status, headers: [.contentType: type], body: body)
    }

    static let pieceByteCount = 64 << 10

    /// Returns bytes that the client may already have, with a strong tag of the content.
    static func tagged(_ bytes: [UInt8], type: String, request: Request, caching: String = "no-cache") -> Response {
        let tag = "\"\(PlainText.hexadecimal(xxh3(bytes.span)))\""
        return tagged(tag, request: request, caching: caching) { Answer.bytes(bytes, type: type) }
    }

    /// - Parameter make: the response for clients that do not have them.
    static func tagged(_ tag: String, request: Request, caching: String, make: () -> Response) -> Response {
        let known = request.headers[values: .ifNoneMatch].joined(separator: ",").split(separator: ",")
            .map { $0.trimmingPrefix { $0 == " " } }
        let isKnown = known.contains { $0 == tag || $0 == "W/" + tag || $0 == "*" }
        var response = isKnown ? Response(status: .notModified) : make()
        if isKnown { response.headers[.contentLength] = nil }
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = caching
        return response
    }

    /// Returns a response with the cause and the remedy.
    static func failure(_ status: HTTPResponse.Status, _ cause: String, hint: String? = nil, code: String? = nil)
        -> Response
    {
        var line = JSONText()
        line.add("error", cause)
        line.add("hint", hint)
        line.add("code", code)
        return json(line.text, status: status)
    }

    /// An error's text for people and programs. It names a file, but never the folder.
    struct Failure {
        let status: HTTPResponse.Status
        let cause: String
        let hint: String?
        let code: String?

        init(_ error: any Error) {
            switch error {
            case let error as ScrubError:
                status =
                    switch error.code {
                    case .usage: .badRequest
                    case .noInput: .notFound
                    case .badData: .unprocessableContent
                    case .unavailable: .serviceUnavailable
                    default: .internalServerError
                    }
                var shown = error
                shown.file = error.file?.mediumName
                (cause, hint) = (shown.sentence(for: .command), shown.remedy(for: .command))
                code = error.code.description
            case MediumChange.replaced(let name):
                (status, cause) = (.conflict, "\(name) was replaced while it was being viewed")
                (hint, code) = ("Reload the page", "changed")
            case MediumChange.removed(let name):
                (status, cause) = (.gone, "\(name) was removed while it was being viewed")
                (hint, code) = ("Put it back, then reload the page", "removed")
            default:
                (status, cause) = (.internalServerError, "an internal error occurred in the viewer")
                (hint, code) = ("Reload the page; if the error occurs again, restart scrub view", nil)
            }
        }
    }

    /// Returns the same as a response.
    static func failure(_ error: any Error) -> Response {
        let failure = Failure(error)
        return Answer.failure(failure.status, failure.cause, hint: failure.hint, code: failure.code)
    }

    static let notFound = failure(
        .notFound, "there is nothing at this address", hint: "start at the address that scrub view printed",
        code: "noInput")
}

extension Response {
    /// Sets a header field that has no name in the library; an invalid one is omitted.
    mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { headers[name] = value }
    }
}
#endif

extension Fault {
    // MARK: Validators

    /// Any entity tag, with its quotes; `nil` leaves it out.
    package static func etag(_ text: String?) -> Fault { header("ETag", text) }
    /// The tag as a weak one.
    package static let weakETag = Fault("weak ETag") { answer, _ in
        answer.set("ETag", answer.value("ETag").map { "W/\($0)" })
    }
    /// Another tag with each request, over the same bytes.
    package static let etagPerRequest = Fault("ETag per request") { answer, request in
        answer.set("ETag", "\"request-\(request.number)\"")
    }
    package static let noValidators = Fault("no validators") { answer, _ in
        answer.set("ETag", nil)
        answer.set("Last-Modified", nil)
    }
    /// The body goes on as another content after so many bytes of it, under the same head.
    package static func swapped(after count: Int64, _ content: FaultContent) -> Fault {
        Fault("content replaced within the answer") { answer, _ in
            answer.events.append((.inBody(count), .swap(content)))
        }
    }

    // MARK: The connection

    /// The connection ends with RST at a place.
    package static func reset(_ place: FaultAnswer.Place) -> Fault { event(place, "reset", .reset) }
    /// The connection ends silently at a place.
    package static func close(_ place: FaultAnswer.Place) -> Fault { event(place, "closed", .close) }
    /// The answer stands still at a place until the gate opens, or until the other side hangs up.
    package static func stall(_ place: FaultAnswer.Place, _ gate: StallGate) -> Fault {
        event(place, "stalled", .stall(gate))
    }
    /// From a place on the answer comes in drops.
    package static func drip(_ place: FaultAnswer.Place, bytes: Int = 1, milliseconds: Int32) -> Fault {
        event(place, "dripping", .drip(bytes: bytes, milliseconds: milliseconds))
    }
    /// A test does something when the answer comes to a place.
    package static func call(_ place: FaultAnswer.Place, _ body: @escaping @Sendable () -> Void) -> Fault {
        event(place, "observed", .call(body))
    }
    /// Any event at a place.
    package static func event(_ place: FaultAnswer.Place, _ words: String, _ event: FaultAnswer.Event) -> Fault {
        Fault("\(words) \(place)") { answer, _ in answer.events.append((place, event)) }
    }
    /// No connection is used twice; whether the head says so before.
    package static func closedAfter(announced: Bool) -> Fault {
        Fault("closed after the answer\(announced ? "" : ", unannounced")") { answer, _ in
            answer.closesAfter = true
            if announced { answer.set("Connection", "close") }
        }
    }

    // MARK: Other answers

    /// A redirection.
    package static func redirect(to location: String, status: Int = 302) -> Fault {
        Fault("\(status) to \(location)") { answer, _ in
            answer = .text(status, content: answer.content)
            answer.set("Location", location)
        }
    }
    /// A status with a short text in place of the content.
    package static func status(_ status: Int, retryAfter: String? = nil) -> Fault {
        Fault("\(status)") { answer, _ in
            answer = .text(status, "fault \(status)", content: answer.content)
            answer.set("Retry-After", retryAfter)
            if status == 401 { answer.set("WWW-Authenticate", "Basic realm=\"fault\"") }
        }
    }
    /// 401 as long as the request has not this very `Authorization`.
    package static func authorization(_ value: String) -> Fault {
        Fault("401 without authorization") { answer, request in
            guard request.value("Authorization") != value else { return }
            Fault.status(401).change(&answer, request)
        }
    }
}

/// Which of a resource's requests a fault is for.
package struct FaultOccasion: Sendable {
    let includes: @Sendable (FaultRequest) -> Bool

    package init(_ includes: @escaping @Sendable (FaultRequest) -> Bool) { self.includes = includes }

    package static let always = FaultOccasion { _ in true }
    /// Requests 0, n, 2n and so on.
    package static func every(_ count: Int) -> FaultOccasion { FaultOccasion { $0.number % count == 0 } }
    /// Those before request `count`.
    package static func first(_ count: Int) -> FaultOccasion { FaultOccasion { $0.number < count } }
    /// Request `count` and all later ones.
    package static func from(_ count: Int) -> FaultOccasion { FaultOccasion { $0.number >= count } }
    package static func only(_ numbers: Int...) -> FaultOccasion { FaultOccasion { numbers.contains($0.number) } }
    /// Those that do not come first on their connection.
    package static let reusedConnection = FaultOccasion { $0.placeOnConnection > 0 }
    /// One request in so many, by the seed and the request's number.
    package static func one(in count: Int, seed: UInt64) -> FaultOccasion {
        FaultOccasion { request in
            var random = SplitMix(seed &+ UInt64(request.number) &* 0x9E37)
            return random.isOne(in: count)
        }
    }
}

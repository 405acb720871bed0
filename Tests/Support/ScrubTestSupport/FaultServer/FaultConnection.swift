import Foundation

/// One connection: reads requests and writes their answers, on one thread.
struct FaultConnection {
    let core: FaultServerCore
    let socket: Int32
    let number: Int

    func serve() {
        var unread: [UInt8] = []
        var count = 0
        while let head = readHead(&unread) {
            guard let request = FaultRequest(head: head, connection: number, placeOnConnection: count) else {
                _ = send(Array("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)[...])
                return
            }
            count += 1
            let (answer, place) = core.answer(to: request)
            var course = FaultCourse(connection: self, answer: answer, place: place, isHead: request.method == "HEAD")
            let isWhole = course.run()
            core.note(place) { entry in
                entry.isWhole = isWhole
                entry.isOver = true
            }
            guard isWhole, answer.keepsConnection, request.value("Connection")?.lowercased() != "close" else { break }
        }
    }

    /// Reads up to an empty line, at most 64 KiB; `nil` when the connection ends before.
    private func readHead(_ unread: inout [UInt8]) -> [UInt8]? {
        let end: [UInt8] = [13, 10, 13, 10]
        while true {
            if let range = unread.firstRange(of: end) {
                let head = Array(unread[..<range.upperBound])
                unread.removeFirst(range.upperBound)
                return head
            }
            guard unread.count < 64 << 10 else { return nil }
            var buffer = [UInt8](repeating: 0, count: 8192)
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            unread += buffer[..<count]
        }
    }

    /// Writes bytes; how many the socket took before the connection ended.
    func send(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count, let base = buffer.baseAddress {
                let count = Glibc.send(socket, base + done, buffer.count - done, Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                done += count
            }
            return done
        }
    }

    /// Ends the connection with RST when it is closed.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
}

/// The way of one answer to the socket, with its events.
struct FaultCourse {
    let connection: FaultConnection
    var answer: FaultAnswer
    let place: FaultServerCore.LogPlace
    let isHead: Bool
    private var drip: (bytes: Int, milliseconds: Int32)?
    private let gate = StallGate()

    init(connection: FaultConnection, answer: FaultAnswer, place: FaultServerCore.LogPlace, isHead: Bool) {
        (self.connection, self.answer, self.place, self.isHead) = (connection, answer, place, isHead)
    }

    /// Writes the answer; whether it came to its end.
    mutating func run() -> Bool {
        guard happen(at: .beforeHead), writeHead(), happen(at: .beforeBody) else { return false }
        guard !isHead else { return true }
        guard writeBody() else { return false }
        return !answer.isChunked || write(Array("0\r\n\r\n".utf8)[...])
    }

    private mutating func writeHead() -> Bool {
        let head = answer.headBytes()
        let stops = answer.events.compactMap { event in
            if case .inHead(let byte) = event.place { min(byte, head.count) } else { nil }
        }
        var done = 0
        for stop in Set(stops).sorted() {
            guard write(head[done..<stop]) else { return false }
            for (eventPlace, event) in answer.events {
                guard case .inHead(let byte) = eventPlace, min(byte, head.count) == stop else { continue }
                guard happen(event) else { return false }
            }
            done = stop
        }
        guard write(head[done...]) else { return false }
        if answer.paddingByteCount > 0 {
            guard write(Array("X-Padding: ".utf8)[...]) else { return false }
            let block = [UInt8](repeating: 0x61, count: 64 << 10)
            var left = answer.paddingByteCount
            while left > 0 {
                let count = Int(min(left, Int64(block.count)))
                guard write(block[..<count]) else { return false }
                left -= Int64(count)
            }
            guard write(Array("\r\n".utf8)[...]) else { return false }
        }
        return answer.rawHead != nil || write(Array("\r\n".utf8)[...])
    }

    private mutating func writeBody() -> Bool {
        var position: Int64 = 0
        for part in answer.body {
            var done: Int64 = 0
            while done < part.byteCount {
                guard happen(at: .inBody(position)) else { return false }
                let stop = nextStop(after: position).map { $0 - position } ?? .max
                let count = min(part.byteCount - done, stop, 64 << 10)
                guard write(part, done..<done + count) else { return false }
                done += count
                position += count
            }
        }
        return happen(at: .inBody(position))
    }

    private func nextStop(after position: Int64) -> Int64? {
        answer.events.compactMap { event in
            if case .inBody(let byte) = event.place, byte > position { byte } else { nil }
        }.min()
    }

    private mutating func write(_ part: FaultAnswer.Part, _ range: Range<Int64>) -> Bool {
        switch part {
        case .literal(let bytes): return writeChunk(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        case .content(let whole):
            let wanted = whole.lowerBound + range.lowerBound..<whole.lowerBound + range.upperBound
            var bytes = answer.content.read(wanted.clamped(to: 0..<answer.content.byteCount))
            // A content that is shorter than the one before it leaves zeros.
            bytes += [UInt8](repeating: 0, count: wanted.count - bytes.count)
            return writeChunk(bytes[...], of: wanted.lowerBound)
        }
    }

    private mutating func writeChunk(_ bytes: ArraySlice<UInt8>, of start: Int64? = nil) -> Bool {
        guard answer.isChunked else { return write(bytes, of: start) }
        return write(Array("\(String(bytes.count, radix: 16))\r\n".utf8)[...]) && write(bytes, of: start)
            && write(Array("\r\n".utf8)[...])
    }

    /// Writes bytes, in drops when told so, and notes them; `start` is their place in the content.
    private mutating func write(_ bytes: ArraySlice<UInt8>, of start: Int64? = nil) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(drip?.bytes ?? rest.count)
            let count = connection.send(piece)
            let first = start.map { $0 + Int64(rest.startIndex - bytes.startIndex) }
            connection.core.note(place) { entry in
                entry.bytesWritten += Int64(count)
                if let first, count > 0 { entry.wrote(first..<first + Int64(count)) }
            }
            guard count == piece.count else { return false }
            rest = rest.dropFirst(count)
            if let drip, !rest.isEmpty {
                guard gate.stand(connection.socket, milliseconds: drip.milliseconds) else { return false }
            }
        }
        return true
    }

    private mutating func happen(at place: FaultAnswer.Place) -> Bool {
        for (eventPlace, event) in answer.events where eventPlace == place {
            guard happen(event) else { return false }
        }
        return true
    }

    /// Lets an event happen; whether the answer goes on.
    private mutating func happen(_ event: FaultAnswer.Event) -> Bool {
        switch event {
        case .stall(let gate): return gate.stand(connection.socket)
        case .reset:
            connection.reset()
            return false
        case .close: return false
        case .drip(let bytes, let milliseconds): drip = (max(1, bytes), milliseconds)
        case .swap(let content): answer.content = content
        case .call(let body): body()
        }
        return true
    }
}

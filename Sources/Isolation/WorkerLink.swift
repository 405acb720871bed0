internal import CSandbox
internal import Glibc
internal import ScrubBase

/// One end of the socket between a program and its worker: whole messages, each with a kind and perhaps a descriptor.
///
/// Use from one thread at a time.
package final class WorkerLink {
    /// What came.
    package struct Message {
        package var kind: UInt8
        package var payload: [UInt8]
        /// The receiver's to close.
        package var descriptor: Int32?
    }

    private let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var filled = 0..<0
    private var descriptor: Int32?

    /// Takes a socket, which is closed with the link.
    package init(socket: Int32) { self.socket = socket }

    deinit {
        if let descriptor { close(descriptor) }
        close(socket)
    }

    /// Sends a message.
    package func send(_ kind: UInt8, _ payload: [UInt8] = [], descriptor: Int32? = nil) throws(WorkerFailure) {
        var head = MessageWriter()
        head.put(UInt32(clamping: payload.count))
        head.put(kind)
        var status: Int32
        if payload.count < 1 << 15 {
            status = unsafe (head.bytes + payload).withUnsafeBytes {
                unsafe scrub_link_send(socket, $0.baseAddress, $0.count, descriptor ?? -1)
            }
        } else {
            status = unsafe head.bytes.withUnsafeBytes {
                unsafe scrub_link_send(socket, $0.baseAddress, $0.count, descriptor ?? -1)
            }
            if status == 0 {
                status = unsafe payload.withUnsafeBytes { unsafe scrub_link_send(socket, $0.baseAddress, $0.count, -1) }
            }
        }
        if status != 0 { throw .ended(signal: nil) }
    }

    /// Waits for a message.
    ///
    /// - Parameters:
    ///   - most: bytes that it may have; memory is taken as they come.
    ///   - milliseconds: how long each part of it may take; `nil` for as long as it takes.
    package func receive(most: Int, milliseconds: Int?) throws(WorkerFailure) -> Message {
        let head = try bytes(5, milliseconds)
        var reader = MessageReader(head)
        let count = Int(try reader.number(UInt32.self))
        let kind = try reader.number(UInt8.self)
        guard count <= most else { throw .malformed("a message of \(count) bytes") }
        let payload = try bytes(count, milliseconds)
        defer { descriptor = nil }
        return Message(kind: kind, payload: payload, descriptor: descriptor)
    }

    private func bytes(_ count: Int, _ milliseconds: Int?) throws(WorkerFailure) -> [UInt8] {
        let end = milliseconds.map { Deadline.after(.milliseconds($0)) }
        var taken = Array(buffer[filled.prefix(count)])
        filled = filled.dropFirst(taken.count)
        while taken.count < count {
            let left = end.map { Int32(clamping: max(0, ($0 - Deadline.now) / 1_000_000)) } ?? -1
            var came: Int32 = -1
            let got = unsafe buffer.withUnsafeMutableBytes {
                unsafe scrub_link_receive(socket, $0.baseAddress, $0.count, &came, left)
            }
            if came >= 0 {
                if let descriptor { close(descriptor) }
                descriptor = came
            }
            if got == -Int(ETIMEDOUT) { throw .late }
            guard got > 0 else { throw .ended(signal: nil) }
            let part = min(got, count - taken.count)
            taken.append(contentsOf: buffer[..<part])
            filled = part..<got
        }
        return taken
    }
}

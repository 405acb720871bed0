internal import CScrubSandbox
internal import Glibc
internal import ScrubBase

/// One end of the socket between a program and its worker: whole messages, each with a kind and optionally a
/// descriptor.
///
/// Use from one thread at a time.
package final class WorkerLink {
    /// A received message.
    package struct Message {
        package var kind: UInt8
        package var payload: [UInt8]
        /// The descriptor, which the receiver must close.
        package var descriptor: Int32?
    }

    private let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var filled = 0..<0
    private var descriptor: Int32?
    private let takesDescriptors: Bool

    /// Takes ownership of a socket, which is closed with the link.
    ///
    /// - Parameter takesDescriptors: whether messages may have a descriptor. If not, a received one is closed and the
    ///   message is rejected: a worker could fill the program's descriptor table.
    package init(socket: Int32, takesDescriptors: Bool) {
        (self.socket, self.takesDescriptors) = (socket, takesDescriptors)
    }

    deinit {
        if let descriptor { close(descriptor) }
        close(socket)
    }

    /// Sends a message.
    ///
    /// - Parameter milliseconds: the maximum wait for the other end; `nil` for no limit.
    package func send(
        _ kind: UInt8, _ payload: [UInt8] = [], descriptor: Int32? = nil, milliseconds: Int? = nil
    ) throws(WorkerFailure) {
        let patience = milliseconds.map { Int32(clamping: $0) } ?? -1
        var head = MessageWriter()
        head.put(UInt32(clamping: payload.count))
        head.put(kind)
        var status: Int32
        if payload.count < 1 << 15 {
            status = unsafe (head.bytes + payload).withUnsafeBytes {
                unsafe scrub_link_send(socket, $0.baseAddress, $0.count, descriptor ?? -1, patience)
            }
        } else {
            status = unsafe head.bytes.withUnsafeBytes {
                unsafe scrub_link_send(socket, $0.baseAddress, $0.count, descriptor ?? -1, patience)
            }
            if status == 0 {
                status = unsafe payload.withUnsafeBytes {
                    unsafe scrub_link_send(socket, $0.baseAddress, $0.count, -1, patience)
                }
            }
        }
        if status == -ETIMEDOUT { throw .late }
        if status != 0 { throw .ended(signal: nil) }
    }

    /// Waits for a message.
    ///
    /// - Parameters:
    ///   - most: the maximum number of bytes; memory is allocated as they arrive.
    ///   - milliseconds: the maximum time for each part; `nil` for no limit.
    ///   - watch: called each second while nothing arrives; throws to end the wait.
    package func receive(
        most: Int, milliseconds: Int?, watch: (() throws(WorkerFailure) -> Void)? = nil
    ) throws(WorkerFailure) -> Message {
        let head = try bytes(5, milliseconds, watch)
        var reader = MessageReader(head)
        let count = Int(try reader.number(UInt32.self))
        let kind = try reader.number(UInt8.self)
        guard count <= most else { throw .malformed("a message of \(count) bytes is too long") }
        let payload = try bytes(count, milliseconds, watch)
        defer { descriptor = nil }
        return Message(kind: kind, payload: payload, descriptor: descriptor)
    }

    /// The number of milliseconds of waiting after which the clock of limits is read: often enough that it counts the
    /// wait in full, and omits the time for which this process is stopped.
    private static let look: Int32 = 200
    private static let looksBetweenWatches = 5

    private func bytes(
        _ count: Int, _ milliseconds: Int?, _ watch: (() throws(WorkerFailure) -> Void)?
    ) throws(WorkerFailure) -> [UInt8] {
        let end = milliseconds.map { LimitClock.after(.milliseconds($0)) }
        var looks = 0
        var taken = Array(buffer[filled.prefix(count)])
        filled = filled.dropFirst(taken.count)
        while taken.count < count {
            let left = end.map { Int32(clamping: max(0, ($0 - LimitClock.now) / 1_000_000)) }
            let wait = left.map { min($0, WorkerLink.look) } ?? (watch == nil ? -1 : WorkerLink.look)
            var came: Int32 = -1
            let got = unsafe buffer.withUnsafeMutableBytes { room in
                takesDescriptors
                    ? unsafe scrub_link_receive(socket, room.baseAddress, room.count, &came, wait)
                    : unsafe scrub_link_receive(socket, room.baseAddress, room.count, nil, wait)
            }
            if came >= 0 {
                if let descriptor { close(descriptor) }
                descriptor = came
            }
            if got == -Int(ETIMEDOUT) {
                if left == 0 { throw .late }
                looks += 1
                if let watch, looks % WorkerLink.looksBetweenWatches == 0 { try watch() }
                continue
            }
            if got == -Int(EPROTO) { throw .malformed("received data that is not a message") }
            guard got > 0 else { throw .ended(signal: nil) }
            let part = min(got, count - taken.count)
            taken.append(contentsOf: buffer[..<part])
            filled = part..<got
        }
        return taken
    }
}

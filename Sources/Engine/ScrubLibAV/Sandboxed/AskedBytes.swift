internal import CScrubFFmpeg
internal import CScrubShims
internal import Glibc
internal import ScrubIsolation
internal import ScrubBase

/// Bytes that a worker asks the program for.
final class AskedBytes: InputBytes {
    private let link: WorkerLink
    let limits: MediaLimits
    /// Which packet of an answer they are for: each has limits of its own.
    var packet: UInt8 = 0
    /// The bytes that came and were not read yet, and the number that is asked for at once.
    private var fetched: ArraySlice<UInt8> = []
    private var atOnce = 0
    private static let most = 1 << 18

    init(_ link: WorkerLink, limits: MediaLimits) { (self.link, self.limits) = (link, limits) }

    /// They are counted and timed where they come from.
    func begin(isElementary: Bool) {}

    var callbacks: scrub_source {
        unsafe scrub_source(
            opaque: Unmanaged.passUnretained(self).toOpaque(),
            read: { opaque, out, wanted in
                guard let opaque = unsafe opaque, let out = unsafe out, wanted > 0 else {
                    return Int32(scrub_error_from_errno(EINVAL))
                }
                let asking = unsafe Unmanaged<AskedBytes>.fromOpaque(opaque).takeUnretainedValue()
                return unsafe asking.read(into: UnsafeMutableRawBufferPointer(start: out, count: Int(wanted)))
            },
            seek: { opaque, offset, whence in
                guard let opaque = unsafe opaque else { return Int64(scrub_error_from_errno(EINVAL)) }
                return unsafe Unmanaged<AskedBytes>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            },
            is_interrupted: { _ in 0 }, block: 0)
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if fetched.isEmpty {
            var question = MessageWriter()
            question.put(packet)
            question.put(UInt32(clamping: min(max(buffer.count, atOnce), AskedBytes.most)))
            let status = asked(Order.askRead, question.bytes) { (reader) throws(WorkerFailure) -> Int32 in
                let status = try reader.number(Int32.self)
                fetched = try reader.slice()
                return status
            }
            // Sequential reads get more at once: a message for each block would cost more than to read it.
            atOnce = min(AskedBytes.most, max(buffer.count, atOnce) * 2)
            guard !fetched.isEmpty else { return status }
        }
        let part = fetched.prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        fetched = fetched.dropFirst(part.count)
        return Int32(part.count)
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        var offset = offset
        if whence & AVSEEK_SIZE == 0 {
            // The program's place is behind what waits here.
            if whence & ~AVSEEK_FORCE == SEEK_CUR { offset -= Int64(fetched.count) }
            (fetched, atOnce) = ([], 0)
        }
        var question = MessageWriter()
        question.put(packet)
        question.put(offset)
        question.put(whence)
        return asked(Order.askSeek, question.bytes) { (reader) throws(WorkerFailure) in try reader.number() }
    }

    /// Returns the program's answer; without it there is nothing left to work for.
    private func asked<Value>(
        _ order: UInt8, _ payload: [UInt8], _ body: (inout MessageReader) throws(WorkerFailure) -> Value
    ) -> Value {
        do throws(WorkerFailure) {
            try link.send(order, payload)
            var reader = MessageReader(try link.receive(most: 1 << 21, milliseconds: nil).payload)
            return try body(&reader)
        } catch {
            _exit(0)
        }
    }
}

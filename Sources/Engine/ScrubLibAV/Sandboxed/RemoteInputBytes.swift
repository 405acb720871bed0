internal import CScrubFFmpeg
internal import CScrubShims
internal import Glibc
internal import ScrubIsolation
internal import ScrubBase

/// Bytes that a worker requests from the program.
final class RemoteInputBytes: InputBytes {
    private let link: WorkerLink
    let limits: MediaLimits
    /// The packet of an answer to which the bytes belong, because each packet has its own limits.
    var packet: UInt8 = 0
    /// The bytes that have arrived but have not been read yet, and the number that is requested at once.
    private var fetched: ArraySlice<UInt8> = []
    private var atOnce = 0
    private static let most = 1 << 18
    /// libavformat's position, and whether the program must seek there before it reads.
    private var (position, mustSeek) = (Int64(0), false)
    /// The cached blocks while libavformat jumps: a message for each jump would take a second for ten thousand of them.
    private var blocks = BlockReadCache(blockCount: RemoteInputBytes.most)
    /// Whether the file has a size: a growing file may also change before the end.
    private lazy var isWhole = sought(0, AVSEEK_SIZE) >= 0

    init(_ link: WorkerLink, limits: MediaLimits) { (self.link, self.limits) = (link, limits) }

    /// Does nothing: bytes are counted and timed in the program.
    func begin(isElementary: Bool) {}

    var callbacks: scrub_source {
        unsafe scrub_source(
            opaque: Unmanaged.passUnretained(self).toOpaque(),
            read: { opaque, out, wanted in
                guard let opaque = unsafe opaque, let out = unsafe out, wanted > 0 else {
                    return Int32(scrub_error_from_errno(EINVAL))
                }
                let asking = unsafe Unmanaged<RemoteInputBytes>.fromOpaque(opaque).takeUnretainedValue()
                return unsafe asking.read(into: UnsafeMutableRawBufferPointer(start: out, count: Int(wanted)))
            },
            seek: { opaque, offset, whence in
                guard let opaque = unsafe opaque else { return Int64(scrub_error_from_errno(EINVAL)) }
                return unsafe Unmanaged<RemoteInputBytes>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            },
            is_interrupted: { _ in 0 }, block: 0)
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        let count = unsafe blocks.begin(at: position) && isWhole ? readPiece(into: buffer) : readNext(into: buffer)
        guard count > 0 else { return count }
        blocks.note(Int(count), at: position)
        position += Int64(count)
        return count
    }

    private func readNext(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if fetched.isEmpty {
            let status = fetch(max(buffer.count, atOnce))
            // Sequential reads get more at once: a message for each block would cost more than reading it.
            atOnce = min(RemoteInputBytes.most, max(buffer.count, atOnce) * 2)
            guard !fetched.isEmpty else { return status }
        }
        let part = fetched.prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        fetched = fetched.dropFirst(part.count)
        return Int32(part.count)
    }

    private func readPiece(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        var status: Int32 = 0
        let count = unsafe blocks.copy(from: position, into: buffer) { room in
            status = fetch(RemoteInputBytes.most)
            unsafe room.copyBytes(from: fetched)
            defer { (fetched, mustSeek) = ([], true) }
            return fetched.count
        }
        return count > 0 ? Int32(count) : status
    }

    /// Requests bytes from libavformat's position on.
    ///
    /// - Returns: the program's status: an error if no bytes came.
    private func fetch(_ count: Int) -> Int32 {
        if mustSeek { _ = sought(position, SEEK_SET) }
        mustSeek = false
        var question = MessageWriter()
        question.put(packet)
        question.put(UInt32(clamping: min(count, RemoteInputBytes.most)))
        return asked(Order.askRead, question.bytes) { (reader) throws(WorkerFailure) -> Int32 in
            let status = try reader.number(Int32.self)
            fetched = try reader.slice()
            return status
        }
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return sought(offset, whence) }
        let place: Int64
        switch whence & ~AVSEEK_FORCE {
        case SEEK_SET: place = offset
        case SEEK_CUR:
            let (sum, isBeyond) = position.addingReportingOverflow(offset)
            place = isBeyond ? -1 : sum
        default: place = sought(offset, whence)
        }
        guard place >= 0 else { return Int64(scrub_error_from_errno(EINVAL)) }
        (fetched, atOnce, position, mustSeek) = ([], 0, place, isWhole)
        // If a writer is awaited, each jump counts.
        return mustSeek ? place : sought(place, SEEK_SET)
    }

    /// Lets the program seek.
    private func sought(_ offset: Int64, _ whence: Int32) -> Int64 {
        var question = MessageWriter()
        question.put(packet)
        question.put(offset)
        question.put(whence)
        return asked(Order.askSeek, question.bytes) { (reader) throws(WorkerFailure) in try reader.number() }
    }

    /// Returns the program's answer; without it, the worker ends.
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

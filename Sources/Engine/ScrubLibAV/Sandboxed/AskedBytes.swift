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
    /// libavformat's place, and whether the program has to go there before it reads.
    private var (position, mustSeek) = (Int64(0), false)
    /// What stays while libavformat jumps: a message for each jump would take a second for ten thousand of them.
    private var blocks = JumpBlocks(blockCount: AskedBytes.most)
    /// Whether the file has a size: one that grows may change before the end, too.
    private lazy var isWhole = sought(0, AVSEEK_SIZE) >= 0

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
        let count = unsafe blocks.begin(at: position) && isWhole ? readPiece(into: buffer) : readNext(into: buffer)
        guard count > 0 else { return count }
        blocks.note(Int(count), at: position)
        position += Int64(count)
        return count
    }

    private func readNext(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if fetched.isEmpty {
            let status = fetch(max(buffer.count, atOnce))
            // Sequential reads get more at once: a message for each block would cost more than to read it.
            atOnce = min(AskedBytes.most, max(buffer.count, atOnce) * 2)
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
            status = fetch(AskedBytes.most)
            unsafe room.copyBytes(from: fetched)
            defer { (fetched, mustSeek) = ([], true) }
            return fetched.count
        }
        return count > 0 ? Int32(count) : status
    }

    /// Asks for bytes from libavformat's place on.
    ///
    /// - Returns: the program's status: an error where no bytes came.
    private func fetch(_ count: Int) -> Int32 {
        if mustSeek { _ = sought(position, SEEK_SET) }
        mustSeek = false
        var question = MessageWriter()
        question.put(packet)
        question.put(UInt32(clamping: min(count, AskedBytes.most)))
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
        // Where a writer is waited for, each leap counts.
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

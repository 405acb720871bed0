internal import CScrubFFmpeg
internal import CScrubShims
internal import ScrubIsolation
internal import ScrubBase

/// A libavformat input in a worker process, which has no access to the file: it requests its bytes here.
///
/// Use from one thread at a time.
final class SandboxedInput: InputImplementation {
    private let lease: WorkerLease
    private let origin: UInt64
    /// The source of the bytes, which are counted and timed here, whatever the worker reports.
    private let reading: InputReading
    private var errors: (count: Int, first: String?) = (0, nil)
    private var failure: AVError?
    /// The answer from which packets are taken one by one, and the maximum size of the next one. The limit grows
    /// gradually, because often only one packet is needed after a seek.
    private var ahead: MessageReader?
    private var most: UInt8 = 1
    /// The current packet of an answer, the maximum number of packets in it, and the time limit.
    private var packetInCourse: UInt8 = 0
    private var packetsAsked: UInt8 = 1
    private var end = Int64.max
    /// The number of packets that it has returned since the last seek.
    private var packetCount: Int64 = 0
    private(set) var formatName = ""
    private(set) var timestampsMayJump = false
    private(set) var hasNoTimestamps = false
    private(set) var declaredDuration: Int64?
    private(set) var readFailed = false

    convenience init(_ source: any ByteSource, name: String, pool: WorkerPool) throws(AVError) {
        try self.init(
            InputReading(source), name: "file:" + (name.isNetworkAddress ? name.mediumName : name), format: nil,
            origin: source.origin, pool)
    }

    /// - Parameter file: the file from which the bytes were made: its limits apply, and it records a refusal.
    convenience init(bytes: [UInt8], format: String, of file: any ByteSource, pool: WorkerPool) throws(AVError) {
        try self.init(
            InputReading(MemorySource(bytes), of: file), name: nil, format: format, origin: file.origin, pool)
    }

    private init(
        _ reading: InputReading, name: String?, format: String?, origin: UInt64, _ pool: WorkerPool
    ) throws(AVError) {
        (self.reading, self.origin) = (reading, origin)
        do throws(WorkerFailure) { lease = try pool.take(for: origin) } catch { throw AVError(error) }
        var message = MessageWriter()
        // Only the suffix of the name helps to detect a format; the worker does not have to know the file's folder.
        message.put(name.map { "file:" + $0.lastPathComponent }) { $0.put($1) }
        message.put(format) { $0.put($1) }
        message.put(Int64(reading.limits.maximumStreamCount))
        message.put(Int64(reading.limits.maximumPixelCount))
        reading.begin(isElementary: false)
        var answer = try call(Order.openInput, message.bytes)
        try check(answer.status, "avformat_open_input")
        try working { () throws(WorkerFailure) in
            formatName = try answer.reader.name()
            (timestampsMayJump, hasNoTimestamps) = (try answer.reader.flag(), try answer.reader.flag())
        }
    }

    deinit {
        guard failure == nil else { return }
        do throws(WorkerFailure) { try lease.worker.send(Order.close) } catch { return }
        lease.giveBack()
    }

    private var isElementary: Bool { LocalInput.elementaryFormats.contains(formatName) }

    func findStreamInfo(of stream: Int?, pictureByteLimit: Int) throws(AVError) {
        reading.begin(isElementary: isElementary)
        var message = MessageWriter()
        message.put(stream) { $0.put(Int64($1)) }
        message.put(Int64(pictureByteLimit))
        var answer = try call(Order.findStreamInfo, message.bytes)
        try working { () throws(WorkerFailure) in
            declaredDuration = try answer.reader.optional { (r) throws(WorkerFailure) in try r.number(Int64.self) }
        }
        try check(answer.status, "avformat_find_stream_info")
    }

    var streams: [StreamDescription] {
        let (origin, limits) = (origin, reading.limits)
        return asked(Order.streams) { (reader) throws(WorkerFailure) in
            try reader.all(most: 1 << 16) { (r) throws(WorkerFailure) in
                var stream = try r.stream()
                stream.codec.origin = origin
                // The worker does not determine the maximum size of pictures.
                (stream.codec.pictureByteLimit, stream.codec.pixelLimit) = (
                    limits.maximumPictureByteCount, limits.maximumPixelCount
                )
                return stream
            }
        } ?? []
    }

    var containerDescription: ContainerDescription {
        asked(Order.describe) { (reader) throws(WorkerFailure) in try reader.container() } ?? ContainerDescription()
    }

    func coverBytes(ofStream index: Int) -> [UInt8]? {
        var message = MessageWriter()
        message.put(Int64(index))
        return asked(Order.cover, message.bytes) { (reader) throws(WorkerFailure) in
            try reader.optional { (r) throws(WorkerFailure) in try r.part() }
        } ?? nil
    }

    func select(stream index: Int) {
        forgetAhead()
        var message = MessageWriter()
        message.put(Int64(index))
        _ = asked(Order.select, message.bytes) { (_) throws(WorkerFailure) in () }
    }

    func read(into packet: inout Packet) throws(AVError) -> Bool {
        if let failure { throw failure }
        if ahead == nil {
            reading.begin(isElementary: isElementary)
            // The next packet of a growing file may be minutes away.
            let answer = try call(Order.read, [reading.isGrowing ? 1 : most], packets: reading.isGrowing ? 1 : most)
            most = min(64, most * 2)
            return try take(answer.status, answer.reader, into: &packet)
        }
        let (status, said, reader) = try working { () throws(WorkerFailure) in
            guard var reader = ahead else { throw .malformed("no packet") }
            return (try reader.number(Int32.self), try reader.remarks(), reader)
        }
        add(said)
        return try take(status, reader, into: &packet)
    }

    /// Takes a packet from an answer, and keeps the rest.
    private func take(_ status: Int32, _ rest: MessageReader, into packet: inout Packet) throws(AVError) -> Bool {
        ahead = nil
        try check(status, "av_read_frame")
        return try working { () throws(WorkerFailure) in
            var rest = rest
            guard try rest.flag() else {
                packet.clear()
                return false
            }
            packetCount += 1
            // Each packet takes at least one byte of the file, except for empty ones.
            guard (packetCount - SandboxedInput.mostEmpty) / 2 <= reading.byteCount else {
                throw .malformed("endless packets")
            }
            try rest.packet(into: &packet)
            if !rest.isAtEnd { ahead = rest }
            return true
        }
    }

    /// Discards packets that were read ahead.
    private func forgetAhead() { (ahead, most, packetCount) = (nil, 1, 0) }

    /// More packets without bytes than a file has.
    private static let mostEmpty: Int64 = 1 << 14

    func takeErrors() -> (count: Int, first: String?) {
        defer { errors = (0, nil) }
        return errors
    }

    func seek(byte: Int64) throws(AVError) {
        forgetAhead()
        reading.begin(isElementary: false)
        var message = MessageWriter()
        message.put(byte)
        let answer = try call(Order.seekByte, message.bytes)
        try check(answer.status, "av_seek_frame")
    }

    func seek(stream: Int, timestamp: Int64) throws(AVError) {
        forgetAhead()
        reading.begin(isElementary: false)
        var message = MessageWriter()
        message.put(Int64(stream))
        message.put(timestamp)
        let answer = try call(Order.seekTime, message.bytes)
        try check(answer.status, "av_seek_frame")
    }

    /// Returns the answer to a request; `nil` if the worker has ended.
    private func asked<Value>(
        _ order: UInt8, _ payload: [UInt8] = [], _ body: (inout MessageReader) throws(WorkerFailure) -> Value
    ) -> Value? {
        do throws(AVError) {
            var answer = try call(order, payload)
            return try working { () throws(WorkerFailure) in try body(&answer.reader) }
        } catch {
            return nil
        }
    }

    /// Sends a request, and provides the bytes that are read until its answer comes.
    private func call(_ order: UInt8, _ payload: [UInt8] = [], packets: UInt8 = 1) throws(AVError) -> WorkerAnswer {
        (packetInCourse, packetsAsked) = (0, packets)
        giveTime()
        let answer = try working { () throws(WorkerFailure) in
            try lease.worker.send(order, payload)
            while true {
                guard LimitClock.now <= end else { throw .late }
                let message = try lease.worker.receive()
                guard message.kind == Order.askRead || message.kind == Order.askSeek else {
                    return try WorkerAnswer(message)
                }
                try serve(message)
            }
        }
        add(answer.remarks)
        return answer
    }

    /// Starts timing the work for a packet: once for reading, and once for processing. Requests without end do not
    /// count as work.
    private func giveTime() {
        // Bytes in memory have no separate limits.
        let time = min(reading.limits.maximumPictureTime, lease.worker.pictureTime)
        let (sum, isNever) = LimitClock.after(time).addingReportingOverflow(time.wholeNanoseconds)
        end = isNever ? .max : sum
    }

    private func add(_ said: Remarks) {
        errors = (errors.count + said.errors.count, errors.first ?? said.errors.first)
        readFailed = said.refusals > 0
    }

    private func serve(_ message: WorkerLink.Message) throws(WorkerFailure) {
        var reader = MessageReader(message.payload)
        var reply = MessageWriter()
        let packet = try reader.number(UInt8.self)
        if packet > packetInCourse {
            guard packet < packetsAsked else {
                throw .malformed("an invalid read for packet \(packet) of \(packetsAsked)")
            }
            // Each has its own limits; that the number only grows limits what can be requested in one answer.
            packetInCourse = packet
            reading.begin(isElementary: isElementary)
            giveTime()
        }
        // Waiting for a writer has no time limit.
        let start = LimitClock.now
        defer {
            let (later, isNever) = end.addingReportingOverflow(reading.isGrowing ? LimitClock.now - start : 0)
            end = isNever ? .max : later
        }
        if message.kind == Order.askRead {
            let count = Int(try reader.number(UInt32.self))
            guard (1...1 << 20).contains(count) else { throw .malformed("an invalid read of \(count) bytes") }
            // The status and the number of bytes come before them.
            let answer = unsafe [UInt8](unsafeUninitializedCapacity: 8 + count) { buffer, filled in
                let room = UnsafeMutableRawBufferPointer(buffer)
                let status = unsafe reading.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: room[8...]), atOnce: SandboxedInput.block)
                unsafe room.storeBytes(of: status.littleEndian, as: Int32.self)
                unsafe room.storeBytes(of: UInt32(max(0, status)).littleEndian, toByteOffset: 4, as: UInt32.self)
                filled = 8 + Int(max(0, status))
            }
            return try lease.worker.send(Order.answer, answer)
        } else {
            reply.put(reading.seek(try reader.number(), try reader.number()))
        }
        try lease.worker.send(Order.answer, reply.bytes)
    }

    /// The number of bytes that libavformat reads at once (`scrub_input_open`).
    private static let block = 32_768

    private func working<Result>(_ body: () throws(WorkerFailure) -> Result) throws(AVError) -> Result {
        if let failure { throw failure }
        do throws(WorkerFailure) {
            return try body()
        } catch {
            let reason = AVError(lease.worker.fail(error))
            failure = reason
            throw reason
        }
    }
}

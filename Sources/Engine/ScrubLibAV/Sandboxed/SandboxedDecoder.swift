internal import CScrubFFmpeg
internal import CScrubShims
internal import ScrubIsolation
internal import ScrubBase

/// A decoder in a worker process.
///
/// Each call is one message in each direction; pictures come through memory that this process only reads. Use from one
/// thread at a time.
final class SandboxedDecoder: DecoderImplementation {
    private let lease: WorkerLease
    private let description: CodecDescription
    private let allocator: FrameAllocator
    private var memory: SharedPictureMemory?
    private var remarks = Remarks()
    /// The picture that came with the answer to a packet.
    private var ready: ReadyPicture?
    /// The pictures that the worker may still produce. A worker that continues without end, or shows pictures of
    /// packets that it never received, is ended.
    private var awaited = ExpectedPictures()
    private var failure: AVError?
    /// Whether pictures without their samples are requested.
    private var leavesOut = false
    let threadDelay: Int
    let usesAllocator: Bool

    /// The number of bytes above which memory is not kept for the next picture.
    private static let mostKept = 256 << 20

    init(
        _ description: CodecDescription, _ options: Decoder.Options, allocator: FrameAllocator?, pool: WorkerPool
    ) throws(AVError) {
        self.description = description
        self.allocator = allocator ?? FrameAllocator(reserveCount: 1)
        usesAllocator = allocator != nil
        var message = MessageWriter()
        message.put(description)
        message.put(options)
        let status: Int32
        do throws(WorkerFailure) {
            lease = try pool.take(for: description.origin)
            try lease.worker.send(Order.openDecoder, message.bytes)
            var answer = try lease.worker.answer()
            status = answer.status
            threadDelay = Int(try answer.reader.number(UInt8.self))
        } catch {
            throw AVError(error)
        }
        guard status >= 0 else {
            lease.giveBack()
            throw AVError(status, "avcodec_open2")
        }
    }

    deinit {
        guard failure == nil else { return }
        do throws(WorkerFailure) { try lease.worker.send(Order.close) } catch { return }
        lease.giveBack()
    }

    func send(_ packet: borrowing Packet) throws(AVError) -> Decoder.Step {
        // The worker has already received it.
        if hasPicture { return .again }
        var message = MessageWriter()
        message.put(packet)
        awaited.add(unsafe packet.pointer.pointee.pts)
        var answer = try call(Order.send, message.bytes)
        let step = try SandboxedDecoder.step(answer.status, "avcodec_send_packet")
        if step == .done { ready = try working { () throws(WorkerFailure) in try answer.reader.ready(description) } }
        return step
    }

    /// Whether a picture has arrived that the caller has not received yet.
    private var hasPicture: Bool {
        switch ready {
        case .picture, .waiting, .passed: true
        case nil, .nothing: false
        }
    }

    func sendEnd() throws(AVError) {
        if !hasPicture { ready = nil }
        let answer = try call(Order.sendEnd)
        _ = try SandboxedDecoder.step(answer.status, "avcodec_send_packet")
    }

    func receive(into frame: inout Frame) throws(AVError) -> Decoder.Step {
        for _ in 0..<2 {
            let ready = try takeReady()
            switch ready {
            case .nothing(let status): return try SandboxedDecoder.step(status, "avcodec_receive_frame")
            case .waiting(let count):
                // Enough for it, and for others that are a little larger.
                memory = nil
                try working { () throws(WorkerFailure) in
                    let made = try SharedPictureMemory(byteCount: (count + count / 8 + 4095) / 4096 * 4096)
                    try made.hand(to: lease.worker)
                    memory = made
                }
            case .picture(let facts):
                try take(facts, into: &frame)
                return .done
            case .passed(let facts):
                guard leavesOut else { throw fail(.malformed("the picture has no samples")) }
                try count(facts)
                frame.clear()
                facts.describe(frame)
                return .done
            }
        }
        throw fail(.malformed("it does not use the memory that it requested"))
    }

    private func takeReady() throws(AVError) -> ReadyPicture {
        if let ready {
            self.ready = nil
            return ready
        }
        var answer = try call(Order.receive)
        return try working { () throws(WorkerFailure) in try answer.reader.ready(description) }
    }

    private func take(_ facts: PictureFacts, into frame: inout Frame) throws(AVError) {
        try count(facts)
        guard let memory, facts.shape.byteCount <= memory.byteCount else {
            throw fail(.malformed("a picture of \(facts.shape.byteCount) bytes does not fit in the shared memory"))
        }
        let room = try roomFor(facts.shape)
        memory.copy(facts.shape, into: room)
        // A caller that shows stills of this size does not need it again: the picture is a copy, and the next one gets
        // new memory.
        if memory.byteCount > SandboxedDecoder.mostKept {
            self.memory = nil
            tell(Order.memory)
        }
        facts.describe(room)
        frame.clear()
        unsafe av_frame_move_ref(frame.pointer, room.pointer)
    }

    private func count(_ facts: PictureFacts) throws(AVError) {
        do throws(WorkerFailure) { try awaited.take(facts.pts) } catch { throw fail(error) }
    }

    private func roomFor(_ shape: MessagePictureShape) throws(AVError) -> Frame {
        do throws(AVError) {
            return try allocator.picture(width: shape.width, height: shape.height, format: shape.format)
        } catch {
            // The same way in which a local decoder reports that there was not enough memory.
            remarks.refusals += 1
            throw error
        }
    }

    func takeUndecoded() -> [Int64] {
        defer { remarks.undecoded = [] }
        return remarks.undecoded
    }

    func takeRefusals() -> Int {
        defer { remarks.refusals = 0 }
        return remarks.refusals
    }

    func takeErrors() -> (count: Int, first: String?) {
        defer { remarks.errors = (0, nil) }
        return remarks.errors
    }

    func flush() {
        ready = nil
        remarks.undecoded = []
        tell(Order.flush)
    }

    func showUnrecovered(_ isWanted: Bool) { tell(Order.showUnrecovered, [isWanted ? 1 : 0]) }

    func forgetErrors(expected: String?) {
        remarks.errors = (0, nil)
        tell(Order.forgetErrors, expected)
    }

    func expectErrors(_ expected: String?) { tell(Order.expectErrors, expected) }

    private func tell(_ order: UInt8, _ words: String?) {
        var message = MessageWriter()
        message.put(words) { $0.put($1) }
        tell(order, message.bytes)
    }

    func handOutOnly(_ numbers: [Int64]?) {
        leavesOut = numbers != nil
        var message = MessageWriter()
        message.put(numbers) { $0.put(all: $1) { $0.put($1) } }
        tell(Order.handOutOnly, message.bytes)
    }

    /// Sends a message without an answer; the end of the worker is detected with the next message that has one.
    private func tell(_ order: UInt8, _ payload: [UInt8] = []) {
        guard failure == nil else { return }
        do throws(WorkerFailure) { try lease.worker.send(order, payload) } catch { failure = AVError(error) }
    }

    private func call(_ order: UInt8, _ payload: [UInt8] = []) throws(AVError) -> WorkerAnswer {
        let answer = try working { () throws(WorkerFailure) in
            try lease.worker.send(order, payload)
            return try lease.worker.answer()
        }
        var said = answer.remarks
        // Callers calculate with these numbers.
        said.undecoded.removeAll { !awaited.knows($0) }
        remarks.add(said)
        return answer
    }

    private func working<Result>(_ body: () throws(WorkerFailure) -> Result) throws(AVError) -> Result {
        if let failure { throw failure }
        do throws(WorkerFailure) {
            return try body()
        } catch {
            throw fail(error)
        }
    }

    private func fail(_ reason: WorkerFailure) -> AVError {
        let error = AVError(lease.worker.fail(reason))
        failure = error
        return error
    }

    private static func step(_ status: Int32, _ function: StaticString) throws(AVError) -> Decoder.Step {
        if status == scrub_error_from_errno(11) { return .again }
        if status == scrub_error_eof { return .end }
        try check(status, function)
        return .done
    }
}

/// The picture that a decoder has ready.
enum ReadyPicture {
    /// No picture; with the status of `avcodec_receive_frame`.
    case nothing(Int32)
    /// A picture that needs the given number of bytes of memory first.
    case waiting(Int)
    /// A picture whose samples are in the memory.
    case picture(PictureFacts)
    /// A picture whose samples are not needed.
    case passed(PictureFacts)
}

/// An answer from a worker.
struct WorkerAnswer {
    let status: Int32
    let remarks: Remarks
    var reader: MessageReader

    init(_ message: WorkerLink.Message) throws(WorkerFailure) {
        guard message.kind == Order.answer, message.descriptor == nil else {
            throw .malformed("an unexpected message of kind \(message.kind)")
        }
        reader = MessageReader(message.payload)
        status = try reader.number()
        remarks = try reader.remarks()
    }
}

extension Worker {
    /// Waits for the answer to a request.
    func answer() throws(WorkerFailure) -> WorkerAnswer {
        let message = try receive()
        do throws(WorkerFailure) {
            return try WorkerAnswer(message)
        } catch {
            throw fail(error)
        }
    }
}

extension MessageReader {
    /// Reads the picture that a decoder has ready.
    mutating func ready(_ limits: CodecDescription) throws(WorkerFailure) -> ReadyPicture {
        switch try number(UInt8.self) {
        case 0:
            let status = try number(Int32.self)
            guard status < 0 else { throw .malformed("it returned neither a picture nor a reason") }
            return .nothing(status)
        case 1: return .picture(try picture(limits: limits))
        case 3: return .passed(try picture(limits: limits))
        default:
            let count = try number(Int64.self)
            guard count > 0, count <= Int64(limits.pictureByteLimit) else {
                throw .malformed("an invalid picture size: \(count) bytes")
            }
            return .waiting(Int(count))
        }
    }
}

extension MessageWriter {
    mutating func put(_ options: Decoder.Options) {
        switch options.threading {
        case .single:
            put(UInt8(0))
            put(Int32(1))
        case .frames(let count):
            put(UInt8(1))
            put(Int32(clamping: count))
        case .slices(let count):
            put(UInt8(2))
            put(Int32(clamping: count))
        }
        put(Int32(clamping: options.reorderDelay))
        put(options.x264Build) { $0.put(Int64($1)) }
        put(options.isRepeatable)
        put(options.needsNoWorkarounds)
        put(options.isForNumbers)
    }
}

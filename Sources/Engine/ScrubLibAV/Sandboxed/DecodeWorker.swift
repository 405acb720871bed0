internal import CScrubFFmpeg
internal import CScrubSandbox
internal import CScrubShims
internal import Glibc
package import ScrubIsolation
internal import ScrubBase

/// The work of a worker process: one decoder or one input at a time, for the program that started it.
///
/// It confines itself before it reads the first untrusted byte. Any failure ends the process; the program detects it by
/// the end of the socket.
package final class DecodeWorker {
    private let link: WorkerLink
    private var decoder: LocalDecoder?
    private var input: LocalInput?
    private var asked: RemoteInputBytes?
    private var memory: SharedPictureMemory?
    /// The picture to output, and whether it is still waiting for memory.
    private var frame: Frame
    private var isHeld = false
    /// The numbers of the pictures whose samples are needed; `nil` for all.
    private var wanted: Set<Int64>?
    private var packet: Packet

    private init(_ link: WorkerLink) throws(AVError) {
        self.link = link
        frame = try Frame()
        packet = try Packet()
    }

    /// Works until the program ends or no longer needs it, if this process was started as a worker.
    ///
    /// - Parameters:
    ///   - words: the command line, including the program's name.
    ///   - isReady: called when the process is confined; for tests that do something else from there on.
    ///   - watcher: called with each message before it is handled; for tests.
    package static func runIfAsked(
        _ words: [String], then isReady: (WorkerLink) -> Void = { _ in },
        watcher: ((WorkerLink.Message) -> Void)? = nil
    ) {
        guard words.count >= 4, words[1] == WorkerProgram.verb, let parent = Int32(words[words.count - 2]),
            let space = UInt64(words[words.count - 1])
        else { return }
        run(parent, addressSpace: space, then: isReady, watcher: watcher)
    }

    /// Confines this process, and works until the program ends or no longer needs it.
    ///
    /// - Parameters:
    ///   - parent: the process that started this one.
    ///   - addressSpace: the maximum size of its address space, in bytes.
    package static func run(
        _ parent: Int32, addressSpace: UInt64, then isReady: (WorkerLink) -> Void = { _ in },
        watcher: ((WorkerLink.Message) -> Void)? = nil
    ) -> Never {
        let link = WorkerLink(socket: 3, takesDescriptors: true)
        Libraries.load()
        prepare()
        // Three descriptors for /dev/null, the link, and one for memory until it is mapped.
        let bits = scrub_lock_down(parent, scrub_worker_limits(address_space: addressSpace, open_files: 5))
        guard bits >= 0 else {
            let reason = unsafe "this system cannot confine processes (\(String(cString: strerror(-bits))))"
            try? link.send(WorkerHandshake.refused, Array(reason.utf8))
            _exit(69)
        }
        do throws(WorkerFailure) { try link.send(WorkerHandshake.ready, [UInt8(truncatingIfNeeded: bits)]) } catch {
            _exit(74)
        }
        isReady(link)
        guard let worker = try? DecodeWorker(link) else { _exit(70) }
        worker.serve(watcher)
        _exit(0)
    }

    /// Does the work that must be done while files can still be opened.
    private static func prepare() {
        // A program's own handler is not called in another process.
        Log.setHandler(nil)
        // Tests that allocations beyond the limit fail, and creates tables that are made on first use.
        av_max_alloc(1 << 30)
        _ = Processors.count
    }

    private func serve(_ watcher: ((WorkerLink.Message) -> Void)?) {
        do throws(WorkerFailure) {
            while true {
                let message = try link.receive(most: 1 << 30, milliseconds: nil)
                watcher?(message)
                try obey(message)
            }
        } catch {
            // The program has ended, or is not the one that started it.
        }
    }

    private func obey(_ message: WorkerLink.Message) throws(WorkerFailure) {
        var reader = MessageReader(message.payload)
        switch message.kind {
        case Order.memory:
            memory = nil
            guard let descriptor = message.descriptor else { return }
            memory = try SharedPictureMemory(descriptor: descriptor, byteCount: Int(try reader.number(Int64.self)))
        case Order.close: clear()
        case Order.openDecoder: try openDecoder(&reader)
        case Order.openInput: try openInput(&reader)
        case Order.findStreamInfo...Order.seekTime: try read(message.kind, &reader)
        default: try decode(message.kind, &reader)
        }
    }

    /// Discards its previous work, including memory: the next task must not see it.
    private func clear() {
        (decoder, input, asked, memory, isHeld, wanted) = (nil, nil, nil, nil, false, nil)
    }

    private func answer(
        _ status: Int32, _ remarks: Remarks = Remarks(), _ body: (inout MessageWriter) -> Void = { _ in }
    ) throws(WorkerFailure) {
        var message = MessageWriter()
        message.put(status)
        message.put(remarks)
        body(&message)
        try link.send(Order.answer, message.bytes)
    }

    /// Returns the status of a call.
    private func status(_ body: () throws(AVError) -> Void) -> Int32 {
        do throws(AVError) {
            try body()
            return 0
        } catch {
            return error.status
        }
    }
}

// Decoders.
extension DecodeWorker {
    private func openDecoder(_ reader: inout MessageReader) throws(WorkerFailure) {
        let (description, options) = (try reader.codec(), try reader.options())
        clear()
        let status = status { () throws(AVError) in
            // For large stills, one is enough.
            let isLarge = Int(description.width) * Int(description.height) > DecodeWorker.largePicture
            decoder = try LocalDecoder(
                description, options, allocator: FrameAllocator(reserveCount: isLarge ? 0 : 4))
        }
        let delay = UInt8(clamping: decoder?.threadDelay ?? 0)
        try answer(status) { $0.put(delay) }
    }

    /// The number of pixels above which a picture's memory is not kept for the next one.
    private static let largePicture = 1 << 26

    private func decode(_ order: UInt8, _ reader: inout MessageReader) throws(WorkerFailure) {
        guard let decoder else { throw .malformed("no decoder") }
        switch order {
        case Order.send:
            try reader.packet(into: &packet)
            isHeld = false
            var step = Decoder.Step.done
            let status = status { () throws(AVError) in step = try decoder.send(packet) }
            guard status >= 0, step == .done else {
                return try answer(status < 0 ? status : DecodeWorker.status(of: step), remarks(of: decoder))
            }
            try hand(out: decoder, after: 0)
        case Order.sendEnd:
            let status = status { () throws(AVError) in try decoder.sendEnd() }
            try answer(status, remarks(of: decoder))
        case Order.receive: try hand(out: decoder, after: 0)
        case Order.flush:
            isHeld = false
            decoder.flush()
        case Order.showUnrecovered: decoder.showUnrecovered(try reader.flag())
        case Order.forgetErrors:
            decoder.forgetErrors(expected: try reader.optional { (r) throws(WorkerFailure) in try r.text() })
        case Order.expectErrors:
            decoder.expectErrors(try reader.optional { (r) throws(WorkerFailure) in try r.text() })
        case Order.handOutOnly:
            wanted = try reader.optional { (r) throws(WorkerFailure) in
                Set(try r.all(most: 1 << 24) { (r) throws(WorkerFailure) in try r.number(Int64.self) })
            }
        default: throw .malformed("unknown order \(order)")
        }
    }

    /// Answers with the next picture, or with the reason why there is none.
    private func hand(out decoder: LocalDecoder, after status: Int32) throws(WorkerFailure) {
        var none: Int32?
        if !isHeld {
            var step = Decoder.Step.done
            let status = self.status { () throws(AVError) in step = try decoder.receive(into: &frame) }
            if status < 0 { none = status } else if step != .done { none = DecodeWorker.status(of: step) }
        }
        let remarks = remarks(of: decoder)
        if let none {
            return try answer(status, remarks) {
                $0.put(UInt8(0))
                $0.put(none)
            }
        }
        if let wanted, unsafe !wanted.contains(frame.pointer.pointee.pts) {
            isHeld = false
            try answer(status, remarks) {
                $0.put(UInt8(3))
                $0.put(frame)
            }
            return frame.clear()
        }
        let count = MessagePictureShape(frame).byteCount
        guard let memory, memory.byteCount >= count else {
            isHeld = true
            return try answer(status, remarks) {
                $0.put(UInt8(2))
                $0.put(Int64(count))
            }
        }
        isHeld = false
        memory.take(frame)
        var message = MessageWriter()
        message.put(status)
        message.put(remarks)
        message.put(UInt8(1))
        message.put(frame)
        frame.clear()
        try link.send(Order.answer, message.bytes)
    }

    private static func status(of step: Decoder.Step) -> Int32 {
        switch step {
        case .done: 0
        case .again: Int32(scrub_error_from_errno(11))
        case .end: Int32(scrub_error_eof)
        }
    }

    private func remarks(of decoder: LocalDecoder) -> Remarks {
        Remarks(
            errors: decoder.takeErrors(), undecoded: decoder.takeUndecoded(), refusals: decoder.takeRefusals())
    }
}

// Inputs.
extension DecodeWorker {
    private func openInput(_ reader: inout MessageReader) throws(WorkerFailure) {
        let name = try reader.optional { (r) throws(WorkerFailure) in try r.text() }
        let format = try reader.optional { (r) throws(WorkerFailure) in try r.text() }
        var limits = MediaLimits()
        (limits.maximumStreamCount, limits.maximumPixelCount) = (try reader.count(), try reader.count())
        clear()
        let bytes = RemoteInputBytes(link, limits: limits)
        asked = bytes
        let status = status { () throws(AVError) in input = try LocalInput(bytes, name: name, format: format) }
        try answer(status, remarks()) {
            $0.put(input?.formatName ?? "")
            $0.put(input?.timestampsMayJump ?? false)
            $0.put(input?.hasNoTimestamps ?? false)
        }
    }

    private func read(_ order: UInt8, _ reader: inout MessageReader) throws(WorkerFailure) {
        guard let input else { throw .malformed("no input") }
        switch order {
        case Order.findStreamInfo:
            let stream = try reader.optional { (r) throws(WorkerFailure) in try r.count() }
            let limit = try reader.count()
            let status = status { () throws(AVError) in
                try input.findStreamInfo(of: stream, pictureByteLimit: limit)
            }
            try answer(status, remarks()) { $0.put(input.declaredDuration) { $0.put($1) } }
        case Order.streams: try answer(0, remarks()) { $0.put(all: input.streams) { $0.put($1) } }
        case Order.describe: try answer(0, remarks()) { $0.put(input.containerDescription) }
        case Order.cover:
            let bytes = input.coverBytes(ofStream: try reader.count())
            try answer(0, remarks()) { $0.put(bytes) { $0.put($1) } }
        case Order.select:
            input.select(stream: try reader.count())
            try answer(0, remarks())
        case Order.read: try readPackets(input, most: Int(try reader.number(UInt8.self)))
        case Order.seekByte:
            let place = try reader.number(Int64.self)
            try answer(status { () throws(AVError) in try input.seek(byte: place) }, remarks())
        case Order.seekTime:
            let (stream, time) = (try reader.count(), try reader.number(Int64.self))
            try answer(status { () throws(AVError) in try input.seek(stream: stream, timestamp: time) }, remarks())
        default: throw .malformed("unknown order \(order)")
        }
    }

    /// Answers with the next packet, and with those after it that were requested as well, because a message for each
    /// would cost more than reading it. An answer that is not a packet ends the message.
    private func readPackets(_ input: LocalInput, most: Int) throws(WorkerFailure) {
        var message = MessageWriter()
        for number in 0..<max(1, most) {
            asked?.packet = UInt8(clamping: number)
            var isThere = false
            let status = status { () throws(AVError) in isThere = try input.read(into: &packet) }
            message.put(status)
            message.put(remarks())
            message.put(isThere)
            if isThere { message.put(packet) }
            packet.clear()
            guard isThere, message.bytes.count < DecodeWorker.mostAhead else { break }
        }
        asked?.packet = 0
        try link.send(Order.answer, message.bytes)
    }

    /// The number of bytes of packets that are read ahead.
    private static let mostAhead = 1 << 17

    /// Returns the input's messages; a failed read replaces a rejected picture.
    private func remarks() -> Remarks {
        guard let input else { return Remarks() }
        return Remarks(errors: input.takeErrors(), undecoded: [], refusals: input.readFailed ? 1 : 0)
    }
}

extension MessageReader {
    fileprivate mutating func options() throws(WorkerFailure) -> Decoder.Options {
        var options = Decoder.Options()
        let (kind, count) = (try number(UInt8.self), Int(try number(Int32.self)))
        options.threading = kind == 0 ? .single : kind == 1 ? .frames(count) : .slices(count)
        options.reorderDelay = Int(try number(Int32.self))
        options.x264Build = try optional { (r) throws(WorkerFailure) in Int(try r.number(Int64.self)) }
        options.isRepeatable = try flag()
        options.needsNoWorkarounds = try flag()
        options.isForNumbers = try flag()
        return options
    }
}

import CScrubFFmpeg
import Foundation
import ScrubLibAV
import ScrubBase
import Testing

/// Messages of decoders: none is lost, whatever other threads write, and a program that wants messages gets them.
@Suite struct DecoderLogTests {
    /// A decoder, and a packet that it has something to say about.
    private struct Talker: ~Copyable {
        var decoder: Decoder
        private var packet: Packet
        private var frame: Frame

        init(_ threading: Decoder.Threading = .single) throws {
            var description = CodecDescription()
            description.codecID = try #require(avcodec_descriptor_get_by_name("h264")).pointee.id.rawValue
            var options = Decoder.Options()
            options.threading = threading
            // A noncopyable value cannot be left half made.
            let packet = try Packet()
            let frame = try Frame()
            decoder = try Decoder(description, options)
            self.packet = packet
            self.frame = frame
        }

        mutating func talk() throws {
            // A slice with unknown parameter sets.
            let slice: [UInt8] = [0, 0, 0, 1, 0x65, 0x88, 0x84, 0, 0x33, 0xff, 0xfe, 0xf6, 0xf0, 0xfe, 0x05]
            try packet.fill(count: slice.count) { $0.copyBytes(from: slice) }
            packet.identify(as: 1, isKey: true)
            do throws(AVError) { _ = try decoder.send(packet) } catch {}
            do throws(AVError) { _ = try decoder.receive(into: &frame) } catch {}
        }
    }

    /// What a decoder of its own says in so many talks.
    private static func errorCount(talks: Int, afterEach: () -> Void = {}) throws -> Int {
        var talker = try Talker()
        for _ in 0..<talks {
            try talker.talk()
            afterEach()
        }
        return talker.decoder.takeErrors().count
    }

    @Test func messagesOfOthersDisplaceNone() throws {
        var quiet = try Talker()
        try quiet.talk()
        for _ in 0..<8 {
            var loud = try Talker()
            for _ in 0..<100 { try loud.talk() }
            #expect(loud.decoder.takeErrors().count >= 100)
        }
        let errors = quiet.decoder.takeErrors()
        #expect(errors.count > 0)
        #expect(errors.first?.isEmpty == false)
        #expect(quiet.decoder.takeErrors().count == 0, "what was taken is gone")
    }

    @Test func expectedMessagesAreNotCounted() throws {
        var talker = try Talker()
        try talker.talk()
        let words = try #require(talker.decoder.takeErrors().first)
        talker.decoder.forgetErrors(expected: String(words.prefix(10)))
        for _ in 0..<10 { try talker.talk() }
        // The same packet makes further messages, which are not expected, or none.
        #expect(talker.decoder.takeErrors().first?.hasPrefix(String(words.prefix(10))) != true)
    }

    /// A message under no context from an unknown thread counts against all that have such threads. In a
    /// process of its own, because other tests' decoders would hear it too.
    @Test func unattributedErrorsCountAgainstAllThreadedDecoders() async {
        await #expect(processExitsWith: .success) {
            var threaded = try Talker(.frames(2))
            var single = try Talker()
            let thread = try DedicatedThread {
                write(AV_LOG_ERROR, "a block is damaged\n")
            }
            thread.join()
            #expect(threaded.decoder.takeErrors().first == "a block is damaged")
            #expect(single.decoder.takeErrors().count == 0)
        }
    }

    /// As if Scrub had set nothing, a program's own messages are printed; those about a decoder of Scrub's are not.
    @Test func withoutAHandlerAProgramsOwnMessagesArePrinted() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            var talker = try Talker()
            write(AV_LOG_ERROR, "the program's own\n")
            write(AV_LOG_DEBUG, "not at the level that is set\n")
            try talker.talk()
            let errors = talker.decoder.takeErrors()
            #expect(errors.count > 0)
        }
        let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(printed.contains("the program's own"))
        #expect(!printed.contains("not at the level") && !printed.contains("h264"))
    }

    @Test func aHandlerGetsAllMessagesAndTakesNone() async {
        await #expect(processExitsWith: .success) {
            let heard = Heard()
            Log.setHandler(heard.handler)
            var talker = try Talker()
            write(AV_LOG_ERROR, "the program's own\n")
            write(AV_LOG_INFO, "too much\n")
            #expect(heard.take() == ["16 other - the program's own"])
            try talker.talk()
            let messages = heard.take()
            #expect(messages.allSatisfy { $0.hasPrefix("16 own h264 ") })
            #expect(talker.decoder.takeErrors().count == messages.count && messages.count > 0)
            Log.setHandler(nil)
            try talker.talk()
            #expect(talker.decoder.takeErrors().count == messages.count)
            #expect(heard.take() == [])
        }
    }

    /// A handler may write itself, and use decoders: their messages count, and end in no circle.
    @Test func aHandlersOwnMessagesGoToNoHandler() async {
        await #expect(processExitsWith: .success) {
            let (heard, inner) = (Heard(), Locked(0))
            Log.setHandler(
                Log.Handler(level: AV_LOG_ERROR) { level, isOwn, component, text in
                    heard.handler.take(level, isOwn, component, text)
                    write(AV_LOG_ERROR, "its own\n")
                    guard let count = try? DecoderLogTests.errorCount(talks: 1) else { return }
                    inner.withLock { $0 += count }
                })
            write(AV_LOG_ERROR, "the program's own\n")
            #expect(heard.take() == ["16 other - the program's own"])
            #expect(inner.withLock { $0 } > 0)
        }
    }

    /// On two threads at once, at the first use and while the handler changes: each message is counted and told.
    @Test func twoThreadsShareOneLog() async {
        await #expect(processExitsWith: .success) {
            let (heard, counts) = (Heard(), Locked([Int]()))
            let threads = try (0..<2).map { _ in
                try DedicatedThread {
                    Log.setHandler(heard.handler)
                    let count = try? DecoderLogTests.errorCount(talks: 200) { Log.setHandler(heard.handler) }
                    guard let count else { return }
                    counts.withLock { $0.append(count) }
                }
            }
            for thread in threads { thread.join() }
            let found = counts.withLock { $0 }
            #expect(found.count == 2 && found.allSatisfy { $0 >= 200 } && found.first == found.last)
            #expect(heard.take().count == found.reduce(0, +))
        }
    }

    /// It gets everything, and each decoder says each time that it hears nothing, until Scrub has the callback again.
    @Test func aCallbackThatIsSetLaterGetsTheMessagesAndIsNoticed() async {
        await #expect(processExitsWith: .success) {
            var talker = try Talker()
            av_log_set_callback { _, level, _, _ in if level <= AV_LOG_ERROR { counted += 1 } }
            try talker.talk()
            #expect(counted > 0)
            for _ in 0..<2 {
                let noticed = talker.decoder.takeErrors()
                #expect(noticed.count == 1)
                #expect(noticed.first?.contains("callback") == true)
            }
            // What a later first use of another part does takes nothing from it.
            Log.install()
            var other = try Talker()
            #expect(other.decoder.takeErrors().count == 1)

            let before = counted
            try talker.talk()
            Log.setHandler(nil)
            #expect(counted > before)
            #expect(talker.decoder.takeErrors().first?.contains("callback") == true, "what it missed is not known")
            try other.talk()
            let errors = other.decoder.takeErrors()
            #expect(errors.count > 1 && errors.first?.contains("callback") == true)
            try talker.talk()
            let words = talker.decoder.takeErrors()
            #expect(words.count > 0 && words.first?.contains("callback") == false, "both are heard again")
        }
    }

    /// Without any callback, messages go nowhere.
    @Test func noCallbackAtAllIsNoticed() async {
        await #expect(processExitsWith: .success) {
            var talker = try Talker()
            av_log_set_callback(nil)
            #expect(talker.decoder.takeErrors().first?.contains("callback") == true)
        }
    }

    /// Messages that a handler got, as words.
    private final class Heard: Sendable {
        private let messages = Locked([String]())

        var handler: Log.Handler {
            Log.Handler(level: AV_LOG_ERROR) { [messages] level, isOwn, component, text in
                messages.withLock { $0.append("\(level) \(isOwn ? "own" : "other") \(component ?? "-") \(text)") }
            }
        }

        func take() -> [String] {
            messages.withLock { messages in
                defer { messages = [] }
                return messages
            }
        }
    }
}

/// Writes a message as a program does that uses FFmpeg itself.
private func write(_ level: Int32, _ text: String) {
    withVaList([]) { av_vlog(nil, level, text, $0) }
}

/// Counted in a process of its own by a C callback, which can hold nothing.
nonisolated(unsafe) private var counted: Int32 = 0

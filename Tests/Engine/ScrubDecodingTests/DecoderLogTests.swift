import CScrubFFmpeg
import Foundation
import ScrubLibAV
import ScrubBase
import Testing

/// Messages of decoders: none is lost, whatever other threads write, and a program's own callback goes on being called.
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
                withVaList([]) { av_vlog(nil, AV_LOG_ERROR, "a block is damaged\n", $0) }
            }
            thread.join()
            #expect(threaded.decoder.takeErrors().first == "a block is damaged")
            #expect(single.decoder.takeErrors().count == 0)
        }
    }

    @Test func aCallbackThatWasSetBeforeGoesOnBeingCalled() async {
        await #expect(processExitsWith: .success) {
            av_log_set_callback { _, level, _, _ in if level <= AV_LOG_ERROR { heard += 1 } }
            var talker = try Talker()
            withVaList([]) { av_vlog(nil, AV_LOG_ERROR, "the program's own\n", $0) }
            #expect(heard == 1)
            try talker.talk()
            #expect(heard > 1)
            #expect(talker.decoder.takeErrors().count == Int(heard) - 1)
        }
    }

    /// The messages in between are not known, so the decoder reports that; then both hear.
    @Test func aCallbackThatIsSetLaterIsNoticedAndGoesOnBeingCalled() async {
        await #expect(processExitsWith: .success) {
            var talker = try Talker()
            av_log_set_callback { _, level, _, _ in if level <= AV_LOG_ERROR { heard += 1 } }
            let noticed = talker.decoder.takeErrors()
            #expect(noticed.count == 1)
            #expect(noticed.first?.contains("callback") == true)
            try talker.talk()
            #expect(heard > 0)
            #expect(talker.decoder.takeErrors().count == Int(heard))
        }
    }
}

/// Counted in a process of its own by a C callback, which can hold nothing.
nonisolated(unsafe) private var heard: Int32 = 0

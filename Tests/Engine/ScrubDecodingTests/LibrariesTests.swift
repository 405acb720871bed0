internal import CScrubFFmpeg
internal import CScrubLibAVLoader
internal import ScrubBase
internal import ScrubLibAV
internal import Testing

/// What is known of libavformat and libavcodec before they are loaded, against what they say themselves.
@Suite struct LibrariesTests {
    @Test func versionsAreThoseOfTheLoadedLibraries() {
        #expect(scrub_libav_version(SCRUB_LIBAV_CODEC) == avcodec_version())
        #expect(scrub_libav_version(SCRUB_LIBAV_FORMAT) == avformat_version())
        #expect(Libraries.version == UInt64(avformat_version()) << 32 | UInt64(avcodec_version()))
    }

    /// In a process that has not loaded them: the first calls wait for the thread that does.
    @Test func loadingAheadIsWaitedFor() async {
        await #expect(processExitsWith: .success) {
            Libraries.loadAhead()
            Libraries.loadAhead()
            let threads = try (0..<3).map { _ in
                try DedicatedThread { precondition(avcodec_version() >> 16 == LIBAVCODEC_VERSION_MAJOR) }
            }
            Libraries.load()
            for thread in threads { thread.join() }
            precondition(scrub_libav_failure() == nil && avformat_version() >> 16 == LIBAVFORMAT_VERSION_MAJOR)
        }
    }

    @Test func namesAreLibavcodecs() {
        #expect(CodecDescription.commonNames.count == 81)
        for (codec, name) in CodecDescription.commonNames {
            let known = unsafe String(cString: avcodec_get_name(AVCodecID(codec)))
            #expect(name == known)
        }
    }

    @Test func predictingCodecsAreLibavcodecs() throws {
        for codec in CodecDescription.predictingCodecs {
            let descriptor = try #require(unsafe avcodec_descriptor_get(AVCodecID(codec)))
            #expect(unsafe descriptor.pointee.props & AV_CODEC_PROP_INTRA_ONLY == 0)
        }
    }
}

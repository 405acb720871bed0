import Scrub
import ScrubReports
import ScrubBase
import Testing

/// The formats, character by character.
@Suite struct FrameMapTextTests {
    private static let film = FrameMapText.Film(
        name: "a \"b\".mp4", width: 192, height: 112, frameCount: 3, stream: 1, timeBase: Rational(1, 90_000))

    /// Three frames of 24000/1001 a second, cut off to whole units, that begin before time zero.
    private static let frames = [
        MappedFrame(number: 0, presentationTime: -3754, offset: 0, duration: 3754, seconds: "0", isKey: true),
        MappedFrame(number: 1, presentationTime: 0, offset: 3754, duration: 3753, seconds: "0.041711111", isKey: false),
        MappedFrame(number: 2, presentationTime: 3753, offset: 7507, duration: 0, seconds: "0.083411111", isKey: true),
    ]

    private func text(_ format: FrameMapFormat, of frames: [MappedFrame] = Self.frames) -> String {
        var text = FrameMapText(format, of: Self.film)
        return text.head + frames.map { text.piece($0) }.joined() + text.end
    }

    @Test(arguments: [
        (
            FrameMapFormat.torchcodec,
            """
            {"frames":[
            {"pts":-3754,"duration":3754,"key_frame":1},
            {"pts":0,"duration":3753,"key_frame":0},
            {"pts":3753,"duration":0,"key_frame":1}
            ]}

            """
        ),
        (
            .cvat,
            """
            {"version":"1.1"}
            {"type":"video"}
            {"properties":{"name":"a \\"b\\".mp4","resolution":[192,112],"length":3}}
            {"number":0,"pts":-3754}
            {"number":2,"pts":3753}

            """
        ),
        (
            .csv,
            """
            frame,pts,time,seconds,duration,keyframe
            0,-3754,0/1,0,1877/45000,1
            1,0,1877/45000,0.041711111,417/10000,0
            2,3753,7507/90000,0.083411111,0/1,1

            """
        ),
        (
            .json,
            """
            {"file":"a \\"b\\".mp4","stream":1,"timeBase":"1/90000","frameCount":3,"frames":[
            {"frame":0,"pts":-3754,"time":"0/1","seconds":0,"duration":"1877/45000","keyframe":true},
            {"frame":1,"pts":0,"time":"1877/45000","seconds":0.041711111,"duration":"417/10000","keyframe":false},
            {"frame":2,"pts":3753,"time":"7507/90000","seconds":0.083411111,"duration":"0/1","keyframe":true}
            ]}

            """
        ),
        (
            .timecodes,
            """
            # timestamp format v2
            0
            41.711111111
            83.411111111

            """
        ),
    ])
    func formats(_ format: FrameMapFormat, _ expected: String) { #expect(text(format) == expected) }

    @Test func filmsWithoutFramesAreWholeFilesToo() {
        #expect(text(.torchcodec, of: []) == "{\"frames\":[\n]}\n")
        #expect(text(.timecodes, of: []) == "# timestamp format v2\n")
    }

    /// Times that no ratio of 64 bits has are not written wrong: they cannot be read from a file.
    @Test func theLongestTimesAreExact() {
        let frame = MappedFrame(
            number: 0, presentationTime: .max, offset: .max, duration: 1, seconds: "0", isKey: false)
        #expect(text(.torchcodec, of: [frame]).contains("\"pts\":9223372036854775807,"))
        #expect(text(.csv, of: [frame]).contains(",9223372036854775807/90000,"))
    }
}

import Scrub
import ScrubIndex
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Container times that contradict the coded order, and packets that make no picture. `ClipTests` compares every
/// picture of these clips; this suite has the results of the index and `verify`.
@Suite struct OrderTests {
    static let contradictory = Clip.all.filter { $0.traps.contains("times-contradict") }.map(\.file)
    static let empties = Clip.all.filter { $0.traps.contains("no-picture-packets") }.map(\.file)

    private func open(_ file: String, _ change: (inout IndexRules) -> Void = { _ in }) throws -> VideoAsset {
        var rules = IndexRules()
        change(&rules)
        let path = Clip.folder + "/clips/" + file
        return try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none), rules: rules)
    }

    @Test func clipsAreThere() {
        #expect(OrderTests.contradictory.count >= 10)
        #expect(OrderTests.empties.count >= 3)
    }

    @Test(arguments: contradictory) func verifyFindsAWrongOrderByItself(_ file: String) throws {
        let report = try open(file) { $0.codecDecidesOrder = false }.verify(orders: [], sample: 8)
        #expect(report.faults.contains { $0.order == nil }, "the linear decode's order was not looked at")
        let sound = try open(file).verify(orders: [.alone], sample: 8)
        #expect(sound.faults.isEmpty && sound.damagedFrameCount == 0, "\(sound.faults.prefix(3))")
    }

    @Test(arguments: empties) func verifyFindsPacketsWithoutAPictureByItself(_ file: String) throws {
        let report = try open(file) { $0.findsEmptyPackets = false }.verify(orders: [], sample: 8)
        #expect(report.faults.contains { $0.order == nil })
        let sound = try open(file).verify(orders: [.alone], sample: 8)
        #expect(sound.faults.isEmpty && sound.damagedFrameCount == 0, "\(sound.faults.prefix(3))")
    }

    /// Frames have times that a timeline can have, whatever the container's were.
    @Test(arguments: contradictory) func timesAscend(_ file: String) throws {
        let frames = try open(file).frames
        for (earlier, later) in zip(frames, frames.dropFirst()) {
            #expect(earlier.seconds <= later.seconds, "#\(later.number)")
        }
    }

    /// A picture that stands for several packets lasts as long as they do.
    @Test func theFrameBeforeLastsLonger() throws {
        let frames = try open("screen-tscc.avi").frames
        #expect(frames.count == 10)
        #expect(frames.dropLast().allSatisfy { abs($0.durationSeconds - 0.12) < 1e-9 })
    }

    /// Times of two neighbours that are exchanged far from the places at which an index is checked. Which frames the
    /// two are is not certain; all others are exact, alone too.
    @Test(arguments: ["libx264", "libx265"], ["mp4", "mov", "mkv"])
    func exchangedTimesAreNotExact(_ encoder: String, _ container: String) throws {
        let folder = try TemporaryFolder()
        let (sound, exchanged) = (folder.path(of: "sound.mp4"), folder.path(of: "exchanged." + container))
        let groups = "bframes=3:b-adapt=0:b-pyramid=1:scenecut=0:keyint=240:min-keyint=240"
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=9.6", "-c:v", encoder, "-preset", "ultrafast"]
                + ["-\(encoder.dropFirst(3))-params", groups + (encoder == "libx265" ? ":log-level=none" : ""), sound])
        // In the order of decoding: I0 P4 B2 b1 b3 P8 B6 b5 b7. No picture comes later than the sequence set allows.
        let swap = "setts=pts=if(eq(N\\,150)\\,PTS-512\\,if(eq(N\\,151)\\,PTS+512\\,PTS))"
        // In the time base of the MP4 file: which one the filter has in front of other muxers depends on ffmpeg.
        let rewritten = folder.path(of: "rewritten.mp4")
        try LinearLines.ffmpeg(["-i", sound, "-c", "copy", "-bsf:v", swap, rewritten])
        try LinearLines.ffmpeg(["-i", rewritten, "-c", "copy", exchanged])
        let asked = try LinearLines.expectLines(exchanged, aloneEach: 1, opensEach: true)
        #expect(asked.lines == 240 && asked.frames == 240)
        #expect(asked.exact == 238)
    }

    /// A sound film pays for the doubt with a few small reads: the media is not read.
    @Test func soundFilmsAreHardlyRead() throws {
        let asset = try open("demo.mp4")
        // The file's both ends, by which its index is found again; three places, 24 pictures each, a kilobyte of each;
        // tables and keys.
        let ends = 2 * 65_536
        #expect(asset.openReport.readByteCount < Int64(ends + 72 * 1024 + 20_000))
    }

    /// No picture may be shown out of its turn by the sequence set, and none is by the times: of each sample the first
    /// bytes are looked at, for parameter sets.
    @Test func filmsWithoutReorderingAreNotRead() throws {
        let asset = try open("h264-cavlc-p.mp4")
        // Twice the file of 20,905 bytes, by which its index is found again, the tables, and 64 bytes of each sample.
        #expect(asset.openReport.readByteCount < Int64(2 * 20_905 + 6000 + 64 * asset.frames.count))
    }
}

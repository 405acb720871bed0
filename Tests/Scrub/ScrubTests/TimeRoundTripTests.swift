import Foundation
import Scrub
import ScrubThumbnails
import ScrubBase
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Every time that is printed for a frame, read again, is that frame's. It is tested for every frame of every clip
/// (`ClipTests` asks, which opens them all), and of the corpus if there is one. `Tests/Programs/Matrix/round-trip.py`
/// does the same through the command line.
@Suite struct TimeRoundTripTests {
    @Test(.enabled(if: Corpus.folder != nil), arguments: Corpus.files)
    func everyTimeOfTheCorpusNamesItsFrame(_ name: String) throws {
        let options = VideoAsset.OpenOptions(cache: .none)
        guard let asset = try? VideoAsset(path: (Corpus.folder ?? "") + "/" + name, options: options) else { return }
        try Self.check(asset, name)
    }

    static func check(_ asset: VideoAsset, _ name: String) throws {
        let frames = asset.frames
        // Of frames that share a time the last is on screen.
        var shown = Array(frames.indices)
        for number in frames.indices.reversed().dropFirst() where frames[number].offset == frames[number + 1].offset {
            shown[number] = shown[number + 1]
        }
        var times: [Rational] = []
        for number in frames.indices where shown[number] == number { times.append(frames[number].time) }
        var place = 0
        for frame in frames {
            let expected = shown[frame.number]
            var texts = [frame.timeText, frame.secondsText + "s"]
            while times[place] < frame.time { place += 1 }
            let near = [place - 1, place + 1].filter(times.indices.contains).map { (times[$0] - frame.time).magnitude }
            texts += PrintedTimes.texts(frame.time, distance: near.min() ?? 1).map { $0 + "s" }
            for text in texts {
                let found = try asset.resolved(FramePosition(text))
                #expect(found.frame.number == expected, "\(name) f\(frame.number): \(text)")
            }
            // The numbers that a program reads in the JSON, and the library's own.
            var doubles = try [
                #require(Double(frame.secondsText)), frame.seconds, (1000.5 + frame.seconds) - 1000.5,
                frame.seconds.nextDown, frame.seconds.nextUp,
            ]
            // A float tells frames apart where they are farther from each other than its neighbours.
            let single = Float(frame.seconds)
            if near.min().map({ $0.doubleValue > 2 * Double(single.ulp) }) ?? true { doubles.append(Double(single)) }
            for double in doubles {
                #expect(try asset.presentedFrame(at: .seconds(double)).number == expected, "\(name) \(double)")
            }
            #expect(try asset.presentedFrame(at: .time(frame.time)).number == expected, "\(name) \(frame.time)")
        }
    }

    /// Sheets, pages and WebVTT name the frames that `seek` does, by the same texts.
    @Test(arguments: ["demo.mp4", "ntsc.mp4", "vfr.mp4", "h264-bf3.mkv"])
    func setsPrintTheSameTimes(_ name: String) throws {
        let clip = try KnownClip(name)
        let asset = clip.asset
        // Of frames that share a time players show one.
        let numbers = asset.frames.filter { $0.duration > 0 }.map(\.number).dropFirst().prefix(40)
        let places = ThumbnailPlan.Request(.at(numbers.map { .frame($0) }), tolerance: .exact)
        var options = ContactSheet.Options()
        (options.request, options.format) = (places, .svg)
        let sheet = try asset.contactSheet(options: options)
        let text = String(decoding: sheet.bytes, as: UTF8.self)
        for number in numbers { #expect(text.contains(">\(asset.frames[number].timeText)<"), "\(name) f\(number)") }

        let scratch = TemporaryFolder.unmade()
        let report = try asset.writeStrip(into: scratch.path, options: ThumbnailStrip.Options(places))
        let cues = try Storyboard.WebVTT(try #require(report.storyboards.first)).text.matches(of: #/\n([\d:.]+) --> /#)
            .map {
                $0.1
            }
        #expect(cues.count == numbers.count)
        // The first slot begins with the film.
        for (cue, number) in zip(cues, numbers).dropFirst() {
            #expect(try asset.presentedFrame(at: FramePosition(String(cue))).number == number, "\(name) \(cue)")
        }
    }
}

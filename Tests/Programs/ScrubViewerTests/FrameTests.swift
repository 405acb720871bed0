#if Viewer
import Foundation
import Scrub
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubViewer

/// The pictures are the library's, and the headers have their facts.
@Suite(.timeLimit(.minutes(20))) struct FrameTests {
    @Test(arguments: ["demo.mp4", "h264-open-gop.mp4", "vp9-altref.webm", "mpeg2-open.ts"])
    func picturesAndHashesAreTheLibrarys(_ clip: String) async throws {
        let video = try await VideoAsset.open(
            path: TestViewer.clips + clip, options: VideoAsset.OpenOptions(cache: .none))
        let generator = try FrameGenerator(video)
        try await withViewer([clip]) { viewer in
            let id = try await viewer.id()
            let count = video.frames.count
            for (turn, number) in [0, count - 1, count / 2, count / 2 - 1, count / 3, 1, count / 3].enumerated() {
                let answer = try await generator.frame(at: .frame(number))
                let hash = "md5:" + (try #require(answer.picture).streamMD5())
                let png = try #require(answer.picture).png().bytes
                for client in [[], ["Scrub-Client: a", "Scrub-Turn: \(turn)"]] {
                    let got = try await viewer.get("/api/media/\(id)/frame?at=f\(number)&format=png&hash=1", client)
                    #expect(
                        got.status == 200 && got["scrub-frame"] == "\(number)" && got["scrub-hash"] == hash, "\(number)"
                    )
                    #expect(got["scrub-verdict"] == answer.verdict.name && got["scrub-stage"] == "exact")
                    #expect(got["content-type"] == "image/png" && got.body == png, "\(number)")
                }
            }
        }
    }

    @Test func headersNameTheFrameExactly() async throws {
        try await withViewer(
            ["vfr.mp4"].filter { FileManager.default.fileExists(atPath: TestViewer.clips + $0) } + ["demo.mp4"]
        ) {
            viewer in
            for (place, medium) in try await viewer.media().enumerated() {
                let id = try await viewer.id(place)
                let name = try #require(medium["name"] as? String)
                let video = try await VideoAsset.open(
                    path: TestViewer.clips + name, options: VideoAsset.OpenOptions(cache: .none))
                let times = try await viewer.object("media/\(id)/times")
                let scale = Int64(try #require(times["timescale"] as? Int))
                var (frame, time) = (0, Int64(0))
                for run in try #require(times["runs"] as? [[Int]]) {
                    for _ in 0..<run[0] {
                        #expect(Rational(checked: time, scale) == video.time(ofFrame: frame), "\(name) \(frame)")
                        (frame, time) = (frame + 1, time + Int64(run[1]))
                    }
                }
                #expect(frame == video.frames.count && Rational(checked: time, scale) == video.duration)
                #expect(times["end"] as? Int == Int(time))
                let got = try await viewer.get("/api/media/\(id)/frame?at=42%&width=64")
                let number = try video.presentedFrame(at: try FramePosition("42%")).number
                #expect(got["scrub-frame"] == "\(number)")
                let seconds = try #require(got["scrub-seconds"])
                #expect(try video.presentedFrame(at: try FramePosition(seconds + "s")).number == number)
                let ratio = video.time(ofFrame: number)
                #expect(got["scrub-time"] == "\(ratio.numerator)/\(ratio.denominator)")
                #expect(["I", "P", "B"].contains(got["scrub-type"] ?? ""))
            }
        }
    }

    @Test func theListHasTheSizeOfThePictures() async throws {
        let clips = [
            "demo.mp4", "h264-sar-2-1.mp4", "h264-sar-4-3.mp4", "h264-sar-disagrees.mp4", "rotate-90.mp4",
            "rotate-180.mp4",
            "rotate-270-mirror.mp4", "rotate-0-mirror.mp4", "mpeg2-open.ts", "vp9-altref.webm",
        ]
        try await withViewer(clips) { viewer in
            var turned = 0
            // The list waits three seconds for those that are being opened, and a machine may take longer.
            var media = try await viewer.media()
            while media.contains(where: { $0["state"] as? String == "loading" }) { media = try await viewer.media() }
            for medium in media {
                let (id, name) = (try #require(medium["id"] as? String), try #require(medium["name"] as? String))
                let png = try await viewer.get("/api/media/\(id)/frame?at=f0&format=png").body
                // Width and height are at the beginning of a PNG, four bytes each.
                let sides = [16, 20].map { place in png[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
                #expect([medium["width"] as? Int, medium["height"] as? Int] == sides, "\(name)")
                let facts = try await viewer.object("media/\(id)")
                #expect([facts["displayWidth"] as? Int, facts["displayHeight"] as? Int] == sides, "\(name)")
                let coded = [medium["codedWidth"] as? Int, medium["codedHeight"] as? Int]
                #expect(coded == [facts["width"] as? Int, facts["height"] as? Int], "\(name)")
                if coded != sides { turned += 1 }
            }
            #expect(turned >= 4)
        }
    }

    @Test func wrongRequestsGetTheirReason() async throws {
        try await withViewer { viewer in
            let id = try await viewer.id()
            let wrong = [
                "at=nonsense", "at=f210", "at=f-211", "at=f1&width=15", "at=f1&width=8193", "at=f1&width=abc",
                "at=f1&width=",
                "at=f1&format=gif", "at=f1&format=", "at=f1&stage=soon", "at=", "at=f99999999999999999999", "at=1e5",
                "at=NaN", "at=1000s", "at=-1s", "at=1.01", "at=1000s&clamp=0",
            ]
            for query in wrong {
                let answer = try await viewer.get("/api/media/\(id)/frame?\(query)")
                #expect(
                    answer.status == 400 && answer.text.contains("\"error\":") && answer.text.contains("\"hint\":"),
                    "\(query): \(answer.status)")
            }
            for header in [
                "Scrub-Client: ", "Scrub-Client: a b", "Scrub-Client: " + String(repeating: "a", count: 65),
                "Scrub-Client: \u{e9}",
            ] {
                #expect(try await viewer.get("/api/media/\(id)/frame?at=f1", [header]).status == 400, "\(header)")
            }
            for turn in ["x", "-1", "99999999999999999999", "1.5"] {
                let headers = ["Scrub-Client: a", "Scrub-Turn: \(turn)"]
                #expect(try await viewer.get("/api/media/\(id)/frame?at=f1", headers).status == 400, "\(turn)")
            }
            for query in [
                "heat?columns=0", "heat?columns=4097", "heat?columns=x", "types?from=-1", "types?count=4097",
                "plan?at=x", "plan?at=1000s", "set?profile=x", "set?every=0", "set?every=x",
            ] {
                #expect(try await viewer.get("/api/media/\(id)/\(query)").status == 400, "\(query)")
            }
            // Outside of the video a time is its end for those who say so.
            let last = try await viewer.get("/api/media/\(id)/frame?at=1000s&clamp=1&width=64")
            #expect(last["scrub-frame"] == "209")
            #expect(try await viewer.object("status")["decodesBegun"] as? Int == 1)
        }
    }

    @Test func onlyWhatCannotChangeIsKept() async throws {
        try await withViewer(["demo.mp4", "damaged-h264.mp4"]) { viewer in
            let id = try await viewer.id()
            let print = try #require(try await viewer.media().first?["fingerprint"] as? String)
            let path = "/api/media/\(id)/frame?at=f20&width=160"
            let plain = try await viewer.get(path)
            let tag = try #require(plain["etag"])
            #expect(plain["cache-control"] == "no-cache" && tag.hasPrefix("\""))
            let again = try await viewer.get(path, ["If-None-Match: \"x\", \(tag)"])
            #expect(again.status == 304 && again.body.isEmpty && again["etag"] == tag)
            #expect(try await viewer.get(path, ["If-None-Match: \"x\""]).status == 200)
            #expect(
                try await viewer.get(path + "&v=" + print)["cache-control"] == "private, max-age=31536000, immutable")
            // Another content's version: no picture of this one is meant.
            let other = try await viewer.get(path + "&v=old")
            #expect(other.status == 409 && other["cache-control"] == "no-store" && other["etag"] == nil)
            #expect(try await viewer.get(path + "&stage=nearest&v=" + print)["cache-control"] == "no-store")
            let next = try await viewer.get("/api/media/\(id)/frame?at=f21&width=160")
            #expect(next["etag"] != tag)
            // Enlarging is the browser's.
            let large = try await viewer.get("/api/media/\(id)/frame?at=f20&width=4000")
            let natural = try await viewer.get("/api/media/\(id)/frame?at=f20")
            #expect(large.body == natural.body)
            let damaged = try await viewer.id(1)
            var verdicts: Set<String> = []
            for frame in stride(from: 0, to: 100, by: 7) {
                let answer = try await viewer.get("/api/media/\(damaged)/frame?at=f\(frame)&width=96")
                guard answer.status == 200 else {
                    #expect(answer.status == 422 && answer.text.contains("\"code\":\"badData\""))
                    continue
                }
                verdicts.insert(answer["scrub-verdict"] ?? "")
                let caching = answer["scrub-verdict"] == "exact" ? "no-cache" : "no-store"
                #expect(answer["cache-control"] == caching && (answer["scrub-why"] != nil) == (caching == "no-store"))
            }
            #expect(verdicts == ["exact", "damaged"])
        }
    }

    @Test func factsAndPlansAreTheCommandLines() async throws {
        try await withViewer { viewer in
            let id = try await viewer.id()
            let facts = try await viewer.object("media/\(id)")
            for key in [
                "file", "container", "stream", "codec", "frameCount", "timeBase", "seekCost", "keyframes", "warnings",
                "fingerprint",
            ] {
                #expect(facts[key] != nil, "\(key)")
            }
            #expect(facts["file"] as? String == "demo.mp4" && (facts["keyframes"] as? [Int])?.first == 0)
            let plan = try await viewer.object("media/\(id)/plan?at=f50")
            #expect(plan["requested"] as? String == "f50" && plan["frame"] as? Int == 50 && plan["feed"] as? Int != nil)
            #expect(plan["why"] as? String != nil)
            let heat = try await viewer.object("media/\(id)/heat?columns=1000")
            let columns = try #require(heat["columns"] as? [Int])
            #expect(columns.count == 1000 && columns.allSatisfy { $0 >= 1 } && heat["basis"] as? String == "all")
            let most = try #require((facts["seekCost"] as? [String: Any])?["max"] as? Int)
            #expect(columns.max() == most)
            let types = try #require(try await viewer.object("media/\(id)/types?from=200&count=50")["types"] as? String)
            #expect(types.count == 10 && types.allSatisfy { "IPB".contains($0) })
        }
    }
}
#endif

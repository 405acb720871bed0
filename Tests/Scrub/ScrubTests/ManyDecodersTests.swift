import Foundation
import Scrub
import ScrubBase
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Damaged files in many decoders at once: each verdict is the one that the frame has alone.
@Suite struct ManyDecodersTests {
    private struct Answer: Equatable, Sendable {
        var verdict: Verdict
        var hash: String?
    }

    private static func answers(_ asset: VideoAsset, _ numbers: [Int]) throws -> [Int: Answer] {
        var reader = FrameReader(asset)
        var answers: [Int: Answer] = [:]
        try reader.frames(numbered: numbers) { (answer) throws(ScrubError) in
            answers[answer.frame.number] = Answer(verdict: answer.verdict, hash: try answer.picture?.md5())
        }
        return answers
    }

    private static func alone(_ asset: VideoAsset, _ numbers: [Int]) throws -> [Int: Answer] {
        var answers: [Int: Answer] = [:]
        for number in numbers { answers.merge(try ManyDecodersTests.answers(asset, [number])) { $1 } }
        return answers
    }

    /// Messages of the noisy pictures must not push out those of the others, which have one damaged block each.
    @Test func framesOfANoisyFilmAskedTogether() throws {
        let folder = try TemporaryFolder()
        let asset = try VideoAsset(path: try NoisyFilm.make(in: folder, frames: 16), options: .init(cache: .none))
        let numbers = Array(asset.frames.indices)
        let alone = try ManyDecodersTests.alone(asset, numbers)
        #expect(alone.values.contains { $0.verdict.name == "damaged" })
        for _ in 0..<3 { #expect(try ManyDecodersTests.answers(asset, numbers) == alone) }
    }

    @Test func sixtyFourDecodersAtOnce() throws {
        let folder = try TemporaryFolder()
        let noisy = try VideoAsset(path: try NoisyFilm.make(in: folder, frames: 4), options: .init(cache: .none))
        var films = [(name: "dv.mov", asset: noisy)]
        for file in ["damaged-h264.mp4", "damaged-hevc.mkv", "damaged-mpeg2.mpg", "damaged-concealed.mp4"] {
            films.append((file, try #require(Clip.all.first { $0.file == file }).open()))
        }
        let cases = try films.map { film in
            let count = film.asset.frames.count
            let numbers = Set([0, count / 4, count / 3, count / 2, count - 1]).sorted()
            return (film: film, numbers: numbers, alone: try ManyDecodersTests.alone(film.asset, numbers))
        }
        let wrong = Locked([String]())
        let threads = try (0..<64).map { i in
            let (film, numbers, alone) = cases[i % cases.count]
            return try DedicatedThread {
                do {
                    let answers = try ManyDecodersTests.answers(film.asset, numbers)
                    for number in numbers where answers[number] != alone[number] {
                        wrong.withLock { $0.append("\(film.name) f\(number)") }
                    }
                } catch { wrong.withLock { $0.append("\(error)") } }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.withLock { $0 } == [])
    }
}

/// A DV film in which every other picture is very noisy and the others have one damaged block.
enum NoisyFilm {
    static func make(in folder: TemporaryFolder, frames: Int) throws -> String {
        let path = folder.path + "/dv.mov"
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=720x576:r=25", "-frames:v", "\(frames)"]
                + ["-c:v", "dvvideo", "-pix_fmt", "yuv420p", path])
        var data = try Data(contentsOf: URL(filePath: path))
        let start = try #require(data.range(of: Data("mdat".utf8))).upperBound
        // A picture is 12 sequences of 150 blocks of 80 bytes (IEC 61834-2); every 16th of the video's is sound.
        let (picture, sequence, block) = (144_000, 12_000, 80)
        let blocks = (0..<12).flatMap { s in
            (6..<150).filter { ($0 - 6) % 16 != 0 }.map { s * sequence + $0 * block }
        }
        var random = SplitMix(5)
        for i in 0..<frames {
            let isNoisy = i % 2 == 1
            for place in isNoisy ? blocks : [blocks[Int(random.next() % 20)]] {
                for k in (isNoisy ? 4 : 6)..<block where !isNoisy || random.next() % 2 == 0 {
                    data[start + i * picture + place + k] = UInt8(truncatingIfNeeded: random.next())
                }
            }
        }
        try data.write(to: URL(filePath: path))
        return path
    }
}

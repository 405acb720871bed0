// An app that has targets called FileIO, Hashing and Playback of its own beside Scrub: namesakes [FILE [POSITION]]
import FileIO
import Hashing
import Playback
import Scrub

// Its own types have words that a toolkit might have taken. If Scrub has the same one, the app's is meant.
struct Picture { var samples: Int }
enum Position { case beginning, end }
struct BIF { var films: [String] }
struct Media { var name: String }
enum Verdict { case good(Scrub.Verdict) }

let arguments = CommandLine.arguments
let path = arguments.count > 1 ? arguments[1] : "testdata/clips/demo.mp4"
let video = try await VideoAsset.open(path: path)
let answer = try await FrameGenerator(video).frame(at: FramePosition(arguments.count > 2 ? arguments[2] : "0.42"))
guard let picture = answer.picture else {
    throw ScrubError(.badData, "no picture: \(answer.verdict.reason ?? "")", file: video.path)
}

var sum: UInt32 = 0
let luma = picture.plane(0)
for row in 0..<luma.rowCount { luma.withRow(row) { sum ^= checksum($0) } }
let own = (Picture(samples: luma.rowCount), Position.beginning, BIF(films: [path]), Media(name: path))
guard case .good(.exact) = Verdict.good(answer.verdict), own.0.samples > 0, own.2.films == [own.3.name] else {
    throw ScrubError(.badData, "the frame is not exact", file: video.path)
}
let wall = PlaybackSpeed(factor: 2).wallSeconds(for: answer.frame.seconds)
print(
    "\(try fileSize(path: path)) bytes; frame \(answer.frame.number), checksum \(sum), \(wall) s after the start at twice the speed"
)

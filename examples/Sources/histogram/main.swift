// The brightness of a frame: counts the samples of its first plane, row by row, without copying them: histogram [FILE
// [POSITION]]
import Scrub

let arguments = CommandLine.arguments
let video = try await VideoAsset.open(path: arguments.count > 1 ? arguments[1] : "testdata/clips/demo.mp4")
let position = try FramePosition(arguments.count > 2 ? arguments[2] : "0.42")
let answer = try await FrameGenerator(video).frame(at: position)
guard let picture = answer.picture else {
    throw ScrubError(.badData, "no picture: \(answer.verdict.reason ?? "")", file: video.path)
}

// The plane is luma where the format's name says so; one byte is one sample only in formats of 8 bits.
guard ["yuv420p", "yuv422p", "yuv444p", "gray"].contains(picture.pixelFormat) else {
    throw ScrubError(.usage, "\(picture.pixelFormat) is not 8-bit luma first", file: video.path)
}
let luma = picture.plane(0)
var counts = [Int](repeating: 0, count: 256)
for row in 0..<luma.rowCount {
    luma.withRow(row) { samples in
        for column in samples.indices { counts[Int(samples[column])] += 1 }
    }
}

print(
    "frame \(answer.frame.number), \(luma.bytesPerRow) x \(luma.rowCount) samples of \(picture.pixelFormat), \(answer.verdict.name)"
)
let bars = stride(from: 0, to: 256, by: 16).map { start in counts[start..<start + 16].reduce(0, +) }
let longest = max(1, bars.max() ?? 1)
for (place, bar) in bars.enumerated() {
    print("\(place * 16)...\(place * 16 + 15)\t\(bar)\t" + String(repeating: "#", count: bar * 50 / longest))
}

// A frame as a PNG, beside libavcodec's encoder with its defaults, in turns; a line of JSON for each film.
//
// usage: PNGBenchmark FILE… [--at 420] [--rounds 9]     (--at: thousandths of the film)
//
// Scrub's time is that of FramePicture.encoded(as: .png) less that of pixels(), the best round of each: all processors
// take part. Ends with 1 when a file is larger than libavcodec's.
import Foundation
import Scrub

var (files, options): ([String], [String: Int]) = ([], ["at": 420, "rounds": 9])
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    guard word.hasPrefix("--") else {
        files.append(word)
        continue
    }
    let name = String(word.dropFirst(2))
    guard options[name] != nil, let value = words.popFirst().flatMap({ Int($0) }), value >= 0 else {
        FileHandle.standardError.write(Data("\(word) is not an option with a number\n".utf8))
        exit(64)
    }
    options[name] = value
}
guard !files.isEmpty, let at = options["at"], at < 1000, let rounds = options["rounds"], rounds > 0 else {
    print("usage: PNGBenchmark FILE… [--at 420] [--rounds 9]")
    exit(64)
}

func milliseconds(_ duration: Duration) -> Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
}

func rounded(_ value: Double, _ digits: Int) -> NSDecimalNumber {
    NSDecimalNumber(string: String(format: "%.\(digits)f", value))
}

var isRight = true
for path in files {
    let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    var reader = FrameReader(asset)
    guard let picture = try reader.frame(numbered: asset.frames.count * at / 1000).picture else {
        throw LibavPNG.Failure(description: "\(path): the frame cannot be decoded")
    }
    var (own, pixels, other) = (Duration.seconds(1000), Duration.seconds(1000), Duration.seconds(1000))
    var (ownCount, otherCount, width, height) = (0, 0, 0, 0)
    for _ in 0..<rounds {
        let start = ContinuousClock.now
        let image = try picture.pixels(.rgb8)
        let middle = ContinuousClock.now
        let file = try picture.encoded(as: .png)
        let end = ContinuousClock.now
        (pixels, own) = (min(pixels, middle - start), min(own, end - middle))
        let reference = try LibavPNG.encode(image)
        other = min(other, reference.time)
        (ownCount, otherCount) = (file.bytes.count, reference.byteCount)
        (width, height) = (file.width, file.height)
    }
    let time = milliseconds(own - pixels)
    let line: [String: Any] = [
        "film": URL(filePath: path).lastPathComponent, "frame": asset.frames.count * at / 1000,
        "size": "\(width)x\(height)", "bytes": ownCount, "ms": rounded(time, 1),
        "wholeMs": rounded(milliseconds(own), 1), "libavBytes": otherCount,
        "libavMs": rounded(milliseconds(other), 1),
        "bytesRatio": rounded(Double(ownCount) / Double(otherCount), 3),
        "timeRatio": rounded(time / milliseconds(other), 3),
    ]
    let data = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys, .withoutEscapingSlashes])
    FileHandle.standardOutput.write(data + Data("\n".utf8))
    if ownCount > otherCount { isRight = false }
}
exit(isRight ? 0 : 1)

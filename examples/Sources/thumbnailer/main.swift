// Twelve pictures of a film, evenly spread, each from the frame near its place that costs least: thumbnailer [FILE
// [FOLDER]]
import Foundation
import Scrub

let arguments = CommandLine.arguments
let video = try await VideoAsset.open(path: arguments.count > 1 ? arguments[1] : "testdata/clips/demo.mp4")
let folder = URL(fileURLWithPath: arguments.count > 2 ? arguments[2] : ".")
let generator = try FrameGenerator(video)
let positions = (0..<12).map { FramePosition.fraction(Rational(2 * $0 + 1, 24)) }
for try await result in generator.frames(at: positions, tolerance: .within(0.5)) {
    guard let picture = try result.get().picture else { continue }
    let jpeg = try picture.encoded(as: .jpeg, options: FramePicture.Options(size: .width(320)))
    let file = folder.appending(path: "\(result.index + 1).jpg")
    try Data(jpeg.bytes).write(to: file)
    print("\(file.path): frame \(try result.get().frame.number), \(jpeg.width) x \(jpeg.height)")
}

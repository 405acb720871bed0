import Scrub

func exactFrames(_ video: VideoAsset) async throws {
    let answer = try await video.frame(at: .seconds(12.5))
    print(answer.requestedTime, answer.actualTime, answer.frame.number, answer.verdict.name)

    let image = try await video.image(at: .fraction(0.42), options: .init(size: .maximum(width: 640, height: 360)))
    print(image.frame.formatted(), image.pixels.width, image.pixels.height, image.pixels.bytesPerRow)
}

func manyFrames(_ video: VideoAsset, _ show: (FrameAnswer) async throws -> Void) async throws {
    let generator = try FrameGenerator(video)
    for seconds in 0..<10 { try await show(generator.frame(at: .seconds(seconds))) }
}

func positions(_ slider: Double) async throws -> [FramePosition] {
    var positions: [FramePosition] = [
        .first,
        .frame(1234),
        .frame(-1),
        .seconds(12.5),
        .seconds(Rational(1001, 30000)),
        .time(.milliseconds(90)),
        .fraction(0.42),
        try FramePosition("1:02.5"),
    ]
    if let position = FramePosition.seconds(approximating: slider) { positions.append(position) }
    return positions
}

func verdicts(_ answer: FrameAnswer) -> FramePicture? {
    switch answer.verdict {
    case .exact: return answer.picture
    case .damaged(let reason), .approximate(let reason):
        print("frame \(answer.frame.number): \(reason)")
        return answer.picture
    case .undecodable(let reason):
        print("frame \(answer.frame.number) has no picture: \(reason)")
        return nil
    }
}

func tolerances(_ generator: FrameGenerator) async throws {
    let near = try await generator.frame(at: .seconds(60), tolerance: FrameTolerance(before: 2, after: 0.5))
    let any = try await generator.frame(at: .seconds(60), tolerance: .any)
    print(near.actualTime - near.requestedTime, any.decodedPictureCount)
}

func newest(_ generator: FrameGenerator, _ time: Double) async throws -> FrameAnswer? {
    guard let position = FramePosition.seconds(approximating: time) else { return nil }
    do {
        return try await generator.frame(at: position, cancelsPending: true)
    } catch is CancellationError {
        return nil  // A newer request came, or the task was cancelled.
    }
}

func images(_ generator: FrameGenerator) async throws {
    let small = FramePicture.Options(size: .maximum(width: 640, height: 360))
    let image = try await generator.image(at: .seconds(12.5), layout: .bgra8, alpha: .premultiplied, options: small)
    print(image.pixels.width, image.pixels.height, image.pixels.bytesPerRow, image.pixels.bytes.count)

    let jpeg = try await generator.encodedImage(at: .seconds(12.5), as: .jpeg, options: small, quality: 85)
    print(jpeg.bytes.count)
}

func intoMemory(_ picture: FramePicture, _ surface: UnsafeMutableRawBufferPointer, stride: Int) throws {
    let (width, height) = try picture.outputSize()
    precondition(stride >= width * 4 && surface.count >= stride * height)
    try picture.write(.bgra8, alpha: .premultiplied, into: surface, bytesPerRow: stride)
}

func planes(_ picture: FramePicture) {
    print(picture.pixelFormat, picture.width, picture.height)
    let luma = picture.plane(0)
    var sum = 0
    for row in 0..<luma.rowCount {
        luma.withRow(row) { samples in
            for column in samples.indices { sum += Int(samples[column]) }
        }
    }
}

func dynamicRange(_ picture: FramePicture) throws {
    let toned = try picture.encoded(as: .jpeg)
    let kept = try picture.encoded(as: .avif, options: FramePicture.Options(dynamicRange: .matchSource))
    print(toned.bytes.count, kept.bytes.count, kept.warnings)
}

import Scrub

func series(_ generator: FrameGenerator) async throws {
    for try await result in generator.frames(at: [.first, .seconds(5), .frame(1_000_000), .last]) {
        switch result.result {
        case .success(let answer): print(result.index, answer.frame.number, answer.verdict.name)
        case .failure(let error): print(result.index, error)
        }
    }
}

func order(_ generator: FrameGenerator, _ positions: [FramePosition]) async throws {
    for try await result in generator.frames(at: positions, tolerance: .within(2), order: .asDecoded) {
        print(result.index, try result.get().actualTime)
    }
}

func files(_ generator: FrameGenerator, _ positions: [FramePosition], in folder: String) async throws {
    let options = FramePicture.Options(size: .maximum(width: 320, height: 180))
    for try await result in generator.encodedFrames(at: positions, as: .jpeg, order: .asDecoded, options: options) {
        try result.get().file.write(to: "\(folder)/\(result.index).jpg")
    }
}

@MainActor final class Filmstrip {
    private var loading: Task<Void, any Error>?
    private(set) var pictures: [Int: FramePicture] = [:]

    func load(_ positions: [FramePosition], from generator: FrameGenerator) {
        loading?.cancel()
        loading = Task {
            for try await result in generator.frames(at: positions, tolerance: .any) {
                pictures[result.index] = try? result.get().picture
            }
        }
    }
}

func everySecond(_ video: VideoAsset, _ generator: FrameGenerator) async throws {
    let seconds = Int64(video.duration.doubleValue)
    for try await result in generator.frames(at: (0...seconds).map { .seconds(Rational($0)) }) {
        print(try result.get().actualTime)
    }
}

func blocking(path: String) throws {
    let video = try VideoAsset(path: path)
    var reader = FrameReader(video)
    let answer = try reader.frame(at: .last)
    try answer.picture?.writePNG(to: "last.png")
    for result in try reader.frames(at: [.first, .fraction(0.5)]) {
        print(try result.get().frame.number)
    }
}

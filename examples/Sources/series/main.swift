// Decodes every frame of a film in a task, and cancels it half way: series [FILE]
import Scrub

let path = CommandLine.arguments.dropFirst().first ?? "testdata/clips/demo.mp4"
let video = try await VideoAsset.open(path: path)
let generator = try FrameGenerator(video)
let half = video.frames.count / 2
let (counts, count) = AsyncStream.makeStream(of: Int.self)

let work = Task {
    defer { count.finish() }
    var hashes: [String] = []
    for try await result in generator.frames(at: video.frames.indices.map { .frame($0) }) {
        // Damage concerns one frame, and not the loop: it is in that frame's result.
        guard case .success(let answer) = result.result, let picture = answer.picture else {
            print("frame \(result.index): no picture")
            continue
        }
        hashes.append(try picture.md5())
        count.yield(hashes.count)
    }
    return hashes
}

for await done in counts where done == half {
    print("\(done) of \(video.frames.count) frames decoded, enough")
    work.cancel()
}
do {
    print("all \(try await work.value.count) frames decoded")
} catch is CancellationError {
    print("cancelled: the decoder has stopped between two packets")
}

// The generator goes on; a series that was left costs it nothing.
let last = try await generator.frame(at: .last)
print("the last frame, number \(last.frame.number), comes at \(last.actualTime.doubleValue) s: \(last.verdict.name)")

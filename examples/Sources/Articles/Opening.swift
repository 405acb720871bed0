import Scrub

func opening() async throws {
    let video = try await VideoAsset.open(path: "film.mp4")
    print(video.frames.count, "frames,", video.duration.doubleValue, "seconds")
    for frame in video.frames.prefix(10) where frame.isKeyframe {
        print(frame.number, frame.time, frame.seconds)
    }
}

func openingWithOptions() async throws {
    var options = VideoAsset.OpenOptions(stream: 2, cache: .none)
    options.limits.maximumPictureByteCount = 64 << 20
    options.progress = { print("\(Int(($0.fraction ?? 0) * 100)) %") }
    let video = try await VideoAsset.open(path: "recording.ts", options: options)
    print(video.openReport.indexOrigin, video.openReport.elapsed)
}

func openingBytes(_ download: [UInt8]) async throws -> VideoAsset {
    let video = try await VideoAsset.open(bytes: download, name: "download.mp4")
    return video
}

/// A store of objects, as a network library may have one.
protocol Store: Sendable {
    func get(_ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

struct StoredObject: ByteSource {
    let store: any Store
    let byteCount: Int64
    let entityTag: String
    var contentIdentifier: String? { entityTag }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try store.get(offset, buffer)
    }
}

func openingSource(_ store: any Store) async throws {
    let object = StoredObject(store: store, byteCount: 1_234_567, entityTag: "\"5f1d\"")
    let video = try await VideoAsset.open(source: object, name: "film.mp4")
    if let missing = video.missingMedia { print(missing) }
}

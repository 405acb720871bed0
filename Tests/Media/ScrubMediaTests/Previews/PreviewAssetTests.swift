import Foundation
import ScrubMedia
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The previews of a video: where they are, and that they are never another film's.
@Suite struct PreviewAssetTests {
    private let recipe = PreviewCoder.Recipe(longSide: 320, quality: 70)

    private func film(_ folder: TemporaryFolder) throws -> VideoAsset {
        if !folder.contents.contains("film.mp4") {
            try folder.write(
                try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-bf3-2ref.mp4")), to: "film.mp4")
            try folder.age("film.mp4", to: 1_000_000_000)
        }
        return try VideoAsset(
            path: folder.path(of: "film.mp4"),
            options: VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path(of: "cache"))))
    }

    @Test func theyLieBesideTheIndex() throws {
        let folder = try TemporaryFolder()
        do {
            let previews = try #require(try film(folder).keptPreviews(recipe))
            #expect(previews.append([(0, [1, 2, 3]), (1, [4])]))
        }
        let suffixes = TemporaryFolder.names(folder.path(of: "cache")).compactMap { $0.split(separator: ".").last }
        #expect(Set(suffixes) == ["scrubindex", "scrubpreviews"])
        let previews = try #require(try film(folder).keptPreviews(recipe, isWriter: false))
        #expect(previews.pictures == [0, 1] && previews.bytes(ofPicture: 0) == [1, 2, 3])
    }

    @Test func whatIsNotSavedHasNone() throws {
        let folder = try TemporaryFolder()
        _ = try film(folder)
        let path = folder.path(of: "film.mp4")
        #expect(
            try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)).keptPreviews(recipe) == nil)
        let cache = VideoAsset.IndexCache(path: folder.path(of: "cache"))
        let options = VideoAsset.OpenOptions(cache: cache)
        let unknown = try VideoAsset(bytes: Array(try folder.bytes("film.mp4")), options: options)
        #expect(unknown.keptPreviews(recipe) == nil)
        let nothing = VideoAsset.IndexCache(path: folder.path(of: "cache"), byteLimit: 0)
        #expect(
            try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: nothing)).keptPreviews(recipe) == nil)
    }

    /// A recording has previews once it is written to its end, and none of what is written over it later.
    @Test func aRecordingHasThemWhenItIsWhole() async throws {
        let folder = try TemporaryFolder()
        let bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-bf3.mkv")))
        let path = try folder.write(bytes.prefix(bytes.count * 2 / 3), to: "film.mkv")
        let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path(of: "cache")))
        let growing = try await GrowingVideo.open(path: path, options: options)
        #expect(try #require(growing.asset).keptPreviews(recipe) == nil)
        let writer = try FileHandle(forUpdating: URL(filePath: path))
        try writer.seekToEnd()
        try writer.write(contentsOf: bytes.suffix(from: bytes.count * 2 / 3))
        try writer.close()
        let whole = try #require(try await growing.finish().asset)
        let previews = try #require(whole.keptPreviews(recipe))
        #expect(previews.append([(0, [1])]))
        try folder.age("film.mkv", to: 1_200_000_000)
        #expect(!previews.append([(1, [1])]) && previews.pictures == [0])
    }

    @Test(arguments: ["touched", "written over", "cut"])
    func aChangedFileGetsNoMoreUnderTheOldKey(_ change: String) throws {
        let folder = try TemporaryFolder()
        let video = try film(folder)
        let previews = try #require(video.keptPreviews(recipe))
        #expect(previews.append([(0, [1])]))
        let file = try FileHandle(forUpdating: URL(filePath: folder.path(of: "film.mp4")))
        let size = try file.seekToEnd()
        switch change {
        case "touched": try folder.age("film.mp4", to: 1_200_000_000)
        case "cut": try file.truncate(atOffset: size - 1)
        default:
            try file.seek(toOffset: size / 2)
            try file.write(contentsOf: [1, 2, 3])
        }
        try file.close()
        #expect(!previews.append([(1, [2])]) && previews.pictures == [0])
        #expect(previews.bytes(ofPicture: 0) == [1])
        // Another video of the old state may not either, as soon as it looks; the new state has its own file.
        #expect(video.keptPreviews(recipe)?.append([(1, [2])]) == false)
        if change != "cut" {
            let now = try #require(try film(folder).keptPreviews(recipe))
            #expect(now.count == 0 && now.append([(1, [2])]))
            #expect(previews.pictures == [0])
        }
    }
}

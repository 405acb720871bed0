import Foundation
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Files that change while a video is open: an answer is that of the file as it was, or reports the change.
@Suite struct ChangedFileTests {
    enum Change: CaseIterable {
        case cut, emptied, writtenOver, rewritten, touched
        // After these the bytes are still there.
        case appended, replaced, removed

        var isHarmless: Bool { [.appended, .replaced, .removed].contains(self) }
    }

    private func make(_ change: Change, _ folder: TemporaryFolder) throws {
        let path = folder.path(of: "film.mp4")
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        let size = try file.seekToEnd()
        switch change {
        case .cut: try file.truncate(atOffset: size * 2 / 3)
        case .emptied: try file.truncate(atOffset: 0)
        case .writtenOver:
            try file.seek(toOffset: size / 2)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 1000))
        case .rewritten:
            // As a program does that makes the file once more, and longer.
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-bf3.mp4")))
            try file.write(contentsOf: Data(repeating: 7, count: 60_000))
        case .touched: try folder.age("film.mp4", to: 1_200_000_000)
        case .appended:
            try file.seekToEnd()
            try file.write(contentsOf: Data(repeating: 0xA5, count: 100_000))
        case .replaced:
            try folder.write([1, 2, 3], to: "other")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: folder.path(of: "other"), toPath: path)
        case .removed: try FileManager.default.removeItem(atPath: path)
        }
    }

    private func film(_ folder: TemporaryFolder) throws -> (VideoAsset, [String]) {
        let known = try KnownClip("h264-bf3-2ref.mp4")
        let bytes = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-bf3-2ref.mp4"))
        try folder.write(bytes, to: "film.mp4")
        try folder.age("film.mp4", to: 1_000_000_000)
        let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path(of: "cache")))
        return (try VideoAsset(path: folder.path(of: "film.mp4"), options: options), known.hashes)
    }

    @Test(arguments: Change.allCases) func answersAreRightOrSaySo(_ change: Change) throws {
        let folder = try TemporaryFolder()
        let (video, hashes) = try film(folder)
        var reader = FrameReader(video)
        #expect(try reader.frame(numbered: 0).picture?.md5() == hashes[0])
        try make(change, folder)
        var failures = 0
        for number in hashes.indices.reversed() {
            do throws(ScrubError) {
                let answer = try reader.frame(numbered: number)
                #expect(answer.verdict == .exact)
                #expect(try answer.picture?.md5() == hashes[number], "\(change) #\(number)")
            } catch {
                failures += 1
                #expect(error.code == .inputOutput && error.file == video.path, "\(error)")
                #expect(error.cause.contains("while being read"), "\(error)")
            }
        }
        #expect(change.isHarmless ? failures == 0 : failures > 0, "\(change): \(failures) failures")
    }

    @Test(arguments: Change.allCases) func batchesAreRightOrSaySo(_ change: Change) throws {
        let folder = try TemporaryFolder()
        let (video, hashes) = try film(folder)
        var reader = FrameReader(video)
        var isChanged = false
        do {
            try reader.frames(numbered: hashes.indices) { answer in
                let hash = try answer.picture?.md5()
                #expect(answer.verdict != .exact || hash == hashes[answer.frame.number])
                if !isChanged { try make(change, folder) }
                isChanged = true
            }
        } catch let error as ScrubError {
            #expect(!change.isHarmless && error.code == .inputOutput, "\(error)")
        }
    }

    /// A video that is opened afterwards is the file as it is now.
    @Test func theIndexOfAChangedFileIsNotFound() throws {
        let folder = try TemporaryFolder()
        let (video, _) = try film(folder)
        #expect(video.openReport.indexOrigin == .built)
        try make(.rewritten, folder)
        #expect(throws: ScrubError.self) { try video.info() }
        let options = VideoAsset.OpenOptions(cache: VideoAsset.IndexCache(path: folder.path(of: "cache")))
        let other = try VideoAsset(path: folder.path(of: "film.mp4"), options: options)
        #expect(other.openReport.indexOrigin == .built && other.frames.count == 100)
    }
}

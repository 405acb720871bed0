import ScrubFileIO
import Foundation
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubIndex

struct UnfinishedFileTests {
    static let clips = Repository.clips

    private func complaint(_ path: String) throws -> String? {
        try UnfinishedFile.complaint(of: MediaSource(path: path))
    }

    /// The clips that are cut: all others are whole, and would be waited for otherwise.
    private static let cut: Set<String> = [
        "damaged-frag-cut.mp4", "damaged-mdat-cut.mp4", "damaged-ts-cut.ts", "refused-empty.mp4",
        "refused-moov-cut.mp4", "refused-no-moov.mp4", "truncated.mkv",
    ]

    @Test func wholeFilesAreWhole() throws {
        for name in TemporaryFolder.names(UnfinishedFileTests.clips) {
            let path = UnfinishedFileTests.clips + "/" + name
            guard FileFacts(path: path)?.kind == .file else { continue }
            let found = try complaint(path)
            #expect((found != nil) == UnfinishedFileTests.cut.contains(name), "\(name): \(found ?? "")")
        }
    }

    /// Of a copy that is under way the container's head is there, or not even that.
    @Test(arguments: ["h264-bf3.mp4", "h264-open-gop.mkv", "h264-one-key.mp4"]) func cutFilesAreNot(_ name: String)
        throws
    {
        let folder = try TemporaryFolder()
        let bytes = try Data(contentsOf: URL(filePath: UnfinishedFileTests.clips + "/" + name))
        for count in [0, 1, 100, bytes.count / 3, bytes.count / 2, bytes.count - 1] {
            let path = try folder.write(bytes.prefix(count), to: "film")
            // A file that is too short to be recognized is not a film so far.
            #expect(try complaint(path) != nil || count == 1, "\(count)")
        }
        #expect(try complaint(folder.write(bytes, to: "film")) == nil)
        // Other files have nothing to say.
        #expect(try complaint(folder.write(Array("no film".utf8), to: "notes.txt")) == nil)
        #expect(throws: ScrubError.self) { try complaint(folder.path(of: "nothing")) }
    }
}

import ScrubBase
import ScrubFileIO
import ScrubTestSupport
import Testing

/// Where a run's files are while it writes, and what a run that fails leaves.
@Suite struct OutputFolderTests {
    @Test func filesGetTheirNamesTogetherAtTheEnd() throws {
        let folder = try TemporaryFolder()
        do {
            let output = try OutputFolder(path: folder.path(of: "set"))
            let place = try output.makeFolder("web")
            try AtomicFile.write([1], to: .kept(place.work + "/sheet.jpg"))
            #expect(folder.names(in: "set") == [".scrub-unfinished"])
            try output.commit()
            #expect(place.final == folder.path(of: "set/web"))
        }
        #expect(folder.names(in: "set") == ["web"])
        #expect(folder.names(in: "set/web") == ["sheet.jpg"])
    }

    @Test func aRunThatFailsLeavesNothing() throws {
        let folder = try TemporaryFolder()
        do {
            let output = try OutputFolder(path: folder.path(of: "set"))
            try AtomicFile.write([1], to: .kept(output.workPath + "/sheet.jpg"))
        }
        #expect(folder.contents == [])
    }

    /// A caller that gives the whole folder its name later has no use for a second one inside.
    @Test func inAStagedFolderFilesAreMadeInTheirPlaces() throws {
        let folder = try TemporaryFolder()
        let name = OutputFolder.stagingPrefix + "1"
        try Folder.make(folder.path(of: name))
        try folder.write([7], to: name + "/.scrub-thumbnails.journal")
        do {
            let output = try OutputFolder(path: folder.path(of: name))
            let place = try output.makeFolder("web")
            #expect(place.work == place.final && output.workPath == output.path)
            try AtomicFile.write([1], to: .kept(place.work + "/sheet.jpg"))
            #expect(folder.names(in: name) == [".scrub-thumbnails.journal", "web"])
            try output.commit()
        }
        #expect(folder.names(in: name) == [".scrub-thumbnails.journal", "web"])
        #expect(folder.names(in: name + "/web") == ["sheet.jpg"])
    }

    /// It is locked all the same.
    @Test func aStagedFolderIsOneRuns() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: OutputFolder.stagingPrefix + "1")
        let output = try OutputFolder(path: path)
        #expect(throws: ScrubError.self) { _ = try OutputFolder(path: path) }
        withExtendedLifetime(output) {}
    }
}

extension TemporaryFolder {
    fileprivate func names(in name: String) -> [String] { TemporaryFolder.names(path(of: name)) }
}

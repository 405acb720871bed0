import ScrubFileIO
import Foundation
import Glibc
import ScrubBase
import ScrubTestSupport
import Testing

/// The kernel queues an event before the call that made it returns: nothing waits.
struct FolderWatchTests {
    private func watch(_ path: String, _ watch: FolderWatch) throws -> Int32 {
        guard case .watched(let number) = watch.add(path) else { throw ScrubError(.unavailable, "no watch") }
        return number
    }

    @Test func changesOfNamesAreReported() throws {
        let folder = try TemporaryFolder()
        let events = try FolderWatch()
        let number = try watch(folder.path, events)
        #expect(events.events() == [])
        typealias Event = FolderWatch.Event
        func came(_ name: String, _ isFolder: Bool = false) -> Event {
            Event(.came, watch: number, name: name, isFolder: isFolder)
        }
        func went(_ name: String, _ isFolder: Bool = false) -> Event {
            Event(.went, watch: number, name: name, isFolder: isFolder)
        }
        let odd = "a\nb \u{10FFFF}"
        try AtomicFile.write([1], to: .kept(folder.path + "/x"))
        #expect(events.events().last == came("x"))
        // Reading tells nothing, writing does when it is over.
        _ = try folder.bytes("x")
        #expect(events.events() == [])
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.path + "/x"))
        try handle.write(contentsOf: Data([2]))
        #expect(events.events() == [])
        try handle.close()
        #expect(events.events() == [came("x")])
        #expect(Folder.move(folder.path + "/x", to: folder.path + "/" + odd))
        #expect(events.events() == [went("x"), came(odd)])
        #expect(Folder.removeFile(folder.path + "/" + odd) == nil)
        #expect(events.events() == [went(odd)])
        try Folder.make(folder.path + "/below")
        #expect(events.events() == [came("below", true)])
        // Changes below are not reported unless that folder is watched.
        try AtomicFile.write([1], to: .kept(folder.path + "/below/y"))
        #expect(events.events() == [])
        let below = try watch(folder.path + "/below", events)
        #expect(try watch(folder.path + "/below", events) == below && below != number)
        Folder.removeTree(folder.path + "/below")
        let last = events.events()
        #expect(last.contains(Event(.went, watch: below, name: "y", isFolder: false)))
        #expect(last.contains { $0.kind == .lost && $0.watch == below })
        #expect(last.last == went("below", true))
    }

    @Test func unwatchableFoldersAreErrors() throws {
        let folder = try TemporaryFolder()
        try folder.write([1], to: "file")
        let events = try FolderWatch()
        for name in ["/nothing", "/file", "/file/below", "/a\0b"] { #expect(events.add(folder.path + name) == .isGone) }
        let number = try watch(folder.path, events)
        events.remove(number)
        events.remove(number)
        events.remove(-1)
        try folder.write([1], to: "other")
        #expect(events.events().allSatisfy { $0.kind == .lost })
    }

    /// A wait that another thread ends.
    @Test func aSignalEndsAWait() throws {
        let (events, bell) = (try FolderWatch(), try WakeEvent())
        bell.signal()
        events.wait(or: bell, milliseconds: 60_000)
        let folder = try TemporaryFolder()
        _ = try watch(folder.path, events)
        try folder.write([1], to: "x")
        events.wait(or: bell, milliseconds: 60_000)
        #expect(!events.events().isEmpty)
    }

    @Test func writersAreSeenWhereTheSystemTells() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([1, 2], to: "x")
        let first = FileFacts.hasWriter(path)
        guard first != nil else { return }
        #expect(first == false)
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        #expect(FileFacts.hasWriter(path) == true)
        let reader = try FileHandle(forReadingFrom: URL(filePath: path))
        try handle.close()
        #expect(FileFacts.hasWriter(path) == false)
        try reader.close()
        // The lease is given back: the next writer does not wait.
        let descriptor = open(path, O_WRONLY | O_NONBLOCK)
        #expect(descriptor >= 0)
        close(descriptor)
        #expect(FileFacts.hasWriter(folder.path + "/nothing") == nil)
        #expect(FileFacts.isAbsent(folder.path + "/nothing") && FileFacts.isAbsent(path + "/x"))
        #expect(!FileFacts.isAbsent(path) && !FileFacts.isAbsent(folder.path))
    }
}

import Foundation
import ScrubMedia
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Processes that are killed while they append, full disks, and files that are removed while they are open.
@Suite struct PreviewFaultTests {
    /// Groups of 25, until the process is killed.
    private static func appendForever(_ path: String, from first: Int, dyingAfter microseconds: UInt32) throws {
        let folder = try TemporaryFolder()
        let bench = try PreviewBench(folder, cache: path)
        guard let file = bench.open(), file.isWriting else { exit(3) }
        let killer = Thread {
            usleep(microseconds)
            raise(SIGKILL)
        }
        killer.start()
        var next = first
        while true {
            guard file.append(PreviewBench.previews(next..<next + 25)) else { exit(4) }
            next += 25
            // Told through a file that only grows with what is on the disk.
            let told = FileManager.default.createFile(atPath: path + "/told", contents: Data("\(next)".utf8))
            guard told else { exit(5) }
        }
    }

    @Test func killedAtAnyMoment() async throws {
        let bench = try PreviewBench()
        try FileManager.default.createDirectory(
            atPath: bench.cache, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let seed = SplitMix.seed()
        print("previews of killed processes: seed \(seed)")
        var random = SplitMix(seed)
        var next = 0
        for round in 0..<8 {
            let moment = UInt32.random(in: 100...60_000, using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = bench.cache as String, first = next as Int, moment = moment as UInt32] in
                try PreviewFaultTests.appendForever(path, from: first, dyingAfter: moment)
            }
            let told = (try? String(contentsOfFile: bench.cache + "/told", encoding: .utf8)).flatMap { Int($0) } ?? 0
            let note = "seed \(seed), round \(round), \(told) told"
            guard let file = bench.open() else {
                #expect(told == 0, "\(note)")
                continue
            }
            let found = try #require(PreviewBench.right(file), "\(note)")
            #expect(found.isSuperset(of: Set(0..<told)), "\(note)")
            #expect(found == Set(0..<found.count), "\(note)")
            #expect(file.isWriting, "\(note)")
            // The rest of the group.
            next = (found.count + 24) / 25 * 25
            #expect(file.append(PreviewBench.previews(0..<next)), "\(note)")
            #expect(PreviewBench.right(file) == Set(0..<next), "\(note)")
        }
    }

    /// As a killed process leaves the file after each group, whether an index block was due in it or not.
    @Test func nothingThatWasAppendedIsLost() throws {
        let (bench, copy) = (try PreviewBench(), try PreviewBench())
        let file = try #require(bench.open())
        #expect(copy.open() != nil)
        var next = 0
        for count in [250, 250, 250, 250, 250, 1, 1100, 797, 1, 3000, 17] {
            #expect(file.append(PreviewBench.previews(next..<next + count)))
            next += count
            try copy.replace(try bench.contents(), bench.name)
            let left = try #require(copy.open())
            #expect(left.isWriting && PreviewBench.right(left) == Set(0..<next), "after \(next)")
            #expect(left.append(PreviewBench.previews([next])))
        }
    }

    /// A process that may write no longer files: the write that crosses the limit ends in its middle.
    @Test func aWriteThatEndsInItsMiddle() async throws {
        let bench = try PreviewBench()
        await #expect(processExitsWith: .success) { [path = bench.cache as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 6000, rlim_max: 6000)
            #expect(setrlimit(__rlimit_resource_t(1), &limit) == 0)
            let bench = try PreviewBench(TemporaryFolder(), cache: path)
            let file = try #require(bench.open())
            var (kept, failures) = (Set<Int>(), 0)
            for group in 0..<40 {
                let pictures = group * 10..<group * 10 + 10
                let before = file.byteCount
                if file.append(PreviewBench.previews(pictures)) {
                    kept.formUnion(pictures)
                } else {
                    failures += 1
                    #expect(file.byteCount == before)
                }
                #expect(PreviewBench.right(file) == kept)
            }
            #expect(failures > 0 && !kept.isEmpty)
            // One that still fits.
            if 6000 - file.byteCount > 100 { #expect(file.append(PreviewBench.previews([611]))) }
            exit(failures > 0 ? 0 : 1)
        }
        let file = try #require(bench.open())
        let found = try #require(PreviewBench.right(file))
        #expect(!found.isEmpty && file.isWriting)
        #expect(file.append(PreviewBench.previews(1000..<1100)) && file.count == found.count + 100)
    }

    /// A disk of its own in memory that another file fills: root alone may mount one.
    @Test(.enabled(if: geteuid() == 0, "mounts a disk")) func aFullDisk() async throws {
        let bench = try PreviewBench()
        try FileManager.default.createDirectory(
            atPath: bench.cache, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        await #expect(processExitsWith: .success) { [path = bench.cache as String] in
            try PreviewFaultTests.mountDisk(at: path)
            let bench = try PreviewBench(TemporaryFolder(), cache: path)
            let file = try #require(bench.open())
            #expect(file.append(PreviewBench.previews(0..<100)))
            // Fill it; the room was promised before.
            let other = try #require(fopen(path + "/other", "w"))
            setvbuf(other, nil, _IONBF, 0)
            let block = [UInt8](repeating: 1, count: 4096)
            while fwrite(block, 1, block.count, other) == block.count {}
            fclose(other)
            let before = file.byteCount
            #expect(!file.append(PreviewBench.previews(100..<1000)))
            #expect(file.byteCount == before && PreviewBench.right(file) == Set(0..<100))
            unlink(path + "/other")
            #expect(file.append(PreviewBench.previews(100..<1000)))
            #expect(PreviewBench.right(file) == Set(0..<1000))
            // Where little is left nothing is begun, so that others find some.
            let large = try #require(fopen(path + "/large", "w"))
            for _ in 0..<3968 { fwrite(block, 1, block.count, large) }
            fclose(large)
            let next = try #require(
                PreviewFile(
                    in: bench.directory(freeSpaceFloor: nil), key: bench.key, recipe: .init(longSide: 1, quality: 1),
                    pictureCount: PreviewBench.pictureCount, isWriter: true))
            #expect(!next.append(PreviewBench.previews(0..<3000)) && next.count == 0)
            exit(0)
        }
    }

    /// Mounts 16 MiB of memory for this process's thread alone. The calls are not in Swift's import of the C library.
    private static func mountDisk(at path: String) throws {
        typealias Unshare = @convention(c) (Int32) -> Int32
        typealias Mount =
            @convention(c) (
                UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt, UnsafeRawPointer?
            ) -> Int32
        let program = dlopen(nil, RTLD_NOW)
        let unshare = unsafeBitCast(try #require(dlsym(program, "unshare")), to: Unshare.self)
        let mount = unsafeBitCast(try #require(dlsym(program, "mount")), to: Mount.self)
        // CLONE_NEWNS; then MS_REC and MS_PRIVATE, so that it is not seen elsewhere.
        try #require(unshare(0x2_0000) == 0)
        try #require(mount("none", "/", nil, 0x4000 | 1 << 18, nil) == 0)
        try #require(
            "size=16m,mode=0700".withCString { mount("tmpfs", path, "tmpfs", 0, UnsafeRawPointer($0)) } == 0)
    }

    /// One thread appends, one reads the same file, and one reads it as another process does.
    @Test func readWhileItIsWritten() async throws {
        let bench = try PreviewBench()
        let file = try #require(bench.open())
        #expect(file.append(PreviewBench.previews(0..<1)))
        let link = bench.folder.path(of: "link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.cache)
        let other = try #require(try PreviewBench(bench.folder, cache: link).open(isWriter: false))
        let last = 100 * 25
        await withTaskGroup { group in
            group.addTask {
                for first in stride(from: 0, to: last, by: 25) {
                    #expect(file.append(PreviewBench.previews(first..<first + 25)))
                }
            }
            for reader in [file, other] {
                group.addTask {
                    var found = 0
                    while found < last {
                        reader.refresh()
                        let right = PreviewBench.right(reader)
                        #expect(right.map { $0.count >= found } == true)
                        guard let right else { return }
                        found = right.count
                        await Task.yield()
                    }
                }
            }
        }
        #expect(file.pictures == Set(0..<last) && other.pictures == file.pictures)
    }

    @Test func removedWhileItIsOpen() throws {
        let bench = try PreviewBench()
        let file = try #require(bench.open())
        #expect(file.append(PreviewBench.previews(0..<10)))
        try FileManager.default.removeItem(atPath: bench.path)
        #expect(PreviewBench.right(file) == Set(0..<10))
        // What no one can find again is not written.
        #expect(!file.append(PreviewBench.previews(10..<20)) && file.count == 10)
        let next = try #require(bench.open())
        #expect(next.isWriting && next.count == 0 && next.append(PreviewBench.previews(50..<60)))
        #expect(PreviewBench.right(file) == Set(0..<10) && PreviewBench.right(next) == Set(50..<60))
        #expect(!file.append(PreviewBench.previews([70])))
    }
}

import Foundation
import ScrubFileIO
import ScrubMedia
import ScrubPictures
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Files of previews that were cut or changed: what comes out is the right preview or nothing, and they go on.
@Suite struct PreviewDamageTests {
    /// A small file with index blocks of two openings, and records behind the last one.
    private func small() throws -> (PreviewBench, bytes: [UInt8], name: String) {
        let bench = try PreviewBench()
        for group in [0..<4, 4..<6] { #expect(bench.open()?.append(PreviewBench.previews(group)) == true) }
        let file = try #require(bench.open())
        #expect(file.append(PreviewBench.previews(6..<9)))
        // As it is before the last block is written: the next group is being appended.
        return (bench, try bench.contents(), bench.name)
    }

    /// Looks at a file as it was left: first as a reader, then as the next writer.
    private func expectRight(
        _ bench: PreviewBench, _ bytes: [UInt8], _ name: String, atLeast: Set<Int> = [], _ note: String
    ) throws {
        try bench.replace(bytes, name)
        if let reader = bench.open(isWriter: false) {
            let found = PreviewBench.right(reader)
            #expect(found?.isSubset(of: Set(0..<9)) == true && found?.isSuperset(of: atLeast) == true, "\(note)")
        } else {
            #expect(atLeast.isEmpty, "\(note)")
        }
        #expect(try bench.contents() == bytes, "\(note)")
        var before: Set<Int> = []
        do {
            let writer = try #require(bench.open(), "\(note)")
            before = try #require(PreviewBench.right(writer), "\(note)")
            #expect(before.isSuperset(of: atLeast), "\(note)")
            #expect(writer.append(PreviewBench.previews([100, 3, 101])), "\(note)")
            #expect(PreviewBench.right(writer) == before.union([3, 100, 101]), "\(note)")
        }
        let again = try #require(bench.open(isWriter: false), "\(note)")
        #expect(PreviewBench.right(again) == before.union([3, 100, 101]), "\(note)")
        // What it became is whole for one who reads all of it, or known to be damaged.
        #expect(PackCheck(path: bench.path, checksum: { PreviewDamageTests.hash($0, $1) }) != nil)
    }

    /// Any will do where only reading counts.
    private static func hash(_ bytes: Span<UInt8>, _ seed: UInt64) -> UInt64 { seed &+ UInt64(bytes.count) }

    @Test func cutAnywhere() throws {
        let (bench, bytes, name) = try small()
        var kept: Set<Int> = []
        for count in bytes.indices {
            // A longer part has all that a shorter one has.
            try bench.replace(Array(bytes.prefix(count)), name)
            let now = bench.open(isWriter: false).flatMap(PreviewBench.right) ?? []
            #expect(now.isSuperset(of: kept), "\(count)")
            kept = now
            try expectRight(bench, Array(bytes.prefix(count)), name, atLeast: kept, "cut at \(count)")
        }
        #expect(kept == Set(0..<8))
        try expectRight(bench, bytes, name, atLeast: Set(0..<9), "whole")
    }

    /// Cut, and something else behind it: zeros, as a file system leaves them, or another file's bytes.
    @Test func somethingElseBehind() throws {
        let (bench, bytes, name) = try small()
        for count in stride(from: 0, to: bytes.count, by: 7) {
            let front = Array(bytes.prefix(count))
            try expectRight(bench, front + [UInt8](repeating: 0, count: 500), name, "zeros at \(count)")
            try expectRight(bench, front + bytes, name, "itself at \(count)")
            try expectRight(bench, front + bytes.dropFirst(bytes.count / 2), name, "its half at \(count)")
        }
    }

    @Test(arguments: [UInt8(0xFF), 1]) func everyByteChanged(_ bits: UInt8) throws {
        let (bench, bytes, name) = try small()
        for place in bytes.indices {
            var other = bytes
            other[place] ^= bits
            try expectRight(bench, other, name, "byte \(place)")
        }
    }

    /// Behind the file's beginning a changed byte costs one preview where index blocks have the others.
    @Test func oneChangedByteCostsOnePreview() throws {
        let bench = try PreviewBench()
        #expect(bench.open()?.append(PreviewBench.previews(0..<3000)) == true)
        let (bytes, name) = (try bench.contents(), bench.name)
        var random = SplitMix(3)
        for _ in 0..<60 {
            let place = Int.random(in: 136..<bytes.count, using: &random)
            var other = bytes
            other[place] ^= 0x10
            try bench.replace(other, name)
            let found = bench.open(isWriter: false).flatMap(PreviewBench.right) ?? []
            // In a block: that one's previews are found by their heads.
            #expect(found.count >= 2999, "byte \(place): \(found.count)")
        }
    }

    /// Numbers at the edges, under checksums that are right: a program with a bug could have written them.
    @Test func numbersAtTheEdges() throws {
        let bench = try PreviewBench()
        let hash: RecordPack.Checksum = { _, seed in seed & 0xFF }
        let title: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        func open(_ isWriter: Bool) -> RecordPack? {
            RecordPack.open(
                "a", in: bench.directory(), title: title, below: 1000, mayWrite: isWriter, checksum: hash)
        }
        #expect(open(true)?.append((0..<2).map { ($0, [UInt8($0)]) }) == true)
        let (bytes, name) = (try bench.contents(), bench.name)
        let edges: [UInt64] = [
            0, 1, 31, 32, 1000, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 62, 1 << 63 - 32, 1 << 63 - 1, 1 << 63, .max - 31,
            .max,
        ]
        // Whatever field lies there. With this checksum most of them are believed.
        for place in 16...bytes.count - 8 {
            for edge in edges {
                var other = bytes
                withUnsafeBytes(of: edge) { other.replaceSubrange(place..<place + 8, with: $0) }
                try bench.replace(other, name)
                for isWriter in [false, true] {
                    guard let pack = open(isWriter) else { continue }
                    #expect(pack.numbers.isSubset(of: Set(0..<1000)), "\(place) \(edge)")
                    for number in pack.numbers { _ = pack.record(number) }
                    pack.refresh()
                    if isWriter { #expect(pack.append([(900, [1])]), "\(place) \(edge)") }
                }
                _ = PackCheck(path: bench.path, checksum: hash)
            }
        }
    }
}

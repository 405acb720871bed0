import ScrubFileIO
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubBatch

@Suite("What grows with a library") struct BatchGrowthTests {
    @Test func sumsAreThoseOfTheRows() throws {
        let folder = try TemporaryFolder()
        let state = try BatchState(path: folder.path(of: "state.sqlite"), isOwn: true)
        #expect(try state.totals().isEmpty)
        let rows = (0..<30).map { number in
            var row = BatchState.Row(
                place: "film \(number)", path: "/film \(number)", status: number % 3 == 0 ? .failed : .done)
            (row.pictures, row.byteCount, row.cpu) = (number, number << 30, Double(number) / 4)
            return row
        }
        try state.record(rows)
        let totals = try state.totals()
        #expect(Set(totals.keys) == [.failed, .done])
        for (status, sums) in totals {
            let those = rows.filter { $0.status == status }
            #expect(sums.films == those.count)
            #expect(sums.pictures == those.reduce(0) { $0 + $1.pictures })
            #expect(sums.bytes == those.reduce(0) { $0 + $1.byteCount })
            #expect(sums.cpu == those.reduce(0) { $0 + $1.cpu })
        }
    }

    /// A library's films all wait at first: their rows were as large again thrice, and there were two copies of all.
    @Test func aFilmThatWaitsTakesLittle() throws {
        #expect(MemoryLayout<BatchItem>.size <= 136)
        let library = try BatchLibrary()
        var scan = BatchScan(library.options(), "key", nil, abandoned: ["h264-bf3.mp4": "/h264-bf3.mp4"])
        try scan.look(into: [.folder(library.films, prefix: "")], stopsAdmitting: { false }) { _ in }
        #expect(scan.work.count == 3)
        let (work, suspects) = scan.ordered()
        #expect(Set(work.map(\.file.place)) == ["below/h264-open-gop.mkv", "below/nonzero.ts"])
        #expect(suspects.map(\.file.place) == ["h264-bf3.mp4"])
        #expect(scan.work.isEmpty)
    }
}

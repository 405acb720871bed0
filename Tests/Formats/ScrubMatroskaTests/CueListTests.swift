@testable import ScrubMatroska
import ScrubBase
import Testing

@Suite struct CueListTests {
    /// A point that names clusters by their offsets from the segment's content.
    private func point(time: UInt64, _ places: (track: UInt64, position: UInt64)...) -> [UInt8] {
        element(
            [0xBB], element([0xB3], number(time)),
            places.flatMap { place in
                element([0xB7], element([0xF7], number(place.track)), element([0xF1], number(place.position)))
            })
    }

    /// A file of clusters, each with one block, and with cues behind them that a seek head names.
    private func bytes(times: [UInt64], cues: ([Int]) -> [UInt8], isNamed: Bool = true) -> [UInt8] {
        var builder = MatroskaBuilder()
        builder.clusters = times.map {
            MatroskaBuilder.cluster(time: $0, element(ID.simpleBlock, MatroskaBuilder.block(time: 0, payload(20))))
        }
        let seekHead = { (position: Int) in
            element(
                [0x11, 0x4D, 0x9B, 0x74],
                element(
                    [0x4D, 0xBB], element([0x53, 0xAB], ID.cues), element([0x53, 0xAC], number(UInt64(position)))))
        }
        // The position has as many bytes as the length of the file needs.
        let length = seekHead(0xFFFF).count
        let first = builder.info.count + builder.tracks.count + length
        var places: [Int] = []
        var place = first
        for cluster in builder.clusters {
            places.append(place)
            place += cluster.count
        }
        builder.beforeClusters = isNamed ? seekHead(place) : [UInt8](element(ID.void, payload(length - 9)))
        if isNamed, builder.beforeClusters.count < length {
            builder.beforeClusters += element(
                ID.void, payload(length - builder.beforeClusters.count - 2), sizeLength: 1)
        }
        builder.tail = element(ID.cues, cues(places))
        return builder.bytes
    }

    private func list(_ bytes: [UInt8]) throws -> (list: CueList, segment: MatroskaSegment) {
        let source = MemorySource(bytes)
        let segment = try MatroskaSegment(reading: source)
        return (CueList(of: segment, track: 1, reading: source), segment)
    }

    @Test func cuesAreReadWhereTheSeekHeadSays() throws {
        let times: [UInt64] = [0, 1000, 2000, 3000, 4000, 5000, 6000, 7000]
        let bytes = bytes(times: times) { places in
            zip(times, places).flatMap { point(time: $0, (1, UInt64($1))) }
        }
        let (list, segment) = try list(bytes)
        #expect(list.cues.map(\.time) == times.map { Int64($0) })
        var clusters = ClusterReader(segment, reading: MemorySource(bytes))
        for cue in list.cues { #expect(try clusters.cluster(at: cue.cluster)?.time == cue.time) }
        #expect(list.last(notAfter: 2999) == 2)
        #expect(list.last(notAfter: -1) == nil)
        #expect(list.last(before: list.cues[3].cluster) == 2)
        #expect(list.next(after: list.cues[3].cluster) == list.cues[4])
        #expect(list.time(at: list.cues[3].cluster + 1) == nil)
    }

    @Test func anotherTracksCuesAreUsedIfThereAreNoOthers() throws {
        let bytes = bytes(times: [0, 1000]) { places in point(time: 1000, (2, UInt64(places[1]))) }
        #expect(try list(bytes).list.cues.map(\.time) == [1000])
        let both = self.bytes(times: [0, 1000, 2000]) { places in
            point(time: 1000, (2, UInt64(places[1])), (1, UInt64(places[1])))
                + point(time: 2000, (2, UInt64(places[2])))
        }
        #expect(try list(both).list.cues.map(\.time) == [1000])
    }

    @Test func cuesThatCannotBeTrueAreNotBelieved() throws {
        // Clusters in the opposite order of the times.
        let reversed = bytes(times: [0, 1000, 2000]) { places in
            point(time: 1000, (1, UInt64(places[2]))) + point(time: 2000, (1, UInt64(places[1])))
        }
        #expect(try list(reversed).list.cues.isEmpty)
        // Before the first cluster.
        let early = bytes(times: [0, 1000]) { _ in point(time: 1000, (1, 0)) }
        #expect(try list(early).list.cues.isEmpty)
        // Beyond 2^63.
        let far = bytes(times: [0, 1000]) { _ in point(time: 1000, (1, .max)) }
        #expect(try list(far).list.cues.isEmpty)
    }

    @Test func afterThreeWrongCuesNoneIsBelieved() {
        var list = CueList((0..<10).map { CueList.Cue(time: $0, cluster: 100 * $0) })
        list.remove(4)
        list.remove(4)
        #expect(list.cues.count == 8)
        list.remove(0)
        #expect(list.cues.isEmpty)
    }

    @Test func clustersAreFoundInPartsOfAFile() throws {
        let times: [UInt64] = [0, 1000, 2000, 3000]
        let bytes = bytes(times: times) { _ in [] }
        let segment = try MatroskaSegment(reading: MemorySource(bytes))
        var clusters = ClusterReader(segment, reading: MemorySource(bytes))
        let end = Int64(bytes.count)
        let first = try #require(try clusters.firstCluster(in: segment.firstCluster..<end))
        #expect(first == ClusterReader.Cluster(offset: segment.firstCluster, time: 0))
        let second = try #require(try clusters.firstCluster(in: first.offset + 1..<end))
        #expect(second.time == 1000)
        #expect(try clusters.lastCluster(in: first.offset..<end)?.time == 3000)
        #expect(try clusters.lastCluster(in: first.offset..<second.offset)?.time == 0)
        #expect(try clusters.firstCluster(in: first.offset + 1..<second.offset) == nil)
        #expect(try clusters.cluster(at: second.offset + 1) == nil)
        #expect(clusters.firstLength == second.offset - first.offset)
    }
}

import ScrubIsolation
import Testing

@testable import ScrubLibAV

/// The pictures that a worker may hand out are of packets that it got.
@Suite struct AwaitedPicturesTests {
    private func refusal(_ body: () throws(WorkerFailure) -> Void) -> WorkerFailure? {
        do throws(WorkerFailure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func nothingComesBeforeAPacket() {
        var awaited = ExpectedPictures()
        #expect(refusal { () throws(WorkerFailure) in try awaited.take(0) } != nil)
    }

    @Test func aPacketMakesAFewPictures() {
        var awaited = ExpectedPictures()
        awaited.add(7)
        // The second of a packet may have no number.
        for number in [7, 7, Int64.min] {
            #expect(refusal { () throws(WorkerFailure) in try awaited.take(number) } == nil)
        }
        #expect(refusal { () throws(WorkerFailure) in try awaited.take(8) } != nil)
        var count = 0
        while refusal({ () throws(WorkerFailure) in try awaited.take(7) }) == nil, count < 1000 { count += 1 }
        #expect(count < 16)
    }

    @Test func longGonePacketsAreForgotten() {
        var awaited = ExpectedPictures()
        for number in 0..<Int64(10_000) {
            awaited.add(number)
            #expect(refusal { () throws(WorkerFailure) in try awaited.take(number) } == nil)
        }
        #expect(refusal { () throws(WorkerFailure) in try awaited.take(9000) } == nil)
        #expect(refusal { () throws(WorkerFailure) in try awaited.take(100) } != nil)
    }
}

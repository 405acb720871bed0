internal import CScrubFFmpeg
internal import ScrubIsolation

/// The pictures that a worker may hand out: of packets that it got, a few of each, and none before the first.
///
/// A worker that was taken over can still show anything in place of its file's pictures. It cannot go on for ever, and
/// its facts of a picture are of an existing packet.
struct AwaitedPictures {
    private var left = 0
    /// Numbers of the packets that it got last, and how often each.
    private var numbers: [Int64: Int] = [:]
    private var order: [Int64] = []
    private var next = 0

    /// More pictures than any decoder holds back.
    private static let mostAhead = 1024
    /// More pictures than any packet makes.
    private static let mostOfPacket = 16

    /// Records that a packet was sent.
    mutating func add(_ number: Int64) {
        left = min(AwaitedPictures.mostAhead, left) + AwaitedPictures.mostOfPacket
        numbers[number, default: 0] += 1
        guard order.count == 2 * AwaitedPictures.mostAhead else { return order.append(number) }
        let old = order[next]
        order[next] = number
        next = (next + 1) % order.count
        if let count = numbers[old] { numbers[old] = count > 1 ? count - 1 : nil }
    }

    /// Whether the worker got a packet with that number, as far as it is remembered.
    func knows(_ number: Int64) -> Bool { numbers[number] != nil }

    /// Records that a picture came.
    ///
    /// - Throws: if it cannot be of any packet.
    mutating func take(_ number: Int64) throws(WorkerFailure) {
        left -= 1
        guard left >= 0 else { throw .malformed("it makes pictures without end") }
        // A second picture of one packet may have no number.
        guard number == scrub_no_timestamp || numbers[number] != nil else {
            throw .malformed("a picture of a packet that it never got")
        }
    }
}

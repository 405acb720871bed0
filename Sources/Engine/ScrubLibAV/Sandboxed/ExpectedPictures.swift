internal import CScrubFFmpeg
internal import ScrubIsolation

/// The pictures that a worker may output: only pictures of packets that it received, a few for each packet, and none
/// before the first.
///
/// A compromised worker can still show anything in place of its file's pictures. It cannot continue forever, and its
/// data about a picture belongs to an existing packet.
struct ExpectedPictures {
    private var left = 0
    /// The numbers of the packets that it last received, with the number of times for each.
    private var numbers: [Int64: Int] = [:]
    private var order: [Int64] = []
    private var next = 0

    /// More pictures than any decoder delays.
    private static let mostAhead = 1024
    /// More pictures than any packet produces.
    private static let mostOfPacket = 16

    /// Records that a packet was sent.
    mutating func add(_ number: Int64) {
        left = min(ExpectedPictures.mostAhead, left) + ExpectedPictures.mostOfPacket
        numbers[number, default: 0] += 1
        guard order.count == 2 * ExpectedPictures.mostAhead else { return order.append(number) }
        let old = order[next]
        order[next] = number
        next = (next + 1) % order.count
        if let count = numbers[old] { numbers[old] = count > 1 ? count - 1 : nil }
    }

    /// Returns whether the worker received a packet with that number, as far as is remembered.
    func knows(_ number: Int64) -> Bool { numbers[number] != nil }

    /// Records that a picture arrived.
    ///
    /// - Throws: an error if it cannot belong to any packet.
    mutating func take(_ number: Int64) throws(WorkerFailure) {
        left -= 1
        guard left >= 0 else { throw .malformed("it produces more pictures than expected") }
        // A second picture of one packet may have no number.
        guard number == scrub_no_timestamp || numbers[number] != nil else {
            throw .malformed("it returned a picture of a packet that it never received")
        }
    }
}

import CScrubMalice
import Glibc
import ScrubIsolation

/// Opens as a demuxer does, and then asks for bytes that it has no use for, or reports packets that do not exist.
func serveInput(_ link: WorkerLink) {
    var packets: Int64 = 0
    while let message = try? link.receive(most: 1 << 30, milliseconds: nil) {
        switch message.kind {
        case 20:
            ask(link)
            answer(link) { put(format: "data", to: &$0) }
        case 21: answer(link) { $0.put(false) }
        case 22:
            answer(link) {
                $0.put(UInt32(1))
                put(stream: &$0)
            }
        case 24:
            answer(link) {
                $0.put(true)
                $0.put([UInt8](repeating: 7, count: 200))
            }
        case 26:
            packets += 1
            answer(link) { put(packet: packets, to: &$0) }
        case 1: answer(link) { $0.put(UInt8(0)) }
        case 2, 4:
            // A picture far larger than the announced limits allow.
            answer(link) {
                $0.put(UInt8(2))
                $0.put(Int64(4 * 8000 * 8000))
            }
        case 5...11: break
        default: answer(link)
        }
    }
}

/// Questions without end, without reading the answers, with descriptors.
private func ask(_ link: WorkerLink) {
    guard deed.hasPrefix("ask") else { return }
    while true {
        var question = MessageWriter()
        question.put(UInt8(0))
        question.put(Int64(0))
        question.put(Int32(0))
        let descriptor: Int32? = deed == "ask-with-descriptors" ? 0 : nil
        guard (try? link.send(102, question.bytes, descriptor: descriptor)) != nil else { _exit(5) }
        if deed == "ask-and-not-read" {
            var read = MessageWriter()
            read.put(UInt8(0))
            read.put(UInt32(1 << 18))
            try? link.send(101, read.bytes)
        } else if (try? link.receive(most: 1 << 30, milliseconds: nil)) == nil {
            _exit(5)
        }
    }
}

private func put(format: String, to message: inout MessageWriter) {
    message.put(format)
    message.put(false)
    message.put(false)
}

/// A stream of Motion JPEG, 64 x 64, with limits of its own; a cover, where one is asked for.
private func put(stream message: inout MessageWriter) {
    let isCover = deed == "large-cover"
    for number: Int64 in [0, 0] { message.put(number) }
    message.put(UInt8(0))
    message.put(UInt32(7))
    message.put(UInt32(0))
    message.put([UInt8]())
    for number: Int32 in [12, 0, 0, 64, 64, 0, 1] { message.put(number) }
    for _ in 0..<6 { message.put(Int32(0)) }
    for number: Int32 in [0, 8, 8] { message.put(number) }
    message.put(Int64(0))
    message.put(UInt32(0))
    for _ in 0..<2 { message.put(Int64(1) << 40) }
    for number: Int64 in [1, 25] { message.put(number) }
    for flag in [false, false] { message.put(flag) }
    // AV_DISPOSITION_DEFAULT, and AV_DISPOSITION_ATTACHED_PIC.
    message.put(Int32(isCover ? 1 | 1 << 10 : 1))
    for flag in [false, false, false, false] { message.put(flag) }
}

/// Packets of another stream that never end, or one that lies at the end of all numbers.
private func put(packet number: Int64, to message: inout MessageWriter) {
    let isFar = deed == "far-packet"
    guard !isFar || number < 3 else { return message.put(false) }
    message.put(true)
    let place = isFar ? (number == 1 ? 100 : Int64.max) : 0
    for value in [number, number, 1, place] { message.put(value) }
    message.put(Int32(isFar ? 0 : 1))
    message.put(Int32(1))
    message.put(UInt32(0))
    message.put([UInt8](repeating: 0xA5, count: 100))
}

import CScrubMalice
import CScrubSandbox
import Glibc
import ScrubIsolation
import ScrubLibAV

// A sandbox's worker that was taken over: it locks itself in as every worker does, and then does one thing that no
// decoder does. Its task is in the name that it was started by.

let words = CommandLine.arguments
let deed = words[0].split(separator: "/").last.map { String($0) } ?? ""

/// The file that it leaves behind if it got through, beside the link that it was started by: only a test reads it.
let trace = words[0] + ".trace"

/// Reports that it came through a call that should have ended it.
func survived(_ what: String) -> Never {
    // It cannot be made either.
    _ = open(trace, O_CREAT | O_WRONLY, 0o600)
    _exit(99)
}

/// Not a worker at all. It runs a program on a kernel that lacks a sandbox, or forbids it as some containers do.
func runWithout(seccomp: Bool, landlock: Bool, error: Int32) -> Never {
    guard malice_unlearn(error, seccomp ? 1 : 0, landlock ? 1 : 0) == 0 else { _exit(98) }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.dropFirst().map { strdup($0) } + [nil]
    execv(words[1], &arguments)
    _exit(97)
}

/// Answers as a worker does, whatever was asked.
func answer(
    _ link: WorkerLink, undecoded: Int64? = nil, words: String? = nil, _ body: (inout MessageWriter) -> Void = { _ in }
) {
    var message = MessageWriter()
    message.put(Int32(0))
    message.put(UInt32(words == nil ? 0 : 1))
    message.put(words) { $0.put($1) }
    message.put(all: undecoded.map { [$0] } ?? []) { $0.put($1) }
    message.put(UInt32(0))
    body(&message)
    try? link.send(100, message.bytes)
}

/// The number of the last packet that came.
nonisolated(unsafe) var number: Int64 = 0
/// Descriptors that were handed over, -1 for one that did not come.
nonisolated(unsafe) var memories: [Int32] = []

/// Writes a picture with false facts about itself.
func picture(_ message: inout MessageWriter, _ format: Int32, _ width: Int32, _ height: Int32, kind: UInt8 = 1) {
    message.put(kind)
    // A worker that says a frame's own number, and shows something else in its place, is believed.
    message.put(number)
    for number in [format, width, height, 0, 0] { message.put(number) }
    for _ in 0..<3 { message.put(false) }
    message.put(UInt32(1))
    message.put(Int32(0))
    message.put(Int32(1))
    for _ in 0..<5 { message.put(UInt32(2)) }
    message.put(UInt32(0))
}

func doIt(_ link: WorkerLink, _ parent: pid_t) {
    switch deed {
    case "open":
        // Refused, not ended: libraries look for their settings.
        guard open("/etc/passwd", O_RDONLY) < 0, open("/proc/self/environ", O_RDONLY) < 0 else { survived(deed) }
        guard open(trace, O_CREAT | O_WRONLY, 0o600) < 0 else { _exit(99) }
        _exit(3)
    case "connect":
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if made >= 0 { survived(deed) }
    case "fork":
        if malice_fork() >= 0 { survived(deed) }
    case "exec":
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        execv("/bin/true", &arguments)
    case "kill": if kill(parent, SIGKILL) == 0 { survived(deed) }
    case "namespace": if malice_name_space() >= 0 { survived(deed) }
    case "out-of-band": if malice_out_of_band(3) >= 0 { survived(deed) }
    case "hole":
        // Refused, not ended.
        if malice_hole() == 0 || close(0) == 0 { survived(deed) }
        _exit(3)
    case "threads":
        // The program ends it when it looks; it is not late yet.
        _ = malice_threads(2000)
        while true { sleep(1) }
    case "ptrace": if malice_trace(parent) == 0 { survived(deed) }
    case "read": if malice_read_memory(parent) >= 0 { survived(deed) }
    case "code":
        let made = mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if made != MAP_FAILED { survived(deed) }
    case "allocate":
        // Until there is none; then it goes on without.
        while let made = malloc(16 << 20) { memset(made, 1, 16 << 20) }
        _exit(4)
    case "spin": while true {}
    case "close":
        close(3)
        while true { sleep(1) }
    case "silent": while true { _ = try? link.receive(most: 1 << 30, milliseconds: nil) }
    case "garbage":
        while true { guard (try? link.send(77, [UInt8](repeating: 0xA5, count: 3000))) != nil else { _exit(5) } }
    case "long":
        // A message that says to have 4 GB.
        var message = MessageWriter()
        message.put(UInt32.max)
        message.put(UInt8(100))
        _ = message.bytes.withUnsafeBytes { scrub_link_send(3, $0.baseAddress, $0.count, -1, -1) }
        while true { sleep(1) }
    case "ask", "ask-and-not-read", "ask-with-descriptors", "packets", "far-packet", "large-cover": serveInput(link)
    case "mortal", "stuck": break
    default: serve(link)
    }
}

/// Opens as a decoder does, and then lies about its pictures.
func serve(_ link: WorkerLink) {
    var first: Int64?
    while let message = try? link.receive(most: 1 << 30, milliseconds: nil) {
        if message.kind == 2 {
            number = message.payload.withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
            // Of a packet that it never got.
            if deed == "unknown" { number += 1 }
        }
        switch (message.kind, deed) {
        case (1, _): answer(link) { $0.put(UInt8(0)) }
        case (5...11, _): break
        // Before there is memory for it; of a size, a format, a number of bytes that cannot be.
        case (_, "unannounced"): answer(link) { picture(&$0, 0, 64, 64) }
        case (_, "huge"): answer(link) { picture(&$0, 0, 1 << 19, 1 << 19) }
        case (_, "negative"): answer(link) { picture(&$0, 0, -64, 64) }
        case (_, "format"): answer(link) { picture(&$0, 9999, 64, 64) }
        case (_, "memory"):
            answer(link) {
                $0.put(UInt8(2))
                $0.put(Int64.max)
            }
        case (_, "larger"):
            // Asks for little, and says then that there is much.
            answer(link) {
                $0.put(UInt8(2))
                $0.put(Int64(4096))
            }
            _ = try? link.receive(most: 1 << 30, milliseconds: nil)
            _ = try? link.receive(most: 1 << 30, milliseconds: nil)
            answer(link) { picture(&$0, 0, 4096, 4096) }
        case (10, "hoard"):
            // Keeps what it is given, and wants more: of several there is room for one.
            memories.append(message.descriptor ?? -1)
            if memories.count > 1, memories.allSatisfy({ $0 >= 0 }) { survived(deed) }
        case (_, "undecoded"):
            // Announces a packet that does not exist.
            answer(link, undecoded: number | 0xFFFF_FFF0) {
                $0.put(UInt8(0))
                $0.put(Int32(-11))
            }
        case (_, "words"):
            answer(link, words: String(repeating: "A", count: 1_000_000)) {
                $0.put(UInt8(0))
                $0.put(Int32(-11))
            }
        case (2, "sampleless"), (4, "sampleless"): answer(link) { picture(&$0, 0, 64, 64, kind: 3) }
        case (_, "waiting"), (_, "hoard"):
            answer(link) {
                $0.put(UInt8(2))
                $0.put(Int64(1 << 20))
            }
        case (4, "endless"), (2, "endless"), (4, "unknown"), (2, "unknown"):
            // The first packet's, again and again: not the requested ones.
            if deed == "endless" { first = first ?? number }
            if let first { number = first }
            if message.kind == 2 {
                answer(link) {
                    $0.put(UInt8(2))
                    $0.put(Int64(64 * 64 * 3 / 2))
                }
            } else {
                answer(link) { picture(&$0, 0, 64, 64) }
            }
        default:
            // The end of the stream: nothing else is left to say.
            answer(link) {
                $0.put(UInt8(0))
                $0.put(Int32(-541_478_725))
            }
        }
    }
}

switch deed {
case "no-seccomp": runWithout(seccomp: true, landlock: true, error: ENOSYS)
case "seccomp-forbidden": runWithout(seccomp: true, landlock: true, error: EPERM)
case "landlock-forbidden": runWithout(seccomp: false, landlock: true, error: EPERM)
default: break
}
let parent = getppid()
DecodeWorker.runIfAsked(words, then: { doIt($0, parent) }) { message in
    // Sound, except for one picture that it does not live through: the fourth. Its number is the packet's time.
    guard message.kind == 2, message.payload.first == 3 else { return }
    if deed == "mortal" { abort() }
    while deed == "stuck" {}
}

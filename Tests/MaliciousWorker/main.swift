import CMalice
import CSandbox
import Glibc
import Isolation
import LibAV

// A sandbox's worker that somebody has taken over: it locks itself in as every worker does, and then does one thing that no decoder
// does. What it is to do stands in the name that it was started by.

let words = CommandLine.arguments
let deed = words[0].split(separator: "/").last.map { String($0) } ?? ""

/// Says that it came through what should have ended it.
func survived(_ what: String) -> Never {
    // Nobody reads this but a test that looks for the file; it cannot be made either.
    _ = open("/tmp/scrub-malicious-\(deed)", O_CREAT | O_WRONLY, 0o600)
    _exit(99)
}

/// Answers as a worker does, whatever was asked.
func answer(_ link: WorkerLink, _ body: (inout MessageWriter) -> Void) {
    var message = MessageWriter()
    message.put(Int32(0))
    message.put(UInt32(0))
    message.put(false)
    message.put(UInt32(0))
    message.put(UInt32(0))
    body(&message)
    try? link.send(100, message.bytes)
}

/// A picture that says of itself what is not so.
func picture(_ message: inout MessageWriter, _ format: Int32, _ width: Int32, _ height: Int32) {
    message.put(UInt8(1))
    // Nobody's number: a worker that says a frame's own, and shows something else, is believed.
    message.put(Int64(99) << 32)
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
        guard open("/tmp/scrub-malicious-open", O_CREAT | O_WRONLY, 0o600) < 0 else { _exit(99) }
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
        _ = message.bytes.withUnsafeBytes { scrub_link_send(3, $0.baseAddress, $0.count, -1) }
        while true { sleep(1) }
    case "mortal", "stuck": break
    default: serve(link)
    }
}

/// Opens as a decoder does, and then lies about its pictures.
func serve(_ link: WorkerLink) {
    while let message = try? link.receive(most: 1 << 30, milliseconds: nil) {
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
        case (_, "waiting"):
            answer(link) {
                $0.put(UInt8(2))
                $0.put(Int64(1 << 20))
            }
        case (4, "endless"), (2, "endless"):
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

let parent = getppid()
DecodeWorker.runIfAsked(words, then: { doIt($0, parent) }) { message in
    // Sound, but for one picture that it does not live through: the fourth. Its number is the packet's time.
    guard message.kind == 2, message.payload.first == 3 else { return }
    if deed == "mortal" { abort() }
    while deed == "stuck" {}
}

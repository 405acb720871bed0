import Foundation

/// The part of the server that its threads hold.
final class FaultServerCore: Sendable {
    struct State: Sendable {
        var resources: [String: FaultResource] = [:]
        var rules: [String: [(Fault, FaultOccasion)]] = [:]
        var counts: [String: Int] = [:]
        var log: [FaultLogEntry] = []
        /// Counts the times the log was cleared.
        var epoch = 0
        var connectionCount = 0
        var open: Set<Int32> = []
        var isStopped = false
    }

    /// A line of the log, also after it was cleared.
    struct LogPlace: Sendable {
        let epoch: Int
        let index: Int
    }

    let state = Guarded(State())
    let port: UInt16
    private let listener: Int32
    private let sendBuffer: Int32?

    init(_ family: FaultServer.Family, sendBuffer: Int32?) throws {
        self.sendBuffer = sendBuffer
        let isIPv6: Bool = if case .ipv6 = family { true } else { false }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw POSIXError(.EAFNOSUPPORT) }
        var (old, new) = (sockaddr_in(), sockaddr_in6())
        old.sin_family = sa_family_t(AF_INET)
        old.sin_addr.s_addr = (0x7F00_0001 as UInt32).bigEndian
        if case .otherLoopback(let last) = family { old.sin_addr.s_addr = (0x7F00_0000 | UInt32(last)).bigEndian }
        new.sin6_family = sa_family_t(AF_INET6)
        new.sin6_addr = in6addr_loopback
        let (oldSize, newSize) = (socklen_t(MemoryLayout<sockaddr_in>.size), socklen_t(MemoryLayout<sockaddr_in6>.size))
        let status = isIPv6 ? Self.bind(descriptor, &new, newSize) : Self.bind(descriptor, &old, oldSize)
        guard status == 0, listen(descriptor, 256) == 0 else {
            close(descriptor)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        var size = isIPv6 ? newSize : oldSize
        _ = isIPv6 ? Self.name(descriptor, &new, &size) : Self.name(descriptor, &old, &size)
        port = UInt16(bigEndian: isIPv6 ? new.sin6_port : old.sin_port)
        listener = descriptor
    }

    deinit { close(listener) }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address, _ size: socklen_t) -> Int32 {
        withUnsafeBytes(of: &address) { bytes in
            bytes.baseAddress.map { Glibc.bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), size) } ?? -1
        }
    }

    private static func name<Address>(_ descriptor: Int32, _ address: inout Address, _ size: inout socklen_t) -> Int32 {
        withUnsafeMutableBytes(of: &address) { bytes in
            bytes.baseAddress.map { getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &size) } ?? -1
        }
    }

    /// Accepts connections until it is stopped.
    func start() {
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 {
                    if errno == EINTR || errno == ECONNABORTED || errno == EMFILE { continue }
                    return
                }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                var one: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
                if var sendBuffer { setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &sendBuffer, 4) }
                let number: Int? = state.with { state in
                    guard !state.isStopped else { return nil }
                    state.open.insert(descriptor)
                    state.connectionCount += 1
                    return state.connectionCount - 1
                }
                guard let number else {
                    close(descriptor)
                    return
                }
                Thread.detachNewThread { [self] in
                    FaultConnection(core: self, socket: descriptor, number: number).serve()
                    state.with { _ = $0.open.remove(descriptor) }
                    close(descriptor)
                }
            }
        }
    }

    func stop() {
        state.with { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
        cutConnections()
    }

    func cutConnections() {
        state.with { state in
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// The answer to a request, with the faults that are for it, and its line in the log.
    func answer(to request: FaultRequest) -> (FaultAnswer, LogPlace) {
        state.with { state in
            var request = request
            let name = request.name
            request.number = state.counts[name, default: 0]
            state.counts[name] = request.number + 1
            let resource = state.resources[name]
            var answer = resource?.answer(to: request) ?? .text(404, "nothing of this name")
            for (fault, occasion) in state.rules[name] ?? [] where occasion.includes(request) {
                fault.change(&answer, request)
            }
            var entry = FaultLogEntry(request: request)
            entry.status = answer.status
            entry.generation = resource?.generation ?? 0
            state.log.append(entry)
            return (answer, LogPlace(epoch: state.epoch, index: state.log.count - 1))
        }
    }

    /// Changes a line of the log, unless it was cleared.
    func note(_ place: LogPlace, _ change: (inout FaultLogEntry) -> Void) {
        state.with { state in
            guard state.epoch == place.epoch, state.log.indices.contains(place.index) else { return }
            change(&state.log[place.index])
        }
    }
}

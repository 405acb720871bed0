#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubBase

extension NetworkOptions {
    /// Creates network options from the C structure.
    init(_ network: UnsafePointer<scrub_network>?) throws(ScrubError) {
        self.init()
        guard unsafe network != nil else { return }
        let said = try unsafe SizedCopy.value(network)
        let flags = unsafe said.flags
        guard flags & ~UInt32(SCRUB_PUBLIC_ONLY | SCRUB_NO_MEDIA_CACHE) == 0 else {
            throw .flags("scrub_network.flags", flags)
        }
        isPublicOnly = flags & UInt32(SCRUB_PUBLIC_ONLY) != 0
        usesCache = flags & UInt32(SCRUB_NO_MEDIA_CACHE) == 0
        for line in unsafe CText.list(said.headers) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts.first, !name.isEmpty else {
                // The line itself is omitted, because it may be secret.
                throw ScrubError(
                    .usage, "a line of scrub_network.headers does not begin with a name and a colon",
                    advice: "use \"Name: value\"")
            }
            headers[String(name)] = String(parts[1].drop { $0 == " " || $0 == "\t" })
        }
        unsafe (allowedHosts, deniedHosts) = (CText.list(said.allow), CText.list(said.deny))
        if let agent = unsafe said.user_agent { userAgent = unsafe CText.read(agent) }
        if let address = unsafe said.proxy.map({ unsafe CText.read($0) }) {
            proxy = address.isEmpty ? .none : .address(address)
        }
        certificateFile = unsafe said.certificates.map { unsafe CText.read($0) }
        cacheIdentity = unsafe said.cache_name.map { unsafe CText.read($0) }
        if unsafe said.memory > 0 { memoryByteLimit = unsafe Int(clamping: said.memory) }
        if unsafe said.connect_time > 0 { connectTimeout = unsafe .milliseconds(said.connect_time) }
        if unsafe said.answer_time > 0 { answerTimeout = unsafe .milliseconds(said.answer_time) }
        if unsafe said.stall_time > 0 { stallTimeout = unsafe .milliseconds(said.stall_time) }
        if unsafe said.read_time > 0 { readTimeout = unsafe .milliseconds(said.read_time) }
        if unsafe said.connections > 0 { connectionLimit = unsafe Int(clamping: said.connections) }
        guard unsafe said.reserved == 0 else {
            throw ScrubError(.usage, "scrub_network.reserved is not 0", advice: "initialize it with SCRUB_NETWORK_INIT")
        }
    }
}
#endif

#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

@c @implementation func scrub_session_open(
    _ video: OpaquePointer?, _ options: UnsafePointer<scrub_session_options>?,
    _ session: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe session?.pointee = nil
    return unsafe answering(error) {
        let asset = try unsafe Handles.video(video).asset
        guard let session = unsafe session else { throw ScrubError.null("the pointer to the session") }
        let said = try unsafe SessionOptions(options)
        do throws(ScrubError) {
            unsafe session.pointee = Handles.sessions.add(try OpenSession(asset, said))
        } catch { throw error.inFile(asset.path) }
    }
}

@c @implementation func scrub_session_close(_ session: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    // Another thread that closes it also waits for the callback.
    guard let open = unsafe try? Handles.sessions.object(session) else { return }
    open.close()
    _ = unsafe Handles.sessions.remove(session)
}

@c @implementation func scrub_session_request(
    _ session: OpaquePointer?, _ frame: Int64, _ flags: UInt32, _ request: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe asking(session, flags, nil, request, error) { (open) throws(ScrubError) in try open.asset.number(frame) }
}

@c @implementation func scrub_session_request_at(
    _ session: OpaquePointer?, _ position: UnsafePointer<CChar>?, _ flags: UInt32,
    _ frame: UnsafeMutablePointer<Int64>?, _ request: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe asking(session, flags, frame, request, error) { (open) throws(ScrubError) in
        try open.frame(at: FramePosition(try unsafe CText.read(position, "the position")))
    }
}

@c @implementation func scrub_session_request_fraction(
    _ session: OpaquePointer?, _ fraction: Double, _ flags: UInt32, _ frame: UnsafeMutablePointer<Int64>?,
    _ request: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe asking(session, flags, frame, request, error) { (open) throws(ScrubError) in
        guard !fraction.isNaN else {
            throw ScrubError(.usage, "\(fraction) is not a fraction", advice: "use a number from 0 to 1")
        }
        // A slider's numbers are binary; the ratio is the decimal that they print as. A number that is too small for a
        // ratio becomes 0.
        return try open.frame(at: .fraction(Rational(approximating: min(max(fraction, 0), 1)) ?? .zero))
    }
}

@c @implementation func scrub_session_request_seconds(
    _ session: OpaquePointer?, _ seconds: Double, _ flags: UInt32, _ frame: UnsafeMutablePointer<Int64>?,
    _ request: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe asking(session, flags, frame, request, error) { (open) throws(ScrubError) in
        // No film is longer than this, so its ends are within this distance.
        let most = 1e15
        guard !seconds.isNaN, let time = ComputedTime(min(max(seconds, -most), most)) else {
            throw ScrubError(.usage, "\(seconds) is not a time", advice: "use a number of seconds")
        }
        return try open.frame(at: .computedTime(time))
    }
}

/// Makes a request for the frame that `find` returns.
private func asking(
    _ session: OpaquePointer?, _ flags: UInt32, _ frame: UnsafeMutablePointer<Int64>?,
    _ request: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<scrub_error>?,
    _ find: (OpenSession) throws(ScrubError) -> Int
) -> scrub_status {
    unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        guard flags & ~UInt32(SCRUB_RESTING) == 0 else { throw ScrubError.flags("the flags", flags) }
        let number: Int
        do throws(ScrubError) { number = try find(open) } catch { throw error.inFile(open.asset.path) }
        let made = open.request(number, isMoving: flags & UInt32(SCRUB_RESTING) == 0)
        unsafe frame?.pointee = Int64(number)
        unsafe request?.pointee = UInt64(made)
    }
}

@c @implementation func scrub_session_rest(
    _ session: OpaquePointer?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) { try unsafe Handles.sessions.object(session).session.rest() }
}

@c @implementation func scrub_session_cancel(
    _ session: OpaquePointer?, _ request: UInt64, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) { try unsafe Handles.sessions.object(session).cancel(request: Int(clamping: request)) }
}

@c @implementation func scrub_session_began(
    _ session: OpaquePointer?, _ position: UnsafePointer<CChar>?, _ request: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        let begin = try unsafe position.map { (text) throws(ScrubError) in try FramePosition(unsafe CText.read(text)) }
        do throws(ScrubError) {
            let made = try open.begin(at: begin)
            unsafe request?.pointee = UInt64(made)
        } catch { throw error.inFile(open.asset.path) }
    }
}

@c @implementation func scrub_session_moved(
    _ session: OpaquePointer?, _ x: Double, _ y: Double, _ width: Double, _ frame: UnsafeMutablePointer<Int64>?,
    _ request: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe frame?.pointee = -1
    unsafe request?.pointee = 0
    return unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        guard !x.isNaN, !y.isNaN, width > 0, width.isFinite else {
            throw ScrubError(
                .usage, "the position of the finger is \(x), \(y), and the width is \(width)",
                advice: "use numbers for the position, and a finite width above 0")
        }
        // A gesture counts in 1/1024 point, so a small number of units is scaled up. A power of two does not change
        // ratios.
        let scale = Double(sign: .plus, exponent: 20 - Int(width.exponent), significand: 1)
        let place = ScrubGesture.Translation(x: min(max(x * scale, -1e12), 1e12), y: y)
        guard let made = try open.move(to: place, width: width * scale) else { return }
        unsafe frame?.pointee = Int64(made.frame)
        unsafe request?.pointee = UInt64(made.request)
    }
}

@c @implementation func scrub_session_ended(
    _ session: OpaquePointer?, _ flags: UInt32, _ request: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        guard flags & ~UInt32(SCRUB_RETURN) == 0 else { throw ScrubError.flags("the flags", flags) }
        let made = try open.end(returns: flags & UInt32(SCRUB_RETURN) != 0)
        unsafe request?.pointee = UInt64(made)
    }
}

@c @implementation func scrub_session_prepare_previews(
    _ session: OpaquePointer?, _ frame: Int64, _ milliseconds: Int32, _ isDone: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe isDone?.pointee = 0
    return unsafe answering(error) {
        let open = try unsafe Handles.sessions.object(session)
        let made = try open.preparePreviews(around: open.asset.number(frame), waiting: milliseconds)
        unsafe isDone?.pointee = made ? 1 : 0
    }
}
#endif

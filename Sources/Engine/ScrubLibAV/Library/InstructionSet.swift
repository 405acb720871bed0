internal import CScrubFFmpeg

/// Which of the processor's instructions libavcodec's and libswscale's own routines use (`libavutil/cpu.h`).
///
/// Decoders must make the same pictures with all of them: that is proven by setting each, not believed.
package enum InstructionSet: String, CaseIterable, Sendable {
    /// Whatever the processor has.
    case all
    /// 128-bit vectors without later extensions: SSE2 on x86-64, NEON on 64-bit ARM, which every such processor has.
    case basic
    /// Compiled C alone.
    case none

    /// Makes decoders and scalers that are made from now on use these instructions.
    ///
    /// Of the whole process: for programs of their own, as the verification is. Libraries that FFmpeg calls (dav1d)
    /// choose for themselves, by libavutil's word since FFmpeg 6.0 or by the processor's.
    package func apply() {
        switch self {
        case .all: av_force_cpu_flags(-1)
        case .none: av_force_cpu_flags(0)
        case .basic:
            var flags: UInt32 = 0
            #if arch(x86_64)
            let names = "mmx+mmxext+sse+sse2"
            #else
            let names = "armv8+neon"
            #endif
            guard unsafe av_parse_cpu_caps(&flags, names) >= 0 else { return av_force_cpu_flags(0) }
            av_force_cpu_flags(CInt(bitPattern: flags))
        }
    }
}

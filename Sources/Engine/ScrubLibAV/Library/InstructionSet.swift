internal import CScrubFFmpeg

/// The processor instructions that libavcodec's and libswscale's own routines use (`libavutil/cpu.h`).
///
/// Decoders must produce the same pictures with all of them, which is verified by setting each of them.
package enum InstructionSet: String, CaseIterable, Sendable {
    /// All instructions of the processor.
    case all
    /// 128-bit vectors without later extensions: SSE2 on x86-64, NEON on 64-bit ARM, which every such processor has.
    case basic
    /// Compiled C only.
    case none

    /// Makes all new decoders and scalers use these instructions.
    ///
    /// This affects the whole process: use it in separate programs, such as the verification. Libraries that FFmpeg
    /// uses (dav1d) choose for themselves, according to libavutil since FFmpeg 6.0 or to the processor.
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

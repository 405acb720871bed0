/// A way to write a list of frames for other programs.
package enum FrameMapFormat: String, CaseIterable, Sendable {
    /// `custom_frame_mappings` of torchcodec's `VideoDecoder`.
    case torchcodec
    /// `manifest.jsonl` of CVAT, version 1.1.
    case cvat
    /// A table with a head.
    case csv
    /// One object.
    case json
    /// "timestamp format v2", as mkvmerge and x264 read it.
    case timecodes

    /// The program that goes to the times in the map itself, so that its key frames have to hold for it; `nil` for
    /// formats that only say what the container says.
    package var reader: String? {
        switch self {
        case .torchcodec: "torchcodec"
        case .cvat: "CVAT"
        case .csv, .json, .timecodes: nil
        }
    }
}

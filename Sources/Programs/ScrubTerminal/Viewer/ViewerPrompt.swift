internal import ScrubBase
internal import ScrubMedia

/// A position that is being typed.
struct ViewerPrompt: Sendable, Hashable {
    private static let longest = 40
    private(set) var text: String

    init(_ text: String) { self.text = text }

    /// The outcome of a key.
    enum Outcome: Hashable {
        case typing
        case left
        case chosen(Int)
    }

    /// Handles a key; Enter at an invalid position has no effect.
    mutating func take(_ key: TerminalKey, _ asset: VideoAsset) -> Outcome {
        switch (key.code, key.modifiers) {
        case (.escape, _), (.character("c"), .control): return .left
        case (.backspace, _):
            guard !text.isEmpty else { return .left }
            text.removeLast()
        case (.character("u"), .control): text = ""
        case (.enter, _):
            if text.isEmpty { return .left }
            if case .success(let frame) = resolved(asset) { return .chosen(frame) }
        case (.character(let character), []):
            if character.isASCII, text.utf8.count < ViewerPrompt.longest { text.append(character) }
        default: break
        }
        return .typing
    }

    /// Returns the frame that the current text names.
    private func resolved(_ asset: VideoAsset) -> Result<Int, ScrubError> {
        do throws(ScrubError) {
            return .success(try asset.presentedFrame(at: try FramePosition(text)).number)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the prompt's line, with the result.
    func line(_ asset: VideoAsset) -> TerminalLine {
        var line = TerminalLine("go to: ", .bold)
        line.add(text)
        line.add(" ", .reversed)
        guard !text.isEmpty else {
            line.add("  1:02.5, f1234, 42%, last", .dim)
            return line
        }
        switch resolved(asset) {
        case .success(let number):
            line.add("  frame \(number), \(asset.frames[number].timeText)", .good)
        case .failure(let error): line.add("  \(error.causeWording.text(for: .command))", .dim)
        }
        return line
    }
}

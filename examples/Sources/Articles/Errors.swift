import Foundation
import Scrub

/// An application's means to tell its user.
@MainActor protocol Alert: AnyObject {
    func show(title: String, text: String?)
}

@MainActor func opening(_ path: String, _ alert: any Alert) async -> VideoAsset? {
    do {
        return try await VideoAsset.open(path: path)
    } catch is CancellationError {
        return nil
    } catch let error as ScrubError {
        switch error.code {
        case .noInput: alert.show(title: "No such file", text: error.file)
        case .badData: alert.show(title: "Not a video that can be shown", text: error.cause)
        default: alert.show(title: error.localizedDescription, text: error.advice)
        }
        return nil
    } catch {
        return nil
    }
}

func writing(_ picture: FramePicture) throws {
    do {
        try picture.writePNG(to: "/media/card/frame.png")
    } catch {
        // Typed: the compiler knows that it is a ScrubError.
        if case .errno(ENOSPC) = error.systemError { print("the card is full") }
        throw error
    }
}

func checked(_ video: VideoAsset, _ number: Int) -> PresentedFrame? {
    video.frames.indices.contains(number) ? video.frames[number] : nil
}

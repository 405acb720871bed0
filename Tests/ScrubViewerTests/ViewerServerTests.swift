import ScrubViewer
import Testing

@Suite struct ViewerServerTests {
    @Test func isMade() { _ = ViewerServer() }
}

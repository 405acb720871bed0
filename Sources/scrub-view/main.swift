import ScrubViewer

try await ViewerServer().run()

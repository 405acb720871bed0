internal import ScrubStripElement

/// Ready-to-copy code for showing a set in third-party players on a page. The page is in the set's folder.
struct PlayerSnippets {
    /// The video's address.
    let film: String

    /// Each player's name, with its code.
    var all: [(player: String, text: String)] {
        let film = PlainText.markup(film)
        return [
            (
                "The strip on this page, <scrub-strip>",
                """
                <script src="\(StripElement.fileName)" defer></script>
                <video id="player" controls src="\(film)"></video>
                <scrub-strip for="player" src="thumbnails.vtt" label="Film"></scrub-strip>
                """
            ),
            (
                "Plyr",
                """
                <video id="player" controls src="\(film)"></video>
                <script>
                new Plyr('#player', {previewThumbnails: {enabled: true, src: 'thumbnails.vtt'}});
                </script>
                """
            ),
            (
                "Vidstack",
                """
                <media-player src="\(film)">
                  <media-provider></media-provider>
                  <media-video-layout thumbnails="thumbnails.vtt"></media-video-layout>
                </media-player>
                """
            ),
            (
                "Video.js with the videojs-vtt-thumbnails plugin",
                """
                <video id="player" class="video-js" controls src="\(film)"></video>
                <script>
                videojs('player').ready(function () { this.vttThumbnails({src: 'thumbnails.vtt'}); });
                </script>
                """
            ),
            (
                "media-chrome",
                """
                <media-controller>
                  <video slot="media" src="\(film)">
                    <track label="thumbnails" kind="metadata" default src="thumbnails.vtt">
                  </video>
                  <media-control-bar>
                    <media-play-button></media-play-button>
                    <media-time-range></media-time-range>
                  </media-control-bar>
                </media-controller>
                """
            ),
        ]
    }

    /// The snippets as part of a page.
    var html: String {
        all.map { "<h2>\(PlainText.markup($0.player))</h2>\n<pre><code>\(PlainText.markup($0.text))</code></pre>" }
            .joined(separator: "\n")
    }
}

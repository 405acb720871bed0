#!/usr/bin/env bash
# The tests in which threads meet, under the thread sanitizer. Not part of the tests: a build of its own, and minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
# Thumbnails are decoded on several threads, and values handed over between them.
set -- --filter "HandoverTests|FrameGeneratorTests|BlockingWorkTests|ByteSourceTests|FolderLockTests|DriveBinaryTests|StripTests|PosterTests|SceneTests|SharedWorkTests|PresenterModelTests|ThreeScreenTests|PlayerEndTests|PlayerEdgeTests|PlayerPropertyTests|PlayerAbuseTests|PictureLaneTests|DecoderPoolTests|EventHubTests|RemoteFileTests|RemoteFileNetworkTests|FetchBoardTests|HTTPTransportTests|RedirectMemoryTests|CancelledOpeningTests|WholePresentationTests|MediaCacheTests|ScrubBatchTests" "$@"

export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=0 exitcode=66}"
swift test --sanitize=thread --scratch-path .build/thread-sanitizer \
    --filter "ScrubSessionTests|PreviewMakerTests|PreviewStoreTests|PreviewSessionTests|SessionMemoryTests|ScrubLoopTests|ByteBudgetTests|FrameServiceTests|BatchTests|TransportTests|ManyDecodersTests|DecoderLogTests" "$@"

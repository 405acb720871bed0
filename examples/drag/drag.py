#!/usr/bin/env python3
"""A window in which the mouse drags through a film: drag.py FILM. Press, move left and right, let go; q or Escape ends it.

    pip install scrub-video PySide6-Essentials

It prints a line for every picture that it shows: its frame, the frame under the finger, its stage, and the microseconds from
the request to the window.
"""

from __future__ import annotations

import sys

import scrub
from PySide6.QtCore import QRect, QSize, QSocketNotifier, Qt
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget


class Pane(QWidget):
    """Shows the newest picture of a session."""

    def __init__(self, video: scrub.Video) -> None:
        super().__init__()
        self.session = video.session()
        self.image: QImage | None = None
        self.start: int | None = None
        # Readable while there is something to take.
        self.notifier = QSocketNotifier(self.session.fileno(), QSocketNotifier.Type.Read)
        self.notifier.activated.connect(self.take)
        width = min(video.width, 1280)
        self.resize(width, video.height * width // video.width)
        self.setWindowTitle(video.path)
        self.session.began("0.5")
        self.session.ended()

    def take(self) -> None:
        update = self.session.take(0)
        if update is None:
            return
        with update:
            if update.stage == "failed":
                print(update.error, file=sys.stderr)
            if not update.has_picture:
                return
            # The image refers to the array, and keeps it.
            pixels = update.array_as("bgra")
            height, width = pixels.shape[:2]
            self.image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGB32)
            self.pixels = pixels
            self.repaint()
            print(update.number, update.requested, update.stage, round(update.latency * 1e6), flush=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.black)
        if self.image is not None:
            size = self.image.size().scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio)
            spare = self.size() - size
            painter.drawImage(QRect(spare.width() // 2, spare.height() // 2, size.width(), size.height()), self.image)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.start = event.position().toPoint().x()
        self.session.began()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.start is not None:
            self.session.moved(event.position().x() - self.start, width=self.width())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.start is not None:
            self.start = None
            self.session.ended()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Q, Qt.Key.Key_Escape):
            self.close()

    def sizeHint(self) -> QSize:
        return self.size()


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit("usage: drag.py FILM")
    app = QApplication(sys.argv[:1])
    try:
        with scrub.open(sys.argv[1]) as video:
            pane = Pane(video)
            pane.show()
            status = app.exec()
            pane.notifier.setEnabled(False)  # before its descriptor is closed
            pane.session.close()
            return status
    except scrub.Error as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(main())

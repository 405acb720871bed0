internal import ScrubBase

"""A clip of 1920x1080 whose pictures have their numbers, made by ffmpeg. Needs nothing else."""

import os
import subprocess


def make_big_clip(path, frames=300, group=60):
    # Twelve columns and fourteen rows are the bar code's cells; drawn at that size and enlarged it costs nothing.
    bars = ("color=black:s=12x14:r=30,format=gray,"
            "geq=lum='if(lt(Y,1),16+219*mod(floor(N/pow(2,X)),2),if(lt(Y,2),235-219*mod(floor(N/pow(2,X)),2),0))',"
            "crop=12:2:0:0,scale=1920:154:flags=neighbor,format=yuv420p")
    unfinished = path.with_suffix(f".{os.getpid()}.mp4")
    subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=30,format=yuv420p",
         "-f", "lavfi", "-i", bars, "-filter_complex", "[0][1]overlay=0:0", "-frames:v", str(frames), "-c:v", "libx264",
         "-preset", "superfast", "-crf", "23", "-x264-params", f"keyint={group}:min-keyint={group}:scenecut=0:bframes=3",
         str(unfinished)], check=True)
    unfinished.rename(path)

"""Processes that a test ends as a user does."""
import signal
import subprocess


def interrupt(process: subprocess.Popen, patience: float = 60) -> int | str:
    """Sends Ctrl-C and returns the exit code, or that the process did not end within `patience` seconds."""
    process.send_signal(signal.SIGINT)
    try:
        return process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        return "it did not end"

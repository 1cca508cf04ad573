package io.viaduct.tunnel.control;

import java.util.concurrent.atomic.AtomicInteger;

/// Bytes of datagrams between a control connection, which reads them, and the event loop of the
/// session, which opens them. Above [ControlFrame#DATAGRAM_BYTES_WAITING_MAX] the connection is to
/// read no more, below half of it again: TCP then slows down the other end. The connection's thread
/// adds, the session's takes.
public final class DatagramIntake {
  private final AtomicInteger waitingBytes = new AtomicInteger();
  private volatile boolean paused;

  /// So many bytes are handed over. @return whether the connection must read no more
  public boolean added(int bytes) {
    if (waitingBytes.addAndGet(bytes) <= ControlFrame.DATAGRAM_BYTES_WAITING_MAX) {
      return false;
    }
    paused = true;
    // The other thread may have taken all before it could see this.
    return !resumes();
  }

  /// So many bytes are opened. @return whether the connection may read again
  public boolean taken(int bytes) {
    waitingBytes.addAndGet(-bytes);
    return resumes();
  }

  private boolean resumes() {
    if (paused && waitingBytes.get() < ControlFrame.DATAGRAM_BYTES_WAITING_MAX / 2) {
      paused = false;
      return true;
    }
    return false;
  }
}

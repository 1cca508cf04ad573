package io.viaduct.tunnel.control;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/// Datagrams between a control connection, which reads them, and the event loop of the session,
/// which opens them: handed over as they were read together. Above
/// [ControlFrame#DATAGRAM_BYTES_WAITING_MAX] the connection is to read no more, below half of it
/// again: TCP then slows down the other end. The connection's thread reads and hands over, the
/// session's takes.
public final class DatagramIntake {
  /// Who has them opened.
  public interface Receiver {
    /// @param datagrams the receiver's now, who releases them
    /// @param taken run on any thread when they have been opened and released
    void datagrams(List<ByteBuf> datagrams, Runnable taken);
  }

  /// The connection, called on its thread.
  public interface Reading {
    /// Whether it is to read from here on.
    void autoRead(boolean on);
  }

  private final Executor connectionThread;
  private final Reading connection;
  private final Receiver receiver;
  private final AtomicInteger waitingBytes = new AtomicInteger();
  private volatile boolean paused;
  private List<ByteBuf> batch = new ArrayList<>();
  private int batchBytes;

  public DatagramIntake(Executor connectionThread, Reading connection, Receiver receiver) {
    this.connectionThread = connectionThread;
    this.connection = connection;
    this.receiver = receiver;
  }

  /// One has been read.
  public void read(ByteBuf datagram) {
    batchBytes += datagram.readableBytes();
    batch.add(datagram);
  }

  /// There is no more to read for now.
  public void readComplete() {
    if (batch.isEmpty()) {
      return;
    }
    List<ByteBuf> datagrams = batch;
    int bytes = batchBytes;
    batch = new ArrayList<>();
    batchBytes = 0;
    if (added(bytes)) {
      connection.autoRead(false);
    }
    receiver.datagrams(
        datagrams,
        () -> {
          if (taken(bytes)) {
            connectionThread.execute(() -> connection.autoRead(true));
          }
        });
  }

  /// The connection has closed: nobody takes what it read last.
  public void close() {
    batch.forEach(ByteBuf::release);
    batch = List.of();
  }

  /// So many bytes are handed over. @return whether the connection must read no more
  boolean added(int bytes) {
    if (waitingBytes.addAndGet(bytes) <= ControlFrame.DATAGRAM_BYTES_WAITING_MAX) {
      return false;
    }
    paused = true;
    // The other thread may have taken all before it could see this.
    return !resumes();
  }

  /// So many bytes are opened. @return whether the connection may read again
  boolean taken(int bytes) {
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

package io.viaduct.tunnel.control;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/// Passes datagrams from a control connection, which reads them, to the session's event loop, which
/// opens them. Datagrams that were read together are passed on together.
///
/// Above [ControlFrame#DATAGRAM_BYTES_WAITING_MAX] waiting bytes the connection stops reading;
/// below half of that it reads again. So TCP slows the other end down. The connection's thread
/// calls all methods except the `taken` callback, which runs on the session's thread.
public final class DatagramIntake {
  /// Opens the datagrams.
  public interface Receiver {
    /// Takes a batch of datagrams.
    ///
    /// @param datagrams datagrams that the receiver now owns and releases
    /// @param taken callback for any thread, to run when the datagrams have been opened and
    ///   released
    void datagrams(List<ByteBuf> datagrams, Runnable taken);
  }

  /// Reading side of the connection. Called on the connection's thread.
  public interface Reading {
    /// Starts or stops reading.
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

  /// Takes one datagram that was read.
  public void read(ByteBuf datagram) {
    batchBytes += datagram.readableBytes();
    batch.add(datagram);
  }

  /// Hands over the batch: the connection has nothing more to read for now.
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

  /// Releases the last batch. Call it when the connection has closed.
  public void close() {
    batch.forEach(ByteBuf::release);
    batch = List.of();
  }

  /// Counts bytes that were handed over. @return true if the connection must stop reading
  boolean added(int bytes) {
    if (waitingBytes.addAndGet(bytes) <= ControlFrame.DATAGRAM_BYTES_WAITING_MAX) {
      return false;
    }
    paused = true;
    // The other thread may have taken all datagrams before it could see `paused`.
    return !resumes();
  }

  /// Counts bytes that were opened. @return true if the connection may read again
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

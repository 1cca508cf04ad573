package io.viaduct.host.linux;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A descriptor on a Netty epoll event loop. It is level-triggered: the loop reports it again while
/// it is readable, so an owner may stop after a fair share. Owns the descriptor and closes it once.
public final class PolledDescriptor implements AutoCloseable {
  /// Events of the descriptor for its owner; called on the event loop.
  public interface Events {
    /// Called when there are bytes to read, or an error that a read returns.
    void readable();

    /// Called when writing is possible again, while [PolledDescriptor#writing(boolean)] is on.
    void writable();
  }

  private static final Logger LOG = LoggerFactory.getLogger(PolledDescriptor.class);

  // Requests edge-triggered errors only. Netty forgets a descriptor for which NONE was submitted,
  // and a level-triggered error would be reported without end.
  private static final EpollIoOps QUIET = EpollIoOps.EPOLLERR.with(EpollIoOps.EPOLLET);

  private final SystemCalls calls = new SystemCalls();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final IoEventLoop loop;
  private final FileDescriptor fd;
  private final Events events;
  private final IoRegistration registration;
  private long faults;
  private boolean isReading;
  private boolean isWriting;

  /// Registers a descriptor on a loop; [#reading(boolean)] starts the reading.
  ///
  /// @param loop of an `EpollIoHandler`
  /// @param fd not blocking; owned from here on, and closed even if this fails
  public PolledDescriptor(IoEventLoop loop, int fd, Events events) {
    this.loop = loop;
    this.fd = new FileDescriptor(fd);
    this.events = events;
    Future<IoRegistration> registering = loop.register(new Handle());
    if (!loop.inEventLoop()) {
      registering.awaitUninterruptibly();
    }
    if (!registering.isSuccess()) {
      calls.close(fd);
      throw new IllegalStateException(
          "descriptor %d cannot be put on event loop %s: is it of an EpollIoHandler, and running?"
              .formatted(fd, loop),
          registering.cause());
    }
    registration = registering.getNow();
  }

  /// Returns the kernel's number of the descriptor.
  public int number() {
    return fd.intValue();
  }

  /// Returns false after closing, when the kernel may give the number to another descriptor.
  public boolean isOpen() {
    return !closed.get();
  }

  /// Returns the event loop of this descriptor.
  public IoEventLoop loop() {
    return loop;
  }

  /// Turns calls of [Events#readable()] on or off. Event loop only.
  public void reading(boolean wanted) {
    if (isReading != wanted) {
      isReading = wanted;
      submit();
    }
  }

  /// Returns true while reading is on.
  public boolean isReading() {
    return isReading;
  }

  /// Turns calls of [Events#writable()] on or off. Event loop only.
  public void writing(boolean wanted) {
    if (isWriting != wanted) {
      isWriting = wanted;
      submit();
    }
  }

  private void submit() {
    assert loop.inEventLoop() : Thread.currentThread();
    if (!registration.isValid()) {
      return;
    }
    EpollIoOps wanted =
        isReading && isWriting
            ? EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT)
            : isReading ? EpollIoOps.EPOLLIN : isWriting ? EpollIoOps.EPOLLOUT : QUIET;
    registration.submit(wanted);
  }

  /// Leaves the loop and closes the descriptor. From outside the loop it waits until that is done.
  @Override
  public void close() {
    if (loop.inEventLoop()) {
      closeNow();
      return;
    }
    try {
      loop.submit(this::closeNow).awaitUninterruptibly();
    } catch (RejectedExecutionException _) {
      closeNow(); // the loop has ended, so no other thread uses the descriptor
    }
  }

  private void closeNow() {
    if (closed.compareAndSet(false, true)) {
      isReading = false;
      isWriting = false;
      registration.cancel();
      calls.close(fd.intValue());
    }
  }

  private final class Handle implements EpollIoHandle {
    @Override
    public FileDescriptor fd() {
      return fd;
    }

    @Override
    public void handle(IoRegistration from, IoEvent event) {
      EpollIoOps ops = ((EpollIoEvent) event).ops();
      try {
        if (isWriting && ops.contains(EpollIoOps.EPOLLOUT)) {
          events.writable();
        }
        if (isReading) {
          events.readable();
        }
      } catch (RuntimeException e) {
        onFault(e);
      }
    }

    // Netty answers an exception by a sleep of the whole loop for one second. A peer that finds one
    // fault could thus stop all others. The log line is written ever more rarely.
    private void onFault(RuntimeException e) {
      faults++;
      if (Long.bitCount(faults) == 1) {
        LOG.error("fault {} while serving descriptor {}", faults, fd.intValue(), e);
      }
    }

    @Override
    public void close() {
      closeNow();
    }
  }
}

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

/// A descriptor on a Netty epoll event loop, level-triggered: as long as it is readable the loop
/// comes back, so an owner may stop after a fair share. Owns the descriptor and closes it once.
public final class PolledDescriptor implements AutoCloseable {
  /// What the owner of the descriptor does; called on the event loop.
  public interface Events {
    /// There is something to read, or an error to be told by reading.
    void readable();

    /// Writing is possible again; only called while it was asked for.
    void writable();
  }

  private static final Logger LOG = LoggerFactory.getLogger(PolledDescriptor.class);

  // Neither reading nor writing: edge-triggered errors only, because Netty forgets a descriptor for
  // which NONE was submitted, and a level-triggered error would be told for ever.
  private static final EpollIoOps QUIET = EpollIoOps.EPOLLERR.with(EpollIoOps.EPOLLET);

  private final SystemCalls calls = new SystemCalls();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final IoEventLoop loop;
  private final FileDescriptor fd;
  private final Events events;
  private final IoRegistration registration;
  private long faults;
  private boolean reading;
  private boolean writing;

  /// Puts a descriptor on a loop; reading starts with [#reading(boolean)].
  ///
  /// @param loop of an `EpollIoHandler`
  /// @param fd not blocking; owned from here on, closed even if this fails
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

  /// The kernel's number.
  public int number() {
    return fd.intValue();
  }

  /// Whether the number is still this descriptor's: after closing, the kernel gives it to others.
  public boolean isOpen() {
    return !closed.get();
  }

  /// The loop that this descriptor lives on.
  public IoEventLoop loop() {
    return loop;
  }

  /// Whether [Events#readable()] is wanted. Event loop only.
  public void reading(boolean wanted) {
    if (reading != wanted) {
      reading = wanted;
      submit();
    }
  }

  /// Whether reading is wanted now.
  public boolean isReading() {
    return reading;
  }

  /// Whether [Events#writable()] is wanted. Event loop only.
  public void writing(boolean wanted) {
    if (writing != wanted) {
      writing = wanted;
      submit();
    }
  }

  private void submit() {
    assert loop.inEventLoop() : Thread.currentThread();
    if (!registration.isValid()) {
      return;
    }
    EpollIoOps wanted =
        reading && writing
            ? EpollIoOps.EPOLLIN.with(EpollIoOps.EPOLLOUT)
            : reading ? EpollIoOps.EPOLLIN : writing ? EpollIoOps.EPOLLOUT : QUIET;
    registration.submit(wanted);
  }

  /// Leaves the loop and closes the descriptor; from outside the loop, waits until that is done.
  @Override
  public void close() {
    if (loop.inEventLoop()) {
      closeNow();
      return;
    }
    try {
      loop.submit(this::closeNow).awaitUninterruptibly();
    } catch (RejectedExecutionException _) {
      closeNow(); // the loop has ended: nobody else uses the descriptor
    }
  }

  private void closeNow() {
    if (closed.compareAndSet(false, true)) {
      reading = false;
      writing = false;
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
        if (writing && ops.contains(EpollIoOps.EPOLLOUT)) {
          events.writable();
        }
        if (reading) {
          events.readable();
        }
      } catch (RuntimeException e) {
        onFault(e);
      }
    }

    // Netty answers an exception by letting the whole loop sleep for a second, which would hand a
    // peer that finds one fault the means to stop everybody. Logged ever more rarely.
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

package io.viaduct.host.netlink;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.Future;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.PolledDescriptor;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports the signal strength of wireless links once a second, on one event loop. Without a
/// wireless link it has no timer. It needs no privilege, and stays silent on a kernel without
/// generic netlink or without wireless drivers.
public final class SignalMonitor implements SignalSource {
  private static final Logger LOG = LoggerFactory.getLogger(SignalMonitor.class);
  private static final long PERIOD_MS = 1000;
  private static final int RECEIVE_BYTES = 64 * 1024;
  private static final int RECEIVES_PER_WAKE_UP = 16;

  private final SystemCalls calls = new SystemCalls();
  private final MemorySegment received = Arena.ofAuto().allocate(RECEIVE_BYTES, Long.BYTES);
  private final IoEventLoop loop;
  private final SignalDialog dialog;
  private @Nullable PolledDescriptor descriptor;
  private @Nullable Future<?> timer;
  private volatile boolean isAsking; // written by the loop
  private boolean isClosed;

  /// @param loop of an `EpollIoHandler`
  /// @param listener called on that loop
  public SignalMonitor(IoEventLoop loop, SignalListener listener) {
    this.loop = loop;
    this.dialog = new SignalDialog(listener);
  }

  /// Sets the links whose signal is asked for. The kernel says which of them are wireless.
  @Override
  public void watch(Set<Integer> linkIndexes) {
    assert loop.inEventLoop() : Thread.currentThread();
    dialog.watch(linkIndexes);
    if (timer == null) {
      period();
    }
  }

  /// Returns true while there may be a wireless link. Any thread may call this; the answer may be
  /// one period old.
  public boolean isAsking() {
    return isAsking;
  }

  private void period() {
    timer = null;
    isAsking = !isClosed && dialog.isNeeded();
    if (!isAsking) {
      return;
    }
    dialog.begin();
    if (descriptor == null && !open()) {
      return;
    }
    ask();
    timer = loop.schedule(this::period, PERIOD_MS, TimeUnit.MILLISECONDS);
  }

  private boolean open() {
    int fd =
        calls.socket(
            Sockets.AF_NETLINK,
            Sockets.SOCK_RAW | Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC,
            Sockets.NETLINK_GENERIC);
    if (fd < 0) {
      LOG.debug("no generic netlink, so no signal strength: {}", Errno.text(fd));
      return false;
    }
    PolledDescriptor polled = new PolledDescriptor(loop, fd, new Readable());
    descriptor = polled;
    polled.reading(true);
    return true;
  }

  private void ask() {
    PolledDescriptor polled = descriptor;
    byte[] request = dialog.request();
    if (polled == null || request == null) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, request);
      int sent = calls.write(polled.number(), message.address(), request.length);
      if (sent < 0) {
        LOG.debug("the request for the signal strength is refused: {}", Errno.text(sent));
      }
    }
  }

  /// Returns the number of messages that were skipped because their lengths are inconsistent.
  public long malformed() {
    return dialog.malformed();
  }

  @Override
  public void close() {
    if (loop.inEventLoop()) {
      closeNow();
    } else if (!loop.isShuttingDown()) {
      loop.submit(this::closeNow).awaitUninterruptibly();
    }
  }

  private void closeNow() {
    isClosed = true;
    Future<?> pending = timer;
    if (pending != null) {
      pending.cancel(false);
    }
    PolledDescriptor polled = descriptor;
    if (polled != null) {
      polled.close();
    }
  }

  private final class Readable implements PolledDescriptor.Events {
    @Override
    public void readable() {
      PolledDescriptor polled = descriptor;
      for (int i = 0; i < RECEIVES_PER_WAKE_UP && polled != null && polled.isReading(); i++) {
        int bytes = calls.read(polled.number(), received.address(), RECEIVE_BYTES);
        if (bytes < 0) {
          break; // no further message, or some were dropped: the next period asks again
        }
        dialog.read(received.asSlice(0, bytes).asByteBuffer());
      }
      ask();
    }

    @Override
    public void writable() {}
  }
}

package io.viaduct.cnapt.hook;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// One reader of the [RoutingHook], with what waits for it. Its own virtual thread writes; any
/// thread may offer.
final class HookReader {
  /// Bytes that may wait for a reader.
  static final int BYTES_MAX = 1_000_000;

  private final SocketChannel channel;
  private final BiConsumer<HookReader, Boolean> ended;
  private final ArrayDeque<byte[]> waiting = new ArrayDeque<>(); // guarded by itself
  private int waitingBytes; // guarded by `waiting`
  private boolean closed; // guarded by `waiting`

  /// @param ended called once, with whether the reader was too slow
  HookReader(SocketChannel channel, BiConsumer<HookReader, Boolean> ended) {
    this.channel = channel;
    this.ended = ended;
  }

  void start() {
    Thread.ofVirtual().name("routing-hook-reader").start(this::write);
    Thread.ofVirtual().name("routing-hook-end").start(this::awaitEnd);
  }

  // A reader sends nothing; what it would send is its end.
  private void awaitEnd() {
    ByteBuffer nothing = ByteBuffer.allocate(512);
    try {
      while (channel.read(nothing.clear()) >= 0) {
        // ignored
      }
    } catch (IOException _) {
      // its end
    }
    end(false);
  }

  /// Gives the reader a line, unless it has ended. Never waits.
  void offer(byte[] line) {
    boolean full;
    synchronized (waiting) {
      if (closed) {
        return;
      }
      full = waitingBytes + line.length > BYTES_MAX;
      if (!full) {
        waitingBytes += line.length;
        waiting.add(line);
        waiting.notifyAll();
      }
    }
    if (full) {
      end(true);
    }
  }

  private void write() {
    try {
      for (byte[] line = next(); line != null; line = next()) {
        ByteBuffer bytes = ByteBuffer.wrap(line);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    } catch (IOException _) {
      end(false);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      end(false);
    }
  }

  private byte @Nullable [] next() throws InterruptedException {
    synchronized (waiting) {
      while (waiting.isEmpty() && !closed) {
        waiting.wait();
      }
      byte[] first = closed ? null : waiting.poll();
      if (first != null) {
        waitingBytes -= first.length;
      }
      return first;
    }
  }

  void close() {
    end(false);
  }

  private void end(boolean tooSlow) {
    synchronized (waiting) {
      if (closed) {
        return;
      }
      closed = true;
      waiting.clear();
      waiting.notifyAll();
    }
    ended.accept(this, tooSlow);
    try {
      channel.close();
    } catch (IOException _) {
      // it is closed
    }
  }
}

package io.viaduct.tunnel.fragment;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.wire.FragmentHeader;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Puts the long bodies of one session together again. Three bodies are open at a time, so that
/// reordering loses nothing. When a fourth begins, the oldest body is given up: it has lost
/// fragments.
public final class Reassembler {
  private static final int OPEN_MAX = 3;

  private final FragmentMemory memory;
  private final @Nullable PartialBody[] open = new PartialBody[OPEN_MAX];
  private @Nullable PartialBody latest;
  private int incomplete;

  public Reassembler(FragmentMemory memory) {
    this.memory = memory;
  }

  /// Returns the number of bodies given up so far.
  public int incomplete() {
    return incomplete;
  }

  /// Takes one fragment.
  ///
  /// @param sequence sequence of this datagram
  /// @param bytes length of the datagram, headers included
  /// @return FRAGMENT_KEPT, REPLAYED or BAD_FRAGMENT
  public Verdict take(long sequence, ByteBuf datagram, int at, int bytes) {
    latest = null;
    long first = sequence - FragmentHeader.index(datagram, at);
    int sealedBytes = FragmentHeader.sealedBytes(datagram, at);
    if (bytes <= FragmentHeader.LENGTH || first < 0 || sealedBytes <= AeadAlgorithm.TAG_BYTES) {
      return Verdict.BAD_FRAGMENT;
    }
    PartialBody body = find(first);
    if (body == null) {
      body = begin(first, sealedBytes);
    }
    latest = body;
    return body.take(datagram, at, bytes);
  }

  /// Returns the body that the last [#take] has completed, or null. The caller opens the body and
  /// gives it back.
  public @Nullable PartialBody complete() {
    PartialBody body = latest;
    return body != null && body.isComplete() ? body : null;
  }

  private @Nullable PartialBody find(long first) {
    for (PartialBody body : open) {
      if (body != null && body.first() == first) {
        return body;
      }
    }
    return null;
  }

  private PartialBody begin(long first, int sealedBytes) {
    int place = 0;
    for (int i = 0; i < OPEN_MAX; i++) {
      PartialBody body = open[i];
      if (body == null) {
        place = i;
        break;
      }
      PartialBody chosen = open[place];
      if (chosen != null && body.first() < chosen.first()) {
        place = i;
      }
    }
    PartialBody lost = open[place];
    if (lost != null) {
      incomplete++;
      memory.giveBack(lost);
    }
    PartialBody body = memory.rent(this, first, sealedBytes);
    open[place] = body;
    return body;
  }

  /// Forgets a body that the memory takes away.
  void evicted(PartialBody body) {
    incomplete++;
    forget(body);
  }

  public void giveBack(PartialBody body) {
    forget(body);
    memory.giveBack(body);
  }

  private void forget(PartialBody body) {
    if (latest == body) {
      latest = null;
    }
    for (int i = 0; i < OPEN_MAX; i++) {
      if (open[i] == body) {
        open[i] = null;
      }
    }
  }

  /// Gives all bodies back.
  public void close() {
    for (PartialBody body : open) {
      if (body != null) {
        giveBack(body);
      }
    }
  }
}

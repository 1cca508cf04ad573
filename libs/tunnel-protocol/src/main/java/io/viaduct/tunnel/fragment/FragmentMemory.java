package io.viaduct.tunnel.fragment;

import org.jspecify.annotations.Nullable;

/// Holds the partial bodies of one event loop: at most 32 arrays. If all are in use, the oldest
/// body of any session is given up. Fragments are not authenticated: this bound limits the memory
/// that forged fragments can take.
public final class FragmentMemory {
  /// Bound on the bodies, 2 MiB together.
  static final int BODIES_MAX = 32;

  private @Nullable PartialBody free;
  private @Nullable PartialBody oldest;
  private @Nullable PartialBody youngest;
  private int made;

  /// Returns an empty body, which is then the youngest of all.
  PartialBody rent(Reassembler owner, long first, int sealedBytes) {
    PartialBody body = free;
    if (body != null) {
      free = body.younger;
      body.younger = null;
    } else if (made < BODIES_MAX) {
      made++;
      body = new PartialBody();
    } else {
      body = evict();
    }
    body.begin(owner, first, sealedBytes);
    body.older = youngest;
    if (youngest == null) {
      oldest = body;
    } else {
      youngest.younger = body;
    }
    youngest = body;
    return body;
  }

  /// Returns the number of bodies that exist, in use or not.
  int made() {
    return made;
  }

  private PartialBody evict() {
    PartialBody victim = oldest;
    if (victim == null || victim.owner == null) {
      throw new IllegalStateException("all bodies are in use and none has an owner");
    }
    victim.owner.evicted(victim);
    unlink(victim);
    return victim;
  }

  void giveBack(PartialBody body) {
    unlink(body);
    body.younger = free;
    free = body;
  }

  private void unlink(PartialBody body) {
    if (body.older == null) {
      oldest = body.younger;
    } else {
      body.older.younger = body.younger;
    }
    if (body.younger == null) {
      youngest = body.older;
    } else {
      body.younger.older = body.older;
    }
    body.older = null;
    body.younger = null;
    body.owner = null;
  }
}

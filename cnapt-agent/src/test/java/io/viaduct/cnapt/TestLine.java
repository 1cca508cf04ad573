package io.viaduct.cnapt;

import io.viaduct.cnapt.control.Snapt;
import org.jspecify.annotations.Nullable;

/// A line at a SNAPT with a round trip of 30 ms. It never becomes empty, so it stays where it is.
final class TestLine implements NearerSnapts.Line {
  @Nullable Snapt sought;
  boolean isMoving;
  private final Snapt used;
  private Runnable refuses = () -> {};

  TestLine(Snapt used) {
    this.used = used;
  }

  @Override
  public String name() {
    return "used";
  }

  @Override
  public Snapt snapt() {
    return used;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public double roundTripMs() {
    return 30;
  }

  @Override
  public @Nullable Snapt sought() {
    return sought;
  }

  @Override
  public boolean isMoving() {
    return isMoving;
  }

  @Override
  public void seek(Snapt snapt, Runnable whenRefused) {
    sought = snapt;
    refuses = whenRefused;
  }

  @Override
  public void stay() {
    sought = null;
  }

  /// Lets the sought SNAPT refuse the device.
  void refused() {
    stay();
    refuses.run();
  }
}

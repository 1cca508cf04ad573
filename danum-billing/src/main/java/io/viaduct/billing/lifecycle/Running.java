package io.viaduct.billing.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/// A part of billing that starts in a stage, and is closed when the stage stops.
public final class Running<T extends AutoCloseable> implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(Running.class);

  private final Stage stage;
  private final Start<T> start;
  private volatile @Nullable T part; // written by the thread that starts or stops

  /// Starts a part.
  @FunctionalInterface
  public interface Start<T> {
    T start() throws IOException;
  }

  public Running(Stage stage, Start<T> start) {
    this.stage = stage;
    this.start = start;
  }

  /// Returns a part that has work only at the stop.
  public static Running<AutoCloseable> atStop(Stage stage, AutoCloseable closing) {
    return new Running<>(stage, () -> closing);
  }

  /// Returns the running part.
  public T get() {
    T running = part;
    if (running == null) {
      throw new IllegalStateException(stage + " does not run");
    }
    return running;
  }

  @Override
  public void start() {
    try {
      part = start.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void stop() {
    T running = part;
    part = null;
    try {
      if (running != null) {
        running.close();
      }
    } catch (Exception e) {
      LOG.warn("{} did not stop cleanly: {}", stage, e.toString());
    }
  }

  @Override
  public boolean isRunning() {
    return part != null;
  }

  @Override
  public int getPhase() {
    return stage.phase();
  }
}

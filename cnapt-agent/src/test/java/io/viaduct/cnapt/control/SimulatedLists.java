package io.viaduct.cnapt.control;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// The real lists of one simulated device: [SnaptOrder], [SnaptClaims] and [HandshakeTimes], and
/// [Candidates] with the pauses of [BackOff] for each line.
public final class SimulatedLists {
  /// The defaults of `control`.
  public static final ControlSettings SETTINGS =
      new ControlSettings(
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofMillis(100),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10));

  private final SnaptOrder order;
  private final SnaptClaims claims;
  private final HandshakeTimes times;

  /// @param device its public key
  public SimulatedLists(byte[] device) {
    order = SnaptOrder.of(device, "", 0);
    claims = new SnaptClaims(order);
    times = new HandshakeTimes(claims);
    claims.measuredBy(times);
  }

  public SnaptOrder order() {
    return order;
  }

  public SnaptClaims claims() {
    return claims;
  }

  /// Sets what is measured.
  public void list(List<Snapt> snapts) {
    times.list(snapts);
  }

  /// Returns the SNAPT that is measured next.
  public @Nullable Snapt next() {
    return times.next();
  }

  /// Takes a handshake. @param ms NaN without an answer
  public List<SnaptWatch.Watched> answered(Snapt snapt, double ms, long nowNs) {
    times.answered(snapt, ms, nowNs);
    return times.watched(nowNs);
  }

  /// Returns the list of one more line.
  public Line line(RandomGenerator random) {
    return new Line(random);
  }

  /// The SNAPTs to which one line may connect.
  public final class Line {
    private final Candidates candidates =
        new Candidates(new SnaptSettings("", 443, ""), SETTINGS.snaptPatience().toNanos(), claims);
    private final BackOff backOff;

    private Line(RandomGenerator random) {
      backOff = new BackOff(SETTINGS, random);
    }

    /// @return all SNAPTs, in the order of the device
    public List<Snapt> replace(List<Snapt> listed) {
      candidates.replace(listed);
      return candidates.offered();
    }

    public @Nullable Snapt dial() {
      return candidates.dial();
    }

    public @Nullable Snapt current() {
      return candidates.current();
    }

    /// @return true if it is home, and is given up
    public boolean failed(boolean hopeless, long nowNs) {
      return candidates.failed(hopeless, false, nowNs);
    }

    public boolean leave() {
      return candidates.leave();
    }

    public boolean leaveFor(Snapt to) {
      return candidates.leaveFor(to, 0);
    }

    public void stay() {
      candidates.stay();
    }

    public void succeeded(Snapt by) {
      candidates.succeeded(by, by.id(), 0);
      backOff.succeeded();
    }

    /// Returns the pause before the next attempt, in ms.
    public long pauseMs(long nowNs) {
      return candidates.isPatient(nowNs) ? backOff.patient() : backOff.next();
    }
  }
}

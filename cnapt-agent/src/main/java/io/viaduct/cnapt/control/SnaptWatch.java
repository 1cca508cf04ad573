package io.viaduct.cnapt.control;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Measures the round trip to the SNAPTs of the list that are not used, at low cost: by the time of
/// a TCP handshake, one SNAPT every 1.8 s in turn. A handshake and its end are 4 packets, of 212
/// bytes with IPv4 and 292 with IPv6, so all of them together cost 0.94 or 1.30 kbit/s. The name of
/// a SNAPT is looked up every ten minutes, and after a handshake without an answer. The measurement
/// pauses while the device carries nothing. Owner: the control loop; any thread may read the
/// results.
///
/// A handshake is not authenticated. Its time only says with which SNAPT a session is begun; what
/// flows need is then measured by sealed probes.
public final class SnaptWatch {
  static final long STEP_MS = 1_800;

  /// Time without traffic after which nothing is measured.
  static final long IDLE_NS = 30_000_000_000L;

  private final EventLoop loop;
  private final SnaptHandshake handshake; // its timeout is less than a step: one at a time
  private final LongSupplier carriedBytes;
  private final HandshakeTimes times;
  private volatile List<Watched> watched = List.of(); // written by the control loop
  private Consumer<List<Watched>> listener = _ -> {};
  private long carried;
  private long carriedNs;

  /// A SNAPT that is not used.
  ///
  /// @param at where it is
  /// @param snapt its name and address, for a person
  /// @param roundTripMs smoothed time of a TCP handshake; null before the first
  /// @param unanswered handshakes without an answer since the last one
  /// @param agoMs time since the last handshake that was answered
  public record Watched(
      @JsonIgnore Snapt at,
      String snapt,
      @Nullable Double roundTripMs,
      int unanswered,
      @Nullable Long agoMs) {}

  /// @param carriedBytes a difference means that there is traffic
  /// @param claims SNAPTs that are used
  public SnaptWatch(SnaptHandshake handshake, LongSupplier carriedBytes, SnaptClaims claims) {
    this.loop = handshake.loop();
    this.handshake = handshake;
    this.carriedBytes = carriedBytes;
    this.times = new HandshakeTimes(claims);
    this.carriedNs = loop.ticker().nanoTime();
  }

  /// Starts to measure. Any thread may call this.
  ///
  /// @param told called on the loop after each handshake, and at each step when none is free
  public void start(Consumer<List<Watched>> told) {
    loop.execute(() -> listener = told);
    var unused =
        loop.scheduleWithFixedDelay(
            () -> step(loop.ticker().nanoTime()), STEP_MS, STEP_MS, TimeUnit.MILLISECONDS);
  }

  /// Sets the SNAPTs of the list. Must be called on the loop.
  public void list(List<Snapt> snapts) {
    times.list(snapts);
    handshake.forgetAllBut(snapts);
    publish();
  }

  /// Returns what was measured. Must be used on the loop.
  HandshakeTimes times() {
    return times;
  }

  /// Returns the SNAPTs that are not used, as far as they are known.
  public List<Watched> watched() {
    return watched;
  }

  /// Measures the next SNAPT, if there is traffic.
  void step(long nowNs) {
    long bytes = carriedBytes.getAsLong();
    if (bytes != carried) {
      carried = bytes;
      carriedNs = nowNs;
    }
    if (nowNs - carriedNs >= IDLE_NS) {
      return;
    }
    Snapt next = times.next();
    if (next == null) {
      publish();
      listener.accept(watched); // a line may seek one that has gone
      return;
    }
    handshake.begin(next, nowNs, answer -> answered(next, answer.ms()));
  }

  /// @param ms time of a handshake; NaN without an answer
  private void answered(Snapt snapt, double ms) {
    if (times.answered(snapt, ms, loop.ticker().nanoTime())) {
      publish();
      listener.accept(watched);
    }
  }

  private void publish() {
    watched = times.watched(loop.ticker().nanoTime());
  }
}

package io.viaduct.cnapt.control;

import io.netty.util.concurrent.Ticker;
import io.viaduct.tunnel.control.KeepAliveWatch;
import io.viaduct.tunnel.control.v1.ControlMessage;
import io.viaduct.tunnel.control.v1.KeepAlive;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// The KeepAlives of one control connection: sends them while nothing else tells that the SNAPT is
/// there, and closes the connection if it is not. Owner: the control event loop.
final class KeepAlives {
  private final Ticker clock;
  private final OneShotTimer timer;
  private final long periodMs;
  private final long answerMs;
  private final LongSupplier carriedBytes;
  private final KeepAliveWatch watch;
  private long number;
  private long heardNs;
  private long carriedThen; // when the SNAPT was last heard

  /// @param timer of the dialog
  /// @param carriedBytes returns the bytes that the tunnel has carried; a difference means that
  ///   there is traffic
  KeepAlives(
      Ticker clock, OneShotTimer timer, ControlSettings settings, LongSupplier carriedBytes) {
    this.clock = clock;
    this.timer = timer;
    this.periodMs = settings.keepAlive().toMillis();
    this.answerMs = settings.connectTimeout().toMillis();
    this.carriedBytes = carriedBytes;
    this.watch = new KeepAliveWatch(periodMs);
  }

  /// Records any message of the SNAPT.
  void heard() {
    heardNs = clock.nanoTime();
    carriedThen = carriedBytes.getAsLong();
  }

  /// Answers a KeepAlive of the SNAPT. Of an answer only the arrival matters.
  void received(ControlConnection from, KeepAlive keepAlive) {
    if (!keepAlive.getReply()) {
      from.send(message(keepAlive.getNumber(), true));
    }
  }

  /// Watches a connection from now on.
  void watch(ControlConnection of) {
    timer.after(
        periodMs,
        () -> {
          long silentMs = TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - heardNs);
          switch (watch.ask(silentMs, carriedBytes.getAsLong() == carriedThen)) {
            case REST -> watch(of);
            case SEND -> {
              of.send(message(++number, false));
              watch(of);
            }
            case LOST ->
                of.close(ControlFailure.KEEP_ALIVE_LOST, "nothing heard for " + silentMs + " ms");
          }
        });
  }

  /// Finds out whether a connection has survived the absence of its link: an answer must come in
  /// the time that a new connection may take.
  void check(ControlConnection of) {
    long askedNs = clock.nanoTime();
    of.send(message(++number, false));
    timer.after(
        answerMs,
        () -> {
          if (heardNs - askedNs < 0) {
            of.close(ControlFailure.KEEP_ALIVE_LOST, "no answer since its link is back");
          } else {
            watch(of);
          }
        });
  }

  private static ControlMessage message(long number, boolean reply) {
    return ControlMessage.newBuilder()
        .setKeepAlive(KeepAlive.newBuilder().setNumber(number).setReply(reply))
        .build();
  }
}

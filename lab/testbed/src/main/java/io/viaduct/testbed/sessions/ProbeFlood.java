package io.viaduct.testbed.sessions;

import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/// Sends probes of many devices in turn for some seconds. New probes follow as fast as answers
/// come, so that the SNAPT's receive buffer never fills and its loop never rests. Runs on the
/// generator's data loop.
final class ProbeFlood {
  private static final int WINDOW = 1024; // probes without an answer
  private static final int ROUND = 64; // probes that leave together

  // A window that stays full for this time is full of lost probes.
  private static final long LOST_NS = 50_000_000;

  // After the end of a flood, late answers may come for this time.
  private static final long LATE_NS = 50_000_000;

  private static final InetSocketAddress SNAPT =
      new InetSocketAddress(SnaptProcess.ADDRESS, SnaptProcess.CONTROL_PORT);

  private final Generator generator;
  private final ManyAddresses lines;
  private final int sessions;
  private final int each;
  private final double seconds;
  private final CompletableFuture<Answered> ended = new CompletableFuture<>();
  private long beginNs;
  private long before;
  private long sent;
  private long lost;
  private long arrived;
  private long arrivedNs;
  private int turn;

  /// Result of a flood.
  ///
  /// @param probes that have left
  /// @param answers that have come back
  record Answered(long probes, long answers, double seconds) {}

  ProbeFlood(Generator generator, ManyAddresses lines, int sessions, int each, double seconds) {
    this.generator = generator;
    this.lines = lines;
    this.sessions = sessions;
    this.each = each;
    this.seconds = seconds;
  }

  CompletableFuture<Answered> ended() {
    return ended;
  }

  void begin() {
    beginNs = generator.nowNs();
    arrivedNs = beginNs;
    before = generator.answers();
    round();
  }

  private void round() {
    try {
      long nowNs = generator.nowNs();
      lines.poll(SNAPT);
      count(nowNs);
      if (nowNs - beginNs >= seconds * 1e9 + LATE_NS) {
        ended.complete(new Answered(sent, arrived, seconds));
        return;
      }
      if (nowNs - beginNs < seconds * 1e9 && sent - lost - arrived < WINDOW) {
        for (int i = 0; i < ROUND; i += each) {
          turn = turn + 1 < sessions ? turn + 1 : 0;
          generator.device(turn).probe(each, nowNs);
          sent += each;
        }
        lines.flush();
      }
      generator.loop().execute(this::round);
    } catch (RuntimeException e) {
      ended.completeExceptionally(e);
    }
  }

  private void count(long nowNs) {
    long now = generator.answers() - before;
    if (now != arrived) {
      arrived = now;
      arrivedNs = nowNs;
    } else if (nowNs - arrivedNs >= LOST_NS) {
      lost = sent - arrived;
      arrivedNs = nowNs;
    }
  }
}

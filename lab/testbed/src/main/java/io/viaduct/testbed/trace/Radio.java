package io.viaduct.testbed.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A simple radio link along a line of base stations. The signal falls with the logarithm of the
/// distance and has slow random fading; the device changes to a better station with hysteresis.
final class Radio {
  private static final double HYSTERESIS_DB = 3; // usual A3 offset of LTE (3GPP TS 36.331)
  private static final double FADING_MEMORY = 0.8; // per second
  private static final double FADING_DB = 4; // shadowing in towns: 4 to 8 dB
  private static final double CHANGE_RTT_MS = 120; // extra round trip in the second of a change
  private static final double CHANGE_LOSS_PERCENT = 3;

  private final Kind kind;
  private final List<Double> stations;
  private final Random random;
  private double fading;
  private int serving = -1;
  private boolean isUp = true;

  /// Properties of a technology.
  ///
  /// @param nearDb signal at 1 m
  /// @param exponentDb loss of signal per tenfold distance
  /// @param lowDb below it the link is down
  /// @param highDb above it the link has its full rate
  enum Kind {
    WIFI(-30, 35, -84, -55, 4, 120),
    CELLULAR(-25, 30, -125, -95, 28, 60);

    private final double nearDb;
    private final double exponentDb;
    private final double lowDb;
    private final double highDb;
    private final double rttMs;
    private final double rateMbit;

    Kind(
        double nearDb,
        double exponentDb,
        double lowDb,
        double highDb,
        double rttMs,
        double rateMbit) {
      this.nearDb = nearDb;
      this.exponentDb = exponentDb;
      this.lowDb = lowDb;
      this.highDb = highDb;
      this.rttMs = rttMs;
      this.rateMbit = rateMbit;
    }

    private double signalDb(double meters) {
      return nearDb - exponentDb * StrictMath.log10(Math.max(1, meters));
    }
  }

  Radio(Kind kind, List<Double> stationMeters, Random random) {
    this.kind = kind;
    stations = new ArrayList<>(stationMeters);
    this.random = random;
  }

  /// Returns the next second of the link.
  ///
  /// @param meters place of the device
  /// @param shieldDb loss of signal by walls, or by a tunnel
  TraceRow next(long timeMs, String link, double meters, double shieldDb) {
    fading =
        FADING_MEMORY * fading
            + StrictMath.sqrt(1 - FADING_MEMORY * FADING_MEMORY)
                * FADING_DB
                * random.nextGaussian();
    boolean isChanging = choose(meters);
    double signal = signal(serving, meters) + fading - shieldDb;
    // A link that is down needs two more decibels to come back.
    isUp = signal > kind.lowDb + (isUp ? 0 : 2);
    if (!isUp) {
      return TraceRow.down(timeMs, link);
    }
    double quality = Math.clamp((signal - kind.lowDb) / (kind.highDb - kind.lowDb), 0.05, 1);
    double weakness = 1 - quality;
    double rtt = kind.rttMs * (1 + 4 * weakness * weakness) + 2 * random.nextDouble();
    double loss = 8 * weakness * weakness * weakness;
    return new TraceRow(
        timeMs,
        link,
        true,
        rtt + (isChanging ? CHANGE_RTT_MS : 0),
        loss + (isChanging ? CHANGE_LOSS_PERCENT : 0),
        kind.rateMbit * quality * quality);
  }

  /// @return true if the device changes to another station
  private boolean choose(double meters) {
    int best = 0;
    for (int station = 1; station < stations.size(); station++) {
      best = signal(station, meters) > signal(best, meters) ? station : best;
    }
    boolean isBetter =
        serving >= 0 && signal(best, meters) > signal(serving, meters) + HYSTERESIS_DB;
    if (serving < 0 || isBetter) {
      serving = best;
    }
    return isBetter;
  }

  private double signal(int station, double meters) {
    return kind.signalDb(Math.abs(stations.get(station) - meters));
  }
}

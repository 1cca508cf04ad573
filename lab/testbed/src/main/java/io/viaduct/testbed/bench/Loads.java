package io.viaduct.testbed.bench;

import java.util.ArrayList;
import java.util.List;

/// The loads of `viaduct bench savings` with their goals for bytes and delay. They are: text by
/// number of flows; five flows of the same text, at different rates and in step; both
/// low-throughput classes at other rates; and every other kind of payload.
final class Loads {
  private static final double NONE = Double.NaN;
  private static final double DENSE_PERCENT = -4; // most overhead of sealing where nothing is saved
  private static final double LOW_DELAY_ADDED_MS = 20; // p99 on an idle link; ADR 0013
  private static final double SPREAD = 0;

  private Loads() {}

  static List<Load> all() {
    var loads = new ArrayList<Load>();
    for (TrafficClass of : TrafficClass.values()) {
      for (int flows = 1; flows <= TrafficClass.FLOWS_MAX; flows++) {
        loads.add(load(of, PayloadKind.TEXT, flows, SPREAD, text(of, flows)));
      }
      for (double rate : new double[] {SPREAD, of.rate(0, 1)}) {
        loads.add(repeated(of, rate));
      }
      if (of == TrafficClass.LT_HD) {
        loads.add(load(of, PayloadKind.TEXT, 1, 15_000, 52));
        loads.add(load(of, PayloadKind.TEXT, 1, 250_000, 60));
      } else if (of == TrafficClass.LT_LD) {
        loads.add(load(of, PayloadKind.TEXT, 1, 20_000, 35));
        // The highest rate of the class: three more packets come within the 20 ms that a packet may
        // wait.
        loads.add(load(of, PayloadKind.TEXT, 1, 128_000, 55));
      }
    }
    for (PayloadKind kind : PayloadKind.values()) {
      for (TrafficClass of : TrafficClass.values()) {
        if (kind != PayloadKind.TEXT) {
          boolean bounded =
              kind.isIncompressible() && of.packetBytes == TrafficClass.HT_HD.packetBytes;
          loads.add(load(of, kind, 1, SPREAD, bounded ? DENSE_PERCENT : NONE));
        }
      }
    }
    return loads;
  }

  private static Load load(
      TrafficClass of, PayloadKind kind, int flows, double rate, double goalPercent) {
    return new Load(of, kind, flows, false, rate, goalPercent, addedMs(of));
  }

  private static Load repeated(TrafficClass of, double rate) {
    int flows = TrafficClass.FLOWS_MAX;
    return new Load(of, PayloadKind.TEXT, flows, true, rate, same(of), addedMs(of));
  }

  /// Returns the most delay that the tunnel may add to the direct path. The other classes have no
  /// goal here: tests of the tunnel check the tenth of their delay limit (ADR 0013).
  private static double addedMs(TrafficClass of) {
    return switch (of) {
      case LT_LD, HT_LD -> LOW_DELAY_ADDED_MS;
      case LT_HD, HT_HD -> NONE;
    };
  }

  private static double text(TrafficClass of, int flows) {
    return switch (flows) {
      case 1 ->
          switch (of) {
            case HT_HD, LT_HD -> 60;
            case HT_LD, LT_LD -> 55;
          };
      case TrafficClass.FLOWS_MAX ->
          switch (of) {
            case HT_HD, LT_HD -> 60;
            case HT_LD -> 62;
            case LT_LD -> 64;
          };
      default -> NONE;
    };
  }

  private static double same(TrafficClass of) {
    return switch (of) {
      case HT_HD -> 90;
      case HT_LD -> 88;
      case LT_HD -> 91;
      case LT_LD -> 75;
    };
  }
}

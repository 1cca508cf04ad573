package io.viaduct.testbed.bench;

import java.util.ArrayList;
import java.util.List;

/// The loads of `viaduct bench savings` with their goals, in bytes and in delay: text by number of
/// flows, five flows of the same text, at rates of their own and in step, both low classes at other
/// rates, and every other kind of payload.
final class Loads {
  private static final double NONE = Double.NaN;
  private static final double DENSE_PERCENT = -4; // what sealing may cost where nothing is saved
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
        // The class's highest: three more packets come within the 20 ms that one may wait.
        loads.add(load(of, PayloadKind.TEXT, 1, 128_000, 55));
      }
    }
    for (PayloadKind kind : PayloadKind.values()) {
      for (TrafficClass of : TrafficClass.values()) {
        if (kind != PayloadKind.TEXT) {
          boolean bounded = kind.dense() && of.packetBytes == TrafficClass.HT_HD.packetBytes;
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

  /// What the tunnel may add to the direct path's delay. The others have no bound of their own: the
  /// tenth of their delay limit is held by the tunnel's tests (ADR 0013).
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

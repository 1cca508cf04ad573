package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleSupplier;

/// Serves the class with the longest virtual queue, so that the rates maximise the sum of the
/// flows' utilities (network utility maximisation, main paper, section VIII).
///
/// A class has a virtual queue beside its real one. It fills at the class's *demand*, the rate at
/// which the marginal utility equals the price, and empties by the bytes that the class sends. The
/// price of a class grows exponentially with its virtual queue (*backlog is price*), so no constant
/// has to fit the units of the utilities. While classes wait, the longest queue is served, which
/// makes their prices equal: then so are their marginal utilities, and no other rates have a larger
/// sum.
///
/// A class that waits for nothing has a price that is a little above those of the waiting ones. So
/// a class that wants less than its share is served at once, and one that begins cannot save up for
/// a long burst. Bytes are those of compounds: after compression.
public final class MaxWeight implements ServiceOrder {
  /// Relative change of the price while a class gets nothing of what it demands, per second.
  private static final double GAIN_PER_SECOND = 10;

  /// Largest relative change of the price by one byte: on a slow line a datagram must not change
  /// more than some percent.
  private static final double GAIN_PER_BYTE_MAX = 1e-5;

  /// Largest price of a class that waits for nothing, in prices of the path.
  private static final double AHEAD = 1.25;

  private static final double STEP_SECONDS_MAX = 0.02;
  private static final double SHARE_MIN = 0.02;

  private final ClassUtility[] utilities;
  private final DoubleSupplier bytesPerSecond;
  private final ActiveFlows flows = new ActiveFlows();
  private final double[] prices = new double[ServiceClass.COUNT];
  private long updatedNs;

  /// Creates the order.
  ///
  /// @param utilities per class in priority order
  /// @param bytesPerSecond rate of the path; infinite while nothing limits, and then no queue
  ///   stands
  public MaxWeight(List<ClassUtility> utilities, DoubleSupplier bytesPerSecond, long nowNs) {
    this.utilities = utilities.toArray(ClassUtility[]::new);
    this.bytesPerSecond = bytesPerSecond;
    updatedNs = nowNs;
    double most = 0;
    for (ClassUtility each : utilities) {
      most = Math.max(most, each.slope(0, 1));
    }
    Arrays.fill(prices, most);
  }

  @Override
  public int next(ClassQueues queues) {
    int first = -1;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (queues.waits(c) && (first < 0 || prices[c] > prices[first])) {
        first = c;
      }
    }
    return first;
  }

  @Override
  public void added(Compound compound, long nowNs) {
    flows.added(compound, nowNs);
  }

  @Override
  public void taken(int serviceClass, int bytes, ClassQueues queues, long nowNs) {
    double capacity = bytesPerSecond.getAsDouble();
    if (Double.isInfinite(capacity)) {
      updatedNs = nowNs;
      return;
    }
    double seconds = Math.min(STEP_SECONDS_MAX, (nowNs - updatedNs) / 1e9);
    updatedNs = nowNs;
    double gain = Math.min(GAIN_PER_SECOND / capacity, GAIN_PER_BYTE_MAX);
    double path = prices[serviceClass];
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      double demanded = demand(c, prices[c], capacity) * seconds;
      double sent = c == serviceClass ? bytes : 0;
      prices[c] *= Math.clamp(1 + gain * (demanded - sent), 0.5, 2);
      if (queues.waits(c)) {
        path = Math.max(path, prices[c]);
      }
    }
    bound(path, capacity, queues);
  }

  // A price outside of these bounds would only be a debt or a claim of the past.
  private void bound(double path, double capacity, ClassQueues queues) {
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      ClassUtility of = utilities[c];
      double most = of.slope(0, 1);
      if (!queues.waits(c)) {
        most = Math.min(most, AHEAD * path);
      }
      double least = Math.min(most, of.slope(capacity, flows.of(c)));
      prices[c] = Math.clamp(prices[c], least, most);
    }
  }

  private double demand(int c, double price, double capacity) {
    return Math.min(capacity, utilities[c].demand(price, flows.of(c)));
  }

  /// Returns all, or the part of the path that the class demands at the path's price while another
  /// class has a standing queue.
  @Override
  public double share(ServiceClass serviceClass, ClassQueues queues, long standingNs, long nowNs) {
    double capacity = bytesPerSecond.getAsDouble();
    double path = 0;
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      if (c != serviceClass.ordinal() && queues.waitNs(c, nowNs) > standingNs) {
        path = Math.max(path, prices[c]);
      }
    }
    if (path == 0 || Double.isInfinite(capacity)) {
      return 1;
    }
    return Math.max(SHARE_MIN, demand(serviceClass.ordinal(), path, capacity) / capacity);
  }
}

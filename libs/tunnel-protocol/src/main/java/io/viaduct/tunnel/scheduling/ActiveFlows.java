package io.viaduct.tunnel.scheduling;

import io.viaduct.tunnel.compound.Compound;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;

/// Counts the flows of each class that send, by their bytes: (Σ b)² / Σ b² over half a second. *n*
/// flows of one rate count as *n*; a flow that only acknowledges hardly counts.
final class ActiveFlows {
  // About half a second.
  private static final int SLOT_SHIFT = 29;

  private final double[] flows = new double[ServiceClass.COUNT];
  private final double[] sum = new double[ServiceClass.COUNT];
  private final double[] squares = new double[ServiceClass.COUNT];
  private long slot = Long.MIN_VALUE;

  ActiveFlows() {
    Arrays.fill(flows, 1);
  }

  /// Returns the number of flows in the slot before the present one, at least 1.
  double of(int serviceClass) {
    return flows[serviceClass];
  }

  /// Takes a compound that waits for the path.
  void added(Compound compound, long nowNs) {
    long present = nowNs >> SLOT_SHIFT;
    if (present > slot) {
      begin(present);
    }
    int c = compound.serviceClass().ordinal();
    for (int i = 0; i < compound.entries(); i++) {
      FlowState flow = compound.flow(i);
      if (flow != null) {
        double bytes = compound.recordBytes(i);
        double before = flow.addInSlot(slot, compound.recordBytes(i));
        sum[c] += bytes;
        squares[c] += bytes * (2 * before + bytes);
      }
    }
  }

  private void begin(long present) {
    for (int c = 0; c < ServiceClass.COUNT; c++) {
      double counted = squares[c] == 0 ? 1 : sum[c] * sum[c] / squares[c];
      flows[c] = (flows[c] + counted) / 2;
      sum[c] = 0;
      squares[c] = 0;
    }
    slot = present;
  }
}

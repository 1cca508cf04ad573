package io.viaduct.snapt.reporting;

import io.viaduct.usage.v1.DrainOrder;

/// Takes orders that come with the bridge's answers to statuses. Implementations must not block.
public interface BridgeOrders {
  /// Takes no order: for a SNAPT that only reports.
  BridgeOrders NONE =
      new BridgeOrders() {
        @Override
        public void onOrder(DrainOrder order) {
          // not carried out
        }

        @Override
        public void onEnrolment(boolean isEnrolled) {
          // not carried out
        }
      };

  /// Carries out an operator's order.
  void onOrder(DrainOrder order);

  /// Learns whether billing has this SNAPT enrolled; called with each answer that says so.
  void onEnrolment(boolean isEnrolled);
}

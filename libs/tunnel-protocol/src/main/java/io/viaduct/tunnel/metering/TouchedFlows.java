package io.viaduct.tunnel.metering;

import io.viaduct.tunnel.flow.FlowState;
import org.jspecify.annotations.Nullable;

/// Holds the flows of the body that an event loop is reading. All sessions of the loop share one
/// array: 10,000 sessions would hold 10 MB of them otherwise.
public final class TouchedFlows {
  @Nullable FlowState[] flows = new FlowState[256];
}

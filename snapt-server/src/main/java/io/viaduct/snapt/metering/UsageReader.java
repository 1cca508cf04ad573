package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;

/// Reads the use of the open interval of a session, flow by flow. The numbers are those that its
/// report would have now.
public interface UsageReader {
  /// Reads one flow. Its class is the present one.
  ///
  /// @param bytes inner bytes that are charged, in both directions
  /// @param flowMs part of the interval in which the flow existed; 0 if it carried nothing
  /// @param isOpen false if the flow has ended
  void flow(FlowState flow, String application, long bytes, long flowMs, boolean isOpen);

  /// Reads the packets of no flow, if there were any.
  void flowless(String application, long bytes, long flowMs);
}

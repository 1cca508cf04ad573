package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.dictionary.EpochAnnouncement;
import io.viaduct.tunnel.wire.Arrival;

/// Receives the peer's control records from [CompoundReader].
public interface ControlSink {
  /// Takes FLOW_ACK.
  ///
  /// @param sequenceLow low half of the sequence of the datagram whose OPEN is acknowledged
  void flowAck(int flow, int generation, int sequenceLow);

  void flowUnknown(int flow, int generation);

  /// Takes FLOW_STATS: eight values in their order on the wire.
  void flowStats(Arrival arrival, int flow, long[] values);

  /// Takes FLOW_WAITED.
  ///
  /// @param waitedUs time for which the flow has waited for the peer's path, since it opened there
  void flowWaited(int flow, long waitedUs);

  void flowEnd(int flow);

  /// Takes FLOW_ROUTE.
  ///
  /// @param route id of a path, or a value of [io.viaduct.tunnel.flow.FlowRoute]
  void flowRoute(Arrival arrival, int flow, int route);

  /// Takes FLOW_SPREAD: the peer sends the packets of a flow by all paths.
  void flowSpread(Arrival arrival, int flow);

  /// Takes EPOCH: the peer holds an epoch. The announcement is valid during the call.
  void epoch(Arrival arrival, EpochAnnouncement announcement);

  void epochUnknown(int context, int epoch);

  /// Takes INCOMPLETE: the number of long bodies that the peer has given up since the session
  /// began.
  void incomplete(Arrival arrival, int bodies);

  /// Sink that ignores all records.
  ControlSink SILENT =
      new ControlSink() {
        @Override
        public void flowAck(int flow, int generation, int sequenceLow) {}

        @Override
        public void flowUnknown(int flow, int generation) {}

        @Override
        public void flowStats(Arrival arrival, int flow, long[] values) {}

        @Override
        public void flowWaited(int flow, long waitedUs) {}

        @Override
        public void flowEnd(int flow) {}

        @Override
        public void flowRoute(Arrival arrival, int flow, int route) {}

        @Override
        public void flowSpread(Arrival arrival, int flow) {}

        @Override
        public void epoch(Arrival arrival, EpochAnnouncement announcement) {}

        @Override
        public void epochUnknown(int context, int epoch) {}

        @Override
        public void incomplete(Arrival arrival, int bodies) {}
      };
}

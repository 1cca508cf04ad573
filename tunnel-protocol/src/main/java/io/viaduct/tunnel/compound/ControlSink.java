package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.history.EpochAnnouncement;

/// What the peer says in control records, as [CompoundReader] finds them.
public interface ControlSink {
  /// @param sequenceLow of the datagram whose OPEN is acknowledged
  void flowAck(int flow, int generation, int sequenceLow);

  void flowUnknown(int flow, int generation);

  /// Eight values in `values`, as they travel.
  void flowStats(int flow, long[] values);

  void flowEnd(int flow);

  /// The peer holds an epoch; valid during the call.
  void epoch(EpochAnnouncement announcement);

  void epochUnknown(int context, int epoch);

  /// The peer has given up so many long bodies since the session began.
  void incomplete(int bodies);

  /// Ignores them all.
  ControlSink SILENT =
      new ControlSink() {
        @Override
        public void flowAck(int flow, int generation, int sequenceLow) {}

        @Override
        public void flowUnknown(int flow, int generation) {}

        @Override
        public void flowStats(int flow, long[] values) {}

        @Override
        public void flowEnd(int flow) {}

        @Override
        public void epoch(EpochAnnouncement announcement) {}

        @Override
        public void epochUnknown(int context, int epoch) {}

        @Override
        public void incomplete(int bodies) {}
      };
}

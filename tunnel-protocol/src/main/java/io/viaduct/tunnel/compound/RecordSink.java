package io.viaduct.tunnel.compound;

import io.viaduct.tunnel.history.EpochAnnouncement;

/// What [CompoundReader] finds. All positions are in the array that it reads; nothing is copied.
public interface RecordSink {
  void stamp(int timeUs);

  /// A whole packet, OPEN or RAW.
  ///
  /// @param flow 0 for RAW
  /// @param install whether it is an OPEN that installs a context
  void whole(
      int flow,
      int generation,
      boolean install,
      int application,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// IP: the bytes behind an IP header; UDP: a payload.
  void elided(
      int kind,
      int flow,
      int ecn,
      int generation,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

  /// TCP; `fields` is a flyweight, valid during the call.
  void tcp(
      int flow,
      int ecn,
      int generation,
      TcpFields fields,
      byte[] bytes,
      int at,
      int length,
      int recordBytes);

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

  /// A control record of so many bytes was one of the above.
  void control(int recordBytes);
}
